/** The task queue over PostgreSQL. Every step is a function of schema.sql; here is who waits for what. */
import { createHash, randomUUID } from 'node:crypto';
import type {
  CapTag,
  Claim,
  Depth,
  Failure,
  OutcomeSink,
  Result,
  ResultListener,
  SweepReport,
  Task,
  TaskId,
  TaskQueue,
  WorkerIdentity,
} from 'peagen/plugin';
import * as z from 'zod';
import { Collecting } from './collecting.js';
import { Connection, QueueError } from './connection.js';
import { PostgresDeadLetters } from './dead-letters.js';
import { claimOf, columnsOf, EndRow, outcomeOf, pack, TASK_SCHEMA_V, TaskRow, tooNew } from './rows.js';
import { Wakeups, waitFor } from './wakeups.js';

const SWEEP_MS = 500;
/** The share of claims, one of this number, that look through the lanes from the other end, so that none starves. */
const REVERSE_EVERY = 8;
const LEASE_EXPIRED = 'the worker stopped answering and its lease expired';

export interface PostgresQueueOptions {
  readonly url: string;
  /** Default: PGPASSWORD, or ~/.pgpass. */
  readonly password?: string | undefined;
  /** The statements of schema.sql. */
  readonly setup: string;
  readonly workspace: string;
  readonly leaseMs: number;
  readonly maxRetry: number;
  readonly retryDelayMs: number;
}

export class PostgresQueue implements TaskQueue {
  readonly deadLetters: PostgresDeadLetters;
  readonly #options: PostgresQueueOptions;
  readonly #connection: Connection;
  readonly #tasks: Wakeups;
  readonly #ended: Wakeups;
  readonly #listeners = new Set<ResultListener>();
  readonly #sweeper: NodeJS.Timeout;
  #collecting: Collecting | undefined;
  #claims = 0;

  static async open(options: PostgresQueueOptions): Promise<PostgresQueue> {
    const [tasks, ended] = [new Wakeups(), new Wakeups()];
    let queue: PostgresQueue | undefined;
    const connection = await Connection.open({
      url: options.url,
      password: options.password,
      setup: options.setup,
      channel: `peagen_${createHash('md5').update(options.workspace).digest('hex')}`,
      onNotification: (message) => {
        if (message === undefined || message === '') tasks.ring();
        if (message !== '') void queue?.heard(message);
      },
    });
    queue = new PostgresQueue(options, connection, tasks, ended);
    return queue;
  }

  private constructor(options: PostgresQueueOptions, connection: Connection, tasks: Wakeups, ended: Wakeups) {
    this.#options = options;
    this.#connection = connection;
    this.#tasks = tasks;
    this.#ended = ended;
    this.deadLetters = new PostgresDeadLetters(connection, options.workspace);
    this.#sweeper = setInterval(() => void this.sweep().catch(() => undefined), SWEEP_MS).unref();
  }

  get trouble(): string | undefined {
    return this.#connection.trouble;
  }

  async enqueue(tasks: readonly Task[]): Promise<void> {
    await this.#step('peagen_enqueue', columnsOf(tasks));
  }

  async claim(worker: WorkerIdentity, { waitMs, signal }: { waitMs: number; signal?: AbortSignal }): Promise<Claim | undefined> {
    const until = performance.now() + waitMs;
    const what = `The claim of worker ${worker.id}`;
    const stopped = () => signal?.aborted === true;
    for (;;) {
      if (stopped()) throw new QueueError('cancelled', `${what} was cancelled.`);
      const woken = this.#tasks.next();
      const claim = await this.#take(worker);
      if (claim !== undefined && stopped()) await this.release(claim);
      else if (claim !== undefined) return claim;
      else if (!(await waitFor(woken, { ms: until - performance.now(), signal, what }))) return undefined;
    }
  }

