/**
 * The tier of macOS: a process in the sandbox of the system itself, by sandbox-exec. It reads the system and its runtime, writes into
 * its own folder and reaches nobody. Limits that macOS does not set by itself are watched from outside. Not yet tried on a Mac.
 */
import { execFile } from 'node:child_process';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Interpreter } from '../machine.ts';
import { MARK, openLocally } from '../plain.ts';
import { defaultLimits, type Executor, type Sandbox, type SandboxLimits, type SandboxSpec } from '../sandbox.ts';
import { makeTemporary } from '../temporary.ts';
import { profilePaths, SANDBOX_EXEC, seatbeltCommand } from './profile.ts';
import { readProcesses, Tree } from './tree.ts';

const run = promisify(execFile);

/** `program`: another one in its place, for tests elsewhere of what is not the sandbox itself. */
export function createSeatbeltTier(program = SANDBOX_EXEC): Executor {
  let usable: Promise<string | undefined> | undefined;
  return {
    name: 'seatbelt',
    unavailable: () => {
      usable ??= whyNot(program);
      return usable;
    },
    open: (spec) => open(spec, program),
  };
}

async function open(spec: SandboxSpec, program: string): Promise<Sandbox> {
  const mounts = await Promise.all((spec.mounts ?? []).map(async (mount) => ({ ...mount, from: await realpath(mount.from) })));
  return await openLocally(
    { ...spec, mounts },
    {
      start: async (folder, interpreter) => {
        const read = [...(await runtimeOf(interpreter)), ...mounts.map(({ from }) => from)];
        const write = [folder, ...mounts.flatMap(({ from, writable }) => (writable === true ? [from] : []))];
        return [...(await limited(spec.limits)), ...seatbeltCommand(profilePaths(read, write), program)];
      },
      watch: (pid, folder, end) => {
        let looks = 0;
        const tree = new Tree(pid, `${MARK}=${folder}`, (members) => {
          if (members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) > spec.limits.memoryBytes) end('memory');
          else if (members.length > spec.limits.processes) end('killed');
          else if (looks++ % 4 === 0) void isFull(folder, spec.limits).then((full) => full && end('killed'));
        });
        return tree;
      },
    },
  );
}

/** Where it lies, what it reads, and the whole of an application that it is a part of. */
async function runtimeOf(interpreter: Interpreter | undefined): Promise<string[]> {
  if (interpreter === undefined) return [];
  const paths = [interpreter.path, ...interpreter.prefixes].map((path) => /^.*?\.app(?=\/)/.exec(path)?.[0] ?? path);
  return await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
}

/**
 * Limits of each process, by bash's own command, in its units. Memory has none that macOS keeps; the number of processes counts
 * all of the user, so that those of now are added.
 */
async function limited({ cpuSeconds, fileBytes, processes }: SandboxLimits): Promise<string[]> {
  const own = (await readProcesses()).filter(({ uid }) => uid === process.getuid?.()).length;
  const lines = [
    'ulimit -c 0 && ulimit -n 256',
    `ulimit -f ${Math.ceil(fileBytes / 1024)}`,
    `ulimit -u ${own + processes}`,
    `ulimit -S -t ${cpuSeconds} && ulimit -H -t ${cpuSeconds + 1}`,
  ];
  return ['/bin/bash', '-c', `${lines.join(' && ')} || exit 125\nexec "$@"`, 'bash'];
}

/** As much as the other tiers' private folders hold. */
async function isFull(folder: string, { fileBytes }: SandboxLimits): Promise<boolean> {
  const { stdout } = await run('du', ['-sk', folder], { env: { PATH: '/bin:/usr/bin' } }).catch(() => ({ stdout: '0' }));
  return Number.parseInt(stdout, 10) * 1024 > fileBytes * 2;
}

/** Tries what it must not do, with the very profile of candidates: what nobody has tried here before is not taken on trust. */
const probe = `cat "$1/secret" && exit 3
echo > "$1/new" && exit 4
echo > "/dev/tcp/127.0.0.1/$2" && exit 5
kill -0 "$3" && exit 6
echo > own && exit 0
exit 7`;

const holes: Readonly<Record<number, string>> = {
  3: 'reads files of yours',
  4: 'writes files of yours',
  5: 'reaches the network',
  6: 'reaches other processes',
  7: 'does not write into its own folder',
};

async function whyNot(program: string): Promise<string | undefined> {
  if (program === SANDBOX_EXEC && process.platform !== 'darwin') return 'sandbox-exec exists on macOS only.';
  const outside = await makeTemporary('probe');
  const server = createServer((socket) => socket.destroy());
  try {
    await mkdir(join(outside, 'inside'));
    await writeFile(join(outside, 'secret'), 'secret');
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const argv = ['/bin/bash', '-c', probe, 'bash', outside, `${port}`, `${process.pid}`];
    const sandbox = await open({ runtime: 'command', argv, limits: defaultLimits }, program);
    const { cause, code, stderr } = await sandbox.exited;
    if (cause === 'exit' && code === 0) return undefined;
    const hole = holes[code ?? -1];
    return hole === undefined
      ? `sandbox-exec does not work here (${cause}, code ${code}): ${stderr.trim().slice(-300)}.`
      : `sandbox-exec does not contain programs here: a program in it ${hole}.`;
  } catch (caught) {
    return `sandbox-exec does not work here: ${caught instanceof Error ? caught.message : String(caught)}`;
  } finally {
    server.close();
    await rm(outside, { recursive: true, force: true });
  }
}
