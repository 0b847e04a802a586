/**
 * What a search has under way: pieces of work by key, the first failure among them, and the wake-up of the loop that waits
 * for the end of any of them. Knows nothing of candidates.
 */
import type { TaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';
import type { TaskClient, TaskKeeping } from '../task-client.ts';

/** Wakes one loop. A nudge while the loop is busy is kept for its next wait. */
export class Wakeup {
  private nudged = false;
  private resolve: () => void = () => undefined;

  nudge(): void {
    this.nudged = true;
    this.resolve();
  }

  /** Resolves at the next nudge, at latest after `limitMs`. */
  async wait(limitMs: number | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.resolve = resolve;
      if (this.nudged) resolve();
      if (limitMs !== undefined) timer = setTimeout(resolve, Math.max(0, limitMs) + 1);
    });
    clearTimeout(timer);
    this.nudged = false;
  }
}

export class InFlight<Key> {
  /** What the first piece of work that failed has thrown. */
  failure: unknown;
  private readonly wakeup: Wakeup;
  private readonly pieces = new Map<Key, Promise<void>>();

  constructor(wakeup: Wakeup) {
    this.wakeup = wakeup;
  }

  get size(): number {
    return this.pieces.size;
  }

  begin(key: Key, work: Promise<void>): void {
    const piece = work
      .catch((caught: unknown) => {
        this.failure ??= caught;
      })
      .finally(() => {
        this.pieces.delete(key);
        this.wakeup.nudge();
      });
    this.pieces.set(key, piece);
  }

  /** Resolves when all that is under way now has ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.pieces.values());
  }
}

/** Remembers the tasks that are out, so that stopping takes them back. */
export class OutstandingTasks {
  private readonly taskClient: TaskClient;
  private readonly signal: AbortSignal;
  private readonly keeping: (task: Task) => TaskKeeping;
  private readonly ids = new Set<TaskId>();
  private closed = false;

  constructor(taskClient: TaskClient, signal: AbortSignal, keeping: (task: Task) => TaskKeeping) {
    this.taskClient = taskClient;
    this.signal = signal;
    this.keeping = keeping;
  }

  async run(task: Task): Promise<unknown> {
    this.ids.add(task.id);
    try {
      // A task that follows an answer given at the last moment may be in the queue already.
      if (this.closed) await untilAborted(this.signal);
      return await this.taskClient.run(task, this.signal, this.keeping(task));
    } finally {
      this.ids.delete(task.id);
    }
  }

  /** Nothing new begins. */
  close(): void {
    this.closed = true;
  }

  get open(): TaskId[] {
    return [...this.ids];
  }
}

/** Rejects when the signal fires, with its reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
