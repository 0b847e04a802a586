/**
 * The Docker tier: one container per sandbox, through any engine with Docker's API (`DOCKER_HOST`; Podman's socket works).
 * An empty network, read-only root, private /tmp in memory, no capabilities, an unprivileged user. The image is empty: the
 * machine's own /usr and interpreter are shown read-only, so the engine must run on this machine.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Duplex, PassThrough, Readable } from 'node:stream';
import Docker from 'dockerode';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { accountOfGroup } from '../bubblewrap/cgroup.ts';
import { prlimitCommand } from '../bubblewrap/prlimit.ts';
import { diskFullError } from '../disk-full.ts';
import { findInterpreter } from '../interpreters.ts';
import { Output } from '../output.ts';
import { causeOf } from '../process.ts';
import { processorOf } from '../processor.ts';
import { SANDBOX_UID } from '../reach.ts';
import { runnersShown } from '../runners-shown.ts';
import type { Executor, Mount, Sandbox, SandboxExit, SandboxSpec } from '../sandbox.ts';
import { makeLasting, makeTemporary } from '../temporary.ts';
import { createContainer } from './create-container.ts';
import { emptyNetwork, statusOf } from './docker-network.ts';
import { dockerProfile } from './docker-profile.ts';
import { isPodman, podmanSocket, ulimits } from './podman.ts';

/** Files of the spec, shown here and copied to /tmp before the start. */
const FILES_AT = '/files';
const image = 'peagen-empty:1';
const label = 'peagen.sandbox';
/** What engines mask by themselves, which they do no more where paths are given, and what the machine was started with. */
const masked = [
  ...[
    'asound',
    'acpi',
    'interrupts',
    'kcore',
    'keys',
    'latency_stats',
    'timer_list',
    'timer_stats',
    'sched_debug',
    'scsi',
    'cmdline',
  ].map((name) => `/proc/${name}`),
  ...['/sys/firmware', '/sys/devices/virtual/powercap'],
];
/** Engines make them from those of the machine. */
const namesOfMachine = ['/etc/hosts', '/etc/resolv.conf'];

/** `gpus`: sandboxes get all GPUs of the machine, through the engine's NVIDIA runtime. */
export function createDockerTier(docker: Docker = new Docker(podmanSocket(process.env)), { gpus = false } = {}): Executor {
  let ready: Promise<Engine> | undefined;
  const once = (): Promise<Engine> => {
    ready ??= prepare(docker);
    return ready;
  };
  return {
    name: gpus ? 'docker-gpu' : 'docker',
    foreign: true,
    unavailable: async () => {
      if (process.platform !== 'linux') return 'The Docker tier shows this machine’s own interpreter, which needs Linux.';
      try {
        await docker.ping();
        return undefined;
      } catch (caught) {
        return `No container engine answers (${caught instanceof Error ? caught.message : String(caught)}). Start Docker or Podman, or set DOCKER_HOST.`;
      }
    },
    open: async (spec) => {
      try {
        return await open(docker, spec, gpus, await once());
      } catch (caught) {
        // The engine may be another one by now, or what was made there removed: all is looked at again.
        ready = undefined;
        if (!isPassing(caught)) throw caught;
        return await open(docker, spec, gpus, await once());
      }
    },
  };
}

/** What sandboxes need on an engine. */
interface Engine {
  /** Docker takes the seccomp profile itself, Podman only the name of a file with it, and masked paths nowhere else than here. */
  readonly security: readonly string[];
  /** The mode of a container's network. */
  network(): Promise<string>;
}

async function prepare(docker: Docker): Promise<Engine> {
  await ensureImage(docker);
  // Podman makes an empty network in no time.
  return (await isPodman(docker))
    ? { security: [`seccomp=${await profileFile()}`, `mask=${masked.join(':')}`], network: async () => 'none' }
    : { security: [`seccomp=${dockerProfile}`], network: emptyNetwork(docker, image) };
}

/**
 * The image is missing, or the container whose network was to be joined; or the engine's own process in the new container died
 * before any program began, which happens on a busy machine.
 */
function isPassing(caught: unknown): boolean {
  const cause = caught instanceof PeagenError ? caught.cause : caught;
  const status = statusOf(cause);
  return (
    status === 404 ||
    status === 409 ||
    (status === 500 && /cannot start a (stopped process|container that has stopped)/.test(String(cause)))
  );
}

