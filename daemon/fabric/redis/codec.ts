/**
 * Tasks and results as bytes in Redis: MessagePack, which the queue moves unread. What the queue itself decides of a task
 * is not in them: its id, lane and attempts. The only place that knows the wire format; what comes in is parsed, because
 * anybody with access can write there.
 */

import * as z from 'zod';
import { knownCode, PeagenError } from '../../../shared/errors.ts';
import { TaskId } from '../../../shared/ids.ts';
import { laneOf, Result, TASK_SCHEMA_V, Task } from '../../../shared/task.ts';
import { pack, unpack } from '../msgpack.ts';
import type { DeadLetter } from '../queue.ts';
import type { Signer } from './signature.ts';

const LARGEST = 64 * 1024 * 1024;

type DecodedTask =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'newer'; readonly id: TaskId; readonly schema: number }
  | { readonly kind: 'malformed'; readonly reason: string };

const Versioned = z.object({ schema_v: z.number().int() });

/** A task as add_tasks in common.lua takes it: id, lane, bytes. */
export function taskFields(task: Task, signer: Signer): [string, string, Buffer] {
  const { id, kind, payload, requires, created_at, schema_v, trace } = task;
  const told = { kind, payload, requires, created_at, schema_v, ...(trace === undefined ? {} : { trace }) };
  const lane = laneOf(task);
  // A blank would end the lane's name in the task's record.
  if (/\s/.test(lane))
    throw new PeagenError('invalid_input', `Task ${task.id} requires "${requires.join(', ')}": a tag has no blanks.`);
  return [id, lane, signer.sign(['task', id, lane], bounded(pack(told), `Task ${id}`))];
}

/** `lane` is where the task was found: it decides who may run it, so the task must say the same. */
export function decodeTask(stored: { id: string; lane: string; attempts: number; bytes: Buffer }, signer: Signer): DecodedTask {
  const { id, lane, attempts } = stored;
  const bytes = signer.open(['task', id, lane], stored.bytes);
  if (typeof bytes === 'string') return { kind: 'malformed', reason: bytes };
  if (bytes.length > LARGEST) return { kind: 'malformed', reason: tooLarge('The task', bytes) };
  let told: unknown;
  try {
    told = unpack(bytes);
  } catch (error) {
    return { kind: 'malformed', reason: `The bytes of the task are no MessagePack: ${String(error)}.` };
  }
  const task = Task.safeParse({ ...(typeof told === 'object' ? told : {}), id, attempts });
  if (!task.success || task.data.schema_v > TASK_SCHEMA_V) {
    // What is newer than this build may be anything but its version and its id.
    const [versioned, known] = [Versioned.safeParse(told), TaskId.safeParse(id)];
    if (versioned.success && known.success && versioned.data.schema_v > TASK_SCHEMA_V) {
      return { kind: 'newer', id: known.data, schema: versioned.data.schema_v };
    }
    const issue = task.error?.issues[0];
    return { kind: 'malformed', reason: `The task is malformed: ${issue?.path.join('.')}: ${issue?.message}.` };
  }
  if (laneOf(task.data) !== lane)
    return { kind: 'malformed', reason: `The task belongs to lane ${laneOf(task.data)}, not to ${lane}.` };
  return { kind: 'task', task: task.data };
}

export function encodeResult(result: Result, signer: Signer): Buffer {
  return signer.sign(['result'], bounded(pack(result), `The result of task ${result.task_id}`));
}

/** The result, or why there is none, as a sentence. */
export function decodeResult(stored: Buffer, signer: Signer): Result | string {
  const bytes = signer.open(['result'], stored);
  if (typeof bytes === 'string') return bytes;
  if (bytes.length > LARGEST) return tooLarge('A result in it', bytes);
  try {
    return Result.parse(unpack(bytes));
  } catch {
    return 'A result in it is malformed.';
  }
}

/** The furthest time that a Date can hold, in milliseconds from the epoch. */
const LAST_MS = 8.64e15;
const Text = z.coerce.string().default('');
const Letter = z.object({
  x: z.coerce.string(),
  r: Text,
  k: Text,
  d: z.coerce.number().min(-LAST_MS).max(LAST_MS),
  l: Text,
  a: z.coerce.number().int().min(0).default(0),
});

/** The fields of a dead letter, as bury.lua writes them; undefined for what is not one. */
export function decodeLetter(fields: Readonly<Record<string, Buffer | undefined>>): DeadLetter | undefined {
  const values = Object.entries(fields).map(([name, value]) => [name, value?.toString()]);
  const { data } = Letter.safeParse(Object.fromEntries(values));
  if (data === undefined) return undefined;
  const { x: id, r: reason, k, d, l: lane, a: attempts } = data;
  return { id, reason, code: knownCode(k), died_at: new Date(d).toISOString(), lane, attempts };
}

function bounded(bytes: Buffer, what: string): Buffer {
  if (bytes.length <= LARGEST) return bytes;
  throw new PeagenError('too_large', tooLarge(what, bytes), { hint: 'Pass large data by a path or a URL.' });
}

const tooLarge = (what: string, { length }: Buffer): string => `${what} has ${length} bytes; the queue carries up to ${LARGEST}.`;
