/**
 * The in-memory queue: the whole contract in one process, with no dependency. What it holds ends with the process.
 * Tasks and results are handed on as they are, not copied: they are never changed.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import { type CapTag, laneOf, type Result, TASK_SCHEMA_V, type Task, type TaskKind } from '../../../shared/task.ts';
import { eligibleLanes, Fairness, oldest, parseLane } from '../lanes.ts';
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
import { Recent } from '../recent.ts';
import { deadOutcome, LEASE_EXPIRED, retryDelay, unsupportedSchema } from '../retry.ts';
import { StubDeadLetters } from './dead-letters.ts';
import { Feed } from './feed.ts';
import { Lane, type TaskRecord } from './lane.ts';
import { Waiters } from './waiters.ts';

/** Ids that are remembered as done, so that adding one again is a no-op. */
const REMEMBERED = 10_000;

export class StubQueue implements TaskQueue {
  private readonly options: QueueOptions;
  private readonly now: () => number;
  private readonly lanes = new Map<string, Lane>();
  private readonly open = new Map<string, TaskRecord>();
  private readonly held = new Map<string, TaskRecord>();
  private readonly delayed = new Set<TaskRecord>();
  private readonly dead = new Map<string, TaskRecord>();
  /** Claimed ones that are not wanted any more, with the reason. */
  private readonly withdrawn = new WeakMap<TaskRecord, string>();
  /** The worker that completed the task: a repeated complete gets the same answer. */
  private readonly done = new Recent<string>(REMEMBERED);
  private readonly waiters = new Waiters((worker) => this.take(worker));
  private readonly outcomes = new Outcomes();
  private readonly feed = new Feed();
  private readonly fairness = new Fairness();
  private order = new WeakMap<ReadonlySet<CapTag>, Lane[]>();
  private timer: NodeJS.Timeout | undefined;
  private timerAt = 0;
  private closed = false;
  readonly deadLetters: StubDeadLetters;

  constructor(options: QueueOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.deadLetters = new StubDeadLetters(this.dead, {
      revive: (record) => {
        this.outcomes.forget(record.task.id);
        record.task = { ...record.task, attempts: 0 };
        this.putBack(record);
      },
      drop: (record) => this.finish(record, 'purged'),
    });
  }

  async enqueue(tasks: readonly Task[]): Promise<void> {
    this.assertOpen();
    for (const task of tasks) this.add(task);
  }

