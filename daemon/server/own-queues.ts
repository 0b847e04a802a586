/** The queues in the memory of this process as one, for `peagen queue`: each configuration that a client came with has its own. */
import { type DeadLetter, type Depth, noTasks } from '../../shared/protocol/queue.ts';
import type { Task } from '../../shared/task.ts';
import { oldest } from '../fabric/lanes.ts';
import type { TaskQueue } from '../fabric/queue.ts';

type ShownQueue = Pick<TaskQueue, 'depth' | 'waiting' | 'deadLetters'>;

export class OwnQueues {
  private readonly queues: readonly ShownQueue[];

  constructor(queues: readonly ShownQueue[]) {
    this.queues = queues;
  }

  /** At most `most` of the tasks that wait. */
  async show(most: number): Promise<{ depth: Depth; waiting: Task[]; letters: DeadLetter[] }> {
    const waiting = await Promise.all(this.queues.map(async (queue) => (await queue.waiting?.(most)) ?? []));
    const depths = await Promise.all(this.queues.map((queue) => queue.depth()));
    const letters = await Promise.all(this.queues.map((queue) => queue.deadLetters.list()));
    return {
      depth: depths.reduce(sum, noTasks),
      waiting: oldest(waiting.flat(), most),
      letters: letters.flat().sort((a, b) => a.died_at.localeCompare(b.died_at)),
    };
  }

  /** Returns how many were put back or removed. */
  async tend(what: 'retry' | 'purge', ids: readonly string[] | undefined): Promise<number> {
    const counts = await Promise.all(this.queues.map((queue) => queue.deadLetters[what](ids)));
    return counts.reduce((all, count) => all + count, 0);
  }
}

function sum(a: Depth, b: Depth): Depth {
  return {
    pending: a.pending + b.pending,
    claimed: a.claimed + b.claimed,
    delayed: a.delayed + b.delayed,
    dead: a.dead + b.dead,
    byKind: added(a.byKind, b.byKind),
    byLane: added(a.byLane, b.byLane),
    oldestMs: Math.max(a.oldestMs, b.oldestMs),
    oldestByLane: { ...a.oldestByLane, ...b.oldestByLane },
  };
}

function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...keys].map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]));
}
