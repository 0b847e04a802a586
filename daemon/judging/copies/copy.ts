/** A throw-away copy of a base folder with a candidate's files laid over it. */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import type { Program } from '../../../shared/program.ts';
import { isRoot, SANDBOX_UID, takeUid } from '../../executors/reach.ts';
import type { Executor, Mount } from '../../executors/sandbox.ts';
import { makeTemporary } from '../../executors/temporary.ts';
import { type Base, openBase } from './base.ts';
import { requireFolder } from './roots.ts';

const run = promisify(execFile);

/** Where the copy appears in the sandbox. */
export const COPY_AT = '/workspace';

export interface Copy {
  readonly mounts: readonly Mount[];
  /** Where it really is, to read what a command wrote. */
  readonly folder: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The folder itself, read-only; a copy of it where only its owner may look in and the sandbox is another user's, which all
 * evaluations share where snapshots are kept.
 */
export async function shownAt(at: string, root: string, tier: Executor, signal: AbortSignal): Promise<Copy> {
  await requireFolder(root);
  const openToAll = ((await stat(root)).mode & 0o5) === 0o5;
  if (tier.foreign !== true || openToAll) {
    return { folder: root, mounts: [{ from: root, at }], [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const base = await openBase(root, signal);
  const { snapshot } = base;
  if (snapshot !== undefined) {
    const mounts = [{ from: snapshot, at }, ...Array.from(base.shown, ([name, from]) => ({ from, at: `${at}/${name}` }))];
    return { folder: snapshot, mounts, [Symbol.asyncDispose]: () => base[Symbol.asyncDispose]() };
  }
  const copy = await copyOf(root, { files: [] }, { at, base, signal });
  if (!isRoot) await run('chmod', ['-R', 'a+rX', copy.folder]);
  return { ...copy, mounts: copy.mounts.map((mount) => ({ from: mount.from, at: mount.at })) };
}

/**
 * `base`: of several copies of the same folder. `tier`: the one that it is for, whose user owns it. Throws `not_found` when the folder
 * is gone, `storage_failed` when the disk is full.
 */
export async function copyOf(
  root: string,
  program: Pick<Program, 'files'>,
  { at = COPY_AT, base: shared, tier, signal }: { at?: string; base?: Base; tier?: Executor; signal: AbortSignal },
): Promise<Copy> {
  const base = shared ?? (await openBase(root, signal));
  const outer = await makeTemporary('copy');
  const folder = join(outer, 'workspace');
  const user = tier?.ownUsers === true ? takeUid() : undefined;
  let empty: (() => Promise<void>) | undefined;
  const dispose = async (): Promise<void> => {
    user?.giveBack();
    await empty?.();
    if (shared === undefined) await base[Symbol.asyncDispose]();
    await rm(outer, { recursive: true, force: true });
  };
  try {
    await chmod(outer, 0o755);
    await mkdir(folder, { mode: 0o755 });
    empty = await base.fill(folder, user?.uid ?? SANDBOX_UID, signal);
    // What is seen through an overlay keeps the owner that it has below.
    const owner = (await stat(folder)).uid;
    for (const name of base.shown.keys()) await own(await makeFolder(join(folder, name)), owner);
    for (const { path, text } of program.files) {
      signal.throwIfAborted();
      const place = join(folder, path);
      await own(await makeFolder(dirname(place)), owner);
      // The file is replaced and not written into: it may be a link that leads out of the copy.
      await rm(place, { force: true });
      await writeFile(place, text);
      await own([place], owner);
    }
    await chmod(folder, 0o755);
    return {
      folder,
      mounts: [
        { from: folder, at, writable: true },
        ...Array.from(base.shown, ([name, from]) => ({ from, at: `${at}/${name}` })),
      ],
      [Symbol.asyncDispose]: dispose,
    };
  } catch (caught) {
    await dispose();
    throw caught;
  }
}

/** The folders that were not there before, the outermost first. */
async function makeFolder(folder: string): Promise<string[]> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return [];
  const made = [folder];
  for (let next = folder; next !== first; ) {
    next = dirname(next);
    made.unshift(next);
  }
  return made;
}

async function own(places: readonly string[], uid: number): Promise<void> {
  if (isRoot) for (const place of places) await chown(place, uid, uid);
}

/** Characters of a file that is read. */
const MOST_READ = 16 << 20;
/** Reads a file in the copy, or those of a folder in it; what leads out of it, by its path or through a link, is not read. */
export async function textIn({ folder }: Pick<Copy, 'folder'>, file: string): Promise<string | undefined> {
  const path = await realpath(join(folder, file)).catch(() => undefined);
  if (path === undefined || !path.startsWith((await realpath(folder)) + sep)) return undefined;
  if (!(await stat(path)).isDirectory()) return (await readFile(path, 'utf8').catch(() => undefined))?.slice(0, MOST_READ);
  const texts = (await readdir(path)).sort().map((name) => textIn({ folder }, `${file}/${name}`));
  return (await Promise.all(texts)).join('\n');
}
