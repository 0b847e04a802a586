/** Moves the work of this process from one queue to another, for a daemon that is switched between stub and cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TaskQueue } from './queue.ts';

const CHUNK = 500;
const POLL_MS = 20;

export interface HandOver {
  /** Tasks that the new queue has now. */
  readonly moved: number;
  /** Tasks whose outcome is still to come from the old queue. */
  readonly left: number;
}

/**
 * Moves whatever nobody has started until every outcome of this process's tasks has been collected, for up to `graceMs`.
 * Stop the workers of `from` at the same time, and keep collecting from it until this resolves. A task is never in both
 * queues, so that it is not begun twice. For a moment it is in neither: were the process killed then, whoever takes the
 * run up again would enqueue it. Rejects when `from` does not answer.
 */
export async function handOver(from: TaskQueue, to: Pick<TaskQueue, 'enqueue'>, options: { graceMs: number }): Promise<HandOver> {
  const deadline = performance.now() + options.graceMs;
  let moved = 0;
  for (;;) {
    const tasks = await from.unstarted(CHUNK);
    if (tasks.length > 0) {
      const gone = new Set(await from.forget(tasks.map((task) => task.id)));
      const mine = tasks.filter((task) => gone.has(task.id)).map((task) => ({ ...task, attempts: 0 }));
      try {
        await to.enqueue(mine);
      } catch (caught) {
        await from.enqueue(mine);
        throw caught;
      }
      moved += mine.length;
    } else {
      const left = from.outstanding;
      if (left === 0 || performance.now() >= deadline) return { moved, left };
      await delay(POLL_MS);
    }
  }
}
