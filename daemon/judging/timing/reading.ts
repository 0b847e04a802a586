/** One reading of a runner's clock, checked against the clock out here. */
import * as z from 'zod';
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { Runner } from '../../executors/runner.ts';
import { failureOf } from '../function/correctness.ts';
import { outcome } from '../function/result.ts';

/** `waited_ns`: of the wall clock, how long the thread was ready to run while others had the processors. */
const Clocked = z.object({
  wall_ns: z.number().positive(),
  waited_ns: z.number().min(0),
});

/** By the wall clock, and without the waits for a processor. */
export interface Clock {
  readonly claimedMs: number;
  readonly runningMs: number;
}

export interface ClockReading extends Clock, Record<'before' | 'around', number> {
  /** What the calls that `check` names had returned. */
  readonly checked: readonly unknown[];
}
/** Describes a call within a reading. */
export type CallPlace = readonly [pass: number, call: number];
type Reading = ClockReading | { readonly outcome: Outcome };

/**
 * The clock once around `passes` passes, and what was seen from here before and around it. `calls`: those of a pass, when
 * they are new. `check`: passes and calls of the reading before, whose outputs are shown first. `collect`: garbage is
 * collected before, so that what is collected within a pass is its own, at the same calls each time.
 */
export async function read(
  runner: Runner,
  passes: number,
  calls: readonly Call[] | undefined,
  { options, limitMs }: { readonly options: FunctionOptions; readonly limitMs: number },
  { check, collect = false }: { readonly check?: readonly CallPlace[]; readonly collect?: boolean } = {},
): Promise<Reading> {
  const more = { ...(calls === undefined ? {} : { calls }), ...(check === undefined ? {} : { check }) };
  const prepared = await runner.ask({ op: 'prepare', passes, ...more, ...(collect ? { collect: 1 } : {}) }, limitMs);
  const problem = failureOf(prepared, 'preparing a pass', limitMs);
  if (problem !== undefined) return { outcome: problem };
  const reply = await runner.ask({ op: 'go' }, limitMs);
  const failure = failureOf(reply, options.entry.fn, limitMs);
  if (failure !== undefined) return { outcome: failure };
  const clocked = Clocked.safeParse(reply.kind === 'answer' ? reply.value : {});
  if (prepared.kind !== 'answer' || reply.kind !== 'answer' || !clocked.success) {
    return { outcome: outcome('forged', 'The timing answer was not one of the runner.') };
  }
  const claimedMs = clocked.data.wall_ns / 1e6;
  if (claimedMs > reply.ms) {
    return { outcome: outcome('forged', `The clock said ${claimedMs.toFixed(2)} ms of a wait of ${reply.ms.toFixed(2)} ms.`) };
  }
  const { outputs } = prepared.value;
  const checked: unknown[] = Array.isArray(outputs) ? outputs : [];
  // A thread that only waited would have run for no time at all.
  const runningMs = Math.max(claimedMs - clocked.data.waited_ns / 1e6, claimedMs / 1000);
  return { claimedMs, runningMs, before: prepared.ms, around: reply.ms - claimedMs, checked };
}
