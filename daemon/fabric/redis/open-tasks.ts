/**
 * The tasks that this process enqueued and whose results it has not collected. A server that was restored from an older
 * state may have forgotten some; those are enqueued again, which is a no-op for whatever lives.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

const RECONCILE_MS = 60_000;
const CHUNK = 500;

interface OpenTasksOptions {
  /** One letter each, see states.lua. */
  readonly states: (ids: readonly TaskId[]) => Promise<string[]>;
  readonly enqueue: (tasks: readonly Task[]) => Promise<void>;
  readonly report: (line: string) => void;
}

export class OpenTasks {
  private readonly options: OpenTasksOptions;
  private tasks: Map<TaskId, Task> | undefined;
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
  }

  close(): void {
    clearInterval(this.timer);
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
