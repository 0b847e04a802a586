/**
 * A throw-away copy of a base folder with a candidate's files laid over it. Blocks are shared where the file system can
 * (reflink); folders that are large and only read (installed packages, history) are not copied but shown read-only.
 */
import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PeagenError } from '../../../shared/errors.ts';
import type { Program } from '../../../shared/program.ts';
import { isRoot, SANDBOX_UID } from '../../sandbox/reach.ts';
import type { Mount, SandboxTier } from '../../sandbox/sandbox.ts';

const run = promisify(execFile);

/** Where the copy appears in the sandbox. */
export const COPY_AT = '/workspace';

const onlyRead = new Set(['node_modules', '.git', '.venv', 'venv', '.tox', '.yarn', '.pnpm-store']);
const leftOut = new Set(['.peagen']);

export interface Copy {
  readonly mounts: readonly Mount[];
  /** Where it really is, to read what a command wrote. */
  readonly folder: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The folder itself, read-only; a copy of it where only its owner may look in and the sandbox is another user's. */
export async function shownAt(at: string, root: string, tier: SandboxTier): Promise<Copy> {
  const openToAll = ((await stat(root)).mode & 0o5) === 0o5;
  if (tier.foreign !== true || openToAll) {
    return { folder: root, mounts: [{ from: root, at }], [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const copy = await copyOf(root, { files: [] }, at);
  if (!isRoot) await run('chmod', ['-R', 'a+rX', copy.folder]);
  return { ...copy, mounts: copy.mounts.map((mount) => ({ from: mount.from, at: mount.at })) };
}

/** Throws `not_found` when the base folder is gone, `storage_failed` when the disk is full. */
export async function copyOf(root: string, program: Pick<Program, 'files'>, at = COPY_AT): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), 'peagen-copy-'));
  try {
    const entries = await readdir(root).catch((cause: unknown) => {
      throw new PeagenError('not_found', `The folder ${root} cannot be read.`, { cause });
    });
    const shown: Mount[] = [];
    const copied: string[] = [];
    for (const name of entries) {
      if (leftOut.has(name)) continue;
      const real = join(root, name);
      if (onlyRead.has(name) && (await lstat(real)).isDirectory()) {
        await mkdir(join(folder, name));
        shown.push({ from: real, at: `${at}/${name}` });
      } else copied.push(real);
    }
    await copy(copied, folder);
    for (const { path, text } of program.files) {
      const place = join(folder, path);
      await mkdir(dirname(place), { recursive: true });
      // Replaced, not written into: it may be a link that leads out of the copy.
      await rm(place, { force: true });
      await writeFile(place, text);
    }
    if (isRoot) await run('chown', ['-Rh', `${SANDBOX_UID}:${SANDBOX_UID}`, folder]);
    await chmod(folder, 0o755);
    return {
      folder,
      mounts: [{ from: folder, at, writable: true }, ...shown],
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  } catch (caught) {
    await rm(folder, { recursive: true, force: true });
    throw caught;
  }
}

async function copy(paths: readonly string[], folder: string): Promise<void> {
  if (paths.length === 0) return;
  // macOS's cp clones with -c.
  const flags = process.platform === 'darwin' ? ['-Rpc'] : ['-a', '--reflink=auto'];
  try {
    await run('cp', [...flags, ...paths, folder]);
  } catch (cause) {
    throw new PeagenError('storage_failed', `The workspace could not be copied to ${folder}.`, {
      hint: 'Free some space in the temporary folder, or point TMPDIR elsewhere.',
      cause,
    });
  }
}
