/**
 * The race of a candidate while searching: pairs of readings (the original and the candidate, in turns on one processor)
 * are taken one by one until it is clear whether the candidate is faster than what it must beat. Pure.
 *
 * Readings are natural logarithms of the ratio original / candidate, so that 2 times faster and 2 times slower are equally
 * far from 0. The test is group sequential with a constant bound for each look (S. J. Pocock, "Group sequential methods in the
 * design and analysis of clinical trials", Biometrika 64, 1977). Stopping at the first crossing favours lucky readings:
 * a winner here may only challenge a champion, and both are measured again for that (daemon/engine/run/title.ts).
 */
import { tuned } from '../../tuned.ts';
import { FEWEST } from './measure.ts';
import { INTERVAL, middleLog, standardError } from './posterior.ts';

/** Fresh pairs of each side in a match for a title, and readings with which a champion needs no further match: as many as an announcement has. */
export const { readings: MATCH_PAIRS } = tuned;
export const SETTLED = 2 * FEWEST;

export interface RaceGoal {
  /** Speed-up over the original that the candidate must beat to be of interest: its parent's. Undefined: nothing is to beat. */
  readonly mustBeat: number | undefined;
  /** Speed-up of the best so far. */
  readonly best: number | undefined;
}

/**
 * `lost`: clearly slower than what it must beat. `won`: clearly faster than the best. `even`: neither
 * is clear, and more pairs would not be worth their cost.
 */
export type RaceVerdict = 'more' | 'lost' | 'won' | 'even';

/** Whether to take another pair. `readings` are in the order in which they were taken. */
export function race(readings: readonly number[], noise: number, { mustBeat, best }: RaceGoal): RaceVerdict {
  if (readings.length === 0) return 'more';
  if (mustBeat !== undefined && bound(readings, noise, INTERVAL) < Math.log(mustBeat)) return 'lost';
  if (bound(readings, noise, -INTERVAL) > Math.log(best ?? mustBeat ?? 1)) return 'won';
  return readings.length < tuned.repeats ? 'more' : 'even';
}

/** The middle of the readings and this many standard errors above it. */
function bound(readings: readonly number[], noise: number, errors: number): number {
  return middleLog(readings) + errors * standardError(readings.length, noise);
}
