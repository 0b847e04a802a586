/**
 * Puts rendered files into the output folder, all or none: they are written into a staging folder next to them and moved
 * at the end; what was there before comes back when a move fails. What a killed process left half moved, the next one
 * takes back.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { isAlive } from '../alive.ts';
import { outputPath, requireNoLink } from './paths.ts';

/** Followed by the id of the process that writes there. */
const STAGING = 'staging-';
/** In the staging folder: the targets in the order of the moves. */
const MOVES = 'moves.json';
/** The one file of Peagen's own folder that is moved. */
const MANIFEST = /^\.peagen\/[^/\\]+_manifest\.json$/;
const Moves = z.array(z.string());

export interface OutputFile {
  /** Relative to the output folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

type FileState = 'new' | 'same' | 'changed';

/** What a file would do to the folder, and the text that is there. */
interface ComparedFile {
  readonly state: FileState;
  readonly before: string | undefined;
}

/** Throws when a path goes through a link. */
export async function compare(out: string, files: readonly OutputFile[]): Promise<Map<string, ComparedFile>> {
  const found = new Map<string, ComparedFile>();
  for (const { path, text } of files) {
    const there = await readExisting(out, path);
    const state = there === undefined ? 'new' : there.equals(Buffer.from(text)) ? 'same' : 'changed';
    found.set(path, { state, before: there?.toString() });
  }
  return found;
}

/** The file as it is; undefined when there is none. Throws when its path goes through a link. */
export async function readExisting(out: string, path: string): Promise<Buffer | undefined> {
  await requireNoLink(out, path);
  return readFile(join(out, path)).catch((caught: NodeJS.ErrnoException) => {
    if (caught.code === 'ENOENT') return undefined;
    throw new PeagenError('storage_failed', `${join(out, path)} cannot be read (${caught.code}).`, { hint: 'Check --out.' });
  });
}

/** Writes what is not the same. Throws `storage_failed`, and then the folder is as it was. */
export async function apply(out: string, files: readonly OutputFile[], signal: AbortSignal): Promise<void> {
  const made: string[] = [];
  const undo: (() => Promise<void>)[] = [];
  const staging = join(out, '.peagen', `${STAGING}${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    const states = await compare(out, files);
    const pending = files.filter(({ path }) => states.get(path)?.state !== 'same');
    if (pending.length === 0) return;
    await makeFolder(join(staging, 'old'), made);
    for (const [index, { text }] of pending.entries()) {
      signal.throwIfAborted();
      await writeFile(join(staging, String(index)), text);
    }
    await writeFile(join(staging, MOVES), JSON.stringify(pending.map(({ path }) => path)));
    for (const [index, { path }] of pending.entries()) {
      const target = join(out, path);
      await makeFolder(dirname(target), made);
      const old = join(staging, 'old', String(index));
      if (states.get(path)?.state === 'changed') {
        await rename(target, old);
        undo.push(() => rename(old, target));
      }
      await rename(join(staging, String(index)), target);
      undo.push(() => rm(target, { force: true }));
    }
    await rm(staging, { recursive: true, force: true });
  } catch (caught) {
    for (const step of undo.reverse()) await step();
    await rm(staging, { recursive: true, force: true });
    // Deepest first; a folder that another program uses meanwhile stays.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => undefined);
    if (caught instanceof PeagenError || signal.aborted) throw caught;
    const reason = caught instanceof Error ? caught.message : String(caught);
    throw new PeagenError('storage_failed', `The files cannot be put into ${out}: ${reason}.`, {
      hint: 'The folder is as it was. Check its permissions and space.',
      cause: caught,
    });
  }
}

/** Makes a folder and those above it, and remembers which are new. */
async function makeFolder(path: string, made: string[]): Promise<void> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      await mkdir(at);
      missing.push(at);
      break;
    } catch (caught) {
      const code = caught instanceof Error && 'code' in caught ? caught.code : undefined;
      if (code === 'EEXIST') break;
      if (code !== 'ENOENT' || dirname(at) === at) throw caught;
      missing.push(at);
    }
  }
  for (const folder of missing.reverse()) {
    await mkdir(folder, { recursive: true });
    made.push(folder);
  }
}

/** Takes back what a killed process has moved, and removes its staging folder. */
export async function recover(out: string): Promise<void> {
  const folder = join(out, '.peagen');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(STAGING));
  for (const name of names) {
    if (isAlive(Number.parseInt(name.slice(STAGING.length), 10))) continue;
    const staging = join(folder, name);
    await requireNoLink(out, `.peagen/${name}/old/${MOVES}`);
    await takeBack(out, staging);
    await rm(staging, { recursive: true, force: true });
  }
}

async function takeBack(out: string, staging: string): Promise<void> {
  const text = await readFile(join(staging, MOVES), 'utf8').catch(() => '[]');
  // Half a list is one of a process that had moved nothing yet.
  const moves = Moves.safeParse(jsonOf(text)).data ?? [];
  for (const [index, path] of moves.entries()) {
    const target = join(out, MANIFEST.test(path) ? path : outputPath(path));
    await requireNoLink(out, path);
    const old = join(staging, 'old', String(index));
    const restored = await rename(old, target).then(
      () => true,
      () => false,
    );
    const waiting = await readFile(join(staging, String(index))).then(
      () => true,
      () => false,
    );
    if (!restored && !waiting) await rm(target, { force: true });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
