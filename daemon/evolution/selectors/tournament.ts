/** Tournament selection: the fittest of a few drawn at random (D. Goldberg, K. Deb, "A comparative analysis of selection schemes used in genetic algorithms", 1991). */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import type { ParentSelector } from './selector.ts';

const Options = z.strictObject({ size: z.number().int().min(1).max(100).default(3) });

export class TournamentSelector implements ParentSelector {
  readonly name = 'tournament';
  private readonly size: number;

  constructor(config: Config) {
    this.size = selectorOptions(config, this.name, Options).size;
  }

  /** Draws with replacement; of equals the first drawn wins. */
  select(archive: EvoDB, random: Random): Elite {
    let winner = random.pick(archive.champions());
    for (let drawn = 1; drawn < this.size; drawn++) {
      const rival = random.pick(archive.champions());
      if (rival.fitness > winner.fitness) winner = rival;
    }
    return winner;
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(): void {
    // A tournament learns nothing from its winners.
  }
}
