/** How the executions of a run become fitness and features. */
import type { Sha256 } from '../../../shared/ids.ts';
import type { Metrics } from '../../../shared/judging.ts';
import type { Scoring } from '../../../shared/payloads.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { beyondLimit, type FitnessRule, fitnessOf, isTimed, measuresSpeed } from '../../evolution/objectives.ts';
import type { MinHashes } from '../mutate/min-hashes.ts';

export class Scorer {
  private readonly spec: RunSpec;
  private readonly metric: string;
  private readonly sketches: MinHashes;

  /** `metric`: what fitness is, unless the run has objectives. */
  constructor(spec: RunSpec, metric: string, sketches: MinHashes) {
    this.spec = spec;
    this.metric = metric;
    this.sketches = sketches;
  }

  /** Whether fitness is the speed-up over the original, and can be compared with it. */
  get isSpeedup(): boolean {
    return (
      measuresSpeed(this.spec.evaluator.name) &&
      (this.metric === 'speedup_low' || this.metric === 'speedup') &&
      this.spec.objectives === undefined
    );
  }

  /** What fitness is made of. */
  get rule(): FitnessRule {
    return { metric: this.metric, objectives: this.spec.objectives };
  }

  /** Whether fitness depends on how long something takes. */
  get isTimed(): boolean {
    return isTimed(this.rule, this.spec.evaluator.name);
  }

  fitness(metrics: Metrics): number {
    return fitnessOf(this.rule, metrics);
  }

  /** Which limit of an objective is not met, in words. */
  beyond(metrics: Metrics): string | undefined {
    return beyondLimit(this.rule, metrics);
  }

  /** `neighbours`: elites that the feature `diversity` measures the distance to. */
  async scoring(generation: number, neighbours: readonly Sha256[]): Promise<Scoring> {
    const { axes, objectives } = this.spec;
    return {
      axes,
      metric: this.metric,
      ...(objectives === undefined ? {} : { objectives }),
      ...(neighbours.length === 0 ? {} : { neighbours: await this.sketches.of(neighbours) }),
      generation,
    };
  }
}
