/**
 * The base folder of an evaluation, ready for as many throw-away copies as it takes. Where this process may mount overlays
 * (root on Linux), the folder is copied once, kept while it stays as it is, and every copy is an overlay on it, or a copy of a
 * few files; elsewhere every copy is one of its own, whose blocks are shared where the file system can (reflink).
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PeagenError } from '../../../shared/errors.ts';
import { isRoot, SANDBOX_UID } from '../../executors/reach.ts';
import { makeLasting, removeLasting } from '../../executors/temporary.ts';
import { followLink, requireFolder } from './roots.ts';
import { copySmall, smallEntries } from './small.ts';

const run = promisify(execFile);

/** These folders are large and only read: they are shown as they are, read-only. */
const onlyRead = new Set(['node_modules', '.git', '.venv', 'venv', '.tox', '.yarn', '.pnpm-store']);
const leftOut = new Set(['.peagen']);
/** At most this many bytes are copied for a sandbox. No project has more in addition to its dependencies. */
const LARGEST_BYTES = 8 * 1024 ** 3;
/** Share of the free disk space that a copy may take. */
const FREE_SHARE = 0.9;
const COPY_MS = 120_000;
/** Files of a folder that are looked at in this process; of larger folders `find` makes the list. */
const MOST_LOOKED_AT = 500;
/** How long a snapshot waits for the next evaluation. */
const IDLE_MS = 60_000;

export interface Base {
  /** The root's own folders that are shown read-only and not copied, by name, and where they really lie. */
  readonly shown: ReadonlyMap<string, string>;
  /** Fills an empty folder for that user, or for the one of all sandboxes; returns what takes it away again. */
  fill(folder: string, uid: number, signal: AbortSignal): Promise<() => Promise<void>>;
  /** A copy that all uses share, owned by the sandbox's user and not to be written to; undefined where none is kept. */
  readonly snapshot: string | undefined;
  /** Ends this use of it. */
  [Symbol.asyncDispose](): Promise<void>;
}

interface Snapshot {
  readonly stamp: string;
  readonly folder: Promise<string>;
  /** Ends the copying when nobody waits for it any more. */
  readonly stopping: AbortController;
  /** The copy is complete. */
  made: boolean;
  users: number;
  timer: NodeJS.Timeout | undefined;
}

const snapshots = new Map<string, Snapshot>();
/** False after a mount was refused. */
let overlays = isRoot && process.platform === 'linux';

