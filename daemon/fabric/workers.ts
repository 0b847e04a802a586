/**
 * What runs the tasks of a queue on this machine: a host in this process, or one-shot workers in processes or containers
 * of their own. `[worker.defaults] isolation` chooses.
 */
import type { Config } from '../../shared/config.ts';
import { openSandboxes } from '../executors/open.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import type { TaskQueue } from './queue.ts';
import type { WorkerClass } from './spawner/worker-classes.ts';

export interface WorkersOptions {
  readonly queue: TaskQueue;
  readonly classes: readonly WorkerClass[];
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
  /**
   * How often a spawner looks for tasks that other machines enqueued, where the queue has no `arrival`; undefined: only when
   * woken. Milliseconds. A host need not look.
   */
  readonly pollMs?: number;
}

export interface WorkerStats {
  /** What is alive to run tasks, and what of it waits for one. */
  readonly live: number;
  readonly idle: number;
  readonly byCaps: Readonly<Record<string, { live: number; idle: number; busy: number }>>;
  /** Processes or containers of ours that were started. */
  readonly launched: number;
  /** How tasks, or the workers that had one, ended. */
  readonly exits: Readonly<Record<string, number>>;
  /** For how long there has been nothing to do here, in milliseconds. */
  readonly quietMs: number;
  /** Why waiting tasks are not run at the moment, for a user. */
  readonly problem?: string;
}

export interface Workers {
  start(): void;
  /** Tasks were enqueued. Cheap; calls are merged. */
  wake(): void;
  stats(): WorkerStats;
  /** Which language model fails, and why; undefined while all answer. */
  readonly trouble: string | undefined;
  /** The tasks in hand have this time to end, then they are given back. Resolves in bounded time, whatever the queue does. */
  close(options?: { drainMs?: number }): Promise<void>;
}

export async function openWorkers(options: WorkersOptions): Promise<Workers> {
  const { config, registry, workspace, queue, log } = options;
  const { isolation } = config.worker.defaults;
  if (isolation === 'sandbox') {
    const { Host } = await import('./host/host.ts');
    return new Host(options);
  }
  const [{ Broker }, { WarmSpawner }] = await Promise.all([import('./broker.ts'), import('./spawner/warm-spawner.ts')]);
  const launcher = (await registry.load('launcher', isolation === 'container' ? 'docker' : 'process'))(config, workspace);
  const broker = new Broker({ queue, config, log });
  return new WarmSpawner({ ...options, launcher, broker });
}

/** Throws `unavailable` where tasks of a shared queue would run without a sandbox. Workers in containers have one there. */
export async function requireSandbox(config: Config, registry: Registry): Promise<void> {
  if (config.worker.defaults.isolation !== 'container') await openSandboxes(config, registry, 'queue');
}
