/**
 * The part of a host that serves one class of capabilities: as many slots as the class may hold tasks, each with a worker id
 * of its own. One claim waits at the queue for the next free slot; a slot that completes a task claims its next in the same step.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PeagenError } from '../../../shared/errors.ts';
import type { CapTag } from '../../../shared/task.ts';
import type { Log } from '../../telemetry/log.ts';
import { metrics } from '../../telemetry/metrics.ts';
import type { Claim, TaskQueue } from '../queue.ts';
import { backOffMs } from '../spawner/spawn-plan.ts';
import type { WorkerClass } from '../spawner/worker-classes.ts';
import type { HandlerOutcome } from '../worker/run-task.ts';
import type { Leases } from './leases.ts';
import { TaskInHand } from './task-in-hand.ts';

/** A wait for a task is begun again after this time; it costs the queue nothing. */
const WAIT_MS = 3_600_000;
/** At the end, how long a claim that is under way is waited for. */
const CLAIM_MS = 1000;

interface SlotsOptions {
  readonly queue: TaskQueue;
  readonly workerClass: WorkerClass;
  readonly leases: Leases;
  readonly log: Log;
  /** A task that runs for longer is failed. Milliseconds. */
  readonly taskLimitMs: number;
  /** Never rejects. */
  readonly run: (claim: Claim, caps: ReadonlySet<CapTag>, signal: AbortSignal) => Promise<HandlerOutcome>;
}

export class Slots {
  /** Why no task can be taken at the moment. */
  problem: string | undefined;
  /** How tasks ended, by reason. */
  readonly ends: Record<string, number> = {};
  /** When a task was last in hand, in milliseconds since the epoch. */
  activeAt = Date.now();
  private readonly options: SlotsOptions;
  private readonly caps: ReadonlySet<CapTag>;
  private readonly free: string[];
  private readonly inHand = new Set<TaskInHand>();
  private readonly stopping = new AbortController();
  private readonly serving: Promise<void>;
  /** Resolves the wait for a free slot, or for the end. */
  private freed: () => void = () => undefined;
  /** Resolves when the last task in hand is over. */
  private idle: () => void = () => undefined;
  private failures = 0;

  constructor(options: SlotsOptions) {
    this.options = options;
    this.caps = new Set(options.workerClass.caps);
    const host = `h-${hostname().slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`;
    this.free = Array.from({ length: options.workerClass.parallel }, (_, index) => `${host}-${index}`);
    this.serving = this.serve();
  }

  get busy(): number {
    return this.inHand.size;
  }

  /** Takes no more tasks; those in hand have this time, then they are aborted and given back. */
  async close(drainMs: number): Promise<void> {
    this.stopping.abort();
    this.freed();
    // A claim that a queue which is away does not let go of is given back when it comes.
    await Promise.race([this.serving, delay(CLAIM_MS, undefined, { ref: false })]);
    const drained = new AbortController();
    void delay(drainMs, undefined, { signal: drained.signal }).then(
      () => this.abort(),
      () => undefined,
    );
    while (this.inHand.size > 0) {
      await new Promise<void>((resolve) => {
        this.idle = resolve;
      });
    }
    drained.abort();
  }

  /** Ends the tasks in hand at once; they go back to the queue. */
  abort(): void {
    for (const task of this.inHand) task.end('stopping');
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async serve(): Promise<void> {
    const { queue, log } = this.options;
    const { signal } = this.stopping;
    while (!this.stopped) {
      const worker = this.free.pop();
      if (worker === undefined) {
        await this.nextFree();
        continue;
      }
      try {
        if (this.failures > 0) await delay(backOffMs(this.failures), undefined, { signal });
        const claim = await queue.claim({ id: worker, caps: this.caps }, { waitMs: WAIT_MS, signal });
        if (claim === undefined) this.free.push(worker);
        else if (this.stopped) await queue.release(claim);
        else void this.occupy(worker, claim);
      } catch (caught) {
        this.free.push(worker);
        if (this.stopped) return;
        this.failed(PeagenError.from(caught).line);
        log.warn({ caps: this.options.workerClass.name }, `no task could be claimed: ${PeagenError.from(caught).line}`);
      }
    }
  }

  private nextFree(): Promise<void> {
    return new Promise((resolve) => {
      this.freed = resolve;
    });
  }

  private async occupy(worker: string, first: Claim): Promise<void> {
    for (let claim: Claim | undefined = first; claim !== undefined; ) {
      this.activeAt = Date.now();
      const task = new TaskInHand(claim);
      this.inHand.add(task);
      try {
        claim = await this.work(task);
      } catch (caught) {
        // The lease runs out, and the sweep gives the task to another worker.
        this.options.log.warn({ err: caught, task: task.claim.task.id }, 'the end of a task could not be reported');
        this.end('error');
        claim = undefined;
      } finally {
        this.inHand.delete(task);
        this.activeAt = Date.now();
      }
      if (claim !== undefined && this.stopped) {
        await this.options.queue.release(claim).catch(() => undefined);
        claim = undefined;
      }
    }
    this.free.push(worker);
    this.freed();
    if (this.inHand.size === 0) this.idle();
  }

  private async work(task: TaskInHand): Promise<Claim | undefined> {
    const { leases, run, taskLimitMs } = this.options;
    using _lease = leases.hold(task.claim, () => task.end('lease-lost'));
    const limit = setTimeout(() => task.end('max-uptime'), taskLimitMs);
    const started = performance.now();
    try {
      const outcome = await task.run((signal) => run(task.claim, this.caps, signal));
      metrics.workerRuntime.observe((performance.now() - started) / 1000);
      return await this.conclude(task, outcome);
    } finally {
      clearTimeout(limit);
    }
  }

  /** Reports how the task ended; returns the next one when the report has claimed it. */
  private async conclude({ claim, ending }: TaskInHand, outcome: HandlerOutcome | undefined): Promise<Claim | undefined> {
    const { queue, taskLimitMs } = this.options;
    if (outcome?.kind === 'ok') {
      // A task that was withdrawn may still have come to something, such as tokens spent; the queue decides whether it counts.
      this.end(ending === 'lease-lost' ? 'lease-lost' : 'done');
      this.failures = 0;
      this.problem = undefined;
      if (!this.stopped) return (await queue.completeAndClaim(claim, outcome.result, outcome.followUps, this.caps)).next;
      await queue.complete(claim, outcome.result, outcome.followUps);
      return undefined;
    }
    if (ending === 'lease-lost' || ending === 'stopping') {
      this.end(ending === 'stopping' ? 'drained' : 'lease-lost');
      await queue.release(claim);
    } else if (ending === 'max-uptime' || outcome === undefined) {
      this.end('max-uptime');
      const reason = `The task ran longer than worker.defaults.max_uptime, which is ${taskLimitMs / 1000} s.`;
      await queue.fail(claim, { reason, code: 'timeout', retryable: true });
    } else if (outcome.kind === 'skip') {
      this.end('skipped');
      this.failed(`Waiting tasks are given back unrun: ${outcome.reason}`);
      await queue.release(claim);
    } else {
      this.end('failed');
      await queue.fail(claim, { reason: outcome.reason, code: outcome.code, retryable: outcome.retryable });
    }
    return undefined;
  }

  private end(reason: string): void {
    this.ends[reason] = (this.ends[reason] ?? 0) + 1;
    metrics.workerExitReason.inc({ reason });
  }

  private failed(problem: string): void {
    this.failures += 1;
    this.problem = problem;
  }
}
