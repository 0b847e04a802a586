/**
 * Words to a run that another command line works on: a file in the run's folder, which goes as soon as it was heard. Files
 * work alike on every platform, and whoever may write there may also stop the process.
 */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';

export const Word = z.enum(['pause', 'unpause', 'stop']);
export type Word = z.infer<typeof Word>;

const FILE = 'word';
const LOOK_MS = 200;

/** Resolves when it was heard. Throws `timeout` when nobody listens for so long. */
export async function leaveWord(folder: string, word: Word, patienceMs: number): Promise<void> {
  const path = join(folder, FILE);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, word, { mode: 0o600 });
  await rename(draft, path);
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(LOOK_MS / 2)) {
    if ((await stat(path).catch(() => undefined)) === undefined) return;
  }
  await rm(path, { force: true });
  throw new PeagenError('timeout', `Nobody has heard "${word}" in ${folder}.`, {
    hint: 'Is the process that works on the run suspended, or of an older version?',
  });
}

/** Hears words until the answer is called. What was left for an earlier process is not meant. */
export function onWord(folder: string, hear: (word: Word) => void): () => void {
  const path = join(folder, FILE);
  const since = Date.now();
  let looking = false;
  const look = async () => {
    const left = await stat(path).catch(() => undefined);
    if (left === undefined) return;
    const word = Word.safeParse(await readFile(path, 'utf8'));
    await rm(path, { force: true });
    if (word.success && left.mtimeMs >= since - LOOK_MS) hear(word.data);
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // A file that cannot be read is looked at again.
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
