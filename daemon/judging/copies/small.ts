/**
 * Copies a small folder within this process: for a few files that costs less than the programs that mount an overlay and take
 * it away again, and a sandbox needs no namespace of its own to see it.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/** Files and folders, and their bytes: copying them takes a few milliseconds, in which this process does nothing else. */
const MOST_ENTRIES = 48;
const MOST_BYTES = 1 << 20;

interface Entry {
  readonly path: string;
  readonly info: Stats;
}

/** What is in the folder, parents first; undefined when it is not small, or has what is not a file, folder or link. */
export function smallEntries(folder: string): Entry[] | undefined {
  const entries: Entry[] = [];
  const folders = [''];
  let bytes = 0;
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    for (const name of readdirSync(join(folder, at))) {
      const path = join(at, name);
      const info = lstatSync(join(folder, path));
      if (!info.isFile() && !info.isDirectory() && !info.isSymbolicLink()) return undefined;
      bytes += info.isFile() ? info.size : 0;
      if (entries.push({ path, info }) > MOST_ENTRIES || bytes > MOST_BYTES) return undefined;
      if (info.isDirectory()) folders.push(path);
    }
  }
  return entries;
}

/** Copies for that user, with the permissions and times of `from`. */
export function copySmall(from: string, to: string, entries: readonly Entry[], uid: number): void {
  for (const { path, info } of entries) {
    const [source, target] = [join(from, path), join(to, path)];
    if (info.isDirectory()) mkdirSync(target, { recursive: true });
    else if (info.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
    if (process.getuid?.() === 0) lchownSync(target, uid, uid);
    if (!info.isSymbolicLink()) chmodSync(target, info.mode);
  }
  // The times of folders are set last, inner folders first: making a file in a folder changes its time.
  for (const { path, info } of entries.toReversed()) lutimesSync(join(to, path), info.atime, info.mtime);
}
