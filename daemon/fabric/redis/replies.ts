/**
 * Replies of the server as types. Their shape is that of the protocol and of our scripts, and every task passes here
 * several times: only the shape is looked at. What others may have written is inside of the bytes.
 */
import { PeagenError } from '../../../shared/errors.ts';

export interface StreamEntry {
  readonly id: Buffer;
  /** Names and values in turn. */
  readonly fields: readonly Buffer[];
}

/** A task as a claim returns it, see answer in common.lua. */
export interface FoundTask {
  readonly id: string;
  readonly lane: string;
  readonly attempts: number;
  /** Number of the claim. */
  readonly attempt: number;
  readonly bytes: Buffer;
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new PeagenError('internal', `Redis answered ${typeof reply} where a list was expected.`);
}

function bytesOf(reply: unknown): Buffer {
  if (Buffer.isBuffer(reply)) return reply;
  throw new PeagenError('internal', `Redis answered ${typeof reply} where bytes were expected.`);
}

/** Entries of a stream, as XRANGE returns them. */
export function entriesOf(reply: unknown): StreamEntry[] {
  return listOf(reply).map((entry) => {
    const [id, fields] = listOf(entry);
    return { id: bytesOf(id), fields: listOf(fields).map(bytesOf) };
  });
}

/** From the three values at `at` of an answer; the number of lanes when there was no task. */
export function foundOf(reply: readonly unknown[], at: number): FoundTask | number {
  const [id, record, bytes] = [reply[at], reply[at + 1], reply[at + 2]];
  if (typeof id === 'number') return id;
  const [, , claims, attempts, , lane = ''] = bytesOf(record).toString().split(' ', 6);
  return { id: bytesOf(id).toString(), lane, attempts: Number(attempts), attempt: Number(claims), bytes: bytesOf(bytes) };
}
