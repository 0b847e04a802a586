/**
 * `checkpoint.msgpack` of a run: the state that its journal adds up to, up to a mark in it, so that a resume reads only what
 * follows. It holds nothing that the journal does not, is used by the build that wrote it alone, and may be deleted at any time.
 */
import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Packr } from 'msgpackr';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import { RunEvent } from '../../../shared/run.ts';
import { JournalMark } from '../../evolution/journal.ts';
import { readOwnFile } from '../../evolution/whole-file.ts';
import type { Log } from '../../telemetry/log.ts';
import type { RunState } from '../run/state/run-state.ts';

export const CHECKPOINT = 'checkpoint.msgpack';

const Header = z.object({
  v: z.literal(1),
  /** The build that wrote it: another one may keep a state in another way. */
  build: z.string(),
  run: RunId,
  mark: JournalMark,
  started: RunEvent.options[0],
  sha256: Sha256,
  state: z.instanceof(Uint8Array),
});

export interface Checkpoint {
  readonly build: string;
  readonly run: RunId;
  readonly mark: JournalMark;
  /** The first event of the journal. */
  readonly started: z.infer<(typeof RunEvent.options)[0]>;
  /** MessagePack, for `restoreState`. */
  readonly state: Uint8Array;
}

/** Objects that occur twice stay one; records are shorter and faster than maps. */
const packr = new Packr({ structuredClone: true, useRecords: true, moreTypes: true });

/** The file is the old one or the new one, never a part of it. */
export async function writeCheckpoint(folder: string, checkpoint: Checkpoint): Promise<void> {
  const sha256 = createHash('sha256').update(checkpoint.state).digest('hex');
  const path = join(folder, CHECKPOINT);
  try {
    await writeFile(`${path}.new`, new Packr({ useRecords: false }).pack({ v: 1, sha256, ...checkpoint }));
    await rename(`${path}.new`, path);
  } catch (caught) {
    await rm(`${path}.new`, { force: true });
    throw caught;
  }
}

/** Returns undefined where there is no checkpoint. Throws `storage_failed` for a file that is damaged. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  const bytes = await readOwnFile(path).catch((caught: NodeJS.ErrnoException) => {
    if (caught.code === 'ENOENT') return undefined;
    throw damaged(path, `it cannot be read (${caught.code ?? caught.message})`, caught);
  });
  if (bytes === undefined) return undefined;
  const unpacked = unpackHeader(bytes, path);
  const header = Header.safeParse(unpacked);
  if (!header.success) throw damaged(path, 'it is not a checkpoint');
  const { sha256, v: _, ...checkpoint } = header.data;
  if (createHash('sha256').update(checkpoint.state).digest('hex') !== sha256) throw damaged(path, 'its checksum is wrong');
  return checkpoint;
}

function unpackHeader(bytes: Buffer, path: string): unknown {
  try {
    return new Packr({ useRecords: false }).unpack(bytes);
  } catch (cause) {
    throw damaged(path, 'it is not MessagePack', cause);
  }
}

function damaged(path: string, why: string, cause?: unknown): PeagenError {
  return new PeagenError('storage_failed', `The checkpoint ${path} is damaged: ${why}.`, {
    hint: 'Delete it; the journal next to it holds the whole run.',
    retryable: false,
    cause,
  });
}

export function packState(state: RunState): Uint8Array {
  return Uint8Array.from(packr.pack(flat(state, new Map())));
}

/** `state`: as at the beginning of the same run. Selectors, which may be a plugin's, learn again from what the run has gained. */
export function restoreState(state: RunState, packed: Uint8Array): void {
  fill(state, packr.unpack(packed));
  state.selectors.repeat();
}

type Fields = Record<string, unknown>;

/** Whether the value is an instance of a class of this project, which has more than its data. */
function isInstance(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== Map.prototype && prototype !== Set.prototype && prototype !== null;
}

/** Selectors that may be of a plugin: RunSelectors keeps what they learn from. */
const LEARNING = 'learners';
const ENTRIES = '#entries';

/** Instances as plain objects of their fields; what occurs twice stays one object. */
function flat(value: unknown, done: Map<object, Fields>): unknown {
  if (Array.isArray(value)) return value.some(isInstance) ? value.map((each) => flat(each, done)) : value;
  if (!isInstance(value)) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  const fields: Fields = value instanceof Map ? { [ENTRIES]: new Map(value) } : {};
  done.set(value, fields);
  for (const [name, field] of Object.entries(value)) {
    if (name !== LEARNING && typeof field !== 'function') fields[name] = flat(field, done);
  }
  return fields;
}

/** The reverse: instances of the target stay, and get the fields. */
function fill(target: Fields | RunState, fields: unknown): void {
  if (typeof fields !== 'object' || fields === null) throw new PeagenError('storage_failed', 'The checkpoint has another shape.');
  for (const [name, field] of Object.entries(fields)) {
    const current: unknown = Reflect.get(target, name);
    if (name === ENTRIES && target instanceof Map && field instanceof Map) {
      target.clear();
      for (const [key, value] of field) target.set(key, value);
    } else if (isInstance(current)) {
      fill(current, field);
    } else if (Array.isArray(current) && Array.isArray(field) && current.some(isInstance)) {
      current.forEach((each, i) => {
        if (isInstance(each)) fill(each, field[i]);
      });
    } else {
      Reflect.set(target, name, field);
    }
  }
}

/** A journal that has grown by this share since the last checkpoint is worth another one: all of them cost as much as 11 of the last. */
const GROWTH = 0.1;

/** Writes the checkpoints of one run, one at a time. Without one nothing is lost: that it could not be written is only logged. */
export class Checkpoints {
  private readonly write: () => Promise<void>;
  private readonly log: Log;
  private written = 0;
  private writing: Promise<void> | undefined;

  constructor(write: () => Promise<void>, log: Log) {
    this.write = write;
    this.log = log;
  }

  /** A generation has ended. `bytes`: of the journal. */
  due(bytes: number): void {
    if (this.writing !== undefined || bytes < this.written * (1 + GROWTH)) return;
    this.written = bytes;
    this.writing = this.write()
      .catch((caught: unknown) => this.log.warn({ err: caught }, 'no checkpoint could be written'))
      .finally(() => {
        this.writing = undefined;
      });
  }

  /** The run has ended, or is left: what was written since the last one is in another. */
  async close(bytes: number): Promise<void> {
    await this.writing;
    if (bytes > this.written) this.due(Math.max(bytes, this.written * (1 + GROWTH)));
    await this.writing;
  }
}
