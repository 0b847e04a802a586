/** Measures a best for a replay, which has the time to do it until another measurement changes nothing. */
import { newTaskId } from '../../../shared/ids.ts';
import type { Execution, Metrics } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import { type Confirmer, measure, requireMetric } from './confirm.ts';

/** What one measurement found: milliseconds for one pass of the original and of the program, measured in turns. */
interface Found {
  readonly speedup: number;
  readonly baseline: number;
  readonly speed: number;
}

/**
 * At most this many measurements, each to the end. The record is a single one, so that more of them here would hardly reduce the
 * difference.
 */
const MEASUREMENTS = 5;
/**
 * No further measurement begins after this number of milliseconds. That leaves room for two more where each takes all its time.
 */
const LIMIT_MS = 20_000;
/** Share: the interval of a single measurement reaches no further, or the middle three of several lie so near to each other. */
const NEAR = 0.005;

export interface Settled {
  readonly speedup: number;
  /** Operations of a pass, where they can be counted. */
  readonly cost?: number;
}

/** Measures as exactly as this machine allows. A result that is not a ratio of times is measured once. */
export async function settledSpeedup(confirmer: Confirmer, program: Program): Promise<Settled> {
  const once = async () => (await measure(confirmer, newTaskId(), program, 'final')).execution;
  // The program was correct when it was announced: a measurement that is doubted or late met a busy moment of the machine.
  const measured = async () => {
    const execution = await once();
    return execution.outcome.kind === 'correct' ? execution : once();
  };
  const first = (await measured()).metrics;
  const settled = await settle(first, measured);
  const speedup = settled?.speedup ?? requireMetric(first, 'speedup');
  const { cost } = first;
  return { speedup, ...(cost === undefined ? {} : { cost }) };
}

/**
 * The measurement in the middle, by speed-up. Each compares what ran at the same time; the least times of several would
 * not, where the machine was calmer for one side than for the other. `again` is called with 1, 2, …. Undefined when the
 * speed-up is not a ratio of times.
 */
async function settle(first: Metrics, again: (index: number) => Promise<Execution>): Promise<Found | undefined> {
  const start = performance.now();
  const found = foundIn(first);
  if (found === undefined) return undefined;
  let all = [found];
  while (!(all.length === 1 ? isExact(first) : agree(all)) && all.length < MEASUREMENTS && performance.now() - start < LIMIT_MS) {
    const [one, other] = [foundIn((await again(all.length)).metrics), foundIn((await again(all.length + 1)).metrics)];
    if (one === undefined || other === undefined) break;
    all = [...all, one, other].sort((a, b) => a.speedup - b.speedup);
  }
  return all[(all.length - 1) / 2];
}

function foundIn({ baseline_ms: baseline, speed_ms: speed, speedup }: Metrics): Found | undefined {
  if (baseline === undefined || speed === undefined || speedup === undefined) return undefined;
  return Math.abs(baseline / speed / speedup - 1) < 1e-6 ? { speedup, baseline, speed } : undefined;
}

function isExact({ speedup, speedup_low: low, speedup_high: high }: Metrics): boolean {
  if (speedup === undefined || low === undefined || high === undefined) return false;
  return Math.max(high - speedup, speedup - low) <= speedup * NEAR;
}

/** `all`: three or more, in order. */
function agree(all: readonly Found[]): boolean {
  const middle = (all.length - 1) / 2;
  const [least, most] = [all[middle - 1]?.speedup ?? 0, all[middle + 1]?.speedup ?? Number.POSITIVE_INFINITY];
  return most - least <= least * NEAR;
}
