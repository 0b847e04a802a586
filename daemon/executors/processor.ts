/**
 * Which processor a process is on, and keeping it there. Two programs are compared on one processor, in turns: what its
 * neighbours and its clock do at a time then meets both of them alike.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childrenOf } from './cpu-time.ts';

/** The last of a chain of launchers: the program itself. */
function programOf(pid: number): number {
  let last = pid;
  for (let [child] = childrenOf(pid); child !== undefined; [child] = childrenOf(child)) last = child;
  return last;
}

/** The processor that the program of the tree under `pid` ran on last; undefined where the system does not tell. */
export function processorOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = readFileSync(`/proc/${programOf(pid)}/stat`, 'utf8');
    // Field 39; the name, in parentheses, may hold anything.
    const processor = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[36]);
    return Number.isInteger(processor) ? processor : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the program of the tree under `pid`, its threads and all that it will start on one processor. False without
 * util-linux's taskset, and where the system refuses.
 */
export function confine(pid: number, processor: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(false);
  return new Promise((resolve) => {
    execFile('/usr/bin/taskset', ['-acp', String(processor), String(programOf(pid))], (failed) => resolve(failed === null));
  });
}
