/** The whole fabric of one process: the queue of its configuration, what runs tasks here, the result store and its collector. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import { detectCaps } from './caps.ts';
import { Collector } from './collector.ts';
import { announcePool } from './presence.ts';
import type { TaskQueue } from './queue.ts';
import type { ResultBackend } from './results.ts';
import { sampleDepth } from './sampler.ts';
import { workerClasses } from './spawner/worker-classes.ts';
import { openWorkers, requireSandbox, type Workers } from './workers.ts';

/** Why no code of a shared queue may run here; undefined where it may. */
async function lacksSandbox(config: Config, registry: Registry): Promise<string | undefined> {
  return await requireSandbox(config, registry).then(
    () => undefined,
    (caught: unknown) => PeagenError.from(caught).line,
  );
}

/** At the end, a queue that does not answer is closed after this time. */
const ANSWER_MS = 10_000;

interface LocalFabricOptions {
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
  /** Its tasks hold programs of others, though its queue may be this process's own. */
  readonly foreign?: boolean;
}

interface Parts {
  readonly config: Config;
  readonly queue: TaskQueue;
  readonly workers: Workers;
  readonly results: ResultBackend;
  /** Takes back the announcement of these workers. */
  readonly withdraw: () => Promise<void>;
}

export class LocalFabric {
  readonly collector: Collector;
  readonly queue: TaskQueue;
  readonly results: ResultBackend;
  private readonly parts: Parts;
  private readonly stopSampling: () => void;

  static async open({ config, registry, log, workspace, foreign }: LocalFabricOptions): Promise<LocalFabric> {
    const results = await (await registry.load('results', config.result_backend.provider))(config, workspace);
    const caps = await detectCaps({ config, env: process.env });
    // Tasks of others may run code: without a sandbox this machine claims none, except those that only ask a model.
    const shared = foreign ?? config.task_queue.provider !== 'stub';
    const barred = shared ? await lacksSandbox(config, registry) : undefined;
    if (barred !== undefined) log.warn(`This machine runs no code of the shared queue. ${barred}`);
    const classes = workerClasses(barred === undefined ? caps : caps.filter((tag) => tag === 'llm'), config);
    const queue = await (await registry.load('queue', config.task_queue.provider))(config, workspace);
    const workers = await openWorkers({ queue, classes, config, registry, log, workspace });
    workers.start();
    return new LocalFabric(
      { config, queue, workers, results, withdraw: announcePool(queue, classes, log, config.task_queue) },
      log,
    );
  }

  private constructor(parts: Parts, log: Log) {
    this.parts = parts;
    this.queue = parts.queue;
    this.results = parts.results;
    this.collector = new Collector(parts.queue, parts.results, log);
    this.stopSampling = sampleDepth(parts.queue, log);
  }

  /** The queue lives in this process: no other process can look into it. */
  get isOwn(): boolean {
    return this.parts.config.task_queue.provider === 'stub';
  }

  /** No other process uses the queue or the result store. */
  get isPrivate(): boolean {
    return this.isOwn && this.parts.config.result_backend.provider === 'fs';
  }

  /** Call after each enqueue. */
  wake(): void {
    this.parts.workers.wake();
  }

  /** Why waiting tasks cannot run; undefined when they can, or when workers elsewhere may take them. */
  problem(): string | undefined {
    return this.isOwn ? this.parts.workers.stats().problem : undefined;
  }

  /** Why the queue, the result store or, where work needs it, a language model cannot be reached at the moment. */
  trouble(isWorking: boolean): string | undefined {
    return this.queue.trouble ?? this.collector.trouble ?? (isWorking ? this.parts.workers.trouble : undefined);
  }

  /** Tasks in hand have a moment to end, then they go back to the queue. */
  async close(): Promise<void> {
    const { queue, workers, results, withdraw } = this.parts;
    this.stopSampling();
    const silent = setTimeout(() => void queue.close(), ANSWER_MS);
    await Promise.all([workers.close(), withdraw()]);
    clearTimeout(silent);
    await this.collector.close();
    await queue.close();
    await results.close();
  }
}
