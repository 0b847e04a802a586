/** In which order a run's elites stand in the Evolution view, and which of them. Pure, and quick for 10,000. */
import type { Elite } from '../../shared/niche.ts';

export const sortKeys = ['score', 'generation', 'newest', 'niche', 'mutator'] as const;
export type SortKey = (typeof sortKeys)[number];

export interface Arrangement {
  readonly sort: SortKey;
  /**
   * Words that all must be found in the niche's ranges, the mutator or what was done; `>1.5` and `<1.5` are about the
   * speed-up (the score where there is none), `pinned` and `new` about the elite itself. Empty: all.
   */
  readonly filter: string;
}

/** What was stored for the next time; anything else is the default. */
export function arrangementFrom(stored: unknown): Arrangement {
  const { sort, filter } = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  return { sort: sortKeys.find((key) => key === sort) ?? 'score', filter: typeof filter === 'string' ? filter : '' };
}

/** What the view knows of an elite beyond the elite. */
interface RowFacts {
  /** The number that its row shows: the best comes first when elites are sorted by score. */
  rank(elite: Elite): number;
  /** All that its row says of its niche and of how it was made. */
  label(elite: Elite): string;
  pinned(elite: Elite): boolean;
  fresh(elite: Elite): boolean;
}

export function arrange(elites: readonly Elite[], { sort, filter }: Arrangement, known: RowFacts): Elite[] {
  const tests = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => testOf(word, known));
  const wanted = tests.length === 0 ? [...elites] : elites.filter((elite) => tests.every((test) => test(elite)));
  return sortBy(wanted, sort, known);
}

function speedup({ metrics, fitness }: Pick<Elite, 'metrics' | 'fitness'>): number {
  return metrics['speedup_low'] ?? metrics['speedup'] ?? fitness;
}

function testOf(word: string, known: RowFacts): (elite: Elite) => boolean {
  const [, sign, number] = /^([<>])(\d+(?:\.\d+)?)[×x]?$/.exec(word) ?? [];
  if (number !== undefined) {
    const bound = Number(number);
    return sign === '>' ? (elite) => speedup(elite) > bound : (elite) => speedup(elite) < bound;
  }
  if (word === 'pinned') return known.pinned;
  if (word === 'new') return known.fresh;
  return (elite) => `${known.label(elite)} ${elite.mutator} ${elite.summary}`.toLowerCase().includes(word);
}

function sortBy(elites: Elite[], sort: SortKey, { rank }: RowFacts): Elite[] {
  const byScore = (a: Elite, b: Elite) => rank(b) - rank(a) || b.fitness - a.fitness || a.index - b.index;
  switch (sort) {
    case 'score':
      return elites.sort(byScore);
    case 'generation':
      return elites.sort((a, b) => a.generation - b.generation || byScore(a, b));
    case 'newest':
      return elites.sort((a, b) => b.index - a.index);
    case 'mutator':
      return elites.sort((a, b) => (a.mutator < b.mutator ? -1 : a.mutator > b.mutator ? 1 : byScore(a, b)));
    case 'niche':
      return elites
        .map((elite) => ({ elite, bins: elite.niche.split('/').map(Number) }))
        .sort((a, b) => compareBins(a.bins, b.bins))
        .map(({ elite }) => elite);
  }
}

function compareBins(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Positions in which niches differ, that of most values first: a range that all share distinguishes none, and the end
 * of a long name is cut off.
 */
export function differingAxes(niches: Iterable<string>): number[] {
  const values: Set<string>[] = [];
  for (const niche of niches) {
    for (const [i, bin] of niche.split('/').entries()) {
      values[i] ??= new Set();
      values[i].add(bin);
    }
  }
  const counts = values.map(({ size }, i) => ({ i, size })).filter(({ size }) => size > 1);
  return counts.sort((a, b) => b.size - a.size || a.i - b.i).map(({ i }) => i);
}
