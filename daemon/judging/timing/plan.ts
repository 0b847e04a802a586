/**
 * How the passes of one side of a contest are read: how many to a reading, and how many readings to a process. The side's
 * first process finds it out; all that follow do the same, so that compilers and collectors find the same history in each.
 */

import { tuned } from '../tuned.ts';

const MOST_PASSES = 128;
const MOST_READINGS = 16;
export interface PassPlan {
  /** The limit of one reading. */
  readonly passes: number;
  /** The limit of one process, after the first pass. */
  readonly readings: number;
  /** Least milliseconds that a pass was seen to take. */
  readonly passMs: number;
}

/** Milliseconds that one reading covers at least, and all of a process together. */
export interface Lengths {
  readonly reading: number;
  readonly process: number;
  /** Readings of one process at most: of the shortest passes, making them ready takes longer than they do. */
  readonly readings?: number;
}

/**
 * `quick`: while searching, where a compiler needs longer to get warm than the readings take. `kept`: a runner is warm from all
 * the calls that it made, and from the pairs before; its readings are shorter, which adds less than the noise of a pair.
 */
export function lengthsOf(runtime: 'python' | 'node', quick: boolean, kept = false): Lengths {
  const reading = kept ? tuned.reading * tuned.half : tuned.reading;
  if (!quick || (runtime === 'node' && !kept)) return { reading, process: tuned.process };
  return { reading, process: tuned.readings * reading, readings: 2 * tuned.readings };
}

/**
 * By the milliseconds of a warm pass. Passes are a power of two: two measurements of a program mostly come to the same one,
 * and so to the same garbage in a reading.
 */
export function passesOf(passMs: number, readingMs: number): number {
  const wanted = passMs <= 0 ? MOST_PASSES : readingMs / passMs;
  return Math.max(1, Math.min(MOST_PASSES, 2 ** Math.ceil(Math.log2(wanted))));
}

export function planOf(passMs: number, lengths: Lengths): PassPlan {
  const passes = passesOf(passMs, lengths.reading);
  return { passes, passMs, readings: readingsOf(passes, passMs, lengths) };
}

/**
 * The plan of a candidate that was seen to be `faster` times as fast as an original with the plan `other`: its readings are as
 * long, where they need not be much longer than others. What a reading costs at its beginning then weighs the same on both.
 */
export function matched(plan: PassPlan, other: PassPlan, faster: number, lengths: Lengths): PassPlan {
  const asLong = 2 ** Math.max(0, Math.round(Math.log2(other.passes * faster)));
  const passes = Math.min(asLong, passesOf(plan.passMs, 2 * lengths.reading));
  return { ...plan, passes, readings: readingsOf(passes, plan.passMs, lengths) };
}

/**
 * The plan for the processes that follow one whose passes took so much at least. The process that made the plan may have been
 * cold, or slow for its whole life. With too few readings in each process, none of its side would get warm.
 */
export function replanned(plan: PassPlan, passMs: number, lengths: Lengths): PassPlan {
  if (passMs >= plan.passMs) return plan;
  return { ...plan, passMs, readings: Math.max(plan.readings, readingsOf(plan.passes, passMs, lengths)) };
}

function readingsOf(passes: number, passMs: number, lengths: Lengths): number {
  const readings = Math.ceil(lengths.process / (passes * Math.max(passMs, 1e-3)));
  return Math.max(tuned.repeats, Math.min(lengths.readings ?? MOST_READINGS, readings));
}
