/** What a worker's container is created with. Pure: the request to the engine can be looked at without one. */
import type { ContainerCreateOptions } from 'dockerode';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { CapTag } from '../../../shared/task.ts';
import { version } from '../../version.ts';
import { keyNames } from '../caps.ts';
import { workspacePrefix } from '../redis/connection/address.ts';

export const workerImage = `peagen-worker:${version}`;

/** Labels by which containers of a workspace, and of the process that launched them, are found again. */
export const labels = { worker: 'peagen.worker', workspace: 'peagen.workspace', spawner: 'peagen.spawner' } as const;

const CA_AT = '/run/peagen/redis-ca.pem';
/** The worker itself, in addition to what one candidate may use. */
const WORKER_BYTES = 512 * 1024 ** 2;
const WORKER_PROCESSES = 256;

export interface ContainerRequest {
  readonly id: string;
  readonly caps: readonly CapTag[];
  readonly config: Config;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** A profile, or the name of a file with it: whichever the engine takes. */
  readonly seccomp: string;
}

/** Throws `invalid_config` when the containers could not reach the queue. */
export function containerOptions({ id, caps, config, workspace, env, seccomp }: ContainerRequest): ContainerCreateOptions {
  const { url } = config.task_queue;
  if (config.task_queue.provider === 'stub' || url === undefined) {
    throw new PeagenError('invalid_config', 'Workers in containers need a queue that they can reach.', {
      hint: 'Set task_queue.provider = "redis" and task_queue.url, or worker.defaults.isolation = "sandbox".',
    });
  }
  const ca = env['PEAGEN_REDIS_CA'];
  return {
    name: `peagen-${id}`,
    Image: workerImage,
    User: '10001:10001',
    Env: Object.entries(containerEnv({ id, caps, config, workspace, env })).map(([name, value]) => `${name}=${value}`),
    Labels: { [labels.worker]: id, [labels.workspace]: workspace, [labels.spawner]: String(process.pid) },
    WorkingDir: '/tmp',
    HostConfig: {
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'rw,nosuid,nodev,size=1g,mode=1777' },
      CapDrop: ['ALL'],
      // The default masks forbid the /proc of its own that the sandbox inside makes.
      SecurityOpt: ['no-new-privileges', `seccomp=${seccomp}`],
      MaskedPaths: [],
      ReadonlyPaths: [],
      Memory: WORKER_BYTES + config.evaluate.memory_mb * 1024 ** 2,
      PidsLimit: WORKER_PROCESSES,
      // Podman's own defaults may be above what it is allowed to set. Processes are counted per user: of all workers together.
      Ulimits: [
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'nproc', Soft: 16_384, Hard: 16_384 },
      ],
      // A queue on this machine's own loopback is out of reach of any other network.
      NetworkMode: isLoopback(url) ? 'host' : 'bridge',
      ...(ca === undefined ? {} : { Binds: [`${ca}:${CA_AT}:ro`] }),
      ...(caps.includes('gpu') ? { DeviceRequests: [{ Driver: '', Count: -1, Capabilities: [['gpu']] }] } : {}),
    },
  };
}

/** The password of the queue goes in by its own variable (`PEAGEN_QUEUE_PASSWORD` for a queue of a plugin), keys only to workers with the `llm` tag. */
function containerEnv({ id, caps, config, workspace, env }: Omit<ContainerRequest, 'seccomp'>): Record<string, string> {
  const { idle_timeout, max_uptime, plugins } = config.worker.defaults;
  const out: Record<string, string> = {
    QUEUE_URL: config.task_queue.url ?? '',
    WORKER_ID: id,
    WORKER_IMAGE: workerImage,
    WORKER_CAPS: caps.join(','),
    WORKER_IDLE_EXIT: `${idle_timeout}ms`,
    WORKER_MAX_UPTIME: `${max_uptime}ms`,
    ...configEnv(config, workspace),
  };
  if (plugins !== undefined) out['WORKER_PLUGINS'] = plugins.join(',');
  if (env['PEAGEN_REDIS_CA'] !== undefined) out['PEAGEN_REDIS_CA'] = CA_AT;
  const passed = [
    'PEAGEN_REDIS_PASSWORD',
    'PEAGEN_QUEUE_PASSWORD',
    'PEAGEN_QUEUE_KEY',
    ...(caps.includes('llm') ? keyNames(config) : []),
  ];
  for (const name of passed) {
    const value = env[name];
    if (value !== undefined) out[name] = value;
  }
  return out;
}

/** The tables that a worker reads, as the variables that the configuration is read from; durations with their unit. */
function configEnv({ task_queue, evaluate, mutate, llm, render, plugins }: Config, workspace: string): Record<string, string> {
  const { lease_ms, max_retry } = task_queue;
  const name = /\{(.+)\}/.exec(workspacePrefix({ task_queue } as Config, workspace))?.[1];
  const tables = {
    task_queue: { provider: task_queue.provider, lease_ms, max_retry, workspace: name },
    // The image has bubblewrap: a container must not fall back to no sandbox at all.
    evaluate: {
      ...evaluate,
      timeout: `${evaluate.timeout}ms`,
      sandbox: evaluate.sandbox === 'auto' ? 'bubblewrap' : evaluate.sandbox,
    },
    mutate,
    llm,
    render,
    plugins,
  };
  return Object.fromEntries(
    Object.entries(tables).map(([table, value]) => [`PEAGEN__${table.toUpperCase()}`, JSON.stringify(value)]),
  );
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === '' || host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
