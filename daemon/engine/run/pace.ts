/** When the search begins another slot, when it waits for those in flight, and what it keeps of their tasks. Pure. */
import type { StopReason } from '../../../shared/run.ts';
import type { Task } from '../../../shared/task.ts';
import type { TaskKeeping } from '../task-client.ts';
import type { RunState } from './state/run-state.ts';
import { timeLeft } from './state/run-view.ts';

/** Numbers of what is in flight. */
export interface Flight {
  /** The first slot that has not been launched. */
  readonly next: number;
  /** Slots, with those that are being judged. */
  readonly slots: number;
  readonly judging: number;
  /** Submissions and reflections. */
  readonly others: number;
}

export function mayLaunch({ spec, paused, held }: RunState, { next, slots, judging, others }: Flight): boolean {
  // Making and judging do not wait for each other: each may have as many slots as a generation has.
  if (paused || held !== undefined || slots - judging >= spec.population || slots >= 2 * spec.population) return false;
  if (next >= spec.stop.max_generations * spec.population) return false;
  return !spec.deterministic || next % spec.population !== 0 || slots + others === 0;
}

/**
 * In a deterministic run, what has begun comes to a program first: which of it would be made again must not depend on which
 * task is faster.
 */
export function generationIsMade({ spec }: RunState, { next, slots, judging }: Flight): boolean {
  return !spec.deterministic || (next % spec.population === 0 && judging === slots);
}

/**
 * Whether candidates that are paid for are judged before the run ends: nothing more can be made, but one of them may be the
 * best. In a deterministic run they wait for earlier ones, which are not made.
 */
export function isWorthWaiting(state: RunState, ended: StopReason | 'rebased' | 'repaired', { judging }: Flight): boolean {
  const isMade = ended === 'exhausted' || ended === 'budget_tokens' || ended === 'budget_usd';
  return isMade && !state.spec.deterministic && judging > 0 && (timeLeft(state, Date.now()) ?? 1) > 0;
}

/**
 * The journal has what comes of a slot. In a deterministic run an answer may wait for its turn, and has been paid for.
 * `firstNew`: the slots from it on have never been launched before.
 */
export function keepingOf({ spec }: RunState, firstNew: number, { kind, trace }: Task): TaskKeeping {
  if (trace?.candidate === undefined || kind === 'evaluate' || (spec.deterministic && kind === 'mutate')) return {};
  return { keep: 'caller', fresh: trace.candidate >= firstNew && !spec.deterministic };
}
