/** The contract of a parent selector. Pure: the archive, the random source and the feedback are all it knows. */
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';

export interface ParentSelector {
  readonly name: string;
  /** The archive holds at least one elite. */
  select(archive: EvoDB, random: Random): Elite;
  /** Up to `k` other elites, from other niches where there are some. */
  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[];
  /** Gain of a child over its parent in fitness; 0 for none or for a child that was not correct. Called in insertion order. */
  feedback(parent: Sha256, gain: number): void;
}

declare module '../../registry.ts' {
  interface PluginKinds {
    selector: (config: Config) => ParentSelector;
  }
}
