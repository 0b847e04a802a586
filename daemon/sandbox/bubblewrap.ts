/**
 * The bubblewrap tier: own user, pid, ipc, uts, net and mount namespaces, /usr and the interpreter read-only, a private
 * /tmp in memory, a system call filter, process limits. As root it first becomes a user without rights.
 */
import { execFile } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openCgroup } from './cgroup.ts';
import { findInterpreter } from './interpreters.ts';
import { machine } from './machine.ts';
import { prlimitCommand } from './prlimit.ts';
import { openProcess } from './process.ts';
import { isRoot, reachableByAnyone, SANDBOX_UID, shellQuote } from './reach.ts';
import { roomError } from './room.ts';
import type { Mount, Sandbox, SandboxSpec, SandboxTier } from './sandbox.ts';
import { seccompArch, seccompFilter } from './seccomp.ts';

const run = promisify(execFile);

export function createBubblewrapTier(): SandboxTier {
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
  const folder = await mkdtemp(join(tmpdir(), 'peagen-box-')).catch((caught: unknown) => {
    throw roomError(caught);
  });
  const cgroup = await openCgroup(spec.limits);
  try {
    const binds = [...(interpreter?.prefixes ?? []).map((prefix) => ({ from: prefix, at: prefix })), ...(spec.mounts ?? [])];
    const staged = await stage(folder, binds);
    const files = await keepFiles(folder, spec.files ?? []);
    const environment = { PATH: '/usr/bin', HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...interpreter?.env, ...spec.env };
    const command = [
      ...dropRights,
      ...isolation,
      ...['--seccomp', '3'],
      ...['--size', String(spec.limits.fileBytes * 2), '--tmpfs', '/tmp'],
      ...['--size', '1048576', '--tmpfs', '/dev/shm'],
      // Behind the private /tmp: what is shown may lie under it.
      ...staged.binds.flatMap(({ from, at, writable }) => [writable === true ? '--bind' : '--ro-bind', from, at]),
      ...files.flatMap(({ path }, index) => ['--file', String(index + 4), join('/tmp', path)]),
      ...['--remount-ro', '/', '--chdir', spec.cwd ?? '/tmp'],
      ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
      // Run inside, where the limit of processes counts in the sandbox's own user namespace.
      ...prlimitCommand(spec.limits, spec.runtime, true),
      ...(interpreter === undefined ? [] : [interpreter.path]),
      ...spec.argv,
    ];
    const script = [...cgroup.join, ...staged.script, `exec ${command.map(shellQuote).join(' ')}`].join('\n');
    const shell = ['/bin/sh', '-c', script];
    const [first = '', ...rest] =
      staged.script.length > 0
        ? ['unshare', '--mount', '--propagation', 'private', ...shell]
        : cgroup.join.length > 0
          ? shell
          : command;
    return await openProcess({
      command: first,
      args: rest,
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      descriptors: [openSync(await filterFile(), 'r'), ...files.map(({ from }) => openSync(from, 'r'))],
      limits: spec.limits,
      killTree,
      dispose: async () => {
        await rm(folder, { recursive: true, force: true });
        return await cgroup.dispose();
      },
    });
  } catch (caught) {
    await Promise.all([rm(folder, { recursive: true, force: true }), cgroup.dispose()]);
    throw roomError(caught);
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

/** As root: what the sandbox's user cannot reach is bound to where it can, in a mount namespace that ends with the sandbox. */
async function stage(folder: string, binds: readonly Mount[]): Promise<{ binds: Mount[]; script: string[] }> {
  const result: { binds: Mount[]; script: string[] } = { binds: [], script: [] };
  for (const [index, bind] of binds.entries()) {
    if (!isRoot || (await reachableByAnyone(bind.from))) {
      result.binds.push(bind);
      continue;
    }
    const place = join(folder, String(index));
    if ((await stat(bind.from)).isDirectory()) await mkdir(place, { mode: 0o755 });
    else await writeFile(place, '', { mode: 0o644 });
    result.binds.push({ ...bind, from: place });
    result.script.push(`mount --bind ${shellQuote(bind.from)} ${shellQuote(place)} || exit 125`);
  }
  // Names in it are of no use to anybody, and the sandbox's user must get through.
  if (result.script.length > 0) await chmod(folder, 0o711);
  return result;
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

let filter: Promise<string> | undefined;

/** The filter as a file: made once per process, removed when it ends. */
function filterFile(): Promise<string> {
  filter ??= (async () => {
    const arch = seccompArch() ?? 'x64';
    const folder = await mkdtemp(join(tmpdir(), 'peagen-filter-'));
    const path = join(folder, 'filter.bpf');
    await writeFile(path, seccompFilter(arch), { mode: 0o600 });
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return path;
  })();
  filter.catch(() => {
    filter = undefined;
  });
  return filter;
}
