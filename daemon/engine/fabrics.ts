/** The fabrics of an engine: one for each queue that its runs began with, opened with the first task. */
import type { Config } from '../../shared/config.ts';
import { LocalFabric } from '../fabric/local-fabric.ts';
import type { TaskQueue } from '../fabric/queue.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import { TaskClient } from './task-client.ts';

export interface FabricOptions {
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  readonly workspace: string;
}

export class Fabrics {
  private readonly options: FabricOptions;
  private current: Promise<LocalFabric> | undefined;
  /** All that are open: a run keeps the queue that it began with. */
  private readonly open = new Set<LocalFabric>();

  constructor(options: FabricOptions) {
    this.options = options;
  }

  async taskClient(task_queue: Config['task_queue'], options?: { offline: boolean }): Promise<TaskClient> {
    const { config, registry, log, workspace } = this.options;
    this.current ??= LocalFabric.open({ config: { ...config, task_queue }, registry, log, workspace });
    const opening = this.current;
    // A queue that was away may be back when it is needed again.
    opening.catch(() => {
      if (this.current === opening) this.current = undefined;
    });
    const fabric = await opening;
    this.open.add(fabric);
    return new TaskClient(fabric, options);
  }

  /** What is wrong with one of them, for a user. */
  get trouble(): string | undefined {
    return [...this.open].find(({ trouble }) => trouble !== undefined)?.trouble;
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
