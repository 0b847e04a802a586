/**
 * As root: what the sandbox's user cannot reach, such as an interpreter in /root, is bound to where it can, in a mount
 * namespace of its own that sandboxes start in. Nothing but our open descriptor holds it, so that it ends with this
 * process, however that ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { shellQuote } from '../reach.ts';
import { makeLasting, removeLasting } from '../temporary.ts';

export interface Stage {
  /** Where each path is shown. */
  readonly at: ReadonlyMap<string, string>;
  /** Before a command: starts it in the namespace, as that user. */
  enter(uid: number): readonly string[];
  /** Whether what is at `path` is the same in the namespace: a mount that was made later is not there. */
  shows(path: string): boolean;
}

/**
 * Paths shown under a folder, and the shell's lines that show them there. Those that are `named` are folders whose path nobody
 * there may read: through an overlay, whose mount shows no more of them than a link. It shows a folder as it was when it was
 * mounted, so that what outlives it cannot use it.
 */
export async function showIn(
  folder: string,
  paths: readonly string[],
  named: readonly string[] = [],
): Promise<{ at: Map<string, string>; script: string[] }> {
  const at = new Map<string, string>();
  const script = named.length === 0 ? [] : [`cd ${shellQuote(folder)}`];
  if (named.length > 0) await mkdir(join(folder, 'none'), { mode: 0o755 });
  for (const [index, path] of named.entries()) {
    const [place, link] = [join(folder, `named${index}`), `link${index}`];
    await mkdir(place, { mode: 0o755 });
    await symlink(path, join(folder, link));
    at.set(path, place);
    const overlay = `mount -t overlay -o ro,nosuid,nodev,lowerdir=${link}:none overlay named${index} 2>/dev/null`;
    script.push(`${overlay} || mount --bind ${link} named${index} || exit 125`);
  }
  for (const [index, path] of paths.entries()) {
    const place = join(folder, String(index));
    if ((await stat(path)).isDirectory()) await mkdir(place, { mode: 0o755 });
    else await writeFile(place, '', { mode: 0o644 });
    at.set(path, place);
    script.push(`mount --bind ${shellQuote(path)} ${shellQuote(place)} || exit 125`);
  }
  // Nobody needs the names in it, and the sandbox's user must get through.
  await chmod(folder, 0o711);
  return { at, script };
}

const stages = new Map<string, Promise<OpenStage>>();

/**
 * A stage that shows `paths`, one for all sandboxes of this process that need the same. It is made again when its folder was
 * removed, or when one of the paths is another file now.
 */
export async function lastingStage(paths: readonly string[]): Promise<Stage> {
  const key = [...paths].sort().join('\0');
  let stage = stages.get(key);
  // A program that cleans temporary folders up may take it for an old one.
  if (stage === undefined || !isCurrent(await stage)) {
    stage = open(paths);
    stages.set(key, stage);
    stage.catch(() => stages.delete(key));
  }
  return await stage;
}

interface OpenStage extends Stage {
  readonly folder: string;
  /** Each path with the file that it was when the stage was opened. */
  readonly files: ReadonlyMap<string, string>;
}

const isCurrent = ({ folder, files }: OpenStage): boolean =>
  existsSync(folder) && [...files].every(([path, file]) => fileAt(path) === file);

/** Identifies what is at the path; undefined when nothing is. */
function fileAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** The number of the mount that holds the path; undefined where the kernel does not say. */
function mountOf(path: string): string | undefined {
  try {
    const descriptor = openSync(path, 'r');
    try {
      return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Where each mount that this process sees now is, by its number. The kernel gives the number of one that has gone to another. */
const mountsNow = (): Map<string, string> =>
  new Map(
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .map(([number = '', , , , place = '']) => [number, place] as const),
  );

async function open(paths: readonly string[]): Promise<OpenStage> {
  // Its mounts are not seen from here: there is nothing in it but empty places.
  const folder = await makeLasting('stage');
  try {
    return await openIn(folder, paths);
  } catch (caught) {
    await removeLasting(folder);
    throw caught;
  }
}

async function openIn(folder: string, paths: readonly string[]): Promise<OpenStage> {
  const mounts = mountsNow();
  const files = new Map(paths.map((path) => [path, fileAt(path) ?? '']));
  const { at, script } = await showIn(folder, paths);
  const shell = spawn('unshare', [
    ...['--mount', '--propagation', 'private'],
    ...['/bin/sh', '-c', [...script, 'echo ready', 'read end'].join('\n')],
  ]);
  let trouble = '';
  shell.stderr.on('data', (chunk: Buffer) => {
    trouble += chunk.toString('utf8');
  });
  const ended = once(shell, 'close');
  const ready = await Promise.race([once(shell.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!ready) throw new PeagenError('unavailable', `Nothing can be shown to a sandbox: ${trouble.trim()}.`);
  const namespace = openSync(`/proc/${shell.pid}/ns/mnt`, 'r');
  shell.stdin.end();
  await ended;
  return {
    folder,
    files,
    at,
    shows: (path) => {
      const number = mountOf(path) ?? '';
      return mounts.has(number) && mounts.get(number) === mountsNow().get(number);
    },
    enter: (uid) => [
      'nsenter',
      `--mount=/proc/${process.pid}/fd/${namespace}`,
      ...['--setgid', `${uid}`, '--setuid', `${uid}`, '--'],
    ],
  };
}
