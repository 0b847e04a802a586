/**
 * Launches workers as containers, which claim by themselves. The engine is Docker or anything with its API, such as
 * Podman; `DOCKER_HOST` says where it is.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Docker from 'dockerode';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { CapTag } from '../../../shared/task.ts';
import { isAlive } from '../../alive.ts';
import { assetPath } from '../../assets.ts';
import { createContainer } from '../../executors/docker/create-container.ts';
import { isPodman } from '../../executors/docker/podman.ts';
import { withoutSecrets } from '../../telemetry/secrets.ts';
import { containerOptions, labels, workerImage } from './docker-spec.ts';
import type { LaunchedWorker, Launcher } from './launcher.ts';

export interface DockerLauncherOptions {
  readonly config: Config;
  readonly workspace: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly docker?: Docker;
}

type Exit = { code: number | null; log: string };

/** Docker takes the content of the profile, Podman the name of its file. */
const profile = assetPath('deploy/seccomp.json');
const LOG_LINES = 200;
/** Ended by SIGKILL, or by SIGTERM before it could handle it, as the engine reports it. */
const KILLED = [137, 143];

export class DockerLauncher implements Launcher {
  readonly name = 'docker';
  private readonly options: DockerLauncherOptions;
  private readonly docker: Docker;
  private readonly live = new Set<LaunchedWorker>();
  /** What reaps processes that lost their parent; false once the engine has reported that it has none. */
  private hasInit = true;
  private podman: boolean | undefined;

  constructor(options: DockerLauncherOptions) {
    this.options = options;
    this.docker = options.docker ?? new Docker();
  }

  async launch(caps: readonly CapTag[]): Promise<LaunchedWorker> {
    const { config, workspace, env = process.env } = this.options;
    const id = `d-${process.pid}-${randomBytes(6).toString('hex')}`;
    let container: Docker.Container;
    try {
      this.podman ??= await isPodman(this.docker);
      const seccomp = this.podman ? profile : await readFile(profile, 'utf8');
      container = await this.create(containerOptions({ id, caps, config, workspace, env, seccomp }));
    } catch (caught) {
      throw engineError(caught);
    }
    try {
      await container.start();
    } catch (caught) {
      await container.remove({ force: true }).catch(() => undefined);
      throw engineError(caught);
    }
    const worker = this.follow(id, container);
    this.live.add(worker);
    void worker.exited.then(() => this.live.delete(worker));
    return worker;
  }

  /**
   * Podman has its init in a package of its own: a worker does without, since it handles signals and lives for one task. What
   * it masks in /proc, of which the sandbox inside makes one of its own, it unmasks by another name than Docker.
   */
  private async create(request: Docker.ContainerCreateOptions): Promise<Docker.Container> {
    const SecurityOpt = [...(request.HostConfig?.SecurityOpt ?? []), ...(this.podman === true ? ['unmask=ALL'] : [])];
    try {
      const HostConfig = { ...request.HostConfig, SecurityOpt, Init: this.hasInit };
      return await createContainer(this.docker, { ...request, HostConfig });
    } catch (caught) {
      if (!this.hasInit || !/init binary/i.test(PeagenError.from(caught).message)) throw caught;
      this.hasInit = false;
      return await this.create(request);
    }
  }

  /** Containers of this workspace whose spawner does not run any more. Those that have ended are removed. */
  async leftovers(): Promise<LaunchedWorker[]> {
    const filters = { label: [`${labels.workspace}=${this.options.workspace}`] };
    const found = await this.docker.listContainers({ all: true, filters }).catch((caught) => {
      throw engineError(caught);
    });
    const orphans = found.filter(({ Labels }) => !isAlive(Number(Labels[labels.spawner])));
    const workers: LaunchedWorker[] = [];
    for (const { Id, State, Labels } of orphans) {
      const container = this.docker.getContainer(Id);
      if (State === 'running') workers.push(this.follow(Labels[labels.worker] ?? Id, container));
      else await container.remove({ force: true }).catch(() => undefined);
    }
    return workers;
  }

  async close(): Promise<void> {
    for (const worker of this.live) worker.kill();
    await Promise.all([...this.live].map(({ exited }) => exited));
  }

  private follow(id: string, container: Docker.Container): LaunchedWorker {
    // A container that has ended already takes no signal.
    const signal = (name: string) => void container.kill({ signal: name }).catch(() => undefined);
    return { id, exited: this.ended(container), drain: () => signal('SIGTERM'), kill: () => signal('SIGKILL') };
  }

  private async ended(container: Docker.Container): Promise<Exit> {
    try {
      const { StatusCode } = (await container.wait()) as { StatusCode: number };
      const log = await container.logs({ stdout: false, stderr: true, tail: LOG_LINES });
      return { code: KILLED.includes(StatusCode) ? null : StatusCode, log: withoutSecrets(textOf(log)) };
    } catch (caught) {
      return { code: null, log: `The engine lost the container: ${PeagenError.from(caught).message}` };
    } finally {
      await container.remove({ force: true }).catch(() => undefined);
    }
  }
}

/** Undoes the engine's framing: per piece a stream number, three zeros, a length (big-endian), the bytes. */
function textOf(framed: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= framed.length; ) {
    const length = framed.readUInt32BE(at + 4);
    pieces.push(framed.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(pieces).toString('utf8');
}

function engineError(caught: unknown): PeagenError {
  const { message } = PeagenError.from(caught);
  const status = typeof caught === 'object' && caught !== null && 'statusCode' in caught ? caught.statusCode : undefined;
  if (status === 404 && /no such image/i.test(message)) {
    return new PeagenError('unavailable', `The image ${workerImage} is not there.`, {
      hint: 'Build it with "peagen worker image build".',
      cause: caught,
    });
  }
  if (status !== undefined)
    return new PeagenError('unavailable', `The Docker engine refused: ${message.trim()}.`, { cause: caught });
  return new PeagenError('unavailable', `The Docker engine does not answer (${message}).`, {
    hint: 'Start it, or set worker.defaults.isolation = "sandbox".',
    cause: caught,
  });
}
