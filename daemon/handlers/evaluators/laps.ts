/**
 * Divides a long pass into laps, each with a clock of its own: a pass of many milliseconds seldom has the processor and its
 * caches to itself, one of its calls often has. A pass is the sum of its laps.
 */
import type { Lap, Reading } from './reading.ts';

/** A lap lasts at least this much: reading the waits for a processor within it takes a few microseconds. */
const LAP_MS = 1;
const MOST_LAPS = 32;

/** Of one side of a contest; its first process finds out how long the calls take. */
export class LapPlan {
  private readonly calls: number;
  /** Numbers of calls after which a lap ends; undefined until they are known. */
  private chosen: readonly number[] | undefined;

  /** `divides`: a pass that every process does once has its own clock alone. */
  constructor(calls: number, divides: boolean) {
    this.calls = calls;
    if (!divides || calls < 2) this.chosen = [];
  }

  /** Undefined while passes are not divided. `passes`: of the next reading. */
  endsFor(passes: number): readonly number[] | undefined {
    if (this.chosen !== undefined) return this.chosen.length > 0 ? this.chosen : undefined;
    return passes === 1 ? this.finest() : undefined;
  }

  /** Whether its passes are divided, for good. */
  get divides(): boolean {
    return this.chosen !== undefined && this.chosen.length > 0;
  }

  /** Chooses the laps after the first reading by the finest ones. True when this was it, and it counts for nothing else. */
  learn(reading: Extract<Reading, { laps: unknown }>): boolean {
    if (this.chosen !== undefined || reading.laps.length === 0) return false;
    this.chosen = joined(this.finest(), reading.laps);
    return true;
  }

  /** After a process whose readings took several passes each: they are too short to be divided. */
  settle(): void {
    this.chosen ??= [];
  }

  private finest(): number[] {
    const step = Math.ceil(this.calls / MOST_LAPS);
    return Array.from({ length: Math.ceil(this.calls / step) }, (_, index) => Math.min((index + 1) * step, this.calls));
  }
}

/** Neighbours joined until each lap is long enough; none when only one is left. */
function joined(ends: readonly number[], laps: readonly Lap[]): number[] {
  const chosen: number[] = [];
  let ms = 0;
  for (const [index, { runningMs }] of laps.entries()) {
    ms += runningMs;
    if (ms < LAP_MS) continue;
    chosen.push(ends[index] ?? 0);
    ms = 0;
  }
  const all = ends.at(-1) ?? 0;
  // What is left at the end is too short for a lap of its own.
  if (chosen.length > 0) chosen.splice(-1, 1, all);
  return chosen.length > 1 ? chosen : [];
}
