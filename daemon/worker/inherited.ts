/**
 * Closes what this process inherited and must not have: a descriptor that the user's shell or editor left open would
 * otherwise be passed on from process to process. Node marks its own descriptors close-on-exec, the IPC channel too, so
 * that one without the mark is inherited.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const fd = Number(name);
    if (fd > 2 && inherited(fd)) closeSync(fd);
  }
}

function inherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor of the listing itself, closed by now.
    return false;
  }
}
