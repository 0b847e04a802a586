/**
 * As root: what the sandbox's user cannot reach, such as an interpreter in /root, is bound to where it can, in a mount
 * namespace of its own that sandboxes start in. Nothing but our open descriptor holds it, so that it ends with this
 * process, however that ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, rmSync } from 'node:fs';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { SANDBOX_UID, shellQuote } from './reach.ts';
import { makeTemporary } from './temporary.ts';

export interface Stage {
  /** Where each path is shown. */
  readonly at: ReadonlyMap<string, string>;
  /** Before a command: starts it in the namespace, as the sandbox's user. */
  readonly enter: readonly string[];
}

/** Paths shown under a folder, and the shell's lines that show them there. */
export async function showIn(folder: string, paths: readonly string[]): Promise<{ at: Map<string, string>; script: string[] }> {
  const at = new Map<string, string>();
  const script: string[] = [];
  for (const [index, path] of paths.entries()) {
    const place = join(folder, String(index));
    if ((await stat(path)).isDirectory()) await mkdir(place, { mode: 0o755 });
    else await writeFile(place, '', { mode: 0o644 });
    at.set(path, place);
    script.push(`mount --bind ${shellQuote(path)} ${shellQuote(place)} || exit 125`);
  }
  // Names in it are of no use to anybody, and the sandbox's user must get through.
  await chmod(folder, 0o711);
  return { at, script };
}

const stages = new Map<string, Promise<OpenStage>>();

/**
 * A stage that shows `paths`, one for all sandboxes of this process that need the same. Only for what is mounted there
 * already: what is mounted later cannot be seen in it.
 */
export async function lastingStage(paths: readonly string[]): Promise<Stage> {
  const key = [...paths].sort().join('\0');
  let stage = stages.get(key);
  // A program that cleans temporary folders up may take it for an old one.
  if (stage === undefined || !existsSync((await stage).folder)) {
    stage = open(paths);
    stages.set(key, stage);
    stage.catch(() => stages.delete(key));
  }
  return await stage;
}

interface OpenStage extends Stage {
  readonly folder: string;
}

async function open(paths: readonly string[]): Promise<OpenStage> {
  const folder = await makeTemporary('stage');
  // Its mounts are not seen from here: there is nothing in it but empty places.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
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
    at,
    enter: [
      'nsenter',
      `--mount=/proc/${process.pid}/fd/${namespace}`,
      ...['--setgid', `${SANDBOX_UID}`, '--setuid', `${SANDBOX_UID}`, '--'],
    ],
  };
}
