/**
 * The Docker tier: one container per sandbox, through any engine with Docker's API (`DOCKER_HOST`; Podman's socket works).
 * No network, read-only root, private /tmp in memory, no capabilities, an unprivileged user. The image is empty: the
 * machine's own /usr and interpreter are shown read-only, so the engine must run on this machine.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import Docker from 'dockerode';
import { PeagenError } from '../../shared/errors.ts';
import { dockerProfile } from './docker-profile.ts';
import { findInterpreter } from './interpreters.ts';
import { Output } from './output.ts';
import { prlimitCommand } from './prlimit.ts';
import { causeOf } from './process.ts';
import { SANDBOX_UID } from './reach.ts';
import type { Mount, Sandbox, SandboxExit, SandboxSpec, SandboxTier } from './sandbox.ts';

/** Files of the spec, shown here and copied to /tmp before the start. */
const FILES_AT = '/files';
const image = 'peagen-empty:1';
const label = 'peagen.sandbox';

/** `gpus`: sandboxes get all GPUs of the machine, through the engine's NVIDIA runtime. */
export function createDockerTier(docker: Docker = new Docker(), { gpus = false } = {}): SandboxTier {
  let ready: Promise<void> | undefined;
  return {
    name: gpus ? 'docker-gpu' : 'docker',
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
      ready ??= ensureImage(docker);
      ready.catch(() => {
        ready = undefined;
      });
      await ready;
      return await open(docker, spec, gpus);
    },
  };
}

/** An image without a file takes a tenth of a second to make and no registry. */
async function ensureImage(docker: Docker): Promise<void> {
  try {
    await docker.getImage(image).inspect();
    return;
  } catch {
    // Not there yet.
  }
  const [repo = '', tag = ''] = image.split(':');
  try {
    // An empty tar archive is two blocks of zeros.
    const stream = await docker.importImage(Readable.from([Buffer.alloc(1024)]), { repo, tag });
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

async function open(docker: Docker, spec: SandboxSpec, gpus: boolean): Promise<Sandbox> {
  const started = performance.now();
  const interpreter = spec.runtime === 'command' ? undefined : await findInterpreter(spec.runtime);
  const folder = await mkdtemp(join(tmpdir(), 'peagen-box-'));
  try {
    for (const { path, text } of spec.files ?? []) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await chmod(folder, 0o755);
    const mounts: Mount[] = [
      ...['/usr', '/lib', '/lib64', '/bin'].map((at) => ({ from: at, at })),
      ...(interpreter?.prefixes ?? []).map((prefix) => ({ from: prefix, at: prefix })),
      { from: folder, at: FILES_AT },
      ...(spec.mounts ?? []),
    ];
    const command = [
      ...prlimitCommand(spec.limits, spec.runtime, false, !gpus),
      ...(interpreter === undefined ? [] : [interpreter.path]),
      ...spec.argv,
    ];
    const container = await docker.createContainer({
      Image: image,
      // The shell stays as process 1, which ignores signals that would end an ordinary process.
      Cmd: [
        '/bin/sh',
        '-c',
        `cp -r ${FILES_AT}/. /tmp/ && cd ${spec.cwd ?? '/tmp'} && unset OLDPWD && "$@"\nexit $?`,
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
      Hostname: 'sandbox',
      User: `${SANDBOX_UID}:${SANDBOX_UID}`,
      Labels: { [label]: String(process.pid) },
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${spec.limits.fileBytes * 2}` },
        ShmSize: 1024 ** 2,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', `seccomp=${dockerProfile}`],
        PidsLimit: spec.limits.processes,
        Memory: spec.limits.memoryBytes,
        MemorySwap: spec.limits.memoryBytes,
        IpcMode: 'private',
        LogConfig: { Type: 'none', Config: {} },
        ...(gpus ? { DeviceRequests: [{ Driver: '', Count: -1, Capabilities: [['gpu']] }] } : {}),
        Binds: mounts.map(({ from, at, writable }) => `${from}:${at}:${writable === true ? 'rw' : 'ro'}`),
      },
    });
    return await follow(container, spec, started, () => rm(folder, { recursive: true, force: true }));
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    if (cause instanceof PeagenError) throw cause;
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
  const end = (why: SandboxExit['cause']): void => {
    if (!open) return;
    cause ??= why;
    // It may have ended by itself in the meantime.
    container.kill().catch(() => undefined);
  };
  const output = new Output(spec.limits.outputBytes, () => end('output'));
  const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, stdout, stderr);
  stdout.on('data', (chunk: Buffer) => output.stdout(chunk));
  stderr.on('data', (chunk: Buffer) => output.stderr(chunk));
  // A sandbox that has ended takes no more input.
  stream.on('error', () => undefined);
  const drained = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve));
  // Asked before the start: a short program may have ended by the time anybody asks again.
  const finished = container.wait({ condition: 'next-exit' }) as Promise<{ StatusCode: number }>;
  finished.catch(() => undefined);
  try {
    await container.start();
  } catch (caught) {
    await container.remove({ force: true }).catch(() => undefined);
    throw caught;
  }
  const timer = setTimeout(() => end('timeout'), spec.limits.wallMs - (performance.now() - started));
  const exited = (async (): Promise<SandboxExit> => {
    // An engine that goes away in the middle takes its containers with it.
    const code = await finished.then(
      ({ StatusCode }) => StatusCode,
      () => 137,
    );
    clearTimeout(timer);
    await drained;
    const state = await container.inspect().then(
      ({ State }) => State,
      () => undefined,
    );
    open = false;
    await container.remove({ force: true, v: true }).catch(() => undefined);
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
  };
}
