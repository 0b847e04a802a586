/**
 * The queue on Redis Streams. Every transition is one script (see the .lua files); this class sends them, waits on bells
 * while idle, reads the results, sweeps, and puts back what a restored server has forgotten.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import { type CapTag, type Result, TASK_SCHEMA_V, type Task, type TaskKind } from '../../../shared/task.ts';
import { metrics } from '../../telemetry/metrics.ts';
import { Fairness, oldest } from '../lanes.ts';
import { Outcomes } from '../outcomes.ts';
import type {
  Claim,
  Depth,
  Failure,
  OutcomeSink,
  QueueOptions,
  ResultListener,
  SweepReport,
  TaskQueue,
  WorkerIdentity,
} from '../queue.ts';
import { retryDelay, unsupportedSchema } from '../retry.ts';
import { TurnBatch } from './batch.ts';
import { decodeTask, encodeResult, taskFields } from './codec.ts';
import type { Address } from './connection/address.ts';
import { type Argument, Connection } from './connection/connection.ts';
import { RedisPools } from './connection/pools.ts';
import { RedisDeadLetters } from './dead-letters.ts';
import { depthOf, waitingIn } from './depth.ts';
import { RedisFolders } from './folders.ts';
import { Follower, type FollowerOptions } from './follower.ts';
import { LaneCache } from './lane-cache.ts';
import { OpenTasks } from './open-tasks.ts';
import { type FoundTask, foundOf, listOf } from './replies.ts';
import { REMEMBER_S, type Script, scripts } from './scripts.ts';
import { Signer } from './signature.ts';
import { Sweeper } from './sweeper.ts';
import { Wakeups } from './wakeups.ts';

/** A step that a user waits for gives up after this time. */
const PATIENCE_MS = 10_000;
/** Tasks, and bytes, of one enqueue script: Redis serves no other client meanwhile. */
const CHUNK_TASKS = 128;
const CHUNK_BYTES = 1 << 20;

interface RedisQueueOptions extends QueueOptions {
  /** Key prefix of the workspace, see workspacePrefix. */
  readonly prefix: string;
  /** Is called with one line when the server goes away, comes back or holds something unreadable. */
  readonly report: (line: string) => void;
  /** Signs tasks and results, and refuses what it has not signed. */
  readonly key?: Buffer | undefined;
}

export class RedisQueue implements TaskQueue {
  private readonly connection: Connection;
  private readonly options: RedisQueueOptions;
  private readonly name = randomBytes(8).toString('hex');
  private readonly bells: Wakeups;
  private readonly lanes: LaneCache;
  private readonly outcomes = new Outcomes();
  private readonly fairness = new Fairness();
  private readonly open: OpenTasks;
  private readonly signer: Signer;
  private readonly sweeper: Sweeper;
  private readonly claims = new TurnBatch<string>((lanes, workers) => this.claimFor(lanes, workers));
  private readonly completions = new TurnBatch<readonly Argument[]>((lanes, steps) => this.completeAll(lanes, steps));
  private listener: Follower | undefined;
  private collector: Follower | undefined;
  private closed = false;
  readonly deadLetters: RedisDeadLetters;
  readonly pools: RedisPools;
  readonly folders: RedisFolders;

  /** Connects first: rejects with one clear line when the server is away, too old or set up to lose tasks. */
  static async open(address: Address, options: RedisQueueOptions): Promise<RedisQueue> {
    return new RedisQueue(await Connection.open(address, options.report), options);
  }

  private constructor(connection: Connection, options: RedisQueueOptions) {
    const { prefix } = options;
    this.connection = connection;
    this.options = options;
    this.signer = new Signer(options.key, prefix);
    this.bells = new Wakeups(connection, prefix, this.name);
    this.lanes = new LaneCache(connection, prefix);
    this.open = new OpenTasks({
      states: (ids) => this.states(ids),
      enqueue: (tasks) => this.enqueue(tasks),
      report: options.report,
    });
    this.pools = new RedisPools(connection, prefix);
    this.folders = new RedisFolders(connection, prefix);
    this.deadLetters = new RedisDeadLetters(connection, prefix, this.signer, (ids) => {
      for (const id of ids) this.outcomes.forget(id);
    });
    this.sweeper = new Sweeper(
      (args) => this.run(scripts.sweep, args),
      options,
      (error) => this.complain(error),
    );
  }

