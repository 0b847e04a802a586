/** Between the rows of the tables and the terms of the queue's contract. Tasks and results are kept as MessagePack. */
import { Packr } from 'msgpackr';
import type { Claim, DeadLetter, Result, Task, TaskOutcome } from 'peagen/plugin';
import * as z from 'zod';

/** The newest schema of tasks that this queue hands out. */
export const TASK_SCHEMA_V = 1;

const packr = new Packr({ useRecords: false, encodeUndefinedAsNil: true, moreTypes: false });
export const pack = (value: unknown): Buffer => Buffer.from(packr.pack(value));
const unpack = (bytes: Uint8Array): unknown => packr.unpack(bytes);

/** Peagen checks the fields of a task before it runs it. */
const StoredTask = z.custom<Task>((value) => z.looseObject({ id: z.string(), kind: z.string() }).safeParse(value).success);
const StoredResult = z.custom<Result>((value) => z.looseObject({ task_id: z.string() }).safeParse(value).success);
const bytes = z.instanceof(Buffer);

export const TaskRow = z.object({ task: bytes, schema_v: z.number(), attempts: z.number(), claims: z.number() });
export const EndRow = z.object({
  id: z.custom<Result['task_id']>((value) => typeof value === 'string'),
  attempts: z.number(),
  due: z.date(),
  ended: z.enum(['result', 'skip', 'dead']),
  result: bytes.nullable(),
  reason: z.string().nullable(),
  code: z.custom<DeadLetter['code']>((value) => typeof value === 'string').nullable(),
});
export const LetterRow = z.object({ ...EndRow.shape, lane: z.string(), task: bytes });

/** The tags of a lane's name are sorted, each once. */
export function laneOf({ kind, requires }: Task): string {
  return `${kind}/${[...new Set(requires)].sort().join('+')}`;
}

/** The arguments of `peagen_enqueue` behind the workspace. */
export function columnsOf(tasks: readonly Task[]): unknown[] {
  return [tasks.map(({ id }) => id), tasks.map(laneOf), tasks.map(({ schema_v }) => schema_v), tasks.map(pack)];
}

export function claimOf({ task, attempts, claims }: z.infer<typeof TaskRow>, worker: string): Claim {
  return { task: { ...StoredTask.parse(unpack(task)), attempts }, worker, attempt: claims };
}

export function outcomeOf({ id, attempts, due, ended, result, reason, code }: z.infer<typeof EndRow>): TaskOutcome {
  if (result !== null) return { result: StoredResult.parse(unpack(result)), dead: false };
  const about = { task_id: id, created_at: due.toISOString(), attempts };
  if (ended === 'skip') return { result: { ...about, status: 'skip', data: reason }, dead: false };
  // A wait that ends as cancelled was cancelled by its caller; a handler that gave up is another matter.
  const shown = code === 'cancelled' ? 'internal' : code;
  return { result: { ...about, status: 'error', data: { code: shown, message: reason, retryable: false } }, dead: true };
}

export function letterOf(row: z.infer<typeof LetterRow>): DeadLetter {
  const { id, reason, code, due, lane, attempts, task } = row;
  const kept = { ...StoredTask.parse(unpack(task)), attempts };
  return { id, reason: reason ?? '', code: code ?? 'internal', died_at: due.toISOString(), lane, attempts, task: kept };
}

/** The answer to a task that a newer Peagen made. */
export function tooNew({ id, schema_v, attempts }: Task): Result {
  const message = `Task ${id} has schema_v ${schema_v}; this queue understands up to ${TASK_SCHEMA_V}.`;
  const data = { code: 'unsupported', message, hint: 'Update the package peagen-postgres-queue.', retryable: false };
  return { task_id: id, status: 'error', data, created_at: new Date().toISOString(), attempts };
}
