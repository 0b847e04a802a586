/**
 * The journal of a run: `journal.jsonl`, one event a line, append-only. An append resolves when the line has been
 * written, so that it survives a kill of the process, and flushed with fdatasync, so that it survives a loss of power; appends that
 * wait together share one flush. An event that is decided again from those before it waits for no flush of its own: the next one
 * takes it along. What was never flushed may be missing or torn at the end, nowhere else.
 *
 * Each line ends with a checksum of itself and of the one before it, so that a changed, missing or exchanged line is noticed.
 * Journals of version 0.1 have none; what is appended to them has.
 */
import { hash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { RunEvent } from '../../shared/run.ts';
import { readOwnFile } from './whole-file.ts';

/** After a loss of power these are decided again as they were: they follow from the events before them and the seed. */
const derived: ReadonlySet<RunEvent['type']> = new Set(['selected', 'inserted', 'generation']);

interface Waiting {
  readonly event: RunEvent;
  readonly done: () => void;
  readonly fail: (error: PeagenError) => void;
}

/** A place in a journal, between two lines, and what is before it. */
export const JournalMark = z.object({
  bytes: z.number().int().min(0),
  lines: z.number().int().min(0),
  /** Checksum of the line before it; empty where that has none. */
  sum: z.string(),
  /** CRC-32 of all bytes before it. */
  crc: z.number().int().min(0),
});
export type JournalMark = z.infer<typeof JournalMark>;

export const START: JournalMark = { bytes: 0, lines: 0, sum: '', crc: 0 };

interface JournalEvents {
  readonly events: RunEvent[];
  /** The place after the last of them. */
  readonly mark: JournalMark;
  readonly warning?: string;
}

export class Journal {
  private readonly path: string;
  private readonly file: FileHandle;
  /** Bytes of whole lines, and the checksum of the last of them. */
  private length: number;
  private sum: string;
  private waiting: Waiting[] = [];
  /** Whether there are lines that no flush has taken along. */
  private unflushed = false;
  private flushing: Promise<void> | undefined;
  private ended: PeagenError | undefined;

  private constructor(path: string, file: FileHandle, { bytes, sum }: Pick<JournalMark, 'bytes' | 'sum'>) {
    this.path = path;
    this.file = file;
    this.length = bytes;
    this.sum = sum;
  }

  /** Bytes that are written. */
  get size(): number {
    return this.length;
  }

  /** Throws `conflict` when the run has a journal already, `storage_failed` when it cannot be made. */
  static async create(runDir: string): Promise<Journal> {
    const path = pathIn(runDir);
    const file = await open(path, 'wx+').catch((caught: unknown) => {
      if (codeOf(caught) !== 'EEXIST') throw failed('create', path, caught);
      throw new PeagenError('conflict', `The journal ${path} exists already.`, {
        hint: 'Resume that run, or start one with another id.',
      });
    });
    await flushFolder(runDir);
    return new Journal(path, file, START);
  }

  /** Opens the journal of an interrupted run to go on with it; a torn last line is cut off. `known`: a mark that was checked. */
  static async reopen(runDir: string, known: JournalMark = START): Promise<Journal> {
    const path = pathIn(runDir);
    const file = await open(path, 'r+').catch((caught: unknown) => {
      throw codeOf(caught) === 'ENOENT' ? missing(path, caught) : failed('open', path, caught);
    });
    const end = await endAfter(known, file, path).catch(async (caught: unknown) => {
      await file.close();
      throw caught;
    });
    await file.truncate(end.bytes);
    return new Journal(path, file, end);
  }

  /** All events. Throws `not_found` without a journal, `storage_failed` with the number of a line that makes no sense. */
  static async read(runDir: string): Promise<Omit<JournalEvents, 'mark'>> {
    const path = pathIn(runDir);
    const { mark: _, ...found } = splitJournal(await readJournal(path), path, START);
    return found;
  }

  /** Events after a mark. Undefined when what is before it is not what was there when the mark was made. */
  static async readAfter(runDir: string, mark: JournalMark): Promise<JournalEvents | undefined> {
    const path = pathIn(runDir);
    const bytes = await readJournal(path);
    const isSame = bytes.length >= mark.bytes && crc32(bytes.subarray(0, mark.bytes)) === mark.crc;
    return isSame ? splitJournal(bytes, path, mark) : undefined;
  }

  /**
   * Lines are written in the order of the calls. Throws `storage_failed` when the line could not be made safe; it is
   * then not in the journal, and later appends may succeed.
   */
  append(event: RunEvent): Promise<void> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((done, fail) => {
      this.waiting.push({ event, done, fail });
      this.flushing ??= this.flush();
    });
  }

  /** Waits for what was appended, then closes the file. */
  async close(): Promise<void> {
    if (this.ended !== undefined) return;
    this.ended = new PeagenError('storage_failed', `The journal ${this.path} is closed.`);
    await this.flushing;
    try {
      if (this.unflushed) await this.file.datasync();
    } finally {
      await this.file.close();
    }
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      let { sum } = this;
      const lines = batch.map(({ event }) => {
        const text = JSON.stringify(event);
        sum = sumOf(sum, text);
        return `${text.slice(0, -1)},"sum":"${sum}"}\n`;
      });
      const bytes = Buffer.from(lines.join(''), 'utf8');
      try {
        await this.writeAll(bytes);
        this.unflushed = true;
        if (batch.some(({ event }) => !derived.has(event.type))) {
          await this.file.datasync();
          this.unflushed = false;
        }
        this.length += bytes.length;
        this.sum = sum;
        for (const { done } of batch) done();
      } catch (caught) {
        const error = failed('write', this.path, caught);
        await this.takeBack();
        for (const { fail } of batch) fail(error);
      }
    }
    // In the same step as the last look at `waiting`: an append that comes next starts a flush of its own.
    this.flushing = undefined;
  }

  private async writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.file.write(bytes, at, bytes.length - at, this.length + at);
      at += bytesWritten;
    }
  }

  /** A part of a batch must not stay where the next line would follow it. */
  private async takeBack(): Promise<void> {
    try {
      await this.file.truncate(this.length);
    } catch (caught) {
      this.ended = failed('mend', this.path, caught);
      for (const { fail } of this.waiting.splice(0)) fail(this.ended);
    }
  }
}

