/** One queue with the workers of this machine on it: the queue of the configuration, its spawner, and its gauges. */
import type { Config } from '../../shared/config.ts';
import type { Registry } from '../plugins/registry.ts';
import type { Log } from '../telemetry/log.ts';
import { Broker } from './broker.ts';
import { detectCaps } from './caps.ts';
import { announcePool } from './presence.ts';
import type { TaskQueue } from './queue.ts';
import { sampleDepth } from './sampler.ts';
import { Spawner } from './spawner.ts';
import { workerClasses } from './worker-classes.ts';

const DRAIN_MS = 2000;
const ANSWER_MS = 10_000;

export interface WorkingQueueOptions {
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
}

interface Parts {
  readonly queue: TaskQueue;
  readonly spawner: Spawner;
  readonly config: Config;
  readonly broker: Broker;
}

export class WorkingQueue {
  readonly config: Config;
  readonly queue: TaskQueue;
  /** Call `wake` after each enqueue. */
  readonly spawner: Spawner;
  private readonly broker: Broker;
  private readonly stopSampling: () => void;
  private readonly withdraw: () => Promise<void>;

  static async open({ config, registry, log, workspace }: WorkingQueueOptions): Promise<WorkingQueue> {
    const launcher = (await registry.load('launcher', config.worker.defaults.launcher))(config, workspace);
    const classes = workerClasses(await detectCaps({ config, env: process.env }), config);
    const queue = await (await registry.load('queue', config.task_queue.provider))(config, workspace);
    const broker = new Broker({ queue, config, log });
    const spawner = new Spawner({ queue, launcher, broker, classes, config, log });
    return new WorkingQueue({ queue, spawner, config, broker }, log, announcePool(queue, classes, log));
  }

  private constructor({ queue, spawner, config, broker }: Parts, log: Log, withdraw: () => Promise<void>) {
    this.config = config;
    this.queue = queue;
    this.spawner = spawner;
    this.broker = broker;
    spawner.start();
    this.stopSampling = sampleDepth(queue, log);
    this.withdraw = withdraw;
  }

  /** What keeps work waiting at the moment, and what to do about it: the queue is away, or a language model is. */
  get trouble(): string | undefined {
    return this.queue.trouble ?? this.broker.trouble;
  }

  /**
   * Ends the workers: each finishes the task in hand for so long, then its task goes back into the queue. Of a queue that
   * does not answer even then nothing more is expected; it is closed.
   */
  async dismiss(drainMs = DRAIN_MS): Promise<void> {
    this.stopSampling();
    const silent = setTimeout(() => void this.queue.close(), drainMs + ANSWER_MS);
    await Promise.all([this.withdraw(), this.spawner.close({ drainMs })]);
    clearTimeout(silent);
  }
}
