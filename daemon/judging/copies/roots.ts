/**
 * Which folders of this machine an evaluation may copy or show to a sandbox. A task names its folder; what comes from a shared
 * queue may name only what the host's user has put there for it.
 */
import { existsSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { readAllowed } from '../../config/allowed.ts';

/** Views of the kernel, not files: endless, and they show other processes. */
const views = ['/proc', '/sys', '/dev'];

/** The real path of a folder that may be copied. Throws `not_found`, or `invalid_input` for what no project is kept in. */
export async function requireFolder(root: string): Promise<string> {
  let real: string;
  try {
    // Asked here: a thread of the pool costs more than the answer.
    real = realpathSync.native(root);
  } catch (cause) {
    throw new PeagenError('not_found', `The folder ${root} cannot be read.`, { cause });
  }
  if (real === parse(real).root || views.some((view) => isWithin(real, view))) {
    throw new PeagenError('invalid_input', `The folder ${root} is refused: it is a part of the system.`, {
      hint: 'Name the folder of a project.',
    });
  }
  return real;
}

/** Throws `untrusted` for a folder that is neither in one of `own` nor in one that the user has allowed. */
export async function requireOwnFolder(root: string, own: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const real = await requireFolder(root);
  for (const folder of [...own, ...readAllowed(env).folders]) {
    if (isWithin(real, await realpath(folder).catch(() => folder))) return;
  }
  throw new PeagenError(
    'untrusted',
    `A task of the queue names the folder ${root}, which is not in the workspace of this host.`,
    {
      hint: `If tasks may read it, run "peagen config allow ${real}" on the host, or set PEAGEN_ALLOW_FOLDERS there.`,
    },
  );
}

/**
 * Where a link such as `node_modules` of the folder `root` leads. Throws `untrusted` when that is neither in the folder nor in
 * its repository, and the user has not allowed it: a cloned repository must not choose what of the machine is shown.
 */
export async function followLink(place: string, root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [real, home] = await Promise.all([realpath(place), realpath(root)]);
  const allowed = [home, repositoryOf(home), ...readAllowed(env).folders];
  if (allowed.some((folder) => isWithin(real, folder))) return real;
  throw new PeagenError('untrusted', `${place} leads out of the workspace, to ${real}.`, {
    hint: `If sandboxes may see that folder, run "peagen config allow ${real}", or set PEAGEN_ALLOW_FOLDERS="${real}".`,
  });
}

/** The nearest folder that is a repository, below the user's home; else the folder itself. */
function repositoryOf(folder: string): string {
  for (let at = folder; at !== dirname(at) && at !== resolve(homedir()); at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
  }
  return folder;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
