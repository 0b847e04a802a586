/**
 * The plain tier: an ordinary process with limits, a clean environment and a private folder. It protects from accidents,
 * not from malice: the candidate can read what the user can read and reach the network.
 */
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { access, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { noCgroup, openCgroup } from './bubblewrap/cgroup.ts';
import { prlimitCommand } from './bubblewrap/prlimit.ts';
import { diskFullError } from './disk-full.ts';
import { findInterpreter } from './interpreters.ts';
import type { Interpreter } from './machine.ts';
import { openProcess } from './process.ts';
import type { Executor, Sandbox, SandboxExit, SandboxLimits, SandboxSpec } from './sandbox.ts';
import { makeTemporary } from './temporary.ts';

/** Every process of a sandbox carries its folder under this name until it gives another an environment without it. */
export const MARK = 'PEAGEN_SANDBOX';

export function createPlainTier(): Executor {
  return { name: 'plain', unavailable: () => Promise.resolve(undefined), open: (spec) => openLocally(spec) };
}

/** A sandbox of the system itself around the process, in place of the limits and the marks of this tier. */
export interface SystemSandbox {
  /** The words before those of the command. */
  start(folder: string, interpreter: Interpreter | undefined): Promise<string[]>;
  /** Looks at the tree while it runs, and calls `end` when it takes too much. */
  watch(pid: number, folder: string, end: (why: SandboxExit['cause']) => void): { kill(): void; close(): void };
}

export async function openLocally(spec: SandboxSpec, system?: SystemSandbox): Promise<Sandbox> {
  const interpreter = spec.runtime === 'command' ? undefined : await findInterpreter(spec.runtime);
  const folder = await realpath(await makeTemporary('plain'));
  const cgroup = system === undefined ? await openCgroup(spec.limits) : noCgroup;
  let watched: ReturnType<SystemSandbox['watch']> | undefined;
  try {
    for (const { path, text } of spec.files ?? []) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    // There is no file system of its own in which a mount could appear: its place is named by where it really is.
    const real = (text: string): string =>
      (spec.mounts ?? []).reduce(
        (result, { from, at }) => (result === at || result.startsWith(`${at}/`) ? from + result.slice(at.length) : result),
        text,
      );
    const sign = signed ? randomInt(2 ** 40, 2 ** 47) : undefined;
    const command = [
      ...(cgroup.join.length === 0 ? [] : ['/bin/sh', '-c', [...cgroup.join, 'exec "$@"'].join('\n'), 'sh']),
      ...(system === undefined ? await prlimit(spec.limits, spec.runtime, sign) : await system.start(folder, interpreter)),
      ...(interpreter === undefined ? [] : [interpreter.path]),
      ...spec.argv.map(real),
    ];
    const [first = '', ...rest] = command;
    return await openProcess({
      command: first,
      args: rest,
      cwd: spec.cwd === undefined ? folder : real(spec.cwd),
      env: {
        PATH: paths[process.platform] ?? '/usr/local/bin:/usr/bin:/bin',
        HOME: folder,
        TMPDIR: folder,
        TEMP: folder,
        TMP: folder,
        LANG: 'C.UTF-8',
        [MARK]: folder,
        // Windows programs do not start without it.
        ...(process.env['SystemRoot'] === undefined ? {} : { SystemRoot: process.env['SystemRoot'] }),
        ...interpreter?.env,
        ...Object.fromEntries(Object.entries(spec.env ?? {}).map(([name, value]) => [name, real(value)])),
      },
      descriptors: [],
      limits: spec.limits,
      watch: (pid, end) => {
        watched = system?.watch(pid, folder, end);
      },
      killTree: (pid) => {
        cgroup.kill();
        if (watched === undefined) killTree(pid, folder, sign);
        else watched.kill();
      },
      accountMs: cgroup.accountMs,
      dispose: async () => {
        watched?.close();
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
        return await cgroup.dispose();
      },
    });
  } catch (caught) {
    await rm(folder, { recursive: true, force: true });
    await cgroup.dispose();
    throw diskFullError(caught);
  }
}

/** Where commands are looked for, elsewhere than on Linux. */
const paths: Partial<Record<NodeJS.Platform, string>> = {
  win32: process.env['PATH'] ?? '',
  darwin: '/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin',
};

let hasPrlimit: Promise<boolean> | undefined;

async function prlimit(limits: SandboxLimits, runtime: SandboxSpec['runtime'], sign: number | undefined): Promise<string[]> {
  hasPrlimit ??= access('/usr/bin/prlimit').then(
    () => true,
    () => false,
  );
  return (await hasPrlimit) ? prlimitCommand(limits, runtime, false, { sign }) : [];
}

/**
 * The group, then the processes that left it: children of children, by the mark in their environment, or by their sign, which
 * lives through forks, sessions, new parents and empty environments. A process that wants to can shed both, where it is in no cgroup.
 */
function killTree(pid: number, folder: string, sign: number | undefined): void {
  kill(-pid);
  if (process.platform !== 'linux') {
    kill(pid);
    return;
  }
  // A process may fork while the list is read: look again until nobody is left.
  for (let round = 0; round < 20; round++) {
    const marked = processesWith(`${MARK}=${folder}`, sign);
    if (marked.length === 0) return;
    for (const survivor of marked) kill(survivor);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone, or not ours.
  }
}

const coreLimit = (pid: string): string | undefined =>
  /^Max core file size\s+\S+\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];

/** A limit can only be lowered: where one is set already, it does not identify our processes. */
const signed = process.platform === 'linux' && coreLimit('self') === 'unlimited';

function processesWith(mark: string, sign: number | undefined): number[] {
  const result: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const isSigned = sign !== undefined && coreLimit(name) === String(sign);
      // The environment of a zombie is empty, and nobody needs to end it.
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      if (environment.split('\0').includes(mark) || (isSigned && !isZombie(name))) result.push(pid);
    } catch {
      // Gone, or somebody else's.
    }
  }
  return result;
}

const isZombie = (pid: string): boolean => /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
