/** Whether a process of this machine still runs. */
import { readFileSync } from 'node:fs';

/** One that has ended but was not taken note of by its parent (a zombie) does not run any more. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (caught) {
    return caught instanceof Error && 'code' in caught && caught.code === 'EPERM';
  }
  return processStat(pid)?.[0] !== 'Z';
}

/** When a process began, in clock ticks since boot, where /proc shows it. */
export function startOf(pid: number): string | undefined {
  return processStat(pid)?.[19];
}

/** The fields of /proc/PID/stat behind the command's name, which stands in parentheses and may hold anything. */
function processStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
