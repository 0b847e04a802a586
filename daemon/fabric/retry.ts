/** Rules about failing that every queue adapter shares: the delay before a retry, and what a dead letter says. */
import { PeagenError } from '../../shared/errors.ts';
import { TaskId } from '../../shared/ids.ts';
import type { Result } from '../../shared/task.ts';
import type { DeadLetter, TaskOutcome } from './queue.ts';

export const LEASE_EXPIRED = 'the worker stopped answering and its lease expired';

export const LONGEST_DELAY_MS = 3_600_000;

/** `attempts`: how often the task has failed before. `random` in [0, 1). */
export function retryDelay(baseMs: number, attempts: number, random: number): number {
  return Math.round(Math.min(baseMs * 2 ** attempts, LONGEST_DELAY_MS) * (0.8 + 0.4 * random));
}

/**
 * The outcome that a dead letter is; undefined for bytes that were no task, which nobody waits for. `hint`: what a user
 * can do with the letter, where one can get at it.
 */
export function deadOutcome(letter: DeadLetter, hint?: string): TaskOutcome | undefined {
  const id = TaskId.safeParse(letter.id);
  if (!id.success) return undefined;
  // A wait that ends as cancelled was cancelled by the caller that waits; a handler that gave up by itself is another matter.
  const code = letter.code === 'cancelled' ? 'internal' : letter.code;
  const error = new PeagenError(code, letter.reason, { hint, retryable: false });
  return {
    dead: true,
    result: {
      task_id: id.data,
      status: 'error',
      data: error.toJSON(),
      created_at: letter.died_at,
      attempts: letter.attempts,
    } satisfies Result,
  };
}

/** The answer to a task made by a newer build. */
export function unsupportedSchema(id: TaskId, schema: number, known: number, now: string): Result {
  const error = new PeagenError('unsupported', `Task ${id} has schema_v ${schema}; this build understands up to ${known}.`, {
    hint: 'Update the workers of this queue.',
  });
  return { task_id: id, status: 'error', data: error.toJSON(), created_at: now, attempts: 0 };
}
