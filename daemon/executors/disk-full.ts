/** Distinguishes a full temporary folder from other trouble: it passes, and a user can do something about it. */
import { tmpdir } from 'node:os';
import { PeagenError } from '../../shared/errors.ts';

/** `storage_failed` for a full disk; anything else as it is. */
export function diskFullError(caught: unknown): unknown {
  const code = caught instanceof Error && 'code' in caught ? caught.code : undefined;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return caught;
  return new PeagenError('storage_failed', `There is no room for a sandbox in ${tmpdir()}: it is full.`, {
    hint: 'Free some space in it, or point TMPDIR elsewhere.',
    cause: caught,
  });
}
