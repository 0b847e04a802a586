/**
 * Where the daemon of a user, a workspace and a build is found: its socket, lock, token and log, all in one private
 * folder. Only names and the folder here; nothing is connected or started.
 */
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { buildId } from '../version.ts';

/** macOS allows 104 bytes with the final zero, Linux 108. */
const MAX_SOCKET_PATH = 103;

export interface DaemonPlace {
  /** Real path of the workspace. */
  workspace: string;
  buildId: string;
  /** Private folder of this user: mode 0700. */
  folder: string;
  /** Path of the socket, or name of the pipe on Windows. */
  socket: string;
  lock: string;
  /** One for all daemons of the user. */
  token: string;
  log: string;
}

export interface LocateOptions {
  build?: string | undefined;
  /** Chosen by the starter, whose environment may differ. */
  folder?: string | undefined;
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** Finds the names and makes the folder. Throws `not_found` for a missing workspace, `storage_failed` for a bad folder. */
export function locate(workspace: string, options: LocateOptions = {}): DaemonPlace {
  const platform = options.platform ?? process.platform;
  const build = options.build ?? buildId();
  const real = realWorkspace(workspace);
  const name = createHash('sha256').update(`${userName()}\0${real}\0${build}`).digest('hex').slice(0, 20);
  const candidates = options.folder === undefined ? folderCandidates(options.env ?? process.env, platform) : [options.folder];
  const folder = privateFolder(candidates, name, platform);
  return {
    workspace: real,
    buildId: build,
    folder,
    socket: platform === 'win32' ? `\\\\.\\pipe\\peagen-${name}` : join(folder, `${name}.sock`),
    lock: join(folder, `${name}.lock`),
    token: join(folder, 'token'),
    log: join(folder, `${name}.log`),
  };
}

function realWorkspace(workspace: string): string {
  const path = resolve(workspace);
  try {
    return realpathSync.native(path);
  } catch (caught) {
    throw new PeagenError('not_found', `The workspace folder ${path} does not exist.`, {
      hint: 'Give an existing folder with --workspace.',
      cause: caught,
    });
  }
}

function userName(): string {
  return process.getuid?.().toString() ?? userInfo().username;
}

/** In order of preference. A folder of the session is private already; the others are made so. */
function folderCandidates(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return [join(env['LOCALAPPDATA'] ?? tmpdir(), 'peagen')];
  const own = `peagen-${userName()}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  return [...(runtime === undefined || runtime === '' ? [] : [join(runtime, 'peagen')]), join(tmpdir(), own), join('/tmp', own)];
}

function privateFolder(candidates: string[], name: string, platform: NodeJS.Platform): string {
  const problems: PeagenError[] = [];
  for (const folder of candidates) {
    if (platform !== 'win32' && Buffer.byteLength(join(folder, `${name}.sock`)) > MAX_SOCKET_PATH) continue;
    try {
      makePrivate(folder);
      return folder;
    } catch (caught) {
      const problem = PeagenError.from(caught);
      // A folder that someone else prepared is an attack, not a reason to look elsewhere.
      if (problem.code !== 'unavailable') throw problem;
      problems.push(problem);
    }
  }
  throw new PeagenError('storage_failed', `No folder for the daemon's socket: ${problems.map((p) => p.message).join(' ')}`, {
    hint: 'Set XDG_RUNTIME_DIR to a folder with a short path that you can write.',
  });
}

/** Makes the folder, or checks that the existing one is a real folder of this user that no other user may enter. */
function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (caught) {
    const { code } = caught as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new PeagenError('unavailable', `${folder} cannot be made (${code}).`, { cause: caught });
  }
  const found = lstatSync(folder);
  const refuse = (what: string) => {
    throw new PeagenError('storage_failed', `The folder ${folder} for the daemon's socket ${what}.`, {
      hint: 'Remove it, or set XDG_RUNTIME_DIR to another folder.',
    });
  };
  if (found.isSymbolicLink()) refuse('is a symbolic link');
  if (!found.isDirectory()) refuse('is not a folder');
  if (process.getuid !== undefined) {
    if (found.uid !== process.getuid()) refuse(`belongs to user ${found.uid}`);
    if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (caught) {
    throw new PeagenError('unavailable', `${folder} is not writable.`, { cause: caught });
  }
}
