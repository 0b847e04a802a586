/** Features: the numbers that place a program in the archive. */
import type { Metrics } from '../../shared/judging.ts';
import type { Program } from '../../shared/program.ts';

export interface Feature {
  readonly name: string;
  readonly unit: string;
  /** Undefined when the metrics lack what it needs. */
  value(input: { program: Program; metrics: Metrics; generation: number }): number | undefined;
}
