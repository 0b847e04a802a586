/**
 * What a user without rights can read, and what a root worker must prepare so that it can: a sandbox that has dropped
 * to another user cannot look into /root, where a version manager's Python or a devcontainer's editor may live.
 */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that sandboxes run as where they share one, and that each takes itself for: `nobody`. */
export const SANDBOX_UID = 65534;

export const isRoot = process.getuid?.() === 0;

/** Users that no system gives to anybody: as many for each process as run next to each other, for every possible process id. */
const [FIRST_UID, LAST_UID] = [0x7000_0000, 0x7fff_ffff];
const UIDS_EACH = 64;

const taken = new Set<number>();
let mapped: boolean | undefined;

/** Whether sandboxes of this user may be somebody else's than root's and people's. */
export const isSandboxUid = (uid: number): boolean => uid === SANDBOX_UID || (uid >= FIRST_UID && uid <= LAST_UID);

/** A user that no other sandbox has until it is given back; the shared one where this process may not use that many users. */
export function takeUid(): { uid: number; giveBack: () => void } {
  mapped ??= isRoot && process.pid <= (LAST_UID - FIRST_UID) / UIDS_EACH && mapsAll();
  const first = FIRST_UID + process.pid * UIDS_EACH;
  const uid = Array.from({ length: mapped ? UIDS_EACH : 0 }, (_, index) => first + index).find((one) => !taken.has(one));
  if (uid === undefined) return { uid: SANDBOX_UID, giveBack: () => undefined };
  taken.add(uid);
  return { uid, giveBack: () => void taken.delete(uid) };
}

/** Root of a container may have few users. */
function mapsAll(): boolean {
  try {
    const [inside = 0, , count = 0] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
    return inside === 0 && count > LAST_UID;
  } catch {
    return false;
  }
}

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
  const granted = isSandboxUid(info.uid) ? info.mode >> 6 : info.mode;
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
