/**
 * The bubblewrap tier: own user, pid, ipc, uts, net and mount namespaces, /usr and the interpreter read-only, a private
 * /tmp in memory, a system call filter, process limits. As root it first becomes a user without rights.
 */
import { execFile } from 'node:child_process';
import { openSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assetPath } from '../../assets.ts';
import { diskFullError } from '../disk-full.ts';
import { findInterpreter } from '../interpreters.ts';
import { machine } from '../machine.ts';
import { openProcess } from '../process.ts';
import { isRoot, reachableBySandbox, SANDBOX_UID, shellQuote } from '../reach.ts';
import type { Executor, Mount, Sandbox, SandboxSpec } from '../sandbox.ts';
import { makeTemporary } from '../temporary.ts';
import { openCgroup } from './cgroup.ts';
import { prlimitCommand } from './prlimit.ts';
import { seccompArch, seccompFilter } from './seccomp.ts';
import { lastingStage, type Stage, showIn } from './stage.ts';

const run = promisify(execFile);
/** Ours, and no mount of its own comes or goes in it. */
const assets = assetPath('executors/');

export function createBubblewrapTier(): Executor {
  let usable: Promise<string | undefined> | undefined;
  return {
    name: 'bubblewrap',
    foreign: isRoot,
    unavailable: () => {
      usable ??= machine.bubblewrap ? Promise.resolve(undefined) : whyNot();
      return usable;
    },
    open,
  };
}

const dropRights = isRoot
  ? ['setpriv', '--reuid', `${SANDBOX_UID}`, '--regid', `${SANDBOX_UID}`, '--clear-groups', '--no-new-privs']
  : [];

/** Everything that does not depend on the spec. The root is a tmpfs of bubblewrap's own, read-only at the end. */
const isolation = [
  'bwrap',
  '--unshare-all',
  // Not the machine's.
  ...['--hostname', 'sandbox'],
  '--die-with-parent',
  '--new-session',
  '--clearenv',
  ...['--ro-bind', '/usr', '/usr'],
  // Where Debian's programs of several makers are chosen: /usr/bin/cc is a link to it.
  ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
  ...['--symlink', 'usr/lib', '/lib'],
  ...['--symlink', 'usr/lib64', '/lib64'],
  ...['--symlink', 'usr/bin', '/bin'],
  ...['--proc', '/proc'],
  ...['--dev', '/dev'],
  ...['--cap-drop', 'ALL'],
];

async function whyNot(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'bubblewrap exists on Linux only.';
  const arch = seccompArch();
  if (arch === undefined) return `There is no system call filter for ${process.arch}.`;
  const [command = '', ...args] = [...dropRights, ...isolation, '/usr/bin/prlimit', '--nproc=64', '/usr/bin/true'];
  try {
    await run(command, args, { timeout: 10_000 });
    machine.bubblewrap = true;
    return undefined;
  } catch (caught) {
    const error = caught as NodeJS.ErrnoException & { stderr?: string };
    if (error.code === 'ENOENT') return `${command} is not installed: install the package bubblewrap.`;
    return `bubblewrap does not work here: ${(error.stderr ?? error.message).trim()}. User namespaces may be switched off.`;
  }
}

