/** Files of records: written whole or not at all, also over a loss of power; read only where they are files of their own. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
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

/** For a read: the maker of the folder may have put a link there, or what a read waits for without end. */
const OWN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Throws what the file system throws, and where it is not a file. */
export async function readOwnFile(path: string): Promise<Buffer> {
  await using file = await open(path, OWN_FILE);
  if ((await file.stat()).isFile()) return await file.readFile();
  throw new Error('it is not a file');
}
