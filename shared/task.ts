/** Task and Result: what travels through the queue. The wire format is MessagePack of exactly these fields. */
import * as z from 'zod';
import { TaskId } from './ids.ts';

/** The newest task schema this build understands; a task above it is answered with `error`. */
export const TASK_SCHEMA_V = 1;

/** Append only: a kind is never reused for something else. */
const taskKinds = ['render', 'mutate', 'execute', 'evaluate'] as const;
export const TaskKind = z.enum(taskKinds);
export type TaskKind = z.infer<typeof TaskKind>;

/** A capability tag: lower-case kebab or snake, such as `cpu`, `llm`, `docker`, `cuda12`, `python`. */
export const CapTag = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'expected a lower-case tag such as "cpu" or "gcc13"');
export type CapTag = z.infer<typeof CapTag>;

/** What a task belongs to; never interpreted by the queue. */
const TaskTrace = z.object({
  run: z.string().optional(),
  /** Index of the candidate in its run. */
  candidate: z.number().int().min(0).optional(),
  /** Every program of its run comes from mutators that ask no model. Only the host of a local queue believes it. */
  offline: z.boolean().optional(),
  /** W3C trace context. */
  traceparent: z.string().optional(),
});

export const Task = z.object({
  kind: TaskKind,
  id: TaskId,
  /** Opaque to the queue: plain data that MessagePack can carry. The handler parses it. */
  payload: z.unknown(),
  requires: z.array(CapTag).max(32),
  /** Raised by the queue on each retry; producers write 0. */
  attempts: z.number().int().min(0),
  created_at: z.iso.datetime(),
  schema_v: z.number().int().min(1),
  trace: TaskTrace.optional(),
});
export type Task = z.infer<typeof Task>;

export const ResultStatus = z.enum(['ok', 'error', 'skip']);
export type ResultStatus = z.infer<typeof ResultStatus>;

export const Result = z.object({
  task_id: TaskId,
  status: ResultStatus,
  /** The handler's answer for `ok`; an ErrorData for `error`; a reason for `skip`. */
  data: z.unknown(),
  created_at: z.iso.datetime(),
  attempts: z.number().int().min(0),
  /** For audit: the worker that computed it, and its host. */
  handler: z.string().optional(),
  handler_version: z.string().optional(),
  worker_id: z.string().optional(),
  image: z.string().optional(),
});
export type Result = z.infer<typeof Result>;

/**
 * Of tasks that refer to what the queue has, such as folders. Workers of builds before it cannot fetch them and leave such tasks to
 * the others; this build can, whatever its other tags are.
 */
export const FOLDERS_TAG: CapTag = 'folders';

/** Workers take tasks with this tag before all others that they can run: a search waits for them. */
export const FIRST_TAG: CapTag = 'first';

/** Tags that say how a task is to be treated, not what its worker must have: every worker of this build can. */
const marks: ReadonlySet<CapTag> = new Set([FOLDERS_TAG, FIRST_TAG]);

/** The claim rule: `requires ⊆ caps`. A question to a model waits elsewhere: who may ask needs no processor for it. */
export function canClaim(requires: readonly CapTag[], caps: ReadonlySet<CapTag>): boolean {
  return requires.every((tag) => caps.has(tag) || marks.has(tag) || (tag === 'cpu' && requires.includes('llm')));
}

/** A lane holds the tasks of one kind and one set of required tags: `execute/cpu+python`. */
export function laneOf(task: Pick<Task, 'kind' | 'requires'>): string {
  return `${task.kind}/${[...new Set(task.requires)].sort().join('+')}`;
}
