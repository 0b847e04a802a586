/** Recognises the program that a run begins with among its elites. In a file of its own, since it loads nothing. */
import type { Elite } from './niche.ts';

/** As a mutator's name. */
export const ORIGINAL = 'original';

export function isOriginal({ mutator }: Pick<Elite, 'mutator'>): boolean {
  return mutator === ORIGINAL;
}
