/**
 * The tasks that this process enqueued and whose results it has not collected. A server that was restored from an older
 * state may have forgotten some; those are enqueued again, which is a no-op for whatever lives.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

const RECONCILE_MS = 60_000;
const CHUNK = 500;

export interface OpenTasksOptions {
  /** One letter each, see states.lua. */
  readonly states: (ids: readonly TaskId[]) => Promise<string[]>;
  readonly enqueue: (tasks: readonly Task[]) => Promise<void>;
  readonly report: (line: string) => void;
}

export class OpenTasks {
  private readonly options: OpenTasksOptions;
  private tasks: Map<TaskId, Task> | undefined;
  /** Dead letters that were told: no outcome is to come, but a lost one is still put back. */
  private readonly dead = new Set<TaskId>();
  private timer: NodeJS.Timeout | undefined;
  private running = false;

  constructor(options: OpenTasksOptions) {
    this.options = options;
  }

  /** From now on: only a process that collects results can know what is open. */
  track(): void {
    this.tasks ??= new Map();
    this.timer ??= setInterval(() => void this.reconcile(), RECONCILE_MS).unref();
  }

  add(tasks: readonly Task[]): void {
    for (const task of tasks) this.tasks?.set(task.id, task);
  }

  delete(id: TaskId): void {
    this.tasks?.delete(id);
    this.dead.delete(id);
  }

  died(id: TaskId): void {
    if (this.tasks?.has(id)) this.dead.add(id);
  }

  reopened(id: string): void {
    for (const dead of this.dead) if (dead === id) this.dead.delete(dead);
  }

  /** Those that still have an outcome to come. */
  get size(): number {
    return (this.tasks?.size ?? 0) - this.dead.size;
  }

  close(): void {
    clearInterval(this.timer);
  }

  async unstarted(limit: number): Promise<Task[]> {
    const found: Task[] = [];
    for await (const { task, state } of this.withStates()) {
      if (found.length >= limit) break;
      // What the server has forgotten nobody will start either.
      if (state === 'q' || state === 'd' || state === '-') found.push(task);
    }
    return found;
  }

  async reconcile(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      const lost: Task[] = [];
      for await (const { task, state } of this.withStates()) if (state === '-' && this.tasks?.has(task.id)) lost.push(task);
      if (lost.length === 0) return;
      this.options.report(`Redis has forgotten ${lost.length} unfinished tasks; they are enqueued again.`);
      await this.options.enqueue(lost);
    } catch (error) {
      this.options.report(PeagenError.from(error).line);
    } finally {
      this.running = false;
    }
  }

  private async *withStates(): AsyncGenerator<{ task: Task; state: string }> {
    const tasks = [...(this.tasks?.values() ?? [])];
    for (let at = 0; at < tasks.length; at += CHUNK) {
      const part = tasks.slice(at, at + CHUNK);
      const states = await this.options.states(part.map((task) => task.id));
      for (const [i, task] of part.entries()) yield { task, state: states[i] ?? '-' };
    }
  }
}
