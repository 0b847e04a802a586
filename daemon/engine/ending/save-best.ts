/** Saves the best variant of a run as files, with its diff. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unifiedDiff } from '../../../shared/patch/unified.ts';
import type { Program } from '../../../shared/program.ts';
import { changesOf } from '../target/changes.ts';

/** Returns the folder that holds the changed files. */
export async function saveBest(folder: string, original: Program, best: Program): Promise<string> {
  const output = join(folder, 'best');
  const changes = changesOf(original, best);
  for (const change of changes) {
    const path = join(output, ...change.path.split('/'));
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, change.after);
  }
  await writeFile(join(folder, 'best.diff'), unifiedDiff(changes));
  return output;
}