async function open(spec: SandboxSpec): Promise<Sandbox> {
  const interpreter = spec.runtime === 'command' ? undefined : await findInterpreter(spec.runtime);
  const cgroup = await openCgroup(spec.limits);
  let folder: string | undefined;
  const dispose = async (): Promise<boolean> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    return await cgroup.dispose();
  };
  try {
    const binds: Mount[] = [
      ...(interpreter?.prefixes ?? []).map((prefix) => ({ from: prefix, at: prefix })),
      ...(spec.mounts ?? []),
    ];
    const hidden = await unreachable(binds);
    const stage = await stageFor(hidden, binds);
    const unstaged = hidden.length > 0 && stage === undefined;
    if (unstaged || (spec.files ?? []).length > 0) folder = await makeTemporary('box');
    const staged = folder !== undefined && unstaged ? await showIn(folder, hidden) : undefined;
    const shown = stage?.at ?? staged?.at;
    const files = folder === undefined ? [] : await keepFiles(folder, spec.files ?? []);
    const environment = { PATH: '/usr/bin', HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...interpreter?.env, ...spec.env };
    const command = [
      ...(stage?.enter ?? dropRights),
      ...isolation,
      ...['--seccomp', '3'],
      ...['--size', String(spec.limits.fileBytes * 2), '--tmpfs', '/tmp'],
      ...['--size', '1048576', '--tmpfs', '/dev/shm'],
      // Behind the private /tmp: what is shown may lie under it.
      ...binds.flatMap(({ from, at, writable }) => [writable === true ? '--bind' : '--ro-bind', shown?.get(from) ?? from, at]),
      ...files.flatMap(({ path }, index) => ['--file', String(index + 4), join('/tmp', path)]),
      ...['--remount-ro', '/', '--chdir', spec.cwd ?? '/tmp'],
      ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
      // Run inside, where the limit of processes counts in the sandbox's own user namespace.
      ...prlimitCommand(spec.limits, spec.runtime, true),
      ...(interpreter === undefined ? [] : [interpreter.path]),
      ...spec.argv,
    ];
    const lines = [...cgroup.join, ...(staged?.script ?? [])];
    const shell = ['/bin/sh', '-c', [...lines, `exec ${command.map(shellQuote).join(' ')}`].join('\n')];
    const [first = '', ...rest] =
      staged !== undefined ? ['unshare', '--mount', '--propagation', 'private', ...shell] : lines.length > 0 ? shell : command;
    return await openProcess({
      command: first,
      args: rest,
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      descriptors: [await openFilter(), ...files.map(({ from }) => openSync(from, 'r'))],
      limits: spec.limits,
      killTree,
      dispose,
      accountMs: cgroup.accountMs,
    });
  } catch (caught) {
    await dispose();
    throw diskFullError(caught);
  }
}

/** The outer process dies, the inner init with it (`--die-with-parent`), and with that everything in the pid namespace. */
function killTree(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

/** Undefined where nothing is hidden, and where a bind would not last or was mounted after the stage was opened. */
async function stageFor(hidden: readonly string[], binds: readonly Mount[]): Promise<Stage | undefined> {
  if (hidden.length === 0 || binds.some(({ from, writable }) => writable === true && hidden.includes(from))) return undefined;
  const stage = await lastingStage(hidden);
  return binds.every(({ from }) => from.startsWith(assets) || hidden.includes(from) || stage.shows(from)) ? stage : undefined;
}

/** What the sandbox's user cannot get at by itself. */
async function unreachable(binds: readonly Mount[]): Promise<string[]> {
  if (!isRoot) return [];
  const found = await Promise.all(binds.map(async ({ from }) => ((await reachableBySandbox(from)) ? [] : [from])));
  return [...new Set(found.flat())];
}

/** Files travel as open descriptors, so it does not matter who may read our folder. */
async function keepFiles(
  folder: string,
  files: readonly { path: string; text: string }[],
): Promise<{ path: string; from: string }[]> {
  return await Promise.all(
    files.map(async ({ path, text }, index) => {
      const from = join(folder, `file-${index}`);
      await writeFile(from, text, { mode: 0o600 });
      return { path, from };
    }),
  );
}

let filter: Promise<number> | undefined;

/** A new descriptor of the filter, which lies in a file without a name: made once per process, and gone with it. */
async function openFilter(): Promise<number> {
  filter ??= (async () => {
    const folder = await makeTemporary('filter');
    try {
      const path = join(folder, 'filter.bpf');
      await writeFile(path, seccompFilter(seccompArch() ?? 'x64'), { mode: 0o600 });
      return openSync(path, 'r');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  })();
  filter.catch(() => {
    filter = undefined;
  });
  // Opened again: each reader has a position of its own.
  return openSync(`/proc/self/fd/${await filter}`, 'r');
}
