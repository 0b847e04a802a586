/** The engine's side of the fabric: hands a task in and waits for its result, whatever happens to queue or worker meanwhile. */

import { type ErrorData, errorCodes, PeagenError } from '../../shared/errors.ts';
import type { Result, Task } from '../../shared/task.ts';
import { type Collector, StoreUnreachable } from '../fabric/collector.ts';
import type { TaskQueue } from '../fabric/queue.ts';
import { followUpId } from '../handlers/follow-up.ts';
import { traced, traceparent } from '../telemetry/trace.ts';
import { TaskFolders } from './task-folders.ts';

/** A task that the queue lost (a power cut, a trimmed stream) is handed in again after this time; a known id is a no-op. */
const RECONCILE_MS = 20_000;

/**
 * Where the result of a task is kept: in the result store, by the caller (which calls `recorded` once it has it), or nowhere. A
 * result that the caller records is not stored a second time where the fabric is private. `fresh`: no earlier result exists.
 */
export interface TaskKeeping {
  readonly keep?: 'store' | 'caller' | 'nowhere';
  readonly fresh?: boolean;
}

export interface TaskClientFabric {
  /** Only this process uses the queue and the store, so that results which the caller records need not be stored. */
  readonly isPrivate?: boolean;
  readonly queue: Pick<TaskQueue, 'enqueue' | 'cancel' | 'withdraw' | 'folders'>;
  readonly collector: Collector;
  /** Notifies the spawner that there may be work. */
  wake(): void;
  /** Why waiting tasks cannot run; undefined when they can, or when workers elsewhere may take them. */
  problem(): string | undefined;
}

export class TaskClient {
  private readonly fabric: TaskClientFabric;
  private readonly offline: boolean;
  /**
   * For what a verdict rests on: the original's results, and what is announced. Its tasks run on this machine, in a sandbox, where
   * anybody who writes to the queue could make up their programs and results; otherwise it is this client.
   */
  readonly own: TaskClient;

  /**
   * Is called with the reason why tasks wait for the result store, and `undefined` when they go on. They wait as long as it takes then; without
   * it, they end with the error.
   */
  held: ((problem: string | undefined) => void) | undefined;
  private readonly holding = new Set<Task['id']>();
  /** Lets go of the results of tasks that the caller has not recorded yet. */
  private readonly unrecorded = new Map<Task['id'], () => void>();

  /** `offline`: no program in its tasks comes from a model, an agent or a file. */
  constructor(fabric: TaskClientFabric, { offline = false, own }: { offline?: boolean; own?: TaskClientFabric } = {}) {
    this.fabric = fabric;
    this.offline = offline;
    this.own = own === undefined ? this : new TaskClient(own);
  }

  /** The data of the task's result, at once when it is there from before. Throws the handler's error, or `cancelled`. */
  async run(made: Task, signal: AbortSignal, how: TaskKeeping = {}): Promise<unknown> {
    const folders = new TaskFolders(made, this.fabric.queue.folders);
    try {
      for (;;) {
        try {
          return folders.returned(await this.runAs(made, { folders, ...how }, signal));
        } catch (caught) {
          if (!(caught instanceof StoreUnreachable) || this.held === undefined) throw folders.renamed(caught);
          this.holding.add(made.id);
          this.held(caught.line);
        }
      }
    } finally {
      if (this.holding.delete(made.id) && this.holding.size === 0) this.held?.(undefined);
    }
  }

  /** The caller has recorded the results of these tasks, or no longer needs them. */
  recorded(ids: Iterable<Task['id']> = this.unrecorded.keys()): void {
    for (const id of ids) {
      this.unrecorded.get(id)?.();
      this.unrecorded.delete(id);
    }
  }

  private async runAs(
    made: Task,
    { folders, keep = 'store', fresh = false }: { folders: TaskFolders } & TaskKeeping,
    signal: AbortSignal,
  ): Promise<unknown> {
    const task = this.offline ? { ...made, trace: { ...made.trace, offline: true } } : made;
    signal.throwIfAborted();
    const { collector, isPrivate = false } = this.fabric;
    if (keep === 'caller' && isPrivate) {
      // What follows may end before it is asked for.
      for (const id of task.kind === 'mutate' ? [task.id, followUpId(task.id, 'execute')] : [task.id])
        if (!this.unrecorded.has(id)) this.unrecorded.set(id, collector.pass(id));
      return await this.ask(task, { folders, fresh }, signal);
    }
    // An execution that belongs to no run costs nothing but time, and anyone who asks again makes a task of its own.
    const stored = keep !== 'nowhere' && (task.kind !== 'execute' || task.trace?.run !== undefined);
    if (stored) return await this.ask(task, { folders, fresh: false }, signal);
    const over = collector.pass(task.id);
    return await this.ask(task, { folders, fresh: false }, signal).finally(over);
  }

  private ask(task: Task, how: { folders: TaskFolders; fresh: boolean }, signal: AbortSignal): Promise<unknown> {
    const { kind, id, trace } = task;
    const attributes = { 'peagen.task': id, 'peagen.run': trace?.run, 'peagen.candidate': trace?.candidate };
    return traced(`task ${kind}`, { kind: 'producer', attributes }, () => {
      const within = traceparent();
      return this.result(within === undefined ? task : { ...task, trace: { ...trace, traceparent: within } }, how, signal);
    });
  }

  private async result(
    task: Task,
    { folders, fresh }: { folders: TaskFolders; fresh: boolean },
    signal: AbortSignal,
  ): Promise<unknown> {
    const { queue, collector } = this.fabric;
    for (;;) {
      const missing = async (): Promise<void> => {
        await queue.enqueue([await folders.sent(task, signal)]);
        this.fabric.wake();
      };
      const result = await collector
        .wait(task.id, { timeoutMs: RECONCILE_MS, signal, missing, fresh })
        .catch((caught: unknown) => {
          if (caught instanceof PeagenError && caught.code === 'timeout') return undefined;
          throw caught;
        });
      if (result !== undefined) return dataOf(result);
      const problem = this.fabric.problem();
      if (problem !== undefined) throw new PeagenError('unavailable', `The ${task.kind} task ${task.id} cannot run: ${problem}`);
    }
  }

  /** As `cancel`, but what a worker has begun may still come to a result. */
  async withdraw(ids: Task['id'][], reason: string): Promise<void> {
    if (ids.length > 0) await this.fabric.queue.withdraw(ids, reason);
  }

  async cancel(ids: Task['id'][], reason: string): Promise<void> {
    if (ids.length > 0) await this.fabric.queue.cancel(ids, reason);
  }
}

/** Gives the work a client whose tasks end with the signal, also those that a worker has begun. */
export async function whileWanted<T>(
  client: Pick<TaskClient, 'run' | 'cancel'>,
  signal: AbortSignal,
  work: (client: Pick<TaskClient, 'run'>) => Promise<T>,
): Promise<T> {
  const asked: Task['id'][] = [];
  try {
    return await work({
      run: (task, until) => {
        asked.push(task.id);
        return client.run(task, until);
      },
    });
  } finally {
    if (signal.aborted) await client.cancel(asked, 'the request was withdrawn');
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
  return typeof data === 'object' && data !== null && 'code' in data && errorCodes.some((code) => code === data.code);
}
