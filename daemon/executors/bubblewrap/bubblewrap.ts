/**
 * The bubblewrap tier: own user, pid, ipc, uts, net and mount namespaces, /usr and the interpreter read-only, a private
 * /tmp in memory, a system call filter, process limits. As root it first becomes a user without rights.
 */
import { execFile } from 'node:child_process';
import { openSync, realpathSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { diskFullError } from '../disk-full.ts';
import { findInterpreter } from '../interpreters.ts';
import { machine } from '../machine.ts';
import { openProcess } from '../process.ts';
import { isRoot, isSandboxUid, reachableBySandbox, SANDBOX_UID, shellQuote, takeUid } from '../reach.ts';
import { runnersAt, runnersShown } from '../runners-shown.ts';
import type { Executor, Mount, Sandbox, SandboxSpec } from '../sandbox.ts';
import { makeTemporary } from '../temporary.ts';
import { openCgroup } from './cgroup.ts';
import { prlimitCommand } from './prlimit.ts';
import { seccompArch, seccompFilter } from './seccomp.ts';
import { lastingStage, type Stage, showIn } from './stage.ts';

const run = promisify(execFile);

export function createBubblewrapTier(): Executor {
  let usable: Promise<string | undefined> | undefined;
  return {
    name: 'bubblewrap',
    foreign: isRoot,
    ownUsers: isRoot,
    nests: true,
    unavailable: () => {
      usable ??= machine.bubblewrap ? Promise.resolve(undefined) : tryOnce();
      return usable;
    },
    open,
  };
}

const dropRights = (uid: number): string[] =>
  isRoot ? ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--no-new-privs'] : [];

/** Neither the machine's name nor the number of its user; one that nests is the first user of its namespaces, which owns them. */
const identity = (nests: boolean): string[] => {
  const user = nests ? '0' : `${SANDBOX_UID}`;
  return ['--hostname', 'sandbox', '--uid', user, '--gid', user];
};

/** Everything that does not depend on the spec. The root is a tmpfs of bubblewrap's own, read-only at the end. */
const isolation = [
  '--unshare-all',
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

const nesting = [
  ...['--cap-add', 'CAP_SYS_ADMIN'],
  // The kernel demands it of the process that maps the first user into a further namespace.
  ...['--cap-add', 'CAP_SETFCAP'],
  // What a child could change there would be seen by the next.
  ...['--remount-ro', '/dev/pts', '--remount-ro', '/dev'],
];

let trying: Promise<string | undefined> | undefined;

/** Callers at the same time share an attempt. */
function tryOnce(): Promise<string | undefined> {
  trying ??= whyNot().finally(() => {
    trying = undefined;
  });
  return trying;
}

async function whyNot(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'bubblewrap exists on Linux only.';
  const arch = seccompArch();
  if (arch === undefined) return `There is no system call filter for ${process.arch}.`;
  const [command = '', ...args] = [
    ...dropRights(SANDBOX_UID),
    'bwrap',
    ...identity(false),
    ...isolation,
    '/usr/bin/prlimit',
    '--nproc=64',
    '/usr/bin/true',
  ];
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
  const executed = spec.executes === undefined ? undefined : await findInterpreter(spec.executes);
  const cgroup = await openCgroup(spec.limits);
  let folder: string | undefined;
  let giveBack: (() => void) | undefined;
  const dispose = async (): Promise<boolean> => {
    giveBack?.();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    return await cgroup.dispose();
  };
  try {
    const binds: Mount[] = [
      ...[interpreter, executed].flatMap((one) => one?.prefixes ?? []).map((prefix) => ({ from: prefix, at: prefix })),
      ...(await runnersShown(spec.mounts ?? [])),
    ];
    const user = await userFor(spec.mounts ?? []);
    giveBack = user.giveBack;
    // What nests goes on for long, and would not see what changes in the folder meanwhile.
    const named = spec.nests === true ? [] : await telling(binds);
    const hidden = (await unreachable(binds)).filter((path) => !named.includes(path));
    const stage = named.length === 0 ? await stageFor(hidden, binds) : undefined;
    const unstaged = named.length > 0 || (hidden.length > 0 && stage === undefined);
    if (unstaged) folder = await makeTemporary('box');
    const staged = folder === undefined ? undefined : await showIn(folder, hidden, named);
    const shown = stage?.at ?? staged?.at;
    const nests = spec.nests === true;
    const files: readonly { path: string; text: string | Buffer }[] = [
      ...(spec.files ?? []),
      ...(nests ? [{ path: 'filter.bpf', text: seccompFilter(seccompArch() ?? 'x64') }] : []),
    ];
    const environment = {
      PATH: '/usr/bin',
      HOME: '/tmp',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      ...interpreter?.env,
      ...executed?.env,
      ...spec.env,
    };
    const options = [
      ...identity(nests),
      ...isolation,
      ...['--seccomp', '3'],
      ...['--size', String(spec.limits.fileBytes * 2), '--tmpfs', '/tmp'],
      ...['--size', '1048576', '--tmpfs', '/dev/shm'],
      // Behind the private /tmp: what is shown may lie under it.
      ...binds.flatMap(({ from, at, writable }) => [writable === true ? '--bind' : '--ro-bind', shown?.get(from) ?? from, at]),
      ...files.flatMap(({ path }, index) => ['--file', String(index + 4), join('/tmp', path)]),
      // The parameters that the machine was started with. Over what is covered in one, no other /proc could be made.
      ...(nests ? nesting : ['--ro-bind-data', String(files.length + 5), '/proc/cmdline']),
      ...['--remount-ro', '/', '--chdir', spec.cwd ?? '/tmp'],
      ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ];
    const command = [
      ...(stage?.enter(user.uid) ?? dropRights(user.uid)),
      // Its own words can be read in the sandbox, so that they come through a pipe: they name folders of this machine.
      ...['bwrap', '--args', String(files.length + 4)],
      // Run inside, where the limit of processes counts in the sandbox's own user namespace.
      ...prlimitCommand(spec.limits, spec.executes ?? spec.runtime, true),
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
      // Nothing of it lies in a file: the permissions of our folders do not matter, and making files costs more than writing them.
      descriptors: [
        nests ? seccompFilter(seccompArch() ?? 'x64', true) : await openFilter(),
        ...files.map(({ text }) => text),
        options.join('\0'),
        ...(nests ? [] : ['']),
      ],
      channels: spec.channels,
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
  return binds.every(({ from }) => from === runnersAt() || hidden.includes(from) || stage.shows(from)) ? stage : undefined;
}

/** The user that owns what is shown to it, such as a copy of its own; otherwise one that no other sandbox has now. */
async function userFor(mounts: readonly Mount[]): Promise<{ uid: number; giveBack: () => void }> {
  if (!isRoot) return { uid: SANDBOX_UID, giveBack: () => undefined };
  const owners = await Promise.all(mounts.map(async ({ from }) => (await stat(from)).uid));
  const owner = owners.find(isSandboxUid);
  return owner === undefined ? takeUid() : { uid: owner, giveBack: () => undefined };
}

/** Folders that are shown elsewhere than they lie, and whose path says more than where our own files are. */
async function telling(binds: readonly Mount[]): Promise<string[]> {
  if (!isRoot) return [];
  const own = realpathSync(tmpdir()) + sep;
  const told = binds.filter(({ from, at, writable }) => writable !== true && from !== at && !from.startsWith(own));
  const folders = await Promise.all(told.map(async ({ from }) => ((await stat(from)).isDirectory() ? [from] : [])));
  return [...new Set(folders.flat())];
}

/** What the sandbox's user cannot get at by itself. */
async function unreachable(binds: readonly Mount[]): Promise<string[]> {
  if (!isRoot) return [];
  const found = await Promise.all(binds.map(async ({ from }) => ((await reachableBySandbox(from)) ? [] : [from])));
  return [...new Set(found.flat())];
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
