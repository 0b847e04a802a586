/**
 * A cgroup per sandbox, where this process may make one (root, version 1 or 2): the only limit that counts the memory
 * and the processes of a whole tree, and the only account of its processor time. Where it may not, the limits are per process.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRoot, shellQuote } from '../reach.ts';
import type { SandboxLimits } from '../sandbox.ts';

interface Cgroup {
  /** Lines for /bin/sh that put the shell itself into the group, before it runs anything else. */
  readonly join: readonly string[];
  /** Processor time of all that ever was in it, in milliseconds, exactly; undefined where nobody counts it. */
  readonly accountMs: (() => number | undefined) | undefined;
  /** Ends all that is in it, whatever became of its sessions, parents, environment and limits. */
  kill(): void;
  /** Removes the group once it is empty; true when the kernel killed something in it for its memory. */
  dispose(): Promise<boolean>;
}

export const noCgroup: Cgroup = { join: [], accountMs: undefined, kill: () => undefined, dispose: () => Promise.resolve(false) };

/** Folders under which groups are made. Version 1 has one hierarchy per controller, version 2 one for all. */
interface Places {
  readonly version: 1 | 2;
  readonly folders: readonly string[];
}

const root = '/sys/fs/cgroup';
const pidsRoot = join(root, 'pids');
const cpuRoot = join(root, 'cpuacct');
let places: Promise<Places | undefined> | undefined;

export async function openCgroup(limits: SandboxLimits): Promise<Cgroup> {
  places ??= findPlaces();
  const found = await places;
  if (found === undefined) return noCgroup;
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const groups = found.folders.map((folder) => join(folder, name));
  const dispose = async (): Promise<boolean> => {
    const killed = await Promise.all(groups.map((group) => wasOutOfMemory(group, found.version)));
    await Promise.all(groups.map(remove));
    return killed.includes(true);
  };
  // All are made before any is removed.
  const made = await Promise.allSettled(groups.map((group) => make(group, settings(group, found.version, limits))));
  if (made.some(({ status }) => status === 'rejected')) {
    await Promise.all(groups.map(remove));
    return noCgroup;
  }
  const counting = found.version === 2 ? groups[0] : groups.find((group) => controls(group, cpuRoot));
  return {
    join: groups.map((group) => `echo $$ > ${shellQuote(join(group, 'cgroup.procs'))} || exit 125`),
    kill: () => {
      for (const group of groups) killAll(group);
    },
    accountMs: counting === undefined ? undefined : () => readAccount(counting, found.version),
    dispose,
  };
}

/** Returns whether it is a group of this controller, in version 1. */
const controls = (group: string, controller: string): boolean => dirname(dirname(group)) === controller;

/**
 * The account of the group that a process is in, when its path has this name in it: the process may be another one than the
 * one that was meant. Undefined where there is none to be read.
 */
export function accountOfGroup(pid: number, name: string): (() => number | undefined) | undefined {
  try {
    const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
    for (const line of lines) {
      const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      const version = controllers === '' ? 2 : 1;
      if (!path.includes(name) || (version === 1 && !controllers.split(',').includes('cpuacct'))) continue;
      const group = join(version === 2 ? root : cpuRoot, path);
      if (readAccount(group, version) !== undefined) return () => readAccount(group, version);
    }
  } catch {
    // The process has ended, or the system has no groups.
  }
  return undefined;
}

/** Read at once: a moment later there would be more of it. */
function readAccount(group: string, version: 1 | 2): number | undefined {
  try {
    if (version === 1) return Number(readFileSync(join(group, 'cpuacct.usage'), 'utf8')) / 1e6;
    const usec = /^usage_usec (\d+)/m.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1];
    return usec === undefined ? undefined : Number(usec) / 1000;
  } catch {
    // It has ended.
    return undefined;
  }
}

async function make(group: string, values: readonly [string, string][]): Promise<void> {
  await mkdir(group);
  // One after another: memory and swap together may not be less than memory alone.
  for (const [file, value] of values) await writeIfThere(join(group, file), value);
}

/** In version 1, a group belongs to its controller only. */
function settings(group: string, version: 1 | 2, limits: SandboxLimits): [string, string][] {
  const pids: [string, string] = ['pids.max', String(limits.processes)];
  if (version === 2) {
    return [['memory.max', String(limits.memoryBytes)], ['memory.swap.max', '0'], ['memory.oom.group', '1'], pids];
  }
  if (controls(group, pidsRoot)) return [pids];
  if (controls(group, cpuRoot)) return [];
  return [
    ['memory.limit_in_bytes', String(limits.memoryBytes)],
    ['memory.memsw.limit_in_bytes', String(limits.memoryBytes)],
  ];
}

async function findPlaces(): Promise<Places | undefined> {
  if (process.platform !== 'linux' || !isRoot) return undefined;
  const candidates: Places[] = [
    { version: 2, folders: [join(root, 'peagen')] },
    { version: 1, folders: [join(root, 'memory'), pidsRoot, cpuRoot].map((controller) => join(controller, 'peagen')) },
  ];
  for (const candidate of candidates) {
    const marker = candidate.version === 2 ? join(root, 'cgroup.controllers') : join(root, 'memory', 'cgroup.procs');
    try {
      await access(marker, constants.W_OK | constants.R_OK);
      const usable: string[] = [];
      for (const folder of candidate.folders) {
        try {
          await mkdir(folder, { recursive: true });
          if (candidate.version === 2) await writeFile(join(folder, 'cgroup.subtree_control'), '+memory +pids');
          await sweep(folder);
          usable.push(folder);
        } catch {
          // This controller is not ours to use; the other may be.
        }
      }
      if (usable.length > 0) return { version: candidate.version, folders: usable };
    } catch {
      // Not this version.
    }
  }
  return undefined;
}

/** Removes what a killed worker left. A group in use is not empty, and one about to be used is young. */
async function sweep(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > 60_000) await rmdir(path);
    } catch {
      // In use, or swept by somebody else.
    }
  }
}

async function writeIfThere(path: string, value: string): Promise<void> {
  try {
    await writeFile(path, value);
  } catch (caught) {
    const code = (caught as NodeJS.ErrnoException).code;
    // A controller has only its own files; swap accounting may be off.
    if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'EOPNOTSUPP') throw caught;
  }
}

/** A process may fork while the list is read: look again until nobody is left. */
function killAll(group: string): void {
  for (let round = 0; round < 20; round++) {
    try {
      const pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
      if (pids.length === 0) return;
      for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The group or the process is gone.
    }
  }
}

async function wasOutOfMemory(group: string, version: 1 | 2): Promise<boolean> {
  if (version === 1 && (controls(group, pidsRoot) || controls(group, cpuRoot))) return false;
  const file = version === 2 ? 'memory.events' : 'memory.oom_control';
  const text = await readFile(join(group, file), 'utf8').catch(() => '');
  return /^oom_kill [1-9]/m.test(text);
}

/** The kernel may need a moment to see that the last process is gone. */
async function remove(group: string): Promise<void> {
  for (let wait = 1; wait < 500; wait *= 2) {
    try {
      await rmdir(group);
      return;
    } catch (caught) {
      if ((caught as NodeJS.ErrnoException).code === 'ENOENT') return;
      await delay(wait);
    }
  }
}
