/**
 * Fixed shares, as OpenEvolve's database has them: with one probability any champion, with another one of the best so
 * many, and any champion for what the two leave.
 */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import type { ParentSelector } from './selector.ts';

const share = z.number().min(0).max(1);
const Options = z.strictObject({
  exploration: share.default(0.2),
  exploitation: share.default(0.7),
  /** Champions that are exploited: the number of the best. */
  archive: z.number().int().positive().default(100),
  /** The share of the inspirations that are the best others. */
  elites: share.default(0.1),
});

export class RatiosSelector implements ParentSelector {
  readonly name = 'ratios';
  private readonly options: z.infer<typeof Options>;

  constructor(config: Config) {
    this.options = selectorOptions(config, this.name, Options);
  }

  select(archive: EvoDB, random: Random): Elite {
    const { exploration, exploitation, archive: size } = this.options;
    const champions = archive.champions();
    const drawn = random.next();
    const any = random.pick(champions);
    const exploits = drawn >= exploration && drawn < exploration + exploitation;
    return exploits ? (archive.ranked(random.int(Math.min(size, champions.length))) ?? any) : any;
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    const chosen = new Map<Sha256, Elite>();
    const best = Math.ceil(k * this.options.elites);
    for (let rank = 0; chosen.size < best && rank <= best; rank++) {
      const elite = archive.ranked(rank);
      if (elite !== undefined && elite.sha256 !== parent) chosen.set(elite.sha256, elite);
    }
    const champions = archive.champions();
    for (let draw = 0; draw < 4 * k && chosen.size < k; draw++) {
      const elite = random.pick(champions);
      if (elite.sha256 !== parent) chosen.set(elite.sha256, elite);
    }
    // In a small archive, any that are left.
    for (const elite of drawInspirations(archive, k, parent, random)) if (chosen.size < k) chosen.set(elite.sha256, elite);
    return [...chosen.values()];
  }

  feedback(): void {
    // The shares stay what they are.
  }
}
