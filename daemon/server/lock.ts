/**
 * The lock under which a daemon is started: a file made with O_EXCL, naming the process that holds it. A lock whose
 * process has gone is broken, by one process only.
 */
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { isAlive, startOf } from '../alive.ts';

/** A break takes microseconds; one this old was cut short. */
const STALE_BREAK_MS = 5000;

const Holder = z.object({ pid: z.number().int().positive(), started: z.string() });
type Holder = z.infer<typeof Holder>;

/** Takes the lock, breaking a stale one. Answers whether it is ours; `releaseLock` gives it back. */
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
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return false;
  }
  const holder = Holder.safeParse(parseJson(text));
  if (!holder.success) return true;
  const { pid, started } = holder.data;
  if (!isAlive(pid)) return true;
  // A process of the same number that began at another time is another process.
  const start = startOf(pid);
  return start !== undefined && started !== '' && start !== started;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
