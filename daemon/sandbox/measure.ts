/**
 * The statistics of measuring, without any process: what a set of samples says about how fast a program is. A sample is
 * the least time of one fresh process, in milliseconds per pass; noise only ever adds, so the least of many processes
 * converges to a floor that belongs to the program.
 */
import type { EffortName } from '../../shared/payloads.ts';

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
 * How many times faster `candidate` is than `baseline`: the ratio of their floors with a 95 % interval. Samples with the
 * same index were taken next to each other in time, so the interval comes from random halves of these pairs: what half of
 * the measuring would have said, which is on the safe side. Of three pairs it spans what each of them says alone.
 * Deterministic for the same samples.
 */
export function ratioOf(baseline: readonly number[], candidate: readonly number[]): Ratio {
  const whole = (samples: readonly number[]): Laps[] => samples.map((sample) => [sample]);
  return lapRatioOf(whole(baseline), whole(candidate));
}

/** Least milliseconds of one process for each lap of a pass; a pass that is not divided is one lap. */
export type Laps = readonly number[];

/**
 * As `ratioOf`, of the sums over all laps of their floors: a disturbance costs a lap and not the pass. A quantile of the
 * processes would repeat better on a calm machine, and is far off where most processes have a busy neighbour on their core.
 * All samples of a side have as many laps.
 */
export function lapRatioOf(baseline: readonly Laps[], candidate: readonly Laps[]): Ratio {
  const [slow, fast] = [floors(baseline), floors(candidate)];
  return intervalOf(Math.min(baseline.length, candidate.length), (half) => slow(half) / fast(half));
}

/** Pairs without which their middle says nothing… */
const LEAST_PAIRS = 8;
/** …how many times narrower its interval has to be, within that of the floors… */
const CLEARER = 3;
/** …which has to say next to nothing: the floors do not mind that a load meets long laps more often than short ones. */
const VAGUE = 0.2;

/**
 * As `lapRatioOf`, unless the middle of the pairs' own ratios is much clearer. A host that runs most processes at a part of
 * its speed for their whole life lets few come near the floor, and the half-samples of one side often have none of them: but
 * it slows down both sides alike, so the pairs of two processes of one speed lie in the middle.
 */
export function speedupOf(baseline: readonly Laps[], candidate: readonly Laps[]): Ratio {
  const byFloors = lapRatioOf(baseline, candidate);
  const pairs = Math.min(baseline.length, candidate.length);
  if (pairs < LEAST_PAIRS || width(byFloors) <= VAGUE) return byFloors;
  const logs = baseline.slice(0, pairs).map((laps, index) => Math.log(total(laps) / total(candidate[index] ?? [])));
  const byPairs = intervalOf(pairs, (half) =>
    Math.exp(middleOf(half === undefined ? logs : [...half].map((at) => logs[at] ?? 0))),
  );
  const within = byFloors.low <= byPairs.low && byPairs.high <= byFloors.high;
  return within && width(byPairs) * CLEARER < width(byFloors) ? byPairs : byFloors;
}

const total = (laps: Laps): number => laps.reduce((sum, ms) => sum + ms, 0);
const width = ({ ratio, low, high }: Ratio): number => (high - low) / ratio;

/** The median; of an even number the mean of the two in the middle. */
function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}

/** What `of` says of all pairs, and in 95 % of random halves of them. */
function intervalOf(pairs: number, of: (half?: ReadonlySet<number>) => number): Ratio {
  const ratio = of();
  const draw = lcg(pairs * 7919);
  const ratios = Array.from({ length: DRAWS }, () => of(new Set(randomHalf(pairs, draw)))).sort((a, b) => a - b);
  const at = (part: number): number => ratios[Math.round((ratios.length - 1) * part)] ?? ratio;
  return { ratio, low: Math.min(ratio, at(0.025)), high: Math.max(ratio, at(0.975)) };
}

/** Milliseconds of a pass: the sum over its laps of the least time. Throws on no samples. */
export function lapFloorOf(samples: readonly Laps[]): number {
  if (samples.length === 0) throw new RangeError('There are no samples.');
  return floors(samples)();
}

/** `lapFloorOf` of the samples with these indices, of all without; each lap is sorted once. */
function floors(samples: readonly Laps[]): (indices?: ReadonlySet<number>) => number {
  const laps = (samples[0] ?? []).map((_, lap) => {
    const timed = samples.map((sample, index) => ({ index, ms: sample[lap] ?? Number.POSITIVE_INFINITY }));
    return timed.sort((a, b) => a.ms - b.ms);
  });
  return (indices) =>
    laps.reduce((sum, lap) => sum + (lap.find(({ index }) => indices?.has(index) !== false)?.ms ?? Number.POSITIVE_INFINITY), 0);
}

/** Half of the indices below `count` (at least one). */
function randomHalf(count: number, draw: () => number): number[] {
  const left = Array.from({ length: count }, (_, index) => index);
  return Array.from(
    { length: Math.max(1, Math.floor(count / 2)) },
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
  /** …and this many milliseconds were spent, or ten rounds… */
  readonly leastMs: number;
  /** …or when this many were, after few more rounds at most: on a noisy machine the interval stays wide, and says so. */
  readonly mostMs: number;
}

/** Every candidate is measured quickly, the best few are compared, and what is announced is measured to the end. */
export const efforts: Readonly<Record<EffortName, Effort>> = {
  quick: { minRounds: 3, maxRounds: 10, narrow: 0.05, leastMs: 400, mostMs: 800 },
  compare: { minRounds: 8, maxRounds: 40, narrow: 0.02, leastMs: 800, mostMs: 2500 },
  final: { minRounds: 12, maxRounds: 100, narrow: 0.005, leastMs: 2000, mostMs: 8000 },
};

/** The effort of a measurement that a person waits for: it looks as often as a comparison, and no longer than `withinMs`. */
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

export type Verdict = 'more' | 'enough' | 'hopeless';

/**
 * Whether to go on after these samples. Hopeless is only what is clearly below `toBeat`: 20 % after two rounds,
 * 10 % after three, by the high end of its interval.
 */
export function decide(
  rounds: number,
  { ratio, low, high }: Ratio,
  spentMs: number,
  effort: Effort,
  toBeat: number | undefined,
): Verdict {
  if (rounds < 2) return 'more';
  if (toBeat !== undefined && high < toBeat * (rounds < 3 ? 0.8 : 0.9)) return 'hopeless';
  if (rounds >= effort.maxRounds) return 'enough';
  if (rounds < effort.minRounds) return 'more';
  const vague = rounds < effort.minRounds + MORE_ROUNDS && width({ ratio, low, high }) > TOO_WIDE;
  if (spentMs >= effort.mostMs) return vague ? 'more' : 'enough';
  const narrow = Math.max(high - ratio, ratio - low) <= ratio * effort.narrow;
  return narrow && (rounds >= 10 || spentMs >= effort.leastMs) ? 'enough' : 'more';
}
