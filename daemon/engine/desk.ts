/** The engine's side of the fabric: hands a task in and waits for its result, whatever happens to queue or worker meanwhile. */

import { type ErrorData, errorTable, PeagenError } from '../../shared/errors.ts';
import type { Result, Task } from '../../shared/task.ts';
import type { Collector } from '../fabric/collector.ts';
import type { TaskQueue } from '../fabric/queue.ts';

/** A task that the queue lost (a power cut, a trimmed stream) is handed in again after so long; a known id is a no-op. */
const RECONCILE_MS = 60_000;

export class Desk {
  private readonly queue: TaskQueue;
  private readonly collector: Collector;
  private readonly wake: () => void;

  constructor(queue: TaskQueue, collector: Collector, wake: () => void) {
    this.queue = queue;
    this.collector = collector;
    this.wake = wake;
  }

  /** The data of the task's result. Throws the handler's error, or `cancelled`. */
  async run(task: Task, signal: AbortSignal): Promise<unknown> {
    const stored = await this.collector.find(task.id);
    if (stored !== undefined) return dataOf(stored);
    for (;;) {
      await this.enqueue(task);
      const result = await this.collector.wait(task.id, { timeoutMs: RECONCILE_MS, signal });
      if (result !== undefined) return dataOf(result);
    }
  }

  async cancel(ids: Task['id'][], reason: string): Promise<void> {
    if (ids.length > 0) await this.queue.cancel(ids, reason);
  }

  private async enqueue(task: Task): Promise<void> {
    await this.queue.enqueue([task]);
    this.wake();
  }
}

function dataOf(result: Result): unknown {
  if (result.status === 'ok') return result.data;
  if (result.status === 'skip') throw new PeagenError('cancelled', `Task ${result.task_id} was cancelled.`);
  throw isErrorData(result.data)
    ? PeagenError.fromJSON(result.data)
    : new PeagenError('internal', `Task ${result.task_id} failed: ${JSON.stringify(result.data)}`);
}

function isErrorData(data: unknown): data is ErrorData {
  return typeof data === 'object' && data !== null && 'code' in data && typeof data.code === 'string' && data.code in errorTable;
}