  async extend({ task, worker, attempt }: Claim): Promise<boolean> {
    const text = `update peagen_task set due = clock_timestamp() + $5 * interval '1 ms' where workspace = $1 and id = $2
      and state = 'claimed' and worker = $3 and claims = $4 and withdrawn is null returning id`;
    const values = [this.#options.workspace, task.id, worker, attempt, this.#options.leaseMs];
    return (await this.#connection.query(text, values)).length > 0;
  }

  async complete({ task, worker, attempt }: Claim, result: Result, followUps: readonly Task[]): Promise<'stored' | 'duplicate'> {
    if (result.task_id !== task.id) {
      throw new QueueError('invalid_input', `The result of task ${result.task_id} cannot complete task ${task.id}.`);
    }
    const by = `${worker}#${attempt}`;
    const stored = await this.#step('peagen_complete', [task.id, by, pack(result), ...columnsOf(followUps)]);
    return stored === true ? 'stored' : 'duplicate';
  }

  async completeAndClaim(
    claim: Claim,
    result: Result,
    followUps: readonly Task[],
    caps: ReadonlySet<CapTag>,
  ): Promise<{ outcome: 'stored' | 'duplicate'; next: Claim | undefined }> {
    // Both are on their way at once: the connection keeps their order.
    const steps = [this.complete(claim, result, followUps), this.#take({ id: claim.worker, caps })] as const;
    const [outcome, next] = await Promise.all(steps);
    return { outcome, next };
  }

  async fail({ task, worker, attempt }: Claim, failure: Failure): Promise<'retry' | 'dead' | 'stale'> {
    const { maxRetry, retryDelayMs } = this.#options;
    const { reason, code, retryable } = failure;
    const values = [task.id, worker, attempt, reason, code, retryable, maxRetry, retryDelayMs];
    return z.enum(['retry', 'dead', 'stale']).parse(await this.#step('peagen_fail', values));
  }

  async release({ task, worker, attempt }: Claim): Promise<void> {
    await this.#step('peagen_release', [task.id, worker, attempt]);
  }

  async waitResult(id: TaskId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Result | undefined> {
    const until = performance.now() + options.timeoutMs;
    const what = `Waiting for the result of task ${id}`;
    for (;;) {
      const woken = this.#ended.next();
      const result = await this.#resultOf(id);
      if (result !== undefined) return result;
      if (!(await waitFor(woken, { ms: until - performance.now(), signal: options.signal, what }))) return undefined;
    }
  }

  subscribe(listener: ResultListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  collect(sink: OutcomeSink): () => Promise<void> {
    if (this.#collecting !== undefined) throw new QueueError('conflict', 'This queue already has a collector.');
    const { workspace } = this.#options;
    const collecting = new Collecting({ connection: this.#connection, workspace, name: randomUUID(), ended: this.#ended, sink });
    this.#collecting = collecting;
    return async () => {
      if (this.#collecting === collecting) this.#collecting = undefined;
      await collecting.stop();
    };
  }

  async sweep(): Promise<SweepReport> {
    const { workspace, maxRetry, retryDelayMs } = this.#options;
    const rows = await this.#connection.query('select * from peagen_sweep($1, $2, $3, $4)', [
      ...[workspace, maxRetry, retryDelayMs, LEASE_EXPIRED],
    ]);
    return z.object({ promoted: z.number(), reclaimed: z.number(), died: z.number() }).parse(rows[0]);
  }

  async cancel(ids: readonly TaskId[], reason: string): Promise<void> {
    await this.#step('peagen_cancel', [ids, reason, false]);
  }

  async withdraw(ids: readonly TaskId[], reason: string): Promise<void> {
    await this.#step('peagen_cancel', [ids, reason, true]);
  }

  async depth(): Promise<Depth> {
    const text = `select state, lane, count(*)::int as tasks,
      (extract(epoch from clock_timestamp() - min(enqueued)) * 1000)::float8 as oldest
      from peagen_task where workspace = $1 and state <> 'done' group by state, lane`;
    const Row = z.object({ state: z.string(), lane: z.string(), tasks: z.number(), oldest: z.number() });
    const rows = z.array(Row).parse(await this.#connection.query(text, [this.#options.workspace]));
    const count = (state: string) => rows.reduce((sum, row) => sum + (row.state === state ? row.tasks : 0), 0);
    const waiting = rows.filter(({ state }) => state === 'waiting');
    const byKind: Record<string, number> = {};
    for (const { lane, tasks } of waiting) {
      const kind = lane.slice(0, lane.indexOf('/'));
      byKind[kind] = (byKind[kind] ?? 0) + tasks;
    }
    return {
      ...{ pending: count('waiting'), claimed: count('claimed'), delayed: count('delayed'), dead: count('dead') },
      ...{ byKind, byLane: Object.fromEntries(waiting.map(({ lane, tasks }) => [lane, tasks])) },
      oldestMs: Math.max(0, ...waiting.map(({ oldest }) => oldest)),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#tasks.close();
    this.#ended.close();
    this.#listeners.clear();
    await this.#collecting?.stop();
    await this.#connection.close();
  }

  /** A task ended; undefined when some may have. Listeners hear it before a wait for it ends. */
  private async heard(id: string | undefined): Promise<void> {
    const result = id === undefined || this.#listeners.size === 0 ? undefined : await this.#resultOf(id).catch(() => undefined);
    if (result !== undefined) for (const listener of this.#listeners) tell(listener, result);
    this.#ended.ring();
  }

  async #take({ id, caps }: WorkerIdentity): Promise<Claim | undefined> {
    for (;;) {
      this.#claims = (this.#claims + 1) % REVERSE_EVERY;
      const values = [this.#options.workspace, id, [...caps], this.#options.leaseMs, this.#claims === 0];
      const [row] = await this.#connection.query('select * from peagen_claim($1, $2, $3, $4, $5)', values);
      if (row === undefined) return undefined;
      const parsed = TaskRow.parse(row);
      const claim = claimOf(parsed, id);
      if (parsed.schema_v <= TASK_SCHEMA_V) return claim;
      await this.complete(claim, tooNew(claim.task), []);
    }
  }

  async #resultOf(id: string): Promise<Result | undefined> {
    const text = 'select * from peagen_task where workspace = $1 and id = $2 and ended is not null';
    const [row] = await this.#connection.query(text, [this.#options.workspace, id]);
    return row === undefined ? undefined : outcomeOf(EndRow.parse(row)).result;
  }

  /** Calls a function of schema.sql on the workspace. */
  async #step(name: string, values: readonly unknown[]): Promise<unknown> {
    const places = values.map((_, index) => `$${index + 2}`).join(', ');
    const [row] = await this.#connection.query(`select ${name}($1, ${places}) as answer`, [this.#options.workspace, ...values]);
    return z.object({ answer: z.unknown() }).parse(row).answer;
  }
}

function tell(listener: ResultListener, result: Result): void {
  try {
    listener(result);
  } catch (caught) {
    // A listener's fault is its own.
    process.emitWarning(caught instanceof Error ? caught : String(caught));
  }
}
