/** How noisy pairs of readings are in a run, pooled over the programs that it measured last. Pure. */
import { pooledNoise } from '../../judging/timing/race.ts';

/** Programs that are remembered: a machine's noise changes with its load. */
const RECENT = 40;

export class RunNoise {
  private readonly programs: (readonly number[])[] = [];

  add(readings: readonly number[] | undefined): void {
    if (readings === undefined || readings.length < 2) return;
    this.programs.push(readings);
    if (this.programs.length > RECENT) this.programs.shift();
  }

  /** Standard deviation of a pair's logarithm; undefined before the first program. */
  get sd(): number | undefined {
    return this.programs.length === 0 ? undefined : pooledNoise(this.programs);
  }
}