/** Throws `not_found` when the folder is gone, `too_large` and `storage_failed` when it cannot be copied. */
export async function openBase(root: string, signal: AbortSignal): Promise<Base> {
  await requireFolder(root);
  const { copied, shown } = await entriesOf(root);
  let fits: Promise<void> | undefined;
  const plain: Base = {
    shown,
    snapshot: undefined,
    fill: async (folder, uid, until) => {
      fits ??= requireRoom(copied, root, signal);
      await fits;
      await copyInto(copied, folder, uid, until);
      return () => rm(folder, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  if (!overlays) return plain;
  const files = await stampOf(root, signal);
  if (files === undefined) return plain;
  const places = [...shown.keys()];
  const snapshot = take(root, [files, ...places].join(), copied, places);
  const lower = await unlessAborted(snapshot.folder, signal).catch((caught: unknown) => {
    if (signal.aborted) giveBack(root, snapshot);
    else if (snapshots.get(root) === snapshot) snapshots.delete(root);
    throw caught;
  });
  return {
    shown,
    snapshot: lower,
    fill: async (folder, uid, until) => {
      const small = smallEntries(lower);
      if (small === undefined) return (await mountOver(lower, folder)) ?? (await plain.fill(folder, uid, until));
      copySmall(lower, folder, small, uid);
      await chown(folder, uid, uid);
      return () => rm(folder, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: async () => giveBack(root, snapshot),
  };
}

async function entriesOf(root: string): Promise<{ copied: string[]; shown: Map<string, string> }> {
  const names = await readdir(root).catch((cause: unknown) => {
    throw new PeagenError('not_found', `The folder ${root} cannot be read.`, { cause });
  });
  const copied: string[] = [];
  const shown = new Map<string, string>();
  for (const name of names) {
    if (leftOut.has(name)) continue;
    const place = join(root, name);
    // One worktree's `node_modules` is often a link to another's: copied, it would lead nowhere in the sandbox.
    if (onlyRead.has(name) && (await stat(place).catch(() => undefined))?.isDirectory() === true)
      shown.set(name, await followLink(place, root, process.env));
    else copied.push(place);
  }
  return { copied, shown };
}

/** Changes when a file that is copied does; undefined where `find` does not know the format. */
export async function stampOf(root: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = linesOf(root);
  if (lines !== undefined) return createHash('sha256').update(lines.join('\n')).digest('hex');
  const skipped = [...onlyRead, ...leftOut].flatMap((name, index) => [...(index === 0 ? [] : ['-o']), '-path', join(root, name)]);
  const args = [root, '(', ...skipped, ')', '-prune', '-o', '-printf', '%P %s %T@ %m %l\\n'];
  const listed = await run('find', args, { maxBuffer: 1 << 28, signal, timeout: COPY_MS }).catch(() => undefined);
  return listed === undefined ? undefined : createHash('sha256').update(listed.stdout).digest('hex');
}

/** A line for each file; undefined when there are so many that looking at them would block this process. */
function linesOf(root: string): string[] | undefined {
  const lines: string[] = [];
  const folders = [''];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const name of readdirSync(join(root, folder)).sort()) {
        if (folder === '' && (onlyRead.has(name) || leftOut.has(name))) continue;
        const path = join(folder, name);
        const info = lstatSync(join(root, path), { bigint: true });
        const target = info.isSymbolicLink() ? readlinkSync(join(root, path)) : '';
        lines.push(`${path} ${info.size} ${info.mtimeNs} ${info.mode} ${info.ino} ${target}`);
        if (lines.length > MOST_LOOKED_AT) return undefined;
        if (info.isDirectory()) folders.push(path);
      }
    }
  } catch {
    // A file is being changed at this moment.
    return undefined;
  }
  return lines;
}

function take(root: string, stamp: string, copied: readonly string[], places: readonly string[]): Snapshot {
  const known = snapshots.get(root);
  if (known?.stamp === stamp) {
    clearTimeout(known.timer);
    known.users++;
    return known;
  }
  const stopping = new AbortController();
  const snapshot: Snapshot = {
    stamp,
    folder: makeSnapshot(root, copied, places, stopping.signal),
    stopping,
    made: false,
    users: 1,
    timer: undefined,
  };
  snapshot.folder.then(
    () => {
      snapshot.made = true;
    },
    () => undefined,
  );
  snapshots.set(root, snapshot);
  if (known !== undefined && known.users === 0) remove(known);
  return snapshot;
}

function giveBack(root: string, snapshot: Snapshot): void {
  snapshot.users--;
  if (snapshot.users > 0) return;
  if (snapshots.get(root) !== snapshot) {
    remove(snapshot);
    return;
  }
  if (!snapshot.made) {
    snapshots.delete(root);
    snapshot.stopping.abort();
    return;
  }
  snapshot.timer = setTimeout(() => {
    snapshots.delete(root);
    remove(snapshot);
  }, IDLE_MS);
  snapshot.timer.unref();
}

function remove(snapshot: Snapshot): void {
  clearTimeout(snapshot.timer);
  snapshot.folder.then(removeLasting, () => undefined);
}

/** `places`: names of folders that are mounted into it. */
async function makeSnapshot(
  root: string,
  copied: readonly string[],
  places: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const folder = await makeLasting('base');
  try {
    await requireRoom(copied, root, signal);
    for (const name of places) await mkdir(join(folder, name));
    await copyInto(copied, folder, SANDBOX_UID, signal);
    // Other users may not look into it; a sandbox sees it read-only or through an overlay.
    await chown(folder, SANDBOX_UID, SANDBOX_UID);
    await chmod(folder, 0o700);
    return folder;
  } catch (caught) {
    await removeLasting(folder);
    throw caught;
  }
}

/** Undefined, from then on always, when mounting is not allowed. The overlay's own layers lie next to what it shows. */
async function mountOver(lower: string, folder: string): Promise<(() => Promise<void>) | undefined> {
  if (!overlays) return undefined;
  const [upper, work] = [`${folder}.upper`, `${folder}.work`];
  const clean = async (): Promise<void> => {
    await Promise.all([upper, work, folder].map((place) => rm(place, { recursive: true, force: true })));
  };
  await Promise.all([mkdir(upper, { mode: 0o755 }), mkdir(work, { mode: 0o700 })]);
  try {
    await chown(upper, SANDBOX_UID, SANDBOX_UID);
    const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    await run('mount', ['-t', 'overlay', '-o', `${layers},nosuid,nodev`, 'peagen', folder]);
  } catch {
    overlays = false;
    await Promise.all([upper, work].map((place) => rm(place, { recursive: true, force: true })));
    return undefined;
  }
  return async () => {
    await run('umount', ['-l', folder]);
    await clean();
  };
}

/** Rejects with the signal's reason when it fires first. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Throws when a copy would be larger than any project, or would fill the disk. */
async function requireRoom(paths: readonly string[], root: string, signal: AbortSignal): Promise<void> {
  if (paths.length === 0) return;
  const { stdout } = await tool('du', ['-skc', ...paths], root, signal);
  const bytes = Number(/(\d+)\s+total\s*$/.exec(stdout)?.[1] ?? 0) * 1024;
  if (bytes > LARGEST_BYTES) {
    throw new PeagenError(
      'too_large',
      `The folder ${root} has ${gigabytes(bytes)}; sandboxes get at most ${gigabytes(LARGEST_BYTES)}.`,
      {
        hint: 'Name a smaller folder.',
      },
    );
  }
  const { bavail, bsize } = await statfs(tmpdir());
  if (bytes <= bavail * bsize * FREE_SHARE) return;
  throw new PeagenError('storage_failed', `A copy of ${root} (${gigabytes(bytes)}) would fill ${tmpdir()}.`, {
    hint: 'Free some space in the temporary folder, or point TMPDIR elsewhere.',
  });
}

const gigabytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

async function copyInto(paths: readonly string[], folder: string, uid: number, signal: AbortSignal): Promise<void> {
  // macOS's cp clones with -c.
  const flags = process.platform === 'darwin' ? ['-Rpc'] : ['-a', '--reflink=auto'];
  if (paths.length > 0) await tool('cp', [...flags, ...paths, folder], folder, signal);
  if (isRoot) await tool('chown', ['-Rh', `${uid}:${uid}`, folder], folder, signal);
}

/** On Linux the kernel ends the program with this process, however that ends. */
const withUs =
  process.platform === 'linux' && existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--'] : [];

/** Runs a program for a copy of `what`; it ends with the task, and after a while in any case. */
async function tool(command: string, args: readonly string[], what: string, signal: AbortSignal): Promise<{ stdout: string }> {
  const [first = command, ...rest] = [...withUs, command, ...args];
  try {
    return await run(first, rest, { signal, timeout: COPY_MS, killSignal: 'SIGKILL', maxBuffer: 1 << 24 });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof Error && 'killed' in cause && cause.killed === true) {
      throw new PeagenError('timeout', `Copying ${what} takes more than ${COPY_MS / 1000} s.`, {
        hint: 'Name a smaller folder, or a faster temporary folder in TMPDIR.',
        retryable: false,
        cause,
      });
    }
    throw new PeagenError('storage_failed', `The workspace could not be copied to ${what}.`, {
      hint: 'Free some space in the temporary folder, or point TMPDIR elsewhere.',
      cause,
    });
  }
}
