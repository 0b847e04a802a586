/**
 * The runners, copied to where their path says nothing: a sandbox can read where each of its mounts lies on this machine, and
 * an editor's extensions lie in a folder with the user's name.
 */
import { existsSync, readdirSync } from 'node:fs';
import { chmod, cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assetPath } from '../assets.ts';
import type { Mount } from './sandbox.ts';
import { makeLasting, removeLasting } from './temporary.ts';

const own = assetPath('executors/runners');
/** Programs that clean temporary folders up do not come more often. */
const LOOK_MS = 3_600_000;

let shown: { readonly folder: Promise<string>; lookedAt: number } | undefined;
let current: string | undefined;

/** The folder of the copy, once it is there. */
export const runnersAt = (): string | undefined => current;

/** The same mounts, with that of our runners from the copy. */
export async function runnersShown(mounts: readonly Mount[]): Promise<Mount[]> {
  return await Promise.all(mounts.map(async (mount) => (mount.from === own ? { ...mount, from: await lastingCopy() } : mount)));
}

async function lastingCopy(): Promise<string> {
  if (shown !== undefined && !isWhole(await shown.folder, Date.now() - shown.lookedAt > LOOK_MS)) shown = undefined;
  if (shown === undefined) {
    const folder = copy();
    shown = { folder, lookedAt: Date.now() };
    folder.catch(() => {
      shown = undefined;
    });
  }
  return await shown.folder;
}

/** `closely`: not only that it is there. */
function isWhole(folder: string, closely: boolean): boolean {
  if (!closely || shown === undefined) return existsSync(folder);
  shown.lookedAt = Date.now();
  return filesIn(folder) === filesIn(own);
}

async function copy(): Promise<string> {
  const folder = await makeLasting('runners');
  try {
    // With their times, by which an interpreter knows whether what it compiled is still right.
    await cp(own, folder, { recursive: true, preserveTimestamps: true });
    // Any user of a sandbox reads it, whatever this process gives to the files that it makes.
    await chmod(folder, 0o755);
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  } catch (caught) {
    await removeLasting(folder);
    throw caught;
  }
  current = folder;
  return folder;
}

function filesIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
}
