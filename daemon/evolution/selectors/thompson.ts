/**
 * Thompson sampling: draws a rate of success for each champion from what is known of its children, and takes the
 * highest (W. Thompson, 1933; O. Chapelle, L. Li, "An empirical evaluation of Thompson sampling", 2011). A child with a
 * gain is a success. What is not known of a champion is taken from all of them, and what was long ago counts less, since
 * a parent's reserves run out (V. Raj, S. Kalyani, "Taming non-stationary bandits: a Bayesian approach", 2017).
 */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import { drawBeta } from '../beta.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import { poolOf } from './pool.ts';
import type { ParentSelector } from './selector.ts';

const Options = z.strictObject({
  /** How many trials the experience with all champions is worth for a new one. */
  prior: z.number().min(0.1).max(1000).default(2),
  /** What a trial counts for after the next one; 1 forgets nothing. */
  discount: z.number().min(0.5).max(1).default(0.97),
});

export class ThompsonSelector implements ParentSelector {
  readonly name = 'thompson';
  private readonly prior: number;
  private readonly discount: number;
  private readonly arms = new Map<Sha256, { successes: number; failures: number }>();
  private successes = 0;
  private trials = 0;

  constructor(config: Config) {
    const { prior, discount } = selectorOptions(config, this.name, Options);
    this.prior = prior;
    this.discount = discount;
  }

  /** O(champions), bounded. */
  select(archive: EvoDB, random: Random): Elite {
    const pool = poolOf(archive, random);
    const rate = (this.successes + 1) / (this.trials + 2);
    let best: Elite | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    for (const elite of pool) {
      const { successes, failures } = this.arms.get(elite.sha256) ?? { successes: 0, failures: 0 };
      const drawn = drawBeta(this.prior * rate + successes, this.prior * (1 - rate) + failures, random);
      if (drawn <= highest) continue;
      highest = drawn;
      best = elite;
    }
    return best ?? random.pick(pool);
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(parent: Sha256, gain: number): void {
    const { successes, failures } = this.arms.get(parent) ?? { successes: 0, failures: 0 };
    const success = gain > 0 ? 1 : 0;
    this.arms.set(parent, {
      successes: this.discount * successes + success,
      failures: this.discount * failures + 1 - success,
    });
    this.successes += success;
    this.trials++;
  }
}
