/** How much processor time a process and all that it started have taken, as Linux reports it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds per tick of /proc: USER_HZ is 100 wherever Linux runs Node. */
const TICK_MS = 10;

/** Milliseconds, of those that are alive; undefined where the system does not tell, or the process is gone. */
export function treeCpuMs(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  let ticks = ticksOf(pid);
  if (ticks === undefined) return undefined;
  const pending = childrenOf(pid);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    // It may have ended since the list was read.
    ticks += ticksOf(next) ?? 0;
    pending.push(...childrenOf(next));
  }
  return ticks * TICK_MS;
}

/**
 * The same to the nanosecond, as far as the kernel counts it for each thread. Threads that have ended are part of what it counts
 * for their process, and processes that have ended of what it tells their parents, both in ticks.
 */
export function treeAccountMs(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    let ms = 0;
    const pending = [pid];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      // Read before the threads, so that what is left of it is never time that one of those took in between.
      const whole = (ticksOf(next) ?? 0) * TICK_MS;
      let alive = 0;
      for (const thread of readdirSync(`/proc/${next}/task`)) {
        alive += threadMs(next, thread);
      }
      ms += Math.max(alive, whole);
      ms += (ticksOf(next, 13) ?? 0) * TICK_MS;
      pending.push(...childrenOf(next));
    }
    return ms;
  } catch {
    // The kernel does not count, or somebody has ended in the meantime.
    return undefined;
  }
}

/** 0 for one that has ended since the list was read. */
function threadMs(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch (caught) {
    if (pid === Number(thread)) throw caught;
    return 0;
  }
}

/** User and system time of the process; from field 13 on, of its children that have ended. */
function ticksOf(pid: number, from: 11 | 13 = 11): number | undefined {
  try {
    // The name, in parentheses, may hold anything; the fields are counted from behind it.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[from]) + Number(fields[from + 1]);
  } catch {
    return undefined;
  }
}

export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
