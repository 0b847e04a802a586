/**
 * What a user without rights can read, and what a root worker must prepare so that it can: a sandbox that has dropped
 * to another user cannot look into /root, where a version manager's Python or a devcontainer's editor may live.
 */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that root's sandboxes run as: `nobody`. */
export const SANDBOX_UID = 65534;

export const isRoot = process.getuid?.() === 0;

const known = new Map<string, Promise<boolean>>();

/** Whether every folder above `path` lets anybody through, and the user of root's sandboxes may read `path` itself. */
export function reachableBySandbox(path: string): Promise<boolean> {
  let answer = known.get(path);
  if (answer === undefined) {
    answer = check(path);
    known.set(path, answer);
  }
  return answer;
}

async function check(path: string): Promise<boolean> {
  const info = await stat(path);
  const bits = info.isDirectory() ? 0o5 : 0o4;
  const granted = info.uid === SANDBOX_UID ? info.mode >> 6 : info.mode;
  if ((granted & bits) !== bits) return false;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o1) === 0) return false;
  }
  return true;
}

/** A word for /bin/sh. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
