/**
 * The race of a candidate while searching: pairs of readings (the original and the candidate, in turns on one processor)
 * are taken one by one until it is clear whether the candidate is faster than what it must beat. Pure.
 *
 * Readings are natural logarithms of the ratio original / candidate, so that 2 times faster and 2 times slower are equally
 * far from 0. The test is group sequential with a constant bound for each look (S. J. Pocock, "Group sequential methods in the
 * design and analysis of clinical trials", Biometrika 64, 1977). Stopping at the first crossing favours lucky readings, so
 * that a winner is confirmed on fresh ones, as in a two-stage selection.
 */
import { middleLog, standardError } from './posterior.ts';

/**
 * Bound in standard errors at each look, one-sided 96 %: of those tried in test/bench/race.ts, the one with the fewest pairs
 * among those with the best champions.
 */
const EACH_LOOK = 1.8;
/** Bound in standard errors for the fresh readings that confirm a winner, from the same bench. */
const CONFIRMED = 1;
/** Pairs that an even match may take, and pairs of a candidate that wins, which has to win twice. */
const MOST_EVEN = 2;
const MOST_WINNING = 6;
/** Pairs of the original against itself, from which a run first learns how noisy pairs are. */
export const CALIBRATION_PAIRS = 5;
/** Fresh pairs of each side in a match for a title, from the same bench: with 2 the champion is overstated by 5 %, with 3 by 3 %. */
export const MATCH_PAIRS = 3;
/** A champion with this number of readings is known well enough; it is not measured again. */
export const SETTLED = 12;

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
  return middleLog(readings) + errors * standardError(readings.length, noise);
}
