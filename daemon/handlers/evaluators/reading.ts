/** One reading of a runner's clock, checked against the clock out here. */
import * as z from 'zod';
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { Runner } from '../../sandbox/runner.ts';
import { failureOf, outcome } from './correctness.ts';

/** `waited_ns`: of the wall clock, how long the thread was ready to run while others had the processors. */
const Clocked = z.object({
  wall_ns: z.number().positive(),
  waited_ns: z.number().min(0),
  /** The same of each lap; who lies about its waits may have them shrink. */
  laps_ns: z.array(z.tuple([z.number().positive(), z.number()])).default([]),
});

export interface Lap {
  readonly claimedMs: number;
  readonly runningMs: number;
}

export interface Seen extends Record<'claimedMs' | 'runningMs' | 'before' | 'around', number> {
  /** What the calls that `check` names had returned. */
  readonly checked: readonly unknown[];
  readonly laps: readonly Lap[];
}
/** Of a call within a reading. */
export type Place = readonly [pass: number, call: number];
export type Reading = Seen | { readonly outcome: Outcome };

/**
 * The clock once around `passes` passes, and what was seen from here before and around it. `calls`: those of a pass, when
 * they are new. `check`: passes and calls of the reading before, whose outputs are shown first. `ends`: numbers of calls
 * after which a lap ends, for a clock of its own around each. Then garbage is collected before: what is collected within a
 * pass is its own, at the same calls each time, and no least time leaves it out.
 */
export async function read(
  runner: Runner,
  passes: number,
  calls: readonly Call[] | undefined,
  { options, limitMs }: { readonly options: FunctionOptions; readonly limitMs: number },
  { check, ends }: { readonly check?: readonly Place[]; readonly ends?: readonly number[] | undefined } = {},
): Promise<Reading> {
  const more = { ...(calls === undefined ? {} : { calls }), ...(check === undefined ? {} : { check }) };
  const prepared = await runner.ask({ op: 'prepare', passes, ...more, ...(ends === undefined ? {} : { collect: 1 }) }, limitMs);
  const problem = failureOf(prepared, 'preparing a pass', limitMs);
  if (problem !== undefined) return { outcome: problem };
  const reply = await runner.ask({ op: 'go', ...(ends === undefined ? {} : { laps: ends }) }, limitMs);
  const failure = failureOf(reply, options.entry.fn, limitMs);
  if (failure !== undefined) return { outcome: failure };
  const clocked = Clocked.safeParse(reply.kind === 'answer' ? reply.value : {});
  if (
    prepared.kind !== 'answer' ||
    reply.kind !== 'answer' ||
    !clocked.success ||
    clocked.data.laps_ns.length !== (ends ?? []).length
  ) {
    return { outcome: outcome('forged', 'The timing answer was not one of the runner.') };
  }
  const claimedMs = clocked.data.wall_ns / 1e6;
  if (claimedMs > reply.ms) {
    return { outcome: outcome('forged', `The clock said ${claimedMs.toFixed(2)} ms of a wait of ${reply.ms.toFixed(2)} ms.`) };
  }
  const { outputs } = prepared.value;
  const checked: unknown[] = Array.isArray(outputs) ? outputs : [];
  const laps = clocked.data.laps_ns.map(([wall, waited]) => lapOf(wall, waited));
  const pass = lapOf(clocked.data.wall_ns, clocked.data.waited_ns);
  return { ...pass, before: prepared.ms, around: reply.ms - claimedMs, checked, laps };
}

/** A thread that only waited would have run for no time at all. */
function lapOf(wallNs: number, waitedNs: number): Lap {
  const claimedMs = wallNs / 1e6;
  return { claimedMs, runningMs: Math.max(claimedMs - Math.max(waitedNs, 0) / 1e6, claimedMs / 1000) };
}