function pathIn(runDir: string): string {
  return join(runDir, 'journal.jsonl');
}

/** Bytes; 0 without a journal. */
export async function journalSize(runDir: string): Promise<number> {
  return await stat(pathIn(runDir)).then(
    ({ size }) => size,
    () => 0,
  );
}

async function readJournal(path: string): Promise<Buffer> {
  try {
    return await readOwnFile(path);
  } catch (caught) {
    throw codeOf(caught) === 'ENOENT' ? missing(path, caught) : failed('read', path, caught);
  }
}

function missing(path: string, cause: unknown): PeagenError {
  return new PeagenError('not_found', `There is no journal ${path}.`, { hint: 'Check the id of the run.', cause });
}

/** Reads only what follows the mark. */
async function endAfter(mark: JournalMark, file: FileHandle, path: string): Promise<JournalMark> {
  const { size } = await file.stat();
  if (size < mark.bytes) throw changed(path, mark.lines, 'the file has become shorter');
  const tail = Buffer.alloc(size - mark.bytes);
  for (let at = 0; at < tail.length; ) {
    const { bytesRead } = await file.read(tail, at, tail.length - at, mark.bytes + at);
    if (bytesRead === 0) throw changed(path, mark.lines, 'the file has become shorter');
    at += bytesRead;
  }
  const { mark: end } = splitJournal(tail, path, { ...mark, bytes: 0 });
  return { ...end, bytes: mark.bytes + end.bytes };
}

const SUM_LENGTH = 16;
const ending = new RegExp(`,"sum":"([0-9a-f]{${SUM_LENGTH}})"\\}$`);

function sumOf(before: string, text: string): string {
  return hash('sha256', before + text).slice(0, SUM_LENGTH);
}

/** The checksum of a line; empty where no line has one yet. Throws `storage_failed` when it is wrong or missing. */
function checkedSum(line: string, before: string, path: string, number: number): string {
  const found = ending.exec(line);
  if (found === null) {
    if (before === '') return '';
    throw changed(path, number, 'it has no checksum, which the line before it has');
  }
  const [end, sum = ''] = found;
  if (sumOf(before, `${line.slice(0, -end.length)}}`) === sum) return sum;
  throw changed(path, number, 'its checksum is wrong');
}

function splitJournal(bytes: Buffer, path: string, from: JournalMark): JournalEvents {
  const events: RunEvent[] = [];
  let at = from.bytes;
  let { sum } = from;
  const end = (): JournalEvents => {
    const crc = crc32(bytes.subarray(from.bytes, at), from.crc);
    return { events, mark: { bytes: at, lines: from.lines + events.length, sum, crc } };
  };
  for (let number = from.lines + 1; at < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, at);
    const to = newline < 0 ? bytes.length : newline;
    const value = newline < 0 ? undefined : jsonOf(bytes.subarray(at, to));
    if (value === undefined) {
      if (newline < 0 || newline === bytes.length - 1) {
        return { ...end(), warning: `${path}: the last line (${number}) is torn and was left out.` };
      }
      throw broken(path, number, 'it is not JSON');
    }
    const event = RunEvent.safeParse(value);
    if (!event.success) throw broken(path, number, z.prettifyError(event.error));
    sum = checkedSum(bytes.toString('utf8', at, to), sum, path, number);
    events.push(event.data);
    at = to + 1;
  }
  return end();
}

/** Undefined for what is not JSON. */
function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return undefined;
  }
}

/** Makes the new entry in the folder safe; Windows cannot flush folders and does not need to. */
async function flushFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function codeOf(caught: unknown): string | undefined {
  return caught instanceof Error && 'code' in caught ? String(caught.code) : undefined;
}

function failed(what: string, path: string, caught: unknown): PeagenError {
  const hint =
    codeOf(caught) === 'ENOSPC' ? 'The disk is full: make room, then resume the run.' : 'Check the folder and its rights.';
  return new PeagenError(
    'storage_failed',
    `Cannot ${what} the journal ${path}: ${codeOf(caught) ?? (caught instanceof Error ? caught.message : caught)}.`,
    {
      hint,
      cause: caught,
    },
  );
}

function changed(path: string, line: number, detail: string): PeagenError {
  return new PeagenError('storage_failed', `${path}:${line}: the line was changed, or one before it is missing: ${detail}.`, {
    hint: 'Restore the file from a copy, or cut it off before this line to resume from there.',
    retryable: false,
  });
}

function broken(path: string, line: number, detail: string): PeagenError {
  return new PeagenError('storage_failed', `${path}:${line}: the line is not an event of a run: ${detail}.`, {
    hint: 'A newer build wrote it, or another program changed it: fix or delete the line.',
    retryable: false,
  });
}
