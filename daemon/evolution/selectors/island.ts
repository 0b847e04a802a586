/**
 * The islands' own selector: a Boltzmann draw over the champions of one island by fitness, which cools down as the island
 * fills and starts warm again (B. Romera-Paredes et al.,
 * "Mathematical discoveries from program search with large language models", Nature 625, 2024: the islands of FunSearch).
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

const Options = z.strictObject({
  /** In units of the range of fitness on the island. */
  temperature: z.number().positive().max(100).default(0.1),
  /** Programs after which an island is warm again. */
  period: z.number().int().min(1).default(200),
});

/** A cold island still draws, it does not only take the best. */
const COLDEST = 0.01;

export class IslandSelector implements ParentSelector {
  readonly name = 'island';
  private readonly temperature: number;
  private readonly period: number;

  constructor(config: Config) {
    const { temperature, period } = selectorOptions(config, this.name, Options);
    this.temperature = temperature;
    this.period = period;
  }

  /** O(champions), bounded. */
  select(archive: EvoDB, random: Random): Elite {
    const pool = poolOf(archive, random);
    const high = pool.reduce((most, { fitness }) => Math.max(most, fitness), Number.NEGATIVE_INFINITY);
    const low = pool.reduce((least, { fitness }) => Math.min(least, fitness), Number.POSITIVE_INFINITY);
    const scale = (high - low || 1) * this.warmth(archive.offered);
    const weights = pool.map(({ fitness }) => Math.exp((fitness - high) / scale));
    let at = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = pool.find((_, i) => {
      at -= weights[i] ?? 0;
      return at < 0;
    });
    return drawn ?? random.pick(pool);
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(): void {
    // What an island has learnt is in its champions.
  }

  private warmth(programs: number): number {
    return this.temperature * Math.max(COLDEST, 1 - (programs % this.period) / this.period);
  }
}
