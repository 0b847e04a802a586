/** Whose files count as the user's own: configuration and plugins of other users do not, as with git's safe.directory. */
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import type { Allowed } from './allowed.ts';

/**
 * Throws `invalid_config` for a pipe, a device or a folder, which could keep its reader waiting without end; `untrusted` when the file, or the folder that it is in, belongs to neither the user nor root, and the user has not
 * allowed the folder. Windows has no such owners.
 */
export function requireOwn(file: string, allowed: Allowed, env: NodeJS.ProcessEnv): void {
  if (!statSync(file).isFile()) throw new PeagenError('invalid_config', `${file} is not a file.`, { hint: 'Remove it.' });
  const own = ownUsers(env);
  if (own === undefined) return;
  const folder = realpathSync(dirname(file));
  const stranger = [realpathSync(file), folder].map((path) => statSync(path).uid).find((uid) => !own.has(uid));
  if (stranger === undefined || allowed.folders.includes(folder)) return;
  throw new PeagenError('untrusted', `${file} belongs to another user (uid ${stranger}) and is not read.`, {
    hint: `If you trust that user, run "peagen config allow ${folder}", or set PEAGEN_ALLOW_FOLDERS="${folder}".`,
  });
}

/** The user, root, and the user who called sudo. Undefined where files have no such owners. */
function ownUsers(env: NodeJS.ProcessEnv): ReadonlySet<number> | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  const caller = uid === 0 && env['SUDO_UID'] !== undefined ? [Number(env['SUDO_UID'])] : [];
  return new Set([0, uid, ...caller]);
}
