/**
 * The user's token: a process that can read this 0600 file may talk to the user's daemons. Made once, by the first process,
 * and complete from the moment it is visible.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { PeagenError } from '../../shared/errors.ts';

/** Reads the token, or makes it. Throws `storage_failed` when the file is not ours alone. */
export function readToken(path: string): string {
  return existing(path) ?? make(path);
}

export function sameToken(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function existing(path: string): string | undefined {
  try {
    const found = lstatSync(path);
    const foreign = process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0);
    if (!found.isFile() || foreign) {
      throw new PeagenError('storage_failed', `The token file ${path} is not a private file of this user.`, {
        hint: 'Remove it and start the daemon again.',
      });
    }
    const token = readFileSync(path, 'utf8');
    return /^[0-9a-f]{64}$/.test(token) ? token : undefined;
  } catch (caught) {
    if ((caught as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw caught;
  }
}

/** Written under another name, then linked: of several processes one wins, and none reads half a token. */
function make(path: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
    try {
      linkSync(draft, path);
    } catch (caught) {
      if ((caught as NodeJS.ErrnoException).code !== 'EEXIST') throw caught;
    }
  } catch (caught) {
    throw new PeagenError('storage_failed', `Cannot write the token file ${path}.`, { cause: caught });
  } finally {
    rmSync(draft, { force: true });
  }
  const token = existing(path);
  if (token === undefined) {
    throw new PeagenError('storage_failed', `The token file ${path} is damaged.`, { hint: 'Remove it and try again.' });
  }
  return token;
}
