/**
 * Replies of the server as types. Their shape is that of the protocol and of our scripts, and every task passes here
 * several times: only the shape is looked at. What others may have written is inside of the bytes.
 */
import { PeagenError } from '../../../shared/errors.ts';

export interface Entry {
  readonly id: Buffer;
  /** Names and values in turn. */
  readonly fields: readonly Buffer[];
}

/** A task as a claim answers it, see next_tasks in common.lua. */
export interface FoundTask {
  readonly id: string;
  readonly lane: string;
  readonly attempts: number;
  /** Number of the claim. */
  readonly attempt: number;
  readonly meta: Buffer;
  readonly payload: Buffer;
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new PeagenError('internal', `Redis answered ${typeof reply} where a list was expected.`);
}

export function bytesOf(reply: unknown): Buffer {
  if (Buffer.isBuffer(reply)) return reply;
  throw new PeagenError('internal', `Redis answered ${typeof reply} where bytes were expected.`);
}

/** Entries of a stream, as XRANGE answers them. */
export function entriesOf(reply: unknown): Entry[] {
  return listOf(reply).map((entry) => {
    const [id, fields] = listOf(entry);
    return { id: bytesOf(id), fields: listOf(fields).map(bytesOf) };
  });
}

export function foundOf(reply: unknown): FoundTask {
  const [id, lane, attempts, attempt, meta, payload] = listOf(reply);
  return {
    id: bytesOf(id).toString(),
    lane: bytesOf(lane).toString(),
    attempts: Number(attempts),
    attempt: Number(attempt),
    meta: bytesOf(meta),
    payload: bytesOf(payload),
  };
}
