/** Writes a file that is whole or absent, also after a loss of power: next to its place, flushed, then renamed. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces what is there. Safe for several processes on one path. Throws what the file system throws, and leaves nothing
 * then.
 */
export async function writeWholeFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (caught) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw caught;
  }
}
