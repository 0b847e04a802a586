/** The memory that a correct program takes: the peak of its most demanding call, without what was there before. */
import * as z from 'zod';
import type { FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { Runner, RunnerPool } from '../../executors/runner.ts';
import { failureOf, load, type Source } from './correctness.ts';
import { outcome } from './result.ts';

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
  const reply = await runner.ask({ op: 'memory', calls: options.calls }, withinMs);
  const failure = failureOf(reply, options.entry.fn, withinMs);
  if (failure !== undefined) return failure;
  const answer = reply.kind === 'answer' ? reply.value : {};
  const peak = Peak.safeParse(answer);
  return peak.success ? peak.data.peak_bytes / 1024 : outcome('crashed', `Measuring its memory failed: ${answer['error'] ?? ''}`);
}
