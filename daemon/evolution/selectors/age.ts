/** Age and fitness together: of a few champions, one that no other beats in both youth and fitness (M. Schmidt, H. Lipson, "Age-fitness Pareto optimization", 2011). */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import type { ParentSelector } from './selector.ts';

const Options = z.strictObject({ size: z.number().int().min(1).max(100).default(4) });

export class AgeSelector implements ParentSelector {
  readonly name = 'age';
  private readonly size: number;

  constructor(config: Config) {
    this.size = selectorOptions(config, this.name, Options).size;
  }

  select(archive: EvoDB, random: Random): Elite {
    const drawn = Array.from({ length: this.size }, () => random.pick(archive.champions()));
    return random.pick(drawn.filter((elite) => !drawn.some((rival) => dominates(rival, elite))));
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(): void {
    // Age and fitness come from the archive alone.
  }
}

/** No worse in either, better in one. */
function dominates(rival: Elite, elite: Elite): boolean {
  if (rival.generation < elite.generation || rival.fitness < elite.fitness) return false;
  return rival.generation > elite.generation || rival.fitness > elite.fitness;
}
