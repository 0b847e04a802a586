/**
 * Texts by their SHA-256, each stored once, whole or absent: prompts, answers, programs. Safe for several processes on
 * one folder.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import type { Origin, Program } from '../../shared/program.ts';
import { textSha } from './hash.ts';
import { writeWholeFile } from './whole-file.ts';

export class ObjectStore {
  private readonly dir: string;
  /** Writes in progress: two callers with one text share one write. */
  private readonly writing = new Map<Sha256, Promise<void>>();

  /** `dir` is made when the first text is put. */
  constructor(dir: string) {
    this.dir = dir;
  }

  /** Resolves when the text is on disk. Throws `storage_failed`. */
  async put(text: string): Promise<Sha256> {
    const sha = textSha(text);
    const running = this.writing.get(sha);
    if (running !== undefined) {
      await running;
      return sha;
    }
    const write = this.write(sha, text).finally(() => this.writing.delete(sha));
    this.writing.set(sha, write);
    await write;
    return sha;
  }

  /** Undefined when there is no such text. Throws `storage_failed` when it cannot be read or is damaged. */
  async get(sha: Sha256): Promise<string | undefined> {
    const path = this.pathOf(sha);
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (caught) {
      if (codeOf(caught) === 'ENOENT') return undefined;
      throw failed('read', path, caught);
    }
    if (textSha(text) !== sha) {
      throw new PeagenError('storage_failed', `The object ${path} does not hold what its name says.`, {
        hint: 'The disk or another program changed it: restore it from a backup, or start a new run.',
        retryable: false,
      });
    }
    return text;
  }

  private async write(sha: Sha256, text: string): Promise<void> {
    const path = this.pathOf(sha);
    // Asked here: a thread of the pool costs more than the answer.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return;
    try {
      if (!existsSync(dirname(path))) await mkdir(dirname(path), { recursive: true });
      await writeWholeFile(path, text);
    } catch (caught) {
      throw failed('write', path, caught);
    }
  }

  /** Two levels, so that no folder holds more than a few hundred entries of a long run. */
  private pathOf(sha: Sha256): string {
    return join(this.dir, sha.slice(0, 2), sha.slice(2));
  }
}

/** What a program was made of, where a model was asked. */
interface Asked {
  readonly prompt?: string | undefined;
  readonly answer?: string | undefined;
}

/** A candidate as one object, which is read as its program too: making three files safe would take three times as long. */
export function candidateObject(program: Program, { prompt, answer }: Asked): string {
  return JSON.stringify({ ...program, prompt, answer });
}

const Answered = z.object({ answer: z.string() });

/** The model's answer that a candidate came from. In journals of earlier builds it is an object of its own. */
export async function answerOf(
  { object, origin: { answer } }: { readonly object: Sha256; readonly origin: Pick<Origin, 'answer'> },
  read: (sha: Sha256) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (answer === undefined) return undefined;
  const kept = Answered.safeParse(JSON.parse((await read(object)) ?? 'null')).data?.answer;
  return kept !== undefined && textSha(kept) === answer ? kept : read(answer);
}

function codeOf(caught: unknown): string | undefined {
  return caught instanceof Error && 'code' in caught ? String(caught.code) : undefined;
}

function failed(what: 'read' | 'write', path: string, caught: unknown): PeagenError {
  const hint =
    codeOf(caught) === 'ENOSPC' ? 'The disk is full: make room and resume the run.' : 'Check the folder and its rights.';
  return new PeagenError('storage_failed', `Cannot ${what} the object ${path}: ${codeOf(caught) ?? caught}.`, {
    hint,
    cause: caught,
  });
}
