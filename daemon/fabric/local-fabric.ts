/**
 * The whole fabric of one process: result store, collector, and a queue with its workers. The queue can be changed for
 * another at any moment: what is under way ends in the old one or is handed over to the new one.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Task } from '../../shared/task.ts';
import { Collector } from './collector.ts';
import { handOver } from './hand-over.ts';
import type { TaskQueue } from './queue.ts';
import type { ResultStore } from './results.ts';
import { WorkingQueue, type WorkingQueueOptions } from './working-queue.ts';

/** Workers have so long for the task in hand before it is handed over too: a question to a model is paid for. */
const DRAIN_MS = 60_000;
/** Tasks that workers elsewhere hold are waited for, within reason. */
const GRACE_MS = 15 * 60_000;

export class LocalFabric {
  readonly collector: Collector;
  readonly results: ResultStore;
  /** Whatever queue there is at the moment. */
  readonly queue: Pick<TaskQueue, 'enqueue' | 'cancel' | 'withdraw'>;
  private readonly options: WorkingQueueOptions;
  private working: WorkingQueue;
  /** The queue that takes over, and the end of the work in the old one. */
  private handing: { to: WorkingQueue; over: Promise<void> } | undefined;
  private closed = false;

  static async open(options: WorkingQueueOptions): Promise<LocalFabric> {
    const { config, registry, workspace } = options;
    const results = await (await registry.load('results', config.result_backend.provider))(config, workspace);
    return new LocalFabric(options, results, await WorkingQueue.open(options));
  }

  private constructor(options: WorkingQueueOptions, results: ResultStore, working: WorkingQueue) {
    this.options = options;
    this.results = results;
    this.working = working;
    this.collector = new Collector(working.queue, results, options.log);
    this.queue = {
      enqueue: (tasks) => this.enqueue(tasks),
      cancel: async (ids, reason) => {
        await Promise.all(this.queues.map((queue) => queue.cancel(ids, reason)));
      },
      withdraw: async (ids, reason) => {
        await Promise.all(this.queues.map((queue) => queue.withdraw(ids, reason)));
      },
    };
  }

  /** The queue that new work will end up in. */
  get taskQueue(): Config['task_queue'] {
    return (this.handing?.to ?? this.working).config.task_queue;
  }

  /** While tasks are handed over, each is in one of two. */
  private get queues(): TaskQueue[] {
    return [this.working.queue, ...(this.handing === undefined ? [] : [this.handing.to.queue])];
  }

  /** Call after each enqueue. */
  wake(): void {
    this.working.spawner.wake();
  }

  /** Why waiting tasks cannot run; undefined when they can, or when workers elsewhere may take them. */
  problem(): string | undefined {
    const { config, spawner } = this.handing?.to ?? this.working;
    return config.task_queue.provider === 'stub' ? spawner.stats().problem : undefined;
  }

  /** Why the queue, or a language model, cannot be reached at the moment; work waits for it. */
  get trouble(): string | undefined {
    return this.working.trouble ?? this.handing?.to.trouble;
  }

  /**
   * Goes over to another queue; resolves when it is open, and work moves on meanwhile. Rejects, and changes nothing, when
   * it cannot be opened, or with `conflict` while an earlier change is under way.
   */
  async switchQueue(task_queue: Config['task_queue']): Promise<void> {
    if (isDeepStrictEqual(task_queue, this.taskQueue)) return;
    if (this.handing !== undefined) {
      throw new PeagenError('conflict', 'Tasks are still being handed over from the queue before.', {
        hint: 'The change is made when that is done.',
      });
    }
    const to = await WorkingQueue.open({ ...this.options, config: { ...this.options.config, task_queue } });
    if (this.closed) return await end(to);
    const over = this.moveTo(to).finally(() => {
      this.handing = undefined;
    });
    this.handing = { to, over };
  }

  async close(): Promise<void> {
    this.closed = true;
    const { working, handing } = this;
    await Promise.all([working.dismiss(), handing?.to.dismiss()]);
    await this.collector.close();
    await Promise.all([end(working), handing && end(handing.to)]);
    await handing?.over;
    await this.results.close();
  }

  /**
   * While tasks are handed over, all of them go through the old queue, which knows what its workers hold: the same task
   * is not begun in both.
   */
  private async enqueue(tasks: readonly Task[]): Promise<void> {
    for (;;) {
      const { working } = this;
      try {
        return await working.queue.enqueue(tasks);
      } catch (caught) {
        // The old queue was given up while it had our tasks under way.
        if (['cancelled', 'unavailable'].includes(PeagenError.from(caught).code)) await this.handing?.over;
        if (working === this.working) throw caught;
      }
    }
  }

  private async moveTo(to: WorkingQueue): Promise<void> {
    const { log } = this.options;
    const from = this.working;
    const names = `${nameOf(from)} to ${nameOf(to)}`;
    this.collector.follow(to.queue);
    log.info(`Work goes over from ${names}.`);
    const target = {
      enqueue: async (tasks: readonly Task[]) => {
        await to.queue.enqueue(tasks);
        to.spawner.wake();
      },
    };
    try {
      // Says soon whether the old queue can be asked for anything.
      await from.queue.depth();
      const [moved] = await Promise.all([handOver(from.queue, target, { graceMs: GRACE_MS }), from.dismiss(DRAIN_MS)]);
      log.info({ ...moved }, `Work has gone over from ${names}.`);
    } catch (caught) {
      if (!this.closed)
        log.warn(`Not all tasks could be taken from the old queue; they are handed in anew. ${PeagenError.from(caught).line}`);
      // Whatever still waits for it has waited long enough.
      await from.queue.close();
    }
    if (this.closed) return;
    this.working = to;
    await this.collector.leave(from.queue);
    await end(from);
  }
}

/** Whoever waits for the queue is told that it is closed. */
async function end(working: WorkingQueue): Promise<void> {
  await working.dismiss();
  await working.queue.close();
}

function nameOf({ config }: WorkingQueue): string {
  const { provider, url } = config.task_queue;
  return `queue "${provider}"${url === undefined ? '' : ` (${url.replace(/\/\/[^@/]*@/, '//')})`}`;
}
