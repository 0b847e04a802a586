/**
 * The statistics of measuring, without any process: what a set of samples says about how fast a program is. A sample is
 * what one fresh process of a program took; the sample of the other program with the same index was taken next to it.
 */
import type { EffortName } from '../../../../shared/payloads.ts';
import { tuned } from '../../tuned.ts';

interface Floor {
  /** The least sample. */
  readonly floor: number;
  /** The tenth percentile, which shows how close ordinary samples come to the least one. */
  readonly p10: number;
  readonly n: number;
}

/** Throws on no samples. */
export function floorOf(samples: readonly number[]): Floor {
  const sorted = [...samples].sort((a, b) => a - b);
  const [floor] = sorted;
  if (floor === undefined) throw new RangeError('There are no samples.');
  return { floor, p10: sorted[Math.floor((sorted.length - 1) * 0.1)] ?? floor, n: sorted.length };
}

/** Rounds that are kept in memory. */
const MOST_ROUNDS = 100;
/** Probability outside of a 95 % interval, on either side. */
const TAIL = 0.025;
/** The fewest readings with a 95 % interval, all of which are on one side of the truth with no more than that probability: 6. */
export const FEWEST = Math.ceil(-Math.log2(TAIL));

export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How many times faster `candidate` is than `baseline`, by the samples with the same index: what slows a machine down meets
 * both of a pair, whereas no floor is safe on a host that runs a processor at another speed from one second to the next.
 */
export function ratioOf(baseline: readonly number[], candidate: readonly number[]): Ratio {
  const pairs = Math.min(baseline.length, candidate.length);
  return middleOf(Array.from({ length: pairs }, (_, index) => (baseline[index] ?? 0) / (candidate[index] ?? 1)));
}

/**
 * The middle of the ratios that pairs of processes showed, one process in eight being slower than others for its whole life,
 * with a 95 % interval: the order statistics between which the sign test leaves the median (W. J. Conover, "Practical
 * nonparametric statistics", 3rd edition, section 3.2). It holds for any distribution of the readings; with fewer than six the
 * least and the greatest are its ends. Throws on none.
 */
export function middleOf(ratios: readonly number[]): Ratio {
  const sorted = [...ratios].sort((a, b) => a - b);
  const ratio = medianOf(ratios);
  const below = ordersBelow(sorted.length);
  return { ratio, low: sorted[below] ?? ratio, high: sorted[sorted.length - 1 - below] ?? ratio };
}

/** How many readings at either end the interval leaves out: as many as one tail of a fair coin's flips, 2.5 %, has room for. */
function ordersBelow(count: number): number {
  let [probability, tail, below] = [0.5 ** count, 0, 0];
  for (let heads = 0; heads < count / 2; heads++) {
    tail += probability;
    if (tail > TAIL) break;
    below = heads;
    probability *= (count - heads) / (heads + 1);
  }
  return below;
}

/**
 * Returns the median: for an even number the geometric mean of the two in the middle, so that it turns over with the ratios.
 * Throws on none.
 */
export function medianOf(ratios: readonly number[]): number {
  const sorted = [...ratios].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) throw new RangeError('There are no samples.');
  return low === high ? low : Math.sqrt(low * high);
}

export interface Effort {
  readonly minRounds: number;
  readonly maxRounds: number;
  /** Ends when the interval reaches at most this share to either side… */
  readonly narrow: number;
  /** …and this many milliseconds were spent: the interval of few rounds is narrow by luck now and then… */
  readonly leastMs: number;
  /** …or when this many were: on a noisy machine the interval stays wide, and says so. */
  readonly mostMs: number;
  /** Ends when as many were, whatever is known then. */
  readonly withinMs?: number;
}

const whole = { narrow: tuned.narrow, leastMs: tuned.finalMs * tuned.half, mostMs: tuned.finalMs };
/**
 * The best few are compared by the fewest readings with an interval, and what is announced is measured to the end; while searching
 * there is a race (race.ts).
 */
export const efforts: Readonly<Record<Exclude<EffortName, 'quick'>, Effort>> = {
  compare: { ...whole, minRounds: FEWEST, maxRounds: FEWEST },
  final: { ...whole, minRounds: 2 * FEWEST, maxRounds: MOST_ROUNDS },
};

/** The effort of a measurement that has to end within that time, however few pairs it has then. */
export function hastened(effort: Effort, withinMs: number): Effort {
  return {
    ...effort,
    minRounds: Math.min(effort.minRounds, efforts.compare.minRounds),
    withinMs,
    leastMs: Math.min(effort.leastMs, withinMs),
    mostMs: Math.min(effort.mostMs, withinMs),
  };
}

export type RoundDecision = 'more' | 'enough' | 'hopeless';

/** Whether to go on after these samples, until the interval is narrow enough for the effort. */
export function decide(rounds: number, { ratio, low, high }: Ratio, spentMs: number, effort: Effort): RoundDecision {
  if (rounds >= effort.maxRounds) return 'enough';
  if (effort.withinMs !== undefined && spentMs >= effort.withinMs) return 'enough';
  if (rounds < effort.minRounds) return 'more';
  if (spentMs >= effort.mostMs) return 'enough';
  const narrow = Math.max(high - ratio, ratio - low) <= ratio * effort.narrow;
  return narrow && spentMs >= effort.leastMs ? 'enough' : 'more';
}
