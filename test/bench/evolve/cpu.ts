/** Processor time of a process and of all that it started and that has ended, in seconds. Linux only. */
import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const TICKS = 100;

export function cpuSeconds(pid: number | 'self' = 'self'): number {
  // After the name, which may hold anything: state, then numbers; user, system, and both of the children.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS;
}