  get trouble(): string | undefined {
    return this.connection.trouble;
  }

  async enqueue(tasks: readonly Task[]): Promise<void> {
    let chunk: Argument[] = [];
    let bytes = 0;
    this.sweeper.stir();
    this.open.add(tasks);
    for (const task of tasks) {
      const fields = taskFields(task, this.signer);
      chunk.push(...fields);
      bytes += fields[2].length;
      if (chunk.length >= CHUNK_TASKS * fields.length || bytes >= CHUNK_BYTES) {
        await this.run(scripts.enqueue, chunk);
        [chunk, bytes] = [[], 0];
      }
    }
    if (chunk.length > 0) await this.run(scripts.enqueue, chunk);
  }

  async claim(worker: WorkerIdentity, options: { waitMs: number; signal?: AbortSignal }): Promise<Claim | undefined> {
    const { waitMs, signal } = options;
    const deadline = performance.now() + waitMs;
    let found: FoundTask | undefined;
    for (;;) {
      if (signal?.aborted && found === undefined) throw claimCancelled(worker);
      const claim = found === undefined ? await this.claimOnce(worker) : await this.accept(worker.id, found);
      if (claim !== undefined && signal?.aborted) {
        await this.release(claim);
        throw claimCancelled(worker);
      }
      const left = deadline - performance.now();
      if (claim !== undefined || left <= 0) return claim;
      const { names, count } = this.lanes.of(worker.caps);
      found = await this.bells.wait(names, count, worker.id, left, signal);
    }
  }

  async arrival(classes: readonly ReadonlySet<CapTag>[], signal: AbortSignal): Promise<void> {
    const known = await Promise.all(classes.map((caps) => this.lanes.current(caps)));
    const lanes = new Set(known.flatMap(({ names }) => names));
    await this.bells.wait([...lanes], known[0]?.count ?? 0, undefined, Number.POSITIVE_INFINITY, signal);
  }

  async extend(claim: Claim): Promise<boolean> {
    return (await this.run(scripts.beat, ofClaim(claim))) === 1;
  }

  async complete(claim: Claim, result: Result, followUps: readonly Task[]): Promise<'stored' | 'duplicate'> {
    return this.count(claim.task.kind, await this.settle(ofClaim(claim), result, followUps), followUps);
  }

  async completeAndClaim(
    claim: Claim,
    result: Result,
    followUps: readonly Task[],
    caps: ReadonlySet<CapTag>,
  ): Promise<{ outcome: 'stored' | 'duplicate'; next: Claim | undefined }> {
    const { names } = await this.lanes.current(caps);
    if (names.length === 0) return { outcome: await this.complete(claim, result, followUps), next: undefined };
    const answer = listOf(await this.settle(ofClaim(claim), result, followUps, names));
    const outcome = this.count(claim.task.kind, answer[0], followUps);
    const found = foundOf(answer, 1);
    if (typeof found !== 'number') return { outcome, next: await this.accept(claim.worker, found) };
    // The follow-ups may have made a lane that was not asked for.
    const more = await this.lanes.outdated(found);
    return { outcome, next: more ? await this.claimOnce({ id: claim.worker, caps }) : undefined };
  }

