/**
 * Measures a best until another measurement changes nothing: the same way for the record of a run and for its replay,
 * which are compared.
 */
import { newTaskId } from '../../shared/ids.ts';
import type { Execution, Metrics } from '../../shared/judging.ts';
import type { Program } from '../../shared/program.ts';
import type { Best } from '../../shared/run.ts';
import { type AnnounceDeps, announce } from './announce.ts';
import { mendedBest } from './baseline.ts';
import { type Confirmer, measure, requireMetric } from './confirm.ts';

/** What one measurement found: milliseconds for one pass of the original and of the program, measured in turns. */
interface Found {
  readonly speedup: number;
  readonly baseline: number;
  readonly speed: number;
}

/** Measurements at most, each to the end. */
const MEASUREMENTS = 7;
/** No further ones are begun after so long, in milliseconds: a test command may take minutes. */
const LIMIT_MS = 60_000;
/** Share: the interval of a single measurement reaches no further, or the middle three of several lie so near to each other. */
const NEAR = 0.005;

/** Null when nothing is right and clearly faster than the original, unless that fails: then what mends it is a gain. */
export async function announceSettled(deps: AnnounceDeps): Promise<Best | null> {
  const { state, confirmer, program, record } = deps;
  if (state.failing !== undefined) return null;
  const best = await announce(deps);
  const announced = best === null ? mendedBest(state) : await settledBest(confirmer, await program(best.sha256), best);
  if (announced !== null && announced !== best)
    await record({ type: 'confirmed', best: announced, overfitted: state.confirmed?.overfitted ?? [], final: true });
  return announced;
}

/** What was measured once, as it is when it has settled. A process that takes the run up finds what this one has measured. */
async function settledBest(confirmer: Confirmer, program: Program, best: Best): Promise<Best> {
  const { speedup, speedup_low, speedup_high, speed_ms, baseline_ms } = best;
  const again = async (index: number) => (await measure(confirmer, `settle/${best.sha256}/${index}`, program, 'final')).execution;
  const settled = await settle({ speedup, speedup_low, speedup_high, speed_ms, baseline_ms }, again);
  if (settled === undefined || settled.speedup === speedup) return best;
  return {
    ...best,
    speedup: settled.speedup,
    speedup_low: Math.min(speedup_low, settled.speedup),
    speedup_high: Math.max(speedup_high, settled.speedup),
    speed_ms: settled.speed,
    baseline_ms: settled.baseline,
  };
}

/** As exactly as this machine allows. What is no ratio of times is measured once. */
export async function settledSpeedup(confirmer: Confirmer, program: Program): Promise<number> {
  const measured = async () => (await measure(confirmer, newTaskId(), program, 'final')).execution;
  const first = (await measured()).metrics;
  const settled = await settle(first, measured);
  return settled?.speedup ?? requireMetric(first, 'speedup');
}

/**
 * The measurement in the middle, by speed-up. Each compares what ran at the same time; the least times of several would
 * not, where the machine was calmer for one side than for the other. `again` is called with 1, 2, …. Undefined when the
 * speed-up is no ratio of times.
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
