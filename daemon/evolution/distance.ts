/**
 * How far two programs' texts are from each other, for finding near-duplicates: Jaccard distance between their
 * token n-grams, counted with repetition (A. Broder, "On the resemblance and containment of documents", 1997).
 */

/** Tokens in a row: long enough to know the order of statements, short enough that one change moves few of them. */
const N = 3;

/** The n-grams of a text and how often each occurs. Made once, compared with many. */
interface TokenProfile {
  readonly grams: ReadonlyMap<string, number>;
  readonly total: number;
}

/** O(length). Words, numbers and single signs are tokens; layout is not. */
export function tokenProfile(text: string): TokenProfile {
  const tokens = text.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? [];
  const grams = new Map<string, number>();
  const total = Math.max(tokens.length - N + 1, Math.min(tokens.length, 1));
  for (let i = 0; i < total; i++) {
    const gram = tokens.slice(i, i + N).join(' ');
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return { grams, total };
}

/** 0 for texts of the same n-grams, 1 for texts with none in common. Symmetric. O(size of the smaller profile). */
export function profileDistance(a: TokenProfile, b: TokenProfile): number {
  const [small, large] = a.grams.size <= b.grams.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [gram, count] of small.grams) shared += Math.min(count, large.grams.get(gram) ?? 0);
  const all = a.total + b.total - shared;
  return all === 0 ? 0 : 1 - shared / all;
}
