/** Linear ranking: the chance falls evenly from the best champion to the worst (J. Baker, "Adaptive selection methods for genetic algorithms", 1985). */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import type { ParentSelector } from './selector.ts';

/** How much likelier than average the best is: 1 is uniform, 2 leaves the worst no chance. */
const Options = z.strictObject({ pressure: z.number().min(1).max(2).default(1.8) });

export class RankSelector implements ParentSelector {
  readonly name = 'rank';
  private readonly pressure: number;

  constructor(config: Config) {
    this.pressure = selectorOptions(config, this.name, Options).pressure;
  }

  /**
   * Of n champions, rank i (0 is the best) has the chance (2 − s)/n + 2(s − 1)(n − 1 − i)/(n(n − 1)). The second part is
   * the better one of two that differ, so that no table of chances is needed.
   */
  select(archive: EvoDB, random: Random): Elite {
    const champions = archive.champions();
    const n = champions.length;
    if (n === 1 || random.next() >= this.pressure - 1) return random.pick(champions);
    const one = random.int(n);
    const other = random.int(n - 1);
    return archive.ranked(Math.min(one, other < one ? other : other + 1)) ?? random.pick(champions);
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(): void {
    // Ranks come from the archive alone.
  }
}
