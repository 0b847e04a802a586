/**
 * UCB1: the champion whose children's gain may be highest, given how often it was tried (P. Auer, N. Cesa-Bianchi,
 * P. Fischer, "Finite-time analysis of the multiarmed bandit problem", 2002). A champion's own fitness stands for one
 * trial before the first, so that newcomers are tried best first.
 */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import { poolOf } from './pool.ts';
import type { ParentSelector } from './selector.ts';

/** Weight of the unknown against the known; √2 is UCB1's own. */
const Options = z.strictObject({ exploration: z.number().min(0).max(100).default(Math.SQRT2) });

export class UcbSelector implements ParentSelector {
  readonly name = 'ucb';
  private readonly exploration: number;
  private readonly arms = new Map<Sha256, { trials: number; gain: number }>();
  private trials = 0;
  /** The largest gain so far, which counts as a reward of 1. */
  private scale = 0;

  constructor(config: Config) {
    this.exploration = selectorOptions(config, this.name, Options).exploration;
  }

  /** Draws one of equals at random. O(champions), bounded. */
  select(archive: EvoDB, random: Random): Elite {
    const pool = poolOf(archive, random);
    const fitness = pool.map((elite) => elite.fitness);
    const low = fitness.reduce((a, b) => Math.min(a, b));
    const range = fitness.reduce((a, b) => Math.max(a, b)) - low;
    let best: Elite[] = [];
    let bound = Number.NEGATIVE_INFINITY;
    for (const elite of pool) {
      const value = this.bound(elite.sha256, range === 0 ? 1 : (elite.fitness - low) / range);
      if (value > bound) {
        bound = value;
        best = [];
      }
      if (value === bound) best.push(elite);
    }
    return random.pick(best);
  }

  private bound(sha256: Sha256, prior: number): number {
    const { trials, gain } = this.arms.get(sha256) ?? { trials: 0, gain: 0 };
    const mean = (prior + (this.scale === 0 ? 0 : gain / this.scale)) / (trials + 1);
    return mean + this.exploration * Math.sqrt(Math.log(this.trials + 1) / (trials + 1));
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(parent: Sha256, gain: number): void {
    const arm = this.arms.get(parent) ?? { trials: 0, gain: 0 };
    this.arms.set(parent, { trials: arm.trials + 1, gain: arm.gain + gain });
    this.trials++;
    this.scale = Math.max(this.scale, gain);
  }
}