  async fail(claim: Claim, failure: Failure): Promise<'retry' | 'dead' | 'stale'> {
    const { maxRetry, retryDelayMs } = this.options;
    const delay = retryDelay(retryDelayMs, claim.task.attempts, Math.random());
    const args = [...ofClaim(claim), failure.reason, failure.code, failure.retryable ? '1' : '', maxRetry, delay];
    const answer = await this.run(scripts.fail, args);
    if (await this.wasWithdrawn(claim, answer)) return 'stale';
    if (answer === 2) metrics.queueDead.inc({ kind: claim.task.kind });
    return answer === 0 ? 'stale' : answer === 1 ? 'retry' : 'dead';
  }

  async release(claim: Claim): Promise<void> {
    await this.wasWithdrawn(claim, await this.run(scripts.release, ofClaim(claim)));
  }

  /** Given back, a withdrawn task is over. */
  private async wasWithdrawn(claim: Claim, answer: unknown): Promise<boolean> {
    if (!Buffer.isBuffer(answer)) return false;
    await this.cancel([claim.task.id], answer.toString());
    return true;
  }

  async waitResult(id: TaskId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Result | undefined> {
    const waiting = this.outcomes.wait(id, options);
    if (this.outcomes.recall(id) !== undefined) return waiting;
    this.listen()
      .then(() => this.deadLetters.findOutcome(id))
      .then((outcome) => {
        if (outcome !== undefined) this.outcomes.answer(outcome.result);
      })
      .catch((error) => this.complain(error));
    return waiting;
  }

  subscribe(listener: ResultListener): () => void {
    this.listen().catch((error) => this.complain(error));
    return this.outcomes.subscribe(listener);
  }

  collect(sink: OutcomeSink): () => Promise<void> {
    if (this.collector !== undefined) throw new PeagenError('conflict', 'This queue already has a collector.');
    this.open.track();
    const collector = this.follow('collector', async (outcomes) => {
      await sink(outcomes);
      // A dead letter stays open: one that the server loses is put back.
      for (const { result, dead } of outcomes) if (!dead) this.open.delete(result.task_id);
    });
    this.collector = collector;
    return async () => {
      if (this.collector === collector) this.collector = undefined;
      await collector.stop();
    };
  }

  sweep(): Promise<SweepReport> {
    return this.sweeper.sweep();
  }

  async cancel(ids: readonly TaskId[], reason: string): Promise<void> {
    const created_at = new Date().toISOString();
    await Promise.all(
      ids.map((id) => this.settle([id, 'cancel', 0], { task_id: id, status: 'skip', data: reason, created_at, attempts: 0 }, [])),
    );
  }

  async withdraw(ids: readonly TaskId[], reason: string): Promise<void> {
    const held = await Promise.all(ids.map((id) => this.run(scripts.withdraw, [id, reason, REMEMBER_S])));
    await this.cancel(
      ids.filter((_, at) => held[at] === 0),
      reason,
    );
  }

  async depth(): Promise<Depth> {
    return depthOf(await this.run(scripts.depth, [], PATIENCE_MS));
  }

  async waiting(limit: number): Promise<Task[]> {
    return oldest(await waitingIn(this.connection, this.options.prefix, this.signer, limit), limit);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.sweeper.close();
    this.open.close();
    this.outcomes.close();
    await Promise.all([this.listener?.stop(), this.collector?.stop()]);
    await this.connection.close();
  }

  /** Enqueues again what the server has forgotten; also done every minute. */
  async reconcile(): Promise<void> {
    await this.open.reconcile();
  }

  private run(script: Script, args: readonly Argument[], patienceMs?: number): Promise<unknown> {
    return this.connection.run(script, this.options.prefix, args, patienceMs);
  }

  private async claimOnce(worker: WorkerIdentity): Promise<Claim | undefined> {
    for (;;) {
      const { names } = await this.lanes.current(worker.caps);
      const found = foundOf(listOf(await this.claims.add(names.join(' '), worker.id)), 0);
      if (typeof found === 'number') {
        if (!(await this.lanes.outdated(found))) return undefined;
        continue;
      }
      const claim = await this.accept(worker.id, found);
      if (claim !== undefined) return claim;
    }
  }

  /** A task as a script answered it; undefined when it was none that can be worked on, and has been ended. */
  private async accept(worker: string, found: FoundTask): Promise<Claim | undefined> {
    const { id, lane, attempt } = found;
    this.sweeper.stir();
    const decoded = decodeTask(found, this.signer);
    if (decoded.kind === 'task') return { task: decoded.task, worker, attempt };
    const mine = [id, worker, attempt];
    if (decoded.kind === 'newer') {
      const result = unsupportedSchema(decoded.id, decoded.schema, TASK_SCHEMA_V, new Date().toISOString());
      await this.settle(mine, result, []);
    } else {
      await this.run(scripts.fail, [...mine, decoded.reason, 'invalid_input', '', 0, 0]);
      this.options.report(`Task ${id} in lane ${lane} went to the dead letters: ${decoded.reason}`);
    }
    return undefined;
  }

  private count(kind: TaskKind, stored: unknown, followUps: readonly Task[]): 'stored' | 'duplicate' {
    if (stored === 0) return 'duplicate';
    this.open.add(followUps);
    metrics.queueAck.inc({ kind });
    return 'stored';
  }

  private settle(
    claim: readonly Argument[],
    result: Result,
    followUps: readonly Task[],
    lanes: readonly string[] = [],
  ): Promise<unknown> {
    if (result.task_id !== String(claim[0])) {
      throw new PeagenError('invalid_input', `The result of task ${result.task_id} cannot complete task ${claim[0]}.`);
    }
    const bytes = encodeResult(result, this.signer);
    const step = [...claim, bytes, followUps.length, ...followUps.flatMap((task) => taskFields(task, this.signer))];
    return this.completions.add(lanes.join(' '), step, bytes.length);
  }

  private async claimFor(key: string, workers: readonly string[]): Promise<readonly unknown[]> {
    const lanes = this.lanesOf(key);
    const answers = listOf(await this.run(scripts.claim, [lanes.length, ...lanes, ...workers]));
    return workers.map((_, i) => answers.slice(3 * i, 3 * i + 3));
  }

  /** Returns what complete.lua does for each step: a number, or with lanes four values. */
  private async completeAll(key: string, steps: readonly (readonly Argument[])[]): Promise<readonly unknown[]> {
    const lanes = this.lanesOf(key);
    const args = [REMEMBER_S, lanes.length, ...lanes, ...steps.flat()];
    const answers = listOf(await this.run(scripts.complete, args));
    return lanes.length === 0 ? answers : steps.map((_, i) => answers.slice(4 * i, 4 * i + 4));
  }

  private lanesOf(key: string): string[] {
    const lanes = key === '' ? [] : key.split(' ');
    return lanes.length > 0 && this.fairness.reversed() ? lanes.reverse() : lanes;
  }

  private listen(): Promise<void> {
    this.listener ??= this.follow('listener', async (outcomes) => {
      for (const outcome of outcomes) this.outcomes.tell(outcome);
    });
    return this.listener.ready;
  }

  private follow(as: 'collector' | 'listener', take: FollowerOptions['take']): Follower {
    const { prefix, report } = this.options;
    const [name, collects, lost] = [`${this.name}:${as}`, as === 'collector', () => void this.open.reconcile()];
    return new Follower(this.connection, prefix, { name, collects, report, signer: this.signer, take, lost });
  }

  private async states(ids: readonly TaskId[]): Promise<string[]> {
    return z.array(z.coerce.string()).parse(await this.run(scripts.states, ids));
  }

  /** For what runs in the background: nothing else reports its failure. */
  private complain(error: unknown): void {
    if (!this.closed) this.options.report(PeagenError.from(error).line);
  }
}

function ofClaim(claim: Claim): Argument[] {
  return [claim.task.id, claim.worker, claim.attempt];
}

function claimCancelled(worker: WorkerIdentity): PeagenError {
  return new PeagenError('cancelled', `The claim of worker ${worker.id} was cancelled.`);
}
