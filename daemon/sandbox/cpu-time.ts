/** How much processor time a process and all that it started have taken, as Linux tells it. */
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

function ticksOf(pid: number): number | undefined {
  try {
    // The name, in parentheses, may hold anything; behind it, user and system time are the 12th and 13th fields.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
