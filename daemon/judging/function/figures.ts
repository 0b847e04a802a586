/** Figures of a correct run other than its speed: its memory, its operations as if they were time, and the share of each call. */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { FunctionOptions, Metrics, Outcome } from '../../../shared/judging.ts';
import { countInstructions } from '../../executors/instructions.ts';
import type { Runner, RunnerPool } from '../../executors/runner.ts';
import type { SandboxFactory } from '../../executors/sandbox.ts';
import { failureOf, load, type Observed, type Source, showCall } from './correctness.ts';
import { outcome } from './result.ts';
import { timedCalls } from './timed.ts';

const Peak = z.object({ peak_bytes: z.number().min(0) });

/**
 * Kilobytes of a deterministic run, in a runner of its own: counters of operations take memory too. 0 for Node, whose garbage
 * collector's peak is not reproducible.
 */
export async function peakAlone(
  pool: RunnerPool,
  source: Source,
  options: FunctionOptions,
  withinMs: number,
): Promise<number | Outcome> {
  if (pool.runtime === 'node') return 0;
  return await pool.use(async (runner) => (await load(runner, source, withinMs)) ?? (await peakKb(runner, options, withinMs)));
}

/** Kilobytes of the program that a runner has loaded. It is asked last: tracing would disturb the clock. */
export async function peakKb(runner: Runner, options: FunctionOptions, withinMs: number): Promise<number | Outcome> {
  const reply = await runner.ask({ op: 'memory', calls: timedCalls(options) }, withinMs);
  const failure = failureOf(reply, options.entry.fn, withinMs);
  if (failure !== undefined) return failure;
  const answer = reply.kind === 'answer' ? reply.value : {};
  const peak = Peak.safeParse(answer);
  return peak.success ? peak.data.peak_bytes / 1024 : outcome('crashed', `Measuring its memory failed: ${answer['error'] ?? ''}`);
}

/** The speed of the model machine of deterministic judging: ten million operations a second. */
const OPERATIONS_PER_MS = 1e4;

/** Operation counts as if they were times: every number exactly reproducible. */
export function modelled(cost: number, baselineCost: number): Metrics {
  const speedup = baselineCost / Math.max(1, cost);
  return {
    cost,
    baseline_cost: baselineCost,
    speed_ms: cost / OPERATIONS_PER_MS,
    baseline_ms: baselineCost / OPERATIONS_PER_MS,
    speedup,
    speedup_low: speedup,
    speedup_high: speedup,
    samples: 1,
  };
}

/** Calls that are named, the most expensive first. */
const SHOWN = 5;

/** Calls are timed as they run for the first time. Where they take longer than this times a pass, what is timed is mostly the start. */
const MOST_OVERHEAD = 2;

/** One artifact; none when there is only one call and nothing to compare, or when the times would mislead. */
export function perCallArtifacts(
  options: FunctionOptions,
  { perCall }: Pick<Observed, 'perCall'>,
  { speed_ms: passMs = 0 }: Metrics,
  counted: boolean,
): Record<string, string> {
  const [{ entry }, calls] = [options, timedCalls(options)];
  const values = perCall.map(({ ms, cost }) => (counted ? cost : ms));
  const total = values.reduce((sum, value) => sum + value, 0);
  if (calls.length < 2 || total === 0) return {};
  if (!counted && total > MOST_OVERHEAD * passMs) return {};
  const ranked = values.map((value, index) => ({ value, index })).sort((a, b) => b.value - a.value || a.index - b.index);
  const lines = ranked.slice(0, SHOWN).flatMap(({ value, index }) => {
    const call = calls[index];
    const amount = counted ? `${value.toLocaleString('en')} operations` : `${Number(value.toPrecision(3))} ms`;
    return call === undefined ? [] : [`${showCall(entry.fn, call)}: ${amount}, ${Math.round((100 * value) / total)} % of all`];
  });
  return { [counted ? 'operations per call' : 'time per call']: lines.join('\n') };
}

/** Instructions of a pass of the candidate and of the original. `passMs`: what a pass of the original takes. */
export async function instructionCounts(
  candidate: Source,
  original: Source,
  { calls }: FunctionOptions,
  { sandboxes, passMs }: { readonly sandboxes: SandboxFactory; readonly passMs: number },
): Promise<Metrics> {
  const { wallMs } = sandboxes.limits;
  const count = (one: Source): Promise<number> => {
    const ready = async (runner: Runner, passes: number): Promise<void> => {
      const failed = await load(runner, one, wallMs * 10);
      const reply = await runner.ask({ op: 'prepare', passes, calls }, wallMs * 10);
      const problem = failed ?? failureOf(reply, 'preparing a pass', wallMs);
      if (problem !== undefined) throw new PeagenError('unavailable', `Counting instructions failed: ${problem.detail}`);
    };
    return countInstructions(sandboxes, { ready }, passMs);
  };
  const instructions = await count(candidate);
  return { instructions, baseline_instructions: await count(original) };
}
