/**
 * The race of a candidate while searching: pairs of readings (the original and the candidate, in turns on one processor)
 * are taken one by one until it is clear whether the candidate is faster than what it must beat. Pure.
 *
 * Readings are natural logarithms of the ratio original / candidate, so that 2 times faster and 2 times slower are equally
 * far from 0. The test is group sequential with a constant bound for each look (S. J. Pocock, "Group sequential methods in the
 * design and analysis of clinical trials", Biometrika 64, 1977). Stopping at the first crossing favours lucky readings, so
 * that a winner is confirmed on fresh ones, as in a two-stage selection.
 */
import type { Ratio } from './measure.ts';

/**
 * Bound in standard errors at each look, one-sided 95 %: of those tried in test/bench/race.ts, the one with the best
 * champions.
 */
const EACH_LOOK = 1.64;
/** Bound in standard errors for the fresh readings that confirm a winner, from the same bench. */
const CONFIRMED = 1;
/** Bound in standard errors for a 95 % interval at the end. */
const INTERVAL = 1.96;
/** Efficiency loss of a median against a mean of normal readings, from three readings on: sqrt(pi / 2). */
const MEDIAN_LOSS = Math.sqrt(Math.PI / 2);
/** Standard deviation of a normal distribution over its median absolute deviation. */
const MAD_TO_SD = 1.4826;
/** Deviations beyond this many robust standard deviations count as that many: one process in eight is slow for its whole life. */
const WINSORISED = 4;

/** Pairs that an even match may take, and pairs of a candidate that wins, which has to win twice. */
const MOST_EVEN = 3;
const MOST_WINNING = 6;
/** Pairs of the original against itself, from which a run first learns how noisy pairs are. */
export const CALIBRATION_PAIRS = 5;
/** Standard deviation of a pair's logarithm before anything is known: 8 %. */
const PRIOR_SD = 0.08;
/** The prior weighs as many deviations. */
const PRIOR_WEIGHT = 4;
/** No pair is more exact than this, whatever a few equal readings suggest. */
const LEAST_SD = 0.01;

/**
 * Pooled standard deviation of pairs: deviations of each program's readings from that program's own median, winsorised.
 * Programs with fewer than two readings tell nothing.
 */
export function pooledNoise(programs: readonly (readonly number[])[]): number {
  const deviations = programs
    .filter((readings) => readings.length >= 2)
    .flatMap((readings) => {
      const middle = middleOf(readings);
      // A deviation from one's own median is smaller than from the truth, by n / (n - 1) in the square.
      const correction = Math.sqrt(readings.length / (readings.length - 1));
      return readings.map((reading) => Math.abs(reading - middle) * correction);
    });
  const scale = deviations.length === 0 ? PRIOR_SD : Math.max(LEAST_SD, middleOf(deviations) * MAD_TO_SD);
  const squares = deviations.map((deviation) => Math.min(deviation, WINSORISED * scale) ** 2);
  const sum = squares.reduce((total, square) => total + square, 0) + PRIOR_WEIGHT * PRIOR_SD ** 2;
  return Math.max(LEAST_SD, Math.sqrt(sum / (squares.length + PRIOR_WEIGHT)));
}

/**
 * How many times faster the readings say that the candidate is, with a 95 % interval from the pooled noise. Throws on no
 * readings.
 */
export function estimate(readings: readonly number[], noise: number): Ratio {
  const middle = middleOf(readings);
  const margin = INTERVAL * standardError(readings.length, noise);
  return { ratio: Math.exp(middle), low: Math.exp(middle - margin), high: Math.exp(middle + margin) };
}

export interface Goal {
  /** Speed-up over the original that the candidate must beat to be of interest: its parent's. Undefined: nothing is to beat. */
  readonly mustBeat: number | undefined;
  /** Speed-up of the best so far, which a candidate has to beat twice. */
  readonly best: number | undefined;
}

/**
 * `lost`: clearly slower than what it must beat. `won`: faster than the best in two separate sets of pairs. `even`: neither
 * is clear, and more pairs would not be worth their cost.
 */
export type RaceVerdict = 'more' | 'lost' | 'won' | 'even';

/** Whether to take another pair. `readings` are in the order in which they were taken. */
export function race(readings: readonly number[], noise: number, { mustBeat, best }: Goal): RaceVerdict {
  if (readings.length === 0) return 'more';
  if (mustBeat !== undefined && bound(readings, noise, EACH_LOOK) < Math.log(mustBeat)) return 'lost';
  const leader = Math.log(best ?? mustBeat ?? 1);
  const first = firstWin(readings, noise, leader);
  if (first === undefined) return readings.length < MOST_EVEN ? 'more' : 'even';
  // The readings that won are the lucky ones by selection: only fresh ones can confirm them.
  const fresh = readings.slice(first);
  if (fresh.length > 0 && bound(fresh, noise, -CONFIRMED) > leader) return 'won';
  return readings.length < MOST_WINNING ? 'more' : 'even';
}

/** The number of readings after which the candidate was first clearly ahead of `leader`. */
function firstWin(readings: readonly number[], noise: number, leader: number): number | undefined {
  for (let count = 1; count <= readings.length; count++) {
    if (bound(readings.slice(0, count), noise, -EACH_LOOK) > leader) return count;
  }
  return undefined;
}

/** The middle of the readings and this many standard errors above it. */
function bound(readings: readonly number[], noise: number, errors: number): number {
  return middleOf(readings) + errors * standardError(readings.length, noise);
}

/** Standard error of a median; the median of two readings is their mean. */
function standardError(count: number, noise: number): number {
  return (noise / Math.sqrt(count)) * (count > 2 ? MEDIAN_LOSS : 1);
}

/** Throws on none. */
function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) throw new RangeError('There are no readings.');
  return (low + high) / 2;
}