/** An image without a file takes a tenth of a second to make and no registry. */
async function ensureImage(docker: Docker): Promise<void> {
  try {
    await docker.getImage(image).inspect();
    return;
  } catch {
    // Not there yet.
  }
  try {
    // An empty tar archive is two blocks of zeros. Podman overlooks a tag that is not part of the name.
    const stream = await docker.importImage(Readable.from([Buffer.alloc(1024)]), { repo: image });
    await new Promise((resolve, reject) => {
      stream.on('end', resolve).on('error', reject);
      stream.resume();
    });
  } catch (cause) {
    throw new PeagenError('unavailable', `The empty image ${image} could not be made: ${String(cause)}.`, {
      hint: `Make it by hand: tar cf - -T /dev/null | docker import - ${image}`,
      cause,
    });
  }
}

/** Nanoseconds, of the whole container. */
const Stats = z.object({ cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number().min(0) }) }) });

/** What an engine says that a container has taken, in milliseconds; undefined where it says something else. */
export const cpuMsOf = (stats: unknown): number | undefined => {
  const { data } = Stats.safeParse(stats);
  return data && data.cpu_stats.cpu_usage.total_usage / 1e6;
};

async function profileFile(): Promise<string> {
  const path = join(await makeLasting('profile'), 'seccomp.json');
  await writeFile(path, dockerProfile, { mode: 0o600 });
  return path;
}

