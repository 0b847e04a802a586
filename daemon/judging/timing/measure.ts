/**
 * The statistics of measuring, without any process: what a set of samples says about how fast a program is. A sample is
 * what one fresh process of a program took; the sample of the other program with the same index was taken next to it.
 */
import type { EffortName } from '../../../shared/payloads.ts';

export interface Floor {
  /** Least sample. */
  readonly floor: number;
  /** Tenth percentile: how near the floor ordinary samples come. */
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

export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** Half-samples drawn for an interval. */
const DRAWS = 400;

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
 * with a 95 % interval: what half of the measuring would have said, which is on the safe side. Of three pairs it spans what
 * each of them says alone. Deterministic for the same ratios; throws on none.
 */
export function middleOf(ratios: readonly number[]): Ratio {
  const ratio = medianOf(ratios);
  const draw = lcg(ratios.length * 7919);
  const halves = Array.from({ length: DRAWS }, () => medianOf(randomHalf(ratios, draw))).sort((a, b) => a - b);
  const at = (part: number): number => halves[Math.round((halves.length - 1) * part)] ?? ratio;
  return { ratio, low: Math.min(ratio, at(0.025)), high: Math.max(ratio, at(0.975)) };
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

/** Half of them (at least one). */
function randomHalf(all: readonly number[], draw: () => number): number[] {
  const left = [...all];
  return Array.from(
    { length: Math.max(1, Math.floor(all.length / 2)) },
    () => left.splice(Math.floor(draw() * left.length), 1)[0] ?? 0,
  );
}

/** Numerical Recipes' generator: its quality is enough to draw halves. */
function lcg(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface Effort {
  readonly minRounds: number;
  readonly maxRounds: number;
  /** Ends when the interval reaches at most this share to either side… */
  readonly narrow: number;
  /** …and this many milliseconds were spent, or this many rounds: of few, the interval is narrow by luck now and then… */
  readonly leastMs: number;
  readonly sureRounds: number;
  /** …or when this many were, after few more rounds at most: on a noisy machine the interval stays wide, and says so. */
  readonly mostMs: number;
}

/** The best few are compared, and what is announced is measured to the end; while searching there is a race (race.ts). */
export const efforts: Readonly<Record<Exclude<EffortName, 'quick'>, Effort>> = {
  compare: { minRounds: 8, maxRounds: 40, narrow: 0.02, leastMs: 800, sureRounds: 10, mostMs: 2500 },
  final: { minRounds: 12, maxRounds: 100, narrow: 0.005, leastMs: 4000, sureRounds: 40, mostMs: 8000 },
};

/** The effort of a measurement that a user waits for: it looks as often as a comparison, and no longer than `withinMs`. */
export function hastened(effort: Effort, withinMs: number): Effort {
  return {
    ...effort,
    minRounds: Math.min(effort.minRounds, efforts.compare.minRounds),
    leastMs: Math.min(effort.leastMs, withinMs),
    mostMs: Math.min(effort.mostMs, withinMs),
  };
}

/** So wide an interval in relation to its ratio says too little to rank by… */
const TOO_WIDE = 0.3;
/** …so that its low end is worth as many rounds more, however long those before took on a busy machine. */
const MORE_ROUNDS = 3;

const width = ({ ratio, low, high }: Ratio): number => (high - low) / ratio;

export type Verdict = 'more' | 'enough' | 'hopeless';

/** Whether to go on after these samples, until the interval is narrow enough for the effort. */
export function decide(rounds: number, { ratio, low, high }: Ratio, spentMs: number, effort: Effort): Verdict {
  if (rounds >= effort.maxRounds) return 'enough';
  if (rounds < effort.minRounds) return 'more';
  const vague = rounds < effort.minRounds + MORE_ROUNDS && width({ ratio, low, high }) > TOO_WIDE;
  if (spentMs >= effort.mostMs) return vague ? 'more' : 'enough';
  const narrow = Math.max(high - ratio, ratio - low) <= ratio * effort.narrow;
  return narrow && (rounds >= effort.sureRounds || spentMs >= effort.leastMs) ? 'enough' : 'more';
}