  claim(worker: WorkerIdentity, options: { waitMs: number; signal?: AbortSignal }): Promise<Claim | undefined> {
    try {
      this.assertOpen();
      if (options.signal?.aborted) throw new PeagenError('cancelled', `The claim of worker ${worker.id} was cancelled.`);
      const claim = this.take(worker);
      return claim === undefined && options.waitMs > 0 ? this.waiters.wait(worker, options) : Promise.resolve(claim);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async extend(claim: Claim): Promise<boolean> {
    const record = this.ofClaim(claim);
    if (record === undefined || this.withdrawn.has(record)) return false;
    record.at = this.now() + this.options.leaseMs;
    return true;
  }

  async complete(claim: Claim, result: Result, followUps: readonly Task[]): Promise<'stored' | 'duplicate'> {
    this.assertOpen();
    const id = claim.task.id;
    if (result.task_id !== id) {
      throw new PeagenError('invalid_input', `The result of task ${result.task_id} cannot complete task ${id}.`);
    }
    const by = `${claim.worker}#${claim.attempt}`;
    const record = this.open.get(id);
    if (record === undefined || record.state === 'dead') return this.done.get(id) === by ? 'stored' : 'duplicate';
    this.settle(record, by, result);
    for (const task of followUps) this.add(task);
    return 'stored';
  }

  async completeAndClaim(
    claim: Claim,
    result: Result,
    followUps: readonly Task[],
    caps: ReadonlySet<CapTag>,
  ): Promise<{ outcome: 'stored' | 'duplicate'; next: Claim | undefined }> {
    const outcome = await this.complete(claim, result, followUps);
    return { outcome, next: this.take({ id: claim.worker, caps }) };
  }

  async fail(claim: Claim, failure: Failure): Promise<'retry' | 'dead' | 'stale'> {
    this.assertOpen();
    const record = this.ofClaim(claim);
    if (record === undefined || this.wasWithdrawn(record)) return 'stale';
    return this.failRecord(record, failure);
  }

  async release(claim: Claim): Promise<void> {
    const record = this.ofClaim(claim);
    if (record !== undefined && !this.wasWithdrawn(record)) this.putBack(record);
  }

  waitResult(id: TaskId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Result | undefined> {
    return this.outcomes.wait(id, options);
  }

  subscribe(listener: ResultListener): () => void {
    return this.outcomes.subscribe(listener);
  }

  collect(sink: OutcomeSink): () => Promise<void> {
    return this.feed.collect(sink);
  }

  async sweep(): Promise<SweepReport> {
    this.assertOpen();
    const now = this.now();
    let [promoted, reclaimed, died] = [0, 0, 0];
    for (const record of this.delayed) {
      if (record.at > now) continue;
      this.putBack(record);
      promoted += 1;
    }
    for (const record of [...this.held.values()]) {
      if (record.at > now) continue;
      if (this.failRecord(record, { reason: LEASE_EXPIRED, code: 'internal', retryable: true }) === 'dead') died += 1;
      else reclaimed += 1;
    }
    this.arm();
    return { promoted, reclaimed, died };
  }

  async cancel(ids: readonly TaskId[], reason: string): Promise<void> {
    this.assertOpen();
    for (const id of ids) {
      const record = this.open.get(id);
      if (record !== undefined && record.state !== 'dead') this.skip(record, reason);
    }
  }

  async withdraw(ids: readonly TaskId[], reason: string): Promise<void> {
    for (const id of ids) {
      const record = this.open.get(id);
      if (record?.state === 'claimed') this.withdrawn.set(record, reason);
      else await this.cancel([id], reason);
    }
  }

  async depth(): Promise<Depth> {
    const byKind: Partial<Record<TaskKind, number>> = {};
    const byLane: Record<string, number> = {};
    const oldestByLane: Record<string, number> = {};
    const now = this.now();
    let [pending, oldestMs] = [0, 0];
    for (const lane of this.lanes.values()) {
      byLane[lane.info.name] = lane.waiting;
      byKind[lane.info.kind] = (byKind[lane.info.kind] ?? 0) + lane.waiting;
      pending += lane.waiting;
      const first = lane.peek();
      if (first === undefined) continue;
      const age = Math.max(0, now - first.enqueuedAt);
      oldestByLane[lane.info.name] = age;
      oldestMs = Math.max(oldestMs, age);
    }
    const { size: claimed } = this.held;
    const { size: delayed } = this.delayed;
    return { pending, claimed, delayed, dead: this.dead.size, byKind, byLane, oldestMs, oldestByLane };
  }

  async waiting(limit: number): Promise<Task[]> {
    const waiting = [...this.open.values()].filter(({ state }) => state === 'waiting');
    return oldest(
      waiting.map(({ task }) => task),
      limit,
    );
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.timer);
    this.waiters.close();
    this.outcomes.close();
    await this.feed.close();
  }

  private add(task: Task): void {
    if (this.open.has(task.id) || this.done.has(task.id)) return;
    const lane = this.laneFor(task);
    const [state, enqueuedAt] = ['waiting' as const, this.now()];
    const record: TaskRecord = {
      task,
      lane,
      enqueuedAt,
      state,
      claims: 0,
      worker: '',
      at: 0,
      reason: '',
      code: 'internal',
      ticket: 0,
    };
    this.open.set(task.id, record);
    lane.push(record);
    this.waiters.offer(lane.info.tags);
  }

  private laneFor(task: Task): Lane {
    const name = laneOf(task);
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      const info = parseLane(name);
      if (info === undefined) throw new PeagenError('invalid_input', `"${task.kind}" is not a kind of task.`);
      lane = new Lane(info);
      this.lanes.set(name, lane);
      this.order = new WeakMap();
    }
    return lane;
  }

  private lanesFor(caps: ReadonlySet<CapTag>): Lane[] {
    let lanes = this.order.get(caps);
    if (lanes === undefined) {
      lanes = eligibleLanes(
        [...this.lanes.values()].map((lane) => lane.info),
        caps,
      ).flatMap((info) => this.lanes.get(info.name) ?? []);
      this.order.set(caps, lanes);
    }
    return lanes;
  }

  private take(worker: WorkerIdentity): Claim | undefined {
    const holding = this.held.get(worker.id);
    if (holding !== undefined) return { task: holding.task, worker: worker.id, attempt: holding.claims };
    const lanes = this.lanesFor(worker.caps);
    const reversed = this.fairness.reversed();
    for (let i = 0; i < lanes.length; i++) {
      const lane = lanes[reversed ? lanes.length - 1 - i : i];
      for (let record = lane?.shift(); record !== undefined; record = lane?.shift()) {
        if (record.task.schema_v > TASK_SCHEMA_V) {
          const { id, schema_v } = record.task;
          record.state = 'claimed';
          this.settle(record, 'schema', unsupportedSchema(id, schema_v, TASK_SCHEMA_V, new Date(this.now()).toISOString()));
          continue;
        }
        record.state = 'claimed';
        record.claims += 1;
        record.worker = worker.id;
        record.at = this.now() + this.options.leaseMs;
        this.held.set(worker.id, record);
        this.armAt(record.at);
        return { task: record.task, worker: worker.id, attempt: record.claims };
      }
    }
    return undefined;
  }

  private ofClaim(claim: Claim): TaskRecord | undefined {
    const record = this.held.get(claim.worker);
    return record?.task.id === claim.task.id && record.claims === claim.attempt ? record : undefined;
  }

  /** Takes a record out of whatever holds it; the caller gives it its next state. */
  private detach(record: TaskRecord): void {
    if (record.state === 'claimed') this.held.delete(record.worker);
    else if (record.state === 'waiting') record.lane.leave(record);
    else if (record.state === 'delayed') this.delayed.delete(record);
    else if (record.state === 'dead') this.dead.delete(record.task.id);
  }

  private putBack(record: TaskRecord): void {
    this.detach(record);
    record.lane.push(record);
    this.waiters.offer(record.lane.info.tags);
  }

  private finish(record: TaskRecord, by: string): void {
    this.detach(record);
    record.state = 'done';
    this.open.delete(record.task.id);
    this.done.set(record.task.id, by);
  }

  private skip(record: TaskRecord, reason: string): void {
    const { id, attempts } = record.task;
    const created_at = new Date(this.now()).toISOString();
    this.settle(record, 'cancel', { task_id: id, status: 'skip', data: reason, created_at, attempts });
  }

  /** Given back, a withdrawn task is over. */
  private wasWithdrawn(record: TaskRecord): boolean {
    const reason = this.withdrawn.get(record);
    if (reason !== undefined) this.skip(record, reason);
    return reason !== undefined;
  }

  private settle(record: TaskRecord, by: string, result: Result): void {
    this.finish(record, by);
    record.lane.acks.inc();
    this.tell(result, false);
  }

  private tell(result: Result, dead: boolean): void {
    const outcome = { result, dead };
    this.feed.push(outcome);
    this.outcomes.tell(outcome);
  }

  private failRecord(record: TaskRecord, failure: Failure): 'retry' | 'dead' {
    const now = this.now();
    const { attempts } = record.task;
    this.detach(record);
    record.task = { ...record.task, attempts: attempts + 1 };
    record.reason = failure.reason;
    record.code = failure.code;
    if (failure.retryable && attempts < this.options.maxRetry) {
      record.state = 'delayed';
      record.at = now + retryDelay(this.options.retryDelayMs, attempts, Math.random());
      this.delayed.add(record);
      this.armAt(record.at);
      return 'retry';
    }
    record.state = 'dead';
    record.at = now;
    this.dead.set(record.task.id, record);
    record.lane.deaths.inc();
    const outcome = deadOutcome(this.deadLetters.letter(record));
    if (outcome !== undefined) this.tell(outcome.result, true);
    return 'dead';
  }

  private arm(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const record of this.delayed) next = Math.min(next, record.at);
    for (const record of this.held.values()) next = Math.min(next, record.at);
    if (next < Number.POSITIVE_INFINITY) this.armAt(next);
  }

  /** One timer for all leases and delays. It does not keep the process alive: a caller that waits for something does. */
  private armAt(at: number): void {
    if (this.closed || (this.timer !== undefined && this.timerAt <= at)) return;
    clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        if (!this.closed) void this.sweep();
      },
      Math.max(1, at - this.now()),
    );
    this.timer.unref();
  }

  private assertOpen(): void {
    if (this.closed) throw new PeagenError('unavailable', 'The queue is closed.', { retryable: false });
  }
}
