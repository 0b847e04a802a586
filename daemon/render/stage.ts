/**
 * Puts rendered files into the output folder, all or none: they are written into a staging folder beside them and moved
 * at the end; what was there before comes back when a move fails.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { requireNoLink } from './paths.ts';

const STAGING = '.peagen/staging-';

export interface OutputFile {
  /** Relative to the output folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export type FileState = 'new' | 'same' | 'changed';

/** What each file would do to the folder. Throws when a path goes through a link. */
export async function compare(out: string, files: readonly OutputFile[]): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  for (const { path, text } of files) {
    await requireNoLink(out, path);
    const there = await readFile(join(out, path)).catch((caught: NodeJS.ErrnoException) => {
      if (caught.code === 'ENOENT') return undefined;
      throw new PeagenError('storage_failed', `${join(out, path)} cannot be read (${caught.code}).`, { hint: 'Check --out.' });
    });
    states.set(path, there === undefined ? 'new' : there.equals(Buffer.from(text)) ? 'same' : 'changed');
  }
  return states;
}

/** Writes what is not the same. Throws `storage_failed`, and then the folder is as it was. */
export async function apply(out: string, files: readonly OutputFile[], signal: AbortSignal): Promise<void> {
  const made: string[] = [];
  const undo: (() => Promise<void>)[] = [];
  const staging = join(out, `${STAGING}${randomBytes(6).toString('hex')}`);
  try {
    await removeLeftovers(out);
    const states = await compare(out, files);
    const pending = files.filter(({ path }) => states.get(path) !== 'same');
    if (pending.length === 0) return;
    await makeFolder(join(staging, 'old'), made);
    for (const [index, { text }] of pending.entries()) {
      signal.throwIfAborted();
      await writeFile(join(staging, String(index)), text);
    }
    for (const [index, { path }] of pending.entries()) {
      const target = join(out, path);
      await makeFolder(dirname(target), made);
      const old = join(staging, 'old', String(index));
      if (states.get(path) === 'changed') {
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
    // Deepest first; a folder that somebody else uses meanwhile stays.
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

/** Of a run that was killed before it moved anything. One that was killed while it moved keeps the old files here. */
async function removeLeftovers(out: string): Promise<void> {
  const folder = join(out, '.peagen');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.startsWith('staging-'))) {
    const old = await readdir(join(folder, name, 'old')).catch(() => []);
    if (old.length === 0) await rm(join(folder, name), { recursive: true, force: true });
  }
}

export interface ManifestEntry {
  readonly path: string;
  readonly text: string;
  readonly template: string;
  readonly package: string;
}

/** Says what was rendered from what; the same inputs give the same bytes. */
export function manifestText(project: string, engine: string, entries: readonly ManifestEntry[]): string {
  const files = entries.map(({ path, text, template, package: each }) => ({
    path,
    sha256: createHash('sha256').update(text).digest('hex'),
    template,
    package: each,
  }));
  return `${JSON.stringify({ schemaVersion: 1, project, engine, files }, null, 2)}\n`;
}