async function open(docker: Docker, spec: SandboxSpec, gpus: boolean, engine: Engine): Promise<Sandbox> {
  const started = performance.now();
  const interpreter = spec.runtime === 'command' ? undefined : await findInterpreter(spec.runtime);
  const files = spec.files ?? [];
  const folder = files.length > 0 ? await makeTemporary('box') : undefined;
  const dispose = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    if (folder !== undefined) {
      for (const { path, text } of files) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      await chmod(folder, 0o755);
    }
    const mounts: Mount[] = [
      ...['/usr', '/lib', '/lib64', '/bin'].map((at) => ({ from: at, at })),
      ...(interpreter?.prefixes ?? []).map((prefix) => ({ from: prefix, at: prefix })),
      ...(folder === undefined ? [] : [{ from: folder, at: FILES_AT }]),
      ...(await runnersShown(spec.mounts ?? [])),
    ];
    const command = [
      ...prlimitCommand(spec.limits, spec.runtime, false, { memory: !gpus }),
      ...(interpreter === undefined ? [] : [interpreter.path]),
      ...spec.argv,
    ];
    const network = await engine.network();
    const container = await createContainer(docker, {
      Image: image,
      // The shell stays as process 1, which ignores signals that would end an ordinary process.
      Cmd: [
        '/bin/sh',
        '-c',
        `${folder === undefined ? '' : `cp -r ${FILES_AT}/. /tmp/ && `}cd ${spec.cwd ?? '/tmp'} && unset OLDPWD && "$@"\nexit $?`,
        'sh',
        ...command,
      ],
      Env: Object.entries({
        PATH: '/usr/bin:/bin',
        HOME: '/tmp',
        TMPDIR: '/tmp',
        LANG: 'C.UTF-8',
        ...interpreter?.env,
        ...spec.env,
      }).map(([name, value]) => `${name}=${value}`),
      // A container that joins a network has the host name of that.
      ...(network === 'none' ? { Hostname: 'sandbox' } : {}),
      // An engine that is stopped would wait ten seconds for each.
      StopSignal: 'SIGKILL',
      User: `${SANDBOX_UID}:${SANDBOX_UID}`,
      Labels: { [label]: String(process.pid) },
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      HostConfig: {
        NetworkMode: network,
        ReadonlyRootfs: true,
        Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${spec.limits.fileBytes * 2}` },
        ShmSize: 1024 ** 2,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', ...engine.security],
        PidsLimit: spec.limits.processes,
        Memory: spec.limits.memoryBytes,
        MemorySwap: spec.limits.memoryBytes,
        IpcMode: 'private',
        MaskedPaths: masked,
        Ulimits: [...ulimits],
        LogConfig: { Type: 'none', Config: {} },
        ...(gpus ? { DeviceRequests: [{ Driver: '', Count: -1, Capabilities: [['gpu']] }] } : {}),
        Binds: [
          ...mounts.map(({ from, at, writable }) => `${from}:${at}:${writable === true ? 'rw' : 'ro'}`),
          ...namesOfMachine.map((at) => `/dev/null:${at}:ro`),
        ],
      },
    });
    return await follow(container, spec, started, dispose);
  } catch (cause) {
    await dispose();
    const error = diskFullError(cause);
    if (error instanceof PeagenError) throw error;
    throw new PeagenError('unavailable', `The container engine refused a sandbox: ${String(cause)}.`, { cause });
  }
}

async function follow(
  container: Docker.Container,
  spec: SandboxSpec,
  started: number,
  dispose: () => Promise<void>,
): Promise<Sandbox> {
  let cause: SandboxExit['cause'] | undefined;
  let open = true;
  let removal: Promise<unknown> | undefined;
  // Kills it first, which is one call less; it may be gone by itself in the meantime.
  const remove = (): Promise<unknown> => {
    removal ??= container.remove({ force: true, v: true }).catch(() => undefined);
    return removal;
  };
  const end = (why: SandboxExit['cause']): void => {
    if (!open) return;
    cause ??= why;
    void remove();
  };
  const output = new Output(spec.limits.outputBytes, () => end('output'));
  const stream = await attach(container);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, stdout, stderr);
  stdout.on('data', (chunk: Buffer) => output.stdout(chunk));
  stderr.on('data', (chunk: Buffer) => output.stderr(chunk));
  // A sandbox that has ended takes no more input.
  stream.on('error', () => undefined);
  const drained = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve));
  try {
    await container.start();
  } catch (caught) {
    await remove();
    throw caught;
  }
  const pid = await pidOf(container);
  // An engine in a namespace of its own knows its processes by other numbers: the group has the container's name.
  const accountMs = pid > 0 ? accountOfGroup(pid, container.id) : undefined;
  const timer = setTimeout(() => end('timeout'), Math.max(1, spec.limits.wallMs - (performance.now() - started)));
  const exited = (async (): Promise<SandboxExit> => {
    // An engine that goes away in the middle takes its containers with it.
    const code = await container.wait().then(
      ({ StatusCode }: { StatusCode: number }) => StatusCode,
      () => 137,
    );
    clearTimeout(timer);
    await drained;
    // Why we ended it, we know.
    const state =
      cause === undefined
        ? await container.inspect().then(
            ({ State }) => State,
            () => undefined,
          )
        : undefined;
    open = false;
    await remove();
    await dispose();
    output.end();
    const stderrText = output.errorText;
    const byItself = state?.OOMKilled === true ? 'memory' : causeOf(code, null, stderrText);
    return { cause: cause ?? byItself, code, signal: null, stderr: stderrText, wallMs: performance.now() - started };
  })();
  return {
    send: (line) => {
      if (open && stream.writable) stream.write(`${line}\n`);
    },
    receive: () => output.receive(),
    exited,
    kill: () => end('killed'),
    cpuMs: async () => {
      const stats = await container.stats({ stream: false, 'one-shot': true }).catch(() => undefined);
      return open ? cpuMsOf(stats) : undefined;
    },
    // Read from the group itself: the engine's answer would take milliseconds, and mean some moment of them.
    accountMs: () => (open ? accountMs?.() : undefined),
    accountsForEnded: true,
    processor: () => (open && pid > 0 ? processorOf(pid) : undefined),
    // Podman 4 has no way to change a container.
    confine: async (processor) =>
      open &&
      (await container.update({ CpusetCpus: String(processor) }).then(
        () => true,
        () => false,
      )),
  };
}

/** 0 where the engine does not tell. */
function pidOf(container: Docker.Container): Promise<number> {
  return container.inspect().then(
    ({ State }) => State.Pid,
    () => 0,
  );
}

/** With an empty body: the usual one is a copy of the options, which Podman would take for the first of the input. */
function attach(container: Docker.Container): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const request = {
      path: `/containers/${container.id}/attach?`,
      method: 'POST',
      options: { stream: true, stdin: true, stdout: true, stderr: true },
      file: Buffer.alloc(0),
      isStream: true,
      hijack: true,
      statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
    };
    container.modem.dial(request, (failure: Error | null, stream: Duplex) => {
      if (failure === null) resolve(stream);
      else reject(failure);
    });
  });
}
