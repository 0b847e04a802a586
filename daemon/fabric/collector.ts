/**
 * Takes the outcomes of a queue into a result store, each result once, and then notifies this process's listeners. A
 * store that fails is tried again until it works: nothing is told, and nothing leaves the queue, before it is stored.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PeagenError } from '../../shared/errors.ts';
import type { TaskId } from '../../shared/ids.ts';
import type { Result } from '../../shared/task.ts';
import type { Log } from '../telemetry/log.ts';
import { metrics } from '../telemetry/metrics.ts';
import { Outcomes } from './outcomes.ts';
import type { ResultListener, TaskOutcome, TaskQueue } from './queue.ts';
import { Recent } from './recent.ts';
import type { ResultBackend } from './results.ts';

const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 10_000;
/** Writes to the store at a time. */
const PARALLEL = 16;
const REMEMBERED = 50_000;

export class Collector {
  private readonly store: ResultBackend;
  private readonly log: Log;
  private readonly outcomes = new Outcomes();
  /** Tasks whose results are told and not stored, with the result when it is there. */
  private readonly passing = new Map<TaskId, Result | undefined>();
  /** Results that listeners have heard: a second run of a task is not told again. */
  private readonly told = new Recent<true>(REMEMBERED);
  private readonly stopping = new AbortController();
  /** Results that wait for the store, with the reason that a user is told. */
  private readonly waiting = new Map<TaskId, string>();
  private readonly stop: () => Promise<void>;

  constructor(queue: TaskQueue, store: ResultBackend, log: Log) {
    this.store = store;
    this.log = log;
    this.stop = queue.collect((outcomes) => this.take(outcomes));
  }

  /** Hears each result after it is stored; a dead letter as a result with status `error`, which is not stored. */
  on(listener: ResultListener): () => void {
    return this.outcomes.subscribe(listener);
  }

  /**
   * The result of this task is told, and stored nowhere: for what nobody asks for again. Call the returned function when it
   * is not awaited any more.
   */
  pass(id: TaskId): () => void {
    this.passing.set(id, undefined);
    return () => this.passing.delete(id);
  }

  /** The stored result, also one from before. Rejects with `timeout`, or `cancelled` on `signal`. */
  async wait(id: TaskId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Result> {
    const over = new AbortController();
    const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
    const coming = this.outcomes.wait(id, { timeoutMs: options.timeoutMs, signal });
    coming.catch(() => undefined);
    try {
      const result = this.passing.get(id) ?? (await this.store.get(id)) ?? (await coming);
      if (result !== undefined) return result;
    } finally {
      over.abort();
    }
    throw new PeagenError('timeout', `Task ${id} has no result after ${Math.round(options.timeoutMs / 1000)} s.`, {
      hint: 'See with "peagen queue depth" whether a worker serves its lane.',
    });
  }

  /** Why results wait for the store; undefined when none does. */
  get trouble(): string | undefined {
    return this.waiting.values().next().value;
  }

  /** What is not stored yet stays in the queue. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.stop();
    this.outcomes.close();
  }

  private async take(outcomes: readonly TaskOutcome[]): Promise<void> {
    for (let at = 0; at < outcomes.length; at += PARALLEL) {
      const part = outcomes.slice(at, at + PARALLEL);
      const results = await Promise.all(part.map((outcome) => (outcome.dead ? outcome.result : this.receive(outcome.result))));
      for (const [i, result] of results.entries()) this.tell(result, part[i]?.dead === true);
    }
  }

  private tell(result: Result, dead: boolean): void {
    if (!dead) {
      if (this.told.has(result.task_id)) return;
      this.told.set(result.task_id, true);
    }
    this.outcomes.tell({ result, dead });
  }

  private receive(result: Result): Promise<Result> {
    if (!this.passing.has(result.task_id)) return this.keep(result);
    this.passing.set(result.task_id, result);
    return Promise.resolve(result);
  }

  /** Returns what the store holds: the first result wins. */
  private async keep(found: Result): Promise<Result> {
    let result = found;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      try {
        const kept = (await this.store.put(result)) ? result : ((await this.store.get(result.task_id)) ?? result);
        this.waiting.delete(result.task_id);
        return kept;
      } catch (caught) {
        const error = PeagenError.from(caught);
        metrics.resultBackendFail.inc();
        this.log.error({ task: result.task_id, code: error.code, retryMs }, error.line);
        // What can never be stored, such as a value that cannot be packed, is an error of the task.
        if (!error.retryable) {
          // A store that takes nothing at all, such as a read-only folder, is told of by the result itself.
          if (result !== found) return result;
          result = { ...found, status: 'error', data: error.toJSON() };
          continue;
        }
        this.waiting.set(result.task_id, `Results cannot be stored. ${error.hint ?? error.message}`);
        await delay(retryMs, undefined, { signal: this.stopping.signal });
      }
    }
  }
}
