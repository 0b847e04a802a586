/**
 * Temporary folders of ours, each named for the process that made it: what one that was killed left behind, mounts in it
 * included, is found and removed by the next that starts.
 */
import { execFile } from 'node:child_process';
import { readlinkSync, rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { diskFullError } from './disk-full.ts';

const run = promisify(execFile);

/** Containers may share a temporary folder, but not their process ids. */
const pidNamespace = namespaceOf();
const named = /^peagen-[a-z]+-(\d+)-(\d+)-\w{6}$/;

/** Throws `storage_failed` when the disk is full. Its maker removes it. */
export async function makeTemporary(kind: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), `peagen-${kind}-${process.pid}-${pidNamespace}-`)).catch((caught: unknown) => {
    throw diskFullError(caught);
  });
}

const lasting = new Set<string>();

/** One that stays until it is removed by `removeLasting`, or else until this process ends. */
export async function makeLasting(kind: string): Promise<string> {
  const folder = await makeTemporary(kind);
  if (lasting.size === 0) process.on('exit', removeAtExit);
  lasting.add(folder);
  return folder;
}

export async function removeLasting(folder: string): Promise<void> {
  lasting.delete(folder);
  if (lasting.size === 0) process.off('exit', removeAtExit);
  await rm(folder, { recursive: true, force: true });
}

function removeAtExit(): void {
  for (const folder of lasting) rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders of processes that have ended; returns how many there were. Never rejects: the rest waits for the next. */
export async function removeLeftTemporaries(): Promise<number> {
  const left: string[] = [];
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid, namespace] = named.exec(name) ?? [];
    if (pid === undefined || namespace !== pidNamespace || isAlive(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const info = await lstat(path).catch(() => undefined);
    if (info?.isDirectory() === true && info.uid === (process.getuid?.() ?? info.uid)) left.push(path);
  }
  if (left.length === 0) return 0;
  const mounts = await mountPoints();
  const removed = await Promise.all(
    left.map(async (path) => {
      try {
        for (const mount of mounts.filter((each) => each.startsWith(`${path}/`)).reverse()) await run('umount', ['-l', mount]);
        await rm(path, { recursive: true, force: true });
        return 1;
      } catch {
        // Not ours to remove, or somebody else was faster.
        return 0;
      }
    }),
  );
  return removed.reduce((sum: number, one) => sum + one, 0);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (caught) {
    return (caught as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function mountPoints(): Promise<string[]> {
  const text = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  return text.split('\n').map((line) => line.split(' ')[1] ?? '');
}

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    // Only Linux has them.
    return '0';
  }
}
