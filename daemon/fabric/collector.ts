/**
 * Takes the outcomes of a queue into a result store, each result once, and then notifies this process's listeners. A
 * store that fails is tried again until it works: no result is reported or leaves the queue before it is stored. Who waits
 * for a result meanwhile gets an error after some attempts, and may ask again.
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
/** Attempts until a waiting caller gets an error: 13 s of delays. */
const MOST_TRIES = 7;
/** Writes to the store at a time. */
const PARALLEL = 16;
const REMEMBERED = 50_000;
/** A reason that need not be made for each wait. */
const OVER = new PeagenError('cancelled', 'The wait is over.');

/** The result store did not take or give a result. The result is not lost: it waits in the queue. */
export class StoreUnreachable extends PeagenError {}

export class Collector {
  private readonly store: ResultBackend;
  private readonly log: Log;
  private readonly mostTries: number;
  private readonly outcomes = new Outcomes();
  /** Tasks whose results are reported and not stored, with the result when it is there. What is left at the end is stored. */
  private readonly passing = new Map<TaskId, Result | undefined>();
  /** Results that listeners have heard: a second run of a task is not reported again. */
  private readonly told = new Recent<true>(REMEMBERED);
  private readonly stopping = new AbortController();
  /** Tasks whose result the store could not take or give, with the reason that a user is shown. */
  private readonly waiting = new Map<TaskId, string>();
  private readonly stop: () => Promise<void>;

  constructor(queue: TaskQueue, store: ResultBackend, log: Log, { mostTries = MOST_TRIES } = {}) {
    this.mostTries = mostTries;
    this.store = store;
    this.log = log;
    this.stop = queue.collect((outcomes) => this.take(outcomes));
  }

  /** Is called with each result after it is stored; a dead letter as a result with status `error`, which is not stored. */
  on(listener: ResultListener): () => void {
    return this.outcomes.subscribe(listener);
  }

  /**
   * The result of this task is reported and not stored: for what nobody asks for again, or is recorded elsewhere. Call the returned
   * function then; what has not been let go of when the collector closes is stored after all.
   */
  pass(id: TaskId): () => void {
    this.passing.set(id, this.passing.get(id));
    return () => this.passing.delete(id);
  }

  /** A result from before. Throws StoreUnreachable when the store cannot be read after some attempts. */
  stored(id: TaskId, signal: AbortSignal): Promise<Result | undefined> {
    return this.insist(
      id,
      () => this.store.get(id),
      AbortSignal.any([signal, this.stopping.signal]),
      (unreachable) => {
        throw unreachable;
      },
    );
  }

  /**
   * The stored result, also one from before, unless the task is `fresh`; `missing` is called when there is none, for the task to
   * be handed in. Rejects with `timeout`, StoreUnreachable, or `cancelled` on `signal`.
   */
  async wait(
    id: TaskId,
    options: { timeoutMs: number; signal?: AbortSignal; missing?: () => Promise<void>; fresh?: boolean },
  ): Promise<Result> {
    const over = new AbortController();
    const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
    const coming = this.outcomes.wait(id, { timeoutMs: options.timeoutMs, signal });
    coming.catch(() => undefined);
    try {
      const known = this.passing.get(id) ?? (options.fresh === true ? undefined : await this.stored(id, signal));
      if (known !== undefined) return known;
      await options.missing?.();
      const result = await coming;
      if (result !== undefined) return result;
    } finally {
      over.abort(OVER);
    }
    throw new PeagenError('timeout', `Task ${id} has no result after ${Math.round(options.timeoutMs / 1000)} s.`, {
      hint: 'See with "peagen queue depth" whether a worker serves its lane.',
    });
  }

  /** Why tasks wait for the store; undefined when none does. */
  get trouble(): string | undefined {
    return this.waiting.values().next().value;
  }

  /** What is not stored yet stays in the queue. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.stop();
    const left = [...this.passing.values()].flatMap((result) => result ?? []);
    await Promise.all(left.map((result) => this.store.put(result))).catch((caught: unknown) => {
      this.log.error({ err: caught }, 'results that no journal holds could not be stored');
    });
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
    const { signal } = this.stopping;
    const put = (result: Result) =>
      this.insist(
        found.task_id,
        async () => ((await this.store.put(result)) ? result : ((await this.store.get(found.task_id)) ?? result)),
        signal,
        (unreachable) => this.outcomes.refuse(found.task_id, unreachable),
      );
    try {
      return await put(found);
    } catch (caught) {
      if (signal.aborted) throw caught;
      // What can never be stored, such as a value that cannot be packed, is an error of the task.
      const failed: Result = { ...found, status: 'error', data: PeagenError.from(caught).toJSON() };
      return await put(failed).catch((again: unknown) => {
        if (signal.aborted) throw again;
        // A store that takes nothing at all, such as a read-only folder, is reported by the result itself.
        return failed;
      });
    }
  }

  /**
   * Repeats what the store fails at until it works. Rejects with a failure that will not pass, and when `signal` fires. `giveUp` is
   * called after some attempts, and may end them by throwing.
   */
  private async insist<T>(
    id: TaskId,
    work: () => Promise<T>,
    signal: AbortSignal,
    giveUp: (unreachable: StoreUnreachable) => void,
  ): Promise<T> {
    let tries = 0;
    try {
      for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
        try {
          return await work();
        } catch (caught) {
          const error = PeagenError.from(caught);
          metrics.resultBackendFail.inc();
          this.log.error({ task: id, code: error.code, retryMs }, error.line);
          if (!error.retryable) throw error;
          this.waiting.set(id, `The result store does not work. ${error.hint ?? error.message}`);
          if (++tries === this.mostTries)
            giveUp(new StoreUnreachable(error.code, error.message, { hint: error.hint, cause: error }));
          await delay(retryMs, undefined, { signal });
        }
      }
    } finally {
      this.waiting.delete(id);
    }
  }
}
