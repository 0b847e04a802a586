/**
 * Measures a best until another measurement changes nothing: the same way for the record of a run and for its replay,
 * which are compared. Noise only adds to times, so of several measurements the least counts, for both sides.
 */
import { newTaskId } from '../../shared/ids.ts';
import type { Execution, Metrics } from '../../shared/judging.ts';
import type { Program } from '../../shared/program.ts';
import type { Best } from '../../shared/run.ts';
import { type AnnounceDeps, announce } from './announce.ts';
import { mendedBest } from './baseline.ts';
import { type Confirmer, measure, requireMetric } from './confirm.ts';

/** In milliseconds: one pass of the original and of the program, as the interleaved measurements found them. */
interface Floors {
  readonly baseline: number;
  readonly speed: number;
}

interface Settled extends Floors {
  /** Measurements that the floors come from. */
  readonly measured: number;
}

/** Measurements at most, each to the end. */
const MEASUREMENTS = 6;
/** No further one is begun after so long, in milliseconds: a test command may take minutes. */
const LIMIT_MS = 60_000;
/** Both floors have been found when another measurement brings neither down by more than this share… */
const SETTLED = 0.001;
/** …or when half of the measuring would have said the same, within this share. */
const NARROW = 0.005;

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
  if (settled === undefined || settled.measured === 1) return best;
  const ratio = settled.baseline / settled.speed;
  return {
    ...best,
    speedup: ratio,
    speedup_low: Math.min(speedup_low, ratio),
    speedup_high: Math.max(speedup_high, ratio),
    speed_ms: settled.speed,
    baseline_ms: settled.baseline,
  };
}

/** As exactly as this machine allows. What is no ratio of times is measured once. */
export async function settledSpeedup(confirmer: Confirmer, program: Program): Promise<number> {
  const measured = async () => (await measure(confirmer, newTaskId(), program, 'final')).execution;
  const first = (await measured()).metrics;
  const settled = await settle(first, measured);
  return settled === undefined ? requireMetric(first, 'speedup') : settled.baseline / settled.speed;
}

/** `again` is called with 1, 2, …. Undefined when the speed-up is no ratio of times. */
async function settle(first: Metrics, again: (index: number) => Promise<Execution>): Promise<Settled | undefined> {
  const start = performance.now();
  let floors = floorsIn(first);
  if (floors === undefined) return undefined;
  let measured = 1;
  for (let done = isNarrow(first); !done && measured < MEASUREMENTS && performance.now() - start < LIMIT_MS; ) {
    const next = floorsIn((await again(measured)).metrics);
    if (next === undefined) break;
    measured++;
    const least: Floors = { baseline: Math.min(floors.baseline, next.baseline), speed: Math.min(floors.speed, next.speed) };
    done = Math.min(least.baseline / floors.baseline, least.speed / floors.speed) >= 1 - SETTLED;
    floors = least;
  }
  return { ...floors, measured };
}

function floorsIn(metrics: Metrics): Floors | undefined {
  const { baseline_ms: baseline, speed_ms: speed, speedup } = metrics;
  if (baseline === undefined || speed === undefined || speedup === undefined) return undefined;
  return Math.abs(baseline / speed / speedup - 1) < 1e-6 ? { baseline, speed } : undefined;
}

function isNarrow({ speedup, speedup_low: low, speedup_high: high }: Metrics): boolean {
  if (speedup === undefined || low === undefined || high === undefined) return false;
  return Math.max(high - speedup, speedup - low) <= speedup * NARROW;
}
