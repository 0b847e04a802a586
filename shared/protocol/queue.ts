/** What waits in a daemon's own queues, those in its memory, and their dead letters. A team's queue is asked directly. */
import * as z from 'zod';
import { errorCodes } from '../errors.ts';
import { Task, TaskKind } from '../task.ts';
import { request } from './message.ts';

const tasks = z.number().int().min(0);

export const Depth = z.object({
  pending: tasks,
  claimed: tasks,
  delayed: tasks,
  dead: tasks,
  /** Waiting tasks by kind, and by lane. */
  byKind: z.partialRecord(TaskKind, tasks),
  byLane: z.record(z.string(), tasks),
  /** Age of the oldest waiting task, in milliseconds. */
  oldestMs: z.number().min(0),
  /** The same by lane, of those in which a task waits; a queue of a plugin may not know it. */
  oldestByLane: z.record(z.string(), z.number().min(0)).optional(),
});
export type Depth = Readonly<z.infer<typeof Depth>>;

/** What no queue, and an empty one, holds. */
export const noTasks: Depth = { pending: 0, claimed: 0, delayed: 0, dead: 0, byKind: {}, byLane: {}, oldestMs: 0 };

export const DeadLetter = z.object({
  id: z.string(),
  reason: z.string(),
  code: z.enum(errorCodes),
  /** ISO 8601. */
  died_at: z.string(),
  lane: z.string(),
  attempts: tasks,
  /** Absent when the bytes on the stream were no task; then `raw` (base64) holds them. */
  task: Task.optional(),
  raw: z.string().optional(),
});
export type DeadLetter = Readonly<z.infer<typeof DeadLetter>>;

/**
 * Client → daemon: the tasks of all its own queues by state, kind and lane, at most `most` of those that wait, and all their dead
 * letters, oldest first.
 */
export const ShowQueue = request(
  'peagen/queue/show',
  z.object({ most: tasks.optional() }),
  z.object({ depth: Depth, waiting: z.array(Task), letters: z.array(DeadLetter) }),
);

/** Client → daemon: puts dead letters of its own queues back, or removes them for good; without `ids` all of them. */
export const TendDeadLetters = request(
  'peagen/queue/tend',
  z.object({ what: z.enum(['retry', 'purge']), ids: z.array(z.string()).optional() }),
  z.object({ count: tasks }),
);
