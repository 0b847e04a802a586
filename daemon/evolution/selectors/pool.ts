/** The champions that a selector compares with each other: all of a small archive, a sample of a large one. */
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';

/** Bounds the cost of a selection, whatever the archive holds. */
const LIMIT = 256;

/** The best and a uniform sample of the others. */
export function poolOf(archive: EvoDB, random: Random): readonly Elite[] {
  const champions = archive.champions();
  if (champions.length <= LIMIT) return champions;
  const pool = new Set<Elite>();
  const best = archive.best();
  if (best !== undefined) pool.add(best);
  while (pool.size < LIMIT) pool.add(random.pick(champions));
  return [...pool];
}
