/** Moves the work of this process from one queue to another, for a daemon that is switched between stub and cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TaskQueue } from './queue.ts';

const CHUNK = 500;
const POLL_MS = 50;

export interface HandOver {
  /** Tasks that the new queue has now. */
  readonly moved: number;
  /** Tasks that are still claimed in the old queue; they end there. */
  readonly claimed: number;
  /** Dead letters that stay in the old queue. */
  readonly dead: number;
}

/**
 * Waits up to `graceMs` for claimed tasks to end or come back, moving meanwhile whatever nobody has started. Stop the
 * workers of `from` first, and keep collecting from it until this resolves. A task is in both queues for a moment and in
 * neither never: were the process killed in between, the first of two results would win.
 */
export async function handOver(from: TaskQueue, to: TaskQueue, options: { graceMs: number }): Promise<HandOver> {
  const deadline = performance.now() + options.graceMs;
  let moved = 0;
  for (;;) {
    const tasks = await from.unstarted(CHUNK);
    if (tasks.length > 0) {
      await to.enqueue(tasks.map((task) => ({ ...task, attempts: 0 })));
      await from.forget(tasks.map((task) => task.id));
      moved += tasks.length;
      continue;
    }
    const { claimed, dead, pending, delayed } = await from.depth();
    const own = claimed > 0 || (pending + delayed > 0 && (await from.unstarted(1)).length > 0);
    if (!own || performance.now() >= deadline) return { moved, claimed, dead };
    await delay(POLL_MS);
  }
}
