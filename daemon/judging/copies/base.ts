/**
 * The base folder of an evaluation, ready for as many throw-away copies as it takes. Where this process may mount overlays
 * (root on Linux), the folder is copied once, kept while it stays as it is, and every copy is an overlay on it that costs
 * nothing; elsewhere every copy is one of its own, whose blocks are shared where the file system can (reflink).
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PeagenError } from '../../../shared/errors.ts';
import { isRoot, SANDBOX_UID } from '../../executors/reach.ts';
import { makeTemporary } from '../../executors/temporary.ts';

const run = promisify(execFile);

/** Large and only read: shown as they are, read-only. */
const onlyRead = new Set(['node_modules', '.git', '.venv', 'venv', '.tox', '.yarn', '.pnpm-store']);
const leftOut = new Set(['.peagen']);
/** How long a snapshot waits for the next evaluation. */
const IDLE_MS = 60_000;

export interface Base {
  /** The root's own folders that are shown read-only and not copied, by name, and where they really lie. */
  readonly shown: ReadonlyMap<string, string>;
  /** Fills an empty folder, owned by the sandbox's user; answers what takes it away again. */
  fill(folder: string): Promise<() => Promise<void>>;
  /** Ends this use of it. */
  [Symbol.asyncDispose](): Promise<void>;
}

interface Snapshot {
  readonly stamp: string;
  readonly folder: Promise<string>;
  users: number;
  timer: NodeJS.Timeout | undefined;
}

const snapshots = new Map<string, Snapshot>();
/** False once a mount was refused. */
let overlays = isRoot && process.platform === 'linux';

/** Throws `not_found` when the folder is gone, `storage_failed` when the disk is full. */
export async function openBase(root: string): Promise<Base> {
  const { copied, shown } = await entriesOf(root);
  const plain: Base = {
    shown,
    fill: (folder) => copyInto(copied, folder).then(() => () => rm(folder, { recursive: true, force: true })),
    [Symbol.asyncDispose]: async () => undefined,
  };
  if (!overlays) return plain;
  const stamp = await stampOf(root);
  if (stamp === undefined) return plain;
  const snapshot = take(root, stamp, copied);
  const lower = await snapshot.folder.catch((caught: unknown) => {
    snapshots.delete(root);
    throw caught;
  });
  return {
    shown,
    fill: async (folder) => (await mountOver(lower, folder)) ?? (await plain.fill(folder)),
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
    const real = onlyRead.has(name) ? await realpath(place).catch(() => place) : place;
    if (onlyRead.has(name) && (await stat(real).catch(() => undefined))?.isDirectory() === true) shown.set(name, real);
    else copied.push(place);
  }
  return { copied, shown };
}

/** Changes when a file that is copied does; undefined where `find` does not know the format. */
async function stampOf(root: string): Promise<string | undefined> {
  const skipped = [...onlyRead, ...leftOut].flatMap((name, index) => [...(index === 0 ? [] : ['-o']), '-path', join(root, name)]);
  const args = [root, '(', ...skipped, ')', '-prune', '-o', '-printf', '%P %s %T@ %m %l\\n'];
  const listed = await run('find', args, { maxBuffer: 1 << 28 }).catch(() => undefined);
  return listed === undefined ? undefined : createHash('sha256').update(listed.stdout).digest('hex');
}

function take(root: string, stamp: string, copied: readonly string[]): Snapshot {
  const known = snapshots.get(root);
  if (known?.stamp === stamp) {
    clearTimeout(known.timer);
    known.users++;
    return known;
  }
  const snapshot: Snapshot = { stamp, folder: makeSnapshot(copied), users: 1, timer: undefined };
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
  snapshot.timer = setTimeout(() => {
    snapshots.delete(root);
    remove(snapshot);
  }, IDLE_MS);
  snapshot.timer.unref();
}

function remove(snapshot: Snapshot): void {
  clearTimeout(snapshot.timer);
  snapshot.folder.then(
    (folder) => {
      made.delete(folder);
      return rm(folder, { recursive: true, force: true });
    },
    () => undefined,
  );
}

const made = new Set<string>();
process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

async function makeSnapshot(copied: readonly string[]): Promise<string> {
  const folder = await makeTemporary('base');
  made.add(folder);
  try {
    await copyInto(copied, folder);
    // Itself for nobody else: the sandbox sees it through its overlay alone.
    await run('chown', ['0:0', folder]);
    await chmod(folder, 0o700);
    return folder;
  } catch (caught) {
    made.delete(folder);
    await rm(folder, { recursive: true, force: true });
    throw caught;
  }
}

/** Undefined, for good, when mounting is not allowed. The overlay's own layers lie beside what it shows. */
async function mountOver(lower: string, folder: string): Promise<(() => Promise<void>) | undefined> {
  if (!overlays) return undefined;
  const [upper, work] = [`${folder}.upper`, `${folder}.work`];
  const clean = async (): Promise<void> => {
    await Promise.all([upper, work, folder].map((place) => rm(place, { recursive: true, force: true })));
  };
  await Promise.all([mkdir(upper, { mode: 0o755 }), mkdir(work, { mode: 0o700 })]);
  try {
    await run('chown', [`${SANDBOX_UID}:${SANDBOX_UID}`, upper]);
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

async function copyInto(paths: readonly string[], folder: string): Promise<void> {
  // macOS's cp clones with -c.
  const flags = process.platform === 'darwin' ? ['-Rpc'] : ['-a', '--reflink=auto'];
  try {
    if (paths.length > 0) await run('cp', [...flags, ...paths, folder]);
    if (isRoot) await run('chown', ['-Rh', `${SANDBOX_UID}:${SANDBOX_UID}`, folder]);
  } catch (cause) {
    throw new PeagenError('storage_failed', `The workspace could not be copied to ${folder}.`, {
      hint: 'Free some space in the temporary folder, or point TMPDIR elsewhere.',
      cause,
    });
  }
}
