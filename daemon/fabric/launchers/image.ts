/**
 * Builds the image of the worker: from the Dockerfile where its base image is here or can be fetched, else from this
 * machine's own node, python and tools, which needs no registry and takes seconds.
 */
import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { assetPath, entryPoint } from '../../assets.ts';
import { isPodman } from '../../executors/docker/podman.ts';
import { makeTemporary } from '../../executors/temporary.ts';
import { version } from '../../version.ts';
import { workerImage } from './docker-spec.ts';

const run = promisify(execFile);

const Failed = z.object({ error: z.string() });

export interface BuiltImage {
  readonly image: string;
  /** `dockerfile`, or `local`: made of this machine's programs. */
  readonly from: 'dockerfile' | 'local';
}

export interface ImageOptions {
  readonly docker: Docker;
  /** The bundled daemon; default: that of this build. */
  readonly bundle?: string;
  /** Puts the plugin packages of the image into a folder; default: it has none. */
  readonly plugins?: (folder: string) => Promise<void>;
  /** Is called with the reason why the local way was taken. */
  readonly say: (line: string) => void;
}

export async function buildWorkerImage({
  docker,
  say,
  bundle = builtBundle(),
  plugins = emptyFolder,
}: ImageOptions): Promise<BuiltImage> {
  const stage = await makeTemporary('image');
  try {
    await plugins(join(stage, 'plugins'));
    try {
      await fromDockerfile(docker, join(stage, 'context'), bundle);
      return { image: workerImage, from: 'dockerfile' };
    } catch (caught) {
      if (isUnreachable(caught)) throw noEngine(caught);
      say(
        `the Dockerfile could not be built here (${PeagenError.from(caught).message.trim().slice(0, 200)}); using this machine's programs`,
      );
    }
    await fromThisMachine(docker, join(stage, 'root'), bundle);
    return { image: workerImage, from: 'local' };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The engine itself, not a registry behind it. */
function isUnreachable(caught: unknown): boolean {
  return (
    typeof caught === 'object' &&
    caught !== null &&
    'code' in caught &&
    ['ENOENT', 'ECONNREFUSED', 'EACCES'].includes(String(caught.code))
  );
}

function noEngine(caught: unknown): PeagenError {
  return new PeagenError('unavailable', `The Docker engine does not answer (${PeagenError.from(caught).message}).`, {
    hint: 'Start it, or set DOCKER_HOST to where it is.',
    cause: caught,
  });
}

async function fromDockerfile(docker: Docker, context: string, bundle: string): Promise<void> {
  await docker.ping();
  await addWorker(context, bundle);
  await cp(join(context, '..', 'plugins'), join(context, 'plugins'), { recursive: true });
  await cp(assetPath('deploy/Dockerfile'), join(context, 'Dockerfile'));
  await finished(docker, await docker.buildImage(tarOf(context), { t: workerImage }));
}

/** Programs with the libraries that they load, at their own places, under a new root. */
async function fromThisMachine(docker: Docker, root: string, bundle: string): Promise<void> {
  if (process.platform !== 'linux') {
    throw new PeagenError('unsupported', "The image can be made of this machine's programs on Linux only.", {
      hint: 'Let the engine reach a registry, so that the Dockerfile can be built.',
    });
  }
  const tools = await Promise.all(['sh', 'env', 'true', 'bwrap', 'setpriv', 'prlimit'].map(findProgram));
  const { stdout } = await run('/usr/bin/python3', [
    '-I',
    '-c',
    'import sys,sysconfig;print(sys.executable);print(sysconfig.get_path("stdlib"))',
  ]);
  const [python = '', stdlib = ''] = stdout.trim().split('\n');
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  for (const folder of ['lib', 'lib64', 'bin']) await run('ln', ['-s', `usr/${folder}`, join(root, folder)]);
  for (const folder of ['usr/lib', 'usr/lib64', 'tmp', 'proc', 'dev', 'run', 'etc'])
    await mkdir(join(root, folder), { recursive: true });
  // Older engines give a tmpfs the mode of the folder that it covers.
  await chmod(join(root, 'tmp'), 0o1777);
  await cp(process.execPath, join(root, 'usr/bin/node'));
  for (const tool of tools) await cp(await realpath(tool), join(root, 'usr/bin', tool.split('/').pop() ?? ''));
  await cp(await realpath(python), join(root, 'usr/bin/python3'));
  await cp(stdlib, join(root, stdlib), {
    recursive: true,
    dereference: true,
    filter: (path) => !/(__pycache__|\/(test|idlelib|ensurepip|tkinter|dist-packages|config-.*))$/.test(path),
  });
  const { stdout: modules } = await run('find', [join(stdlib, 'lib-dynload'), '-name', '*.so']);
  const programs = [process.execPath, ...tools, python, ...modules.trim().split('\n')];
  for (const library of await librariesOf(programs)) await addLibrary(library, root);
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nworker:x:10001:10001::/tmp:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nworker:x:10001:\n');
  await addWorker(join(root, 'opt/peagen/dist'), bundle);
  await cp(join(root, '..', 'plugins'), join(root, 'opt/peagen/plugins'), { recursive: true });
  const changes = [
    'USER 10001:10001',
    'WORKDIR /tmp',
    'ENV PATH=/usr/bin:/bin NODE_COMPILE_CACHE=/tmp/.compiled PEAGEN_PLUGINS=/opt/peagen/plugins',
    'ENTRYPOINT ["node", "/opt/peagen/dist/daemon/worker.js"]',
    // Podman refuses this instruction when it imports an image.
    ...((await isPodman(docker)) ? [] : [healthCheck(await readFile(assetPath('deploy/Dockerfile'), 'utf8'))]),
  ];
  await finished(docker, await docker.importImage(tarOf(root), { repo: workerImage, changes }));
}

function healthCheck(dockerfile: string): string {
  const [line] = /^HEALTHCHECK .*$/m.exec(dockerfile) ?? [];
  if (line === undefined) throw new PeagenError('internal', 'The Dockerfile has no HEALTHCHECK.');
  return line;
}

async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
}

/** From a checkout, what "npm run build" made. */
function builtBundle(): string {
  const worker = entryPoint('worker');
  return worker.endsWith('.ts') ? join(assetPath('.'), '..', 'dist', 'daemon') : dirname(worker);
}

async function addWorker(folder: string, bundle: string): Promise<void> {
  try {
    await realpath(join(bundle, 'worker.js'));
  } catch {
    throw new PeagenError('not_found', `There is no bundled worker in ${bundle}.`, { hint: 'Run "npm run build" first.' });
  }
  await cp(bundle, join(folder, 'daemon'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'peagen', version, type: 'module' }));
}

