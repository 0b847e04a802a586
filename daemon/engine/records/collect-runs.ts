/** Removes what old runs have left: their folders, and the objects that no other run refers to. */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../../../shared/ids.ts';
import type { Collected, Retention } from '../../../shared/protocol/collect.ts';
import { readOwnFile } from '../../evolution/whole-file.ts';
import type { RunFiles } from './run-files.ts';

/** An object may be written before the line of a journal that names it: younger ones stay. */
const YOUNG_MS = 3_600_000;
const SHA256 = /\b[0-9a-f]{64}\b/g;

/** Runs that a living process works on stay. `now` in milliseconds since the epoch. */
export async function collectRuns(files: RunFiles, { keep, keep_ms, dry_run }: Retention, now: number): Promise<Collected> {
  await files.requireOwnFolder();
  const runs = await files.list();
  const removed: RunId[] = [];
  let bytes = 0;
  for (const run of runs.slice(keep)) {
    const journal = await lstat(join(files.folder(run), 'journal.jsonl')).catch(() => undefined);
    if (files.owner(run) !== undefined || (journal !== undefined && now - journal.mtimeMs < keep_ms)) continue;
    removed.push(run);
    bytes += await sizeOf(files.folder(run));
  }
  const kept = runs.filter((run) => !removed.includes(run));
  const unused = await unusedObjects(files, kept, now);
  for (const { size } of unused) bytes += size;
  if (!dry_run) {
    for (const run of removed) await rm(files.folder(run), { recursive: true, force: true });
    for (const { path } of unused) await rm(path, { force: true });
  }
  return { removed, kept: kept.length, objects: unused.length, bytes };
}

async function unusedObjects(files: RunFiles, kept: readonly RunId[], now: number): Promise<{ path: string; size: number }[]> {
  const used = new Set<string>();
  for (const run of kept) {
    const text = await readOwnFile(join(files.folder(run), 'journal.jsonl')).catch((caught: NodeJS.ErrnoException) =>
      caught.code === 'ENOENT' ? '' : undefined,
    );
    // A journal that cannot be read may refer to any of them.
    if (text === undefined) return [];
    for (const [sha] of text.toString('utf8').matchAll(SHA256)) used.add(sha);
  }
  const found: { path: string; size: number }[] = [];
  for (const start of await readdir(files.objects).catch((): string[] => [])) {
    for (const rest of await readdir(join(files.objects, start)).catch((): string[] => [])) {
      const path = join(files.objects, start, rest);
      const info = await lstat(path).catch(() => undefined);
      if (info === undefined || used.has(start + rest) || now - info.mtimeMs < YOUNG_MS) continue;
      found.push({ path, size: info.size });
    }
  }
  return found;
}

async function sizeOf(folder: string): Promise<number> {
  // A link in place of the folder is removed as such.
  if (!(await lstat(folder)).isDirectory()) return 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map((entry) => lstat(join(entry.parentPath, entry.name)));
  return (await Promise.all(sizes)).reduce((total, { size }) => total + size, 0);
}
