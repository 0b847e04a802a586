/**
 * Adaptive ε-greedy: the best elite, or with probability ε any champion. Success makes ε smaller, failure larger
 * (after M. Tokic, "Adaptive ε-greedy exploration in reinforcement learning based on value differences", 2010).
 */
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import type { ParentSelector } from './selector.ts';

/** Factor on ε for a child without gain, and its limit. */
const RISE = 1.05;
const CEILING = 0.5;

export class EpsilonSelector implements ParentSelector {
  readonly name = 'epsilon';
  private readonly decay: number;
  private readonly floor: number;
  private readonly ceiling: number;
  private current: number;

  constructor(config: Config) {
    const { eps_init, decay, floor } = config.selector.epsilon;
    this.decay = decay;
    this.floor = floor;
    this.ceiling = Math.max(CEILING, eps_init);
    this.current = eps_init;
  }

  /** The probability of exploring. */
  get epsilon(): number {
    return this.current;
  }

  select(archive: EvoDB, random: Random): Elite {
    const explore = random.next() < this.current;
    const best = archive.best();
    return explore || best === undefined ? random.pick(archive.champions()) : best;
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(_parent: Sha256, gain: number): void {
    this.current = gain > 0 ? Math.max(this.floor, this.current * this.decay) : Math.min(this.ceiling, this.current * RISE);
  }
}
