/**
 * How the passes of one side of a contest are read: how many to a reading, how many readings to a process, and where the
 * laps end, each with a clock of its own. A reading of many milliseconds seldom has the processor and its caches to itself,
 * one of its laps often has. The side's first process finds it out; all that follow do the same, call by call, so that
 * compilers and collectors find the same history in each.
 */
import type { Lap } from './reading.ts';

/** A lap lasts at least this much: reading the waits for a processor within it takes a few microseconds. */
const LAP_MS = 1;
const MOST_LAPS = 32;
const MOST_PASSES = 512;
const MOST_READINGS = 60;
/** Of passes shorter than this there are more readings: each one may meet a busy neighbour on its core. */
const SHORT_MS = 25;
const LEAST_READINGS = 3;
/** Of longer ones: the first of them may still be compiled. */
const LEAST_LONG = 2;

export interface Plan {
  /** Of one reading. */
  readonly passes: number;
  /** Numbers of calls, counted over all passes of a reading, after which a lap ends. */
  readonly ends: readonly number[];
  /** Of one process, after the first pass. */
  readonly readings: number;
  /** Least milliseconds that a pass was seen to take. */
  readonly passMs: number;
}

/** Milliseconds that one reading covers at least, and all of a process together. */
export interface Lengths {
  readonly reading: number;
  readonly process: number;
}

/**
 * By the milliseconds of a warm pass. Passes are a power of two: two measurements of a program mostly come to the same one,
 * and so to the same garbage in a reading.
 */
export function passesOf(passMs: number, readingMs: number): number {
  const wanted = passMs <= 0 ? MOST_PASSES : readingMs / passMs;
  return Math.max(1, Math.min(MOST_PASSES, 2 ** Math.ceil(Math.log2(wanted))));
}

/** `laps`: of a reading of one pass that was divided by `finest`. */
export function planOf(calls: number, passMs: number, laps: readonly Lap[], lengths: Lengths): Plan {
  const passes = passesOf(passMs, lengths.reading);
  const ends = passes > 1 ? grouped(calls, passes, passMs) : joined(finest(calls), laps, calls);
  return { passes, ends, passMs, readings: readingsOf(passes, passMs, lengths) };
}

/**
 * The plan for the processes that follow one whose passes took so much at least. Who planned it may have been cold, or slow for
 * its whole life: with too few readings in each process, none of its side would ever get warm.
 */
export function replanned(plan: Plan, passMs: number, lengths: Lengths): Plan {
  if (passMs >= plan.passMs) return plan;
  return { ...plan, passMs, readings: Math.max(plan.readings, readingsOf(plan.passes, passMs, lengths)) };
}

function readingsOf(passes: number, passMs: number, lengths: Lengths): number {
  const readings = Math.ceil(lengths.process / (passes * Math.max(passMs, 1e-3)));
  return Math.max(passMs < SHORT_MS ? LEAST_READINGS : LEAST_LONG, Math.min(MOST_READINGS, readings));
}

/** The finest laps of a single pass. */
export function finest(calls: number): number[] {
  const step = Math.ceil(calls / MOST_LAPS);
  return Array.from({ length: Math.ceil(calls / step) }, (_, index) => Math.min((index + 1) * step, calls));
}

/** As many whole passes to a lap as make it long enough. */
function grouped(calls: number, passes: number, passMs: number): number[] {
  const group = Math.min(passes, Math.ceil(Math.max(LAP_MS / passMs, passes / MOST_LAPS)));
  return Array.from({ length: Math.ceil(passes / group) }, (_, index) => Math.min((index + 1) * group, passes) * calls);
}

/** Neighbours joined until each lap is long enough. */
function joined(ends: readonly number[], laps: readonly Lap[], calls: number): number[] {
  const chosen: number[] = [];
  let ms = 0;
  for (const [index, { runningMs }] of laps.entries()) {
    ms += runningMs;
    if (ms < LAP_MS) continue;
    chosen.push(ends[index] ?? calls);
    ms = 0;
  }
  // What is left at the end is too short for a lap of its own.
  return [...chosen.slice(0, -1), calls];
}