async function findProgram(name: string): Promise<string> {
  for (const folder of ['/usr/bin', '/bin', '/usr/sbin']) {
    const found = await realpath(join(folder, name)).then(
      () => join(folder, name),
      () => undefined,
    );
    if (found !== undefined) return found;
  }
  throw new PeagenError('missing_program', `The program ${name} is not installed.`, {
    hint: 'Install bubblewrap and util-linux, or let the engine reach a registry.',
  });
}

/** Absolute paths, as the loader finds them. */
async function librariesOf(programs: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const program of programs) {
    const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' }));
    for (const [, path] of stdout.matchAll(/(\/[^\s]+\.so[^\s]*)/g)) if (path !== undefined) found.add(path);
  }
  return found;
}

/** /lib and /lib64 are links into /usr in the image. */
async function addLibrary(path: string, root: string): Promise<void> {
  const place = join(root, path.startsWith('/usr/') ? path : `/usr${path}`);
  await mkdir(dirname(place), { recursive: true });
  await cp(await realpath(path), place);
}

function tarOf(folder: string): NodeJS.ReadableStream {
  const tar = spawn('tar', ['--create', '--owner=0', '--group=0', '--mode=a+rX', '--directory', folder, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return tar.stdout;
}

/** What the first of these lines says that reports a failure. */
export function buildFailure(lines: unknown): string | undefined {
  return (Array.isArray(lines) ? lines : []).flatMap((line) => Failed.safeParse(line).data?.error ?? [])[0];
}

/** The engine reports a failed build inside a stream that succeeds. */
function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, lines: unknown[]) => {
      const failed = buildFailure(lines);
      if (error !== null) reject(error);
      else if (failed !== undefined) reject(new PeagenError('unavailable', failed));
      else resolve();
    });
  });
}
