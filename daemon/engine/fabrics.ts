/** The fabrics of an engine: one for each queue that its runs began with, opened with the first task. */
import { join } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { LocalFabric } from '../fabric/local-fabric.ts';
import type { TaskQueue } from '../fabric/queue.ts';
import { queueKey } from '../fabric/redis/signature.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import { TaskClient, type TaskClientFabric } from './task-client.ts';

const WHY_HERE =
  'Anybody may have made up what comes from a queue without a key, so that this machine judges the original and the winner itself: set PEAGEN_QUEUE_KEY (see "peagen queue key") to have the hosts of the queue do it.';

/** Whether the results of a queue come from whom its key was given to. */
const isBelieved = ({ provider }: Config['task_queue']): boolean =>
  provider === 'stub' || (provider === 'redis' && queueKey(process.env) !== undefined);

interface FabricOptions {
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  readonly workspace: string;
}

export class Fabrics {
  private readonly options: FabricOptions;
  private current: Promise<LocalFabric> | undefined;
  /** Belongs to this machine alone; opened next to a queue that is not believed. */
  private own: Promise<LocalFabric> | undefined;
  /** All that are open: a run keeps the queue that it began with. */
  private readonly open = new Set<LocalFabric>();

  constructor(options: FabricOptions) {
    this.options = options;
  }

  async taskClient(task_queue: Config['task_queue'], options?: { offline: boolean }): Promise<TaskClient> {
    const { config } = this.options;
    this.current ??= this.fabric({ ...config, task_queue });
    const opening = this.current;
    // A queue that was away may be back when it is needed again.
    opening.catch(() => {
      if (this.current === opening) this.current = undefined;
    });
    const fabric = await opening;
    this.open.add(fabric);
    return new TaskClient(fabric, { ...options, ...(isBelieved(task_queue) ? {} : { own: await this.ownFabric() }) });
  }

  private fabric(config: Config, foreign?: boolean): Promise<LocalFabric> {
    const { registry, log, workspace } = this.options;
    return LocalFabric.open({ config, registry, log, workspace, ...(foreign === undefined ? {} : { foreign }) });
  }

  /** Its results are kept apart from those of a shared queue, whose members choose the ids of what they send. */
  private async ownFabric(): Promise<TaskClientFabric> {
    const { config } = this.options;
    const worker = { ...config.worker, defaults: { ...config.worker.defaults, isolation: 'sandbox' as const } };
    const own: Config = {
      ...config,
      worker,
      task_queue: { ...config.task_queue, provider: 'stub' },
      result_backend: { ...config.result_backend, provider: 'fs', root: join(config.result_backend.root, 'own') },
    };
    this.own ??= this.fabric(own, true);
    const opening = this.own;
    opening.catch(() => {
      this.own = undefined;
    });
    const fabric = await opening;
    this.open.add(fabric);
    return {
      queue: fabric.queue,
      collector: fabric.collector,
      wake: () => fabric.wake(),
      problem: () => {
        const problem = fabric.problem();
        return problem && `${problem} ${WHY_HERE}`;
      },
    };
  }

  /** Describes to a user what is wrong with one of them. */
  trouble(isWorking: boolean): string | undefined {
    return [...this.open].map((fabric) => fabric.trouble(isWorking)).find((trouble) => trouble !== undefined);
  }

  /** The queues that live in this process. */
  get ownQueues(): TaskQueue[] {
    return [...this.open].flatMap(({ isOwn, queue }) => (isOwn ? [queue] : []));
  }

  /** New work uses another queue. `idle` resolves when all that began on the present one has ended. */
  useQueue({ provider }: Config['task_queue'], idle: () => Promise<void>): void {
    const { log } = this.options;
    const old = this.current;
    this.current = undefined;
    if (old === undefined) return;
    log.info(`New runs use the queue "${provider}"; those in progress keep the queue that they began with.`);
    this.retire(old, idle).catch((caught: unknown) => log.warn({ err: caught }, 'the queue of earlier runs could not be closed'));
  }

  private async retire(opening: Promise<LocalFabric>, idle: () => Promise<void>): Promise<void> {
    const fabric = await opening;
    await idle();
    if (this.open.delete(fabric)) await fabric.close();
  }

  async close(): Promise<void> {
    await this.current?.catch(() => undefined);
    await Promise.all([...this.open].map((fabric) => (this.open.delete(fabric) ? fabric.close() : undefined)));
  }
}
