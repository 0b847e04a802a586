/**
 * The lock under which a daemon is started, or a run worked on: a file that names the process that holds it. A lock whose
 * process has gone is broken, by one process only.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import * as z from 'zod';
import { PeagenError } from '../shared/errors.ts';
import { isAlive, startOf } from './alive.ts';

/** A break takes microseconds; one this old was cut short. */
const STALE_BREAK_MS = 5000;

const Holder = z.object({ pid: z.number().int().positive(), started: z.string() });
type Holder = z.infer<typeof Holder>;

/** Takes the lock, breaking a stale one. Returns whether it is ours; `releaseLock` gives it back. */
export function takeLock(path: string): boolean {
  return create(path) || (breakStale(path) && create(path));
}

export function releaseLock(path: string): void {
  rmSync(path, { force: true });
}

/** Complete from the moment it is visible: written under another name, then linked. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}`;
  const holder: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  try {
    writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (caught) {
    const { code } = caught as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new PeagenError('storage_failed', `Cannot write the lock ${path} (${code}).`, { cause: caught });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Between looking and removing, nobody else may do the same: else the lock of the next holder would be removed. */
function breakStale(path: string): boolean {
  const breaking = `${path}.breaking`;
  try {
    writeFileSync(breaking, '', { flag: 'wx', mode: 0o600 });
  } catch {
    const since = statSync(breaking, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > STALE_BREAK_MS) rmSync(breaking, { force: true });
    return false;
  }
  try {
    if (!isStale(path)) return false;
    rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(breaking, { force: true });
  }
}

function isStale(path: string): boolean {
  return existsSync(path) && lockHolder(path) === undefined;
}

/** The living process that holds the lock. */
export function lockHolder(path: string): number | undefined {
  const holder = Holder.safeParse(contentOf(path));
  if (!holder.success || !isAlive(holder.data.pid)) return undefined;
  const { pid, started } = holder.data;
  // A process of the same number that began at another time is another process.
  const start = startOf(pid);
  return start !== undefined && started !== '' && start !== started ? undefined : pid;
}

/** Undefined when it cannot be read, or is not JSON. */
function contentOf(path: string): unknown {
  try {
    // In a workspace of others it may be a link, or what a read waits for without end.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return fstatSync(file).isFile() ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
