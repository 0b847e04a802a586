/**
 * The queue's contract. Adapters (stub, redis, plugins) implement it and pass test/conformance/queue.
 *
 * Terms. *Lane*: the waiting tasks of one kind and one set of tags. *Claim*: a worker's hold on one task, for the
 * length of a *lease* that *extend* renews. *Sweep*: promotes delayed tasks that are due and takes back expired claims.
 * *Dead letter*: a task that will not be tried again, kept with its reason.
 *
 * Invariants, for every adapter: a claim moves exactly one task and `requires ⊆ caps`; a worker id holds at most one;
 * every id is in exactly one of lane, claimed, delayed, dead, done; a stale claim can neither extend nor fail, but its
 * complete counts while the task is open (first result wins); sending any step again is harmless.
 */
import type { Config } from '../../shared/config.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { TaskId } from '../../shared/ids.ts';
import type { WorkerPool } from '../../shared/protocol/cluster.ts';
import type { DeadLetter, Depth } from '../../shared/protocol/queue.ts';
import type { CapTag, Result, Task } from '../../shared/task.ts';
import type { PackedFolders } from '../handlers/handler.ts';

/** See judging/copies/packed.ts. */
export type { DeadLetter, Depth, PackedFolders };

export interface WorkerIdentity {
  readonly id: string;
  readonly caps: ReadonlySet<CapTag>;
}

/** Proof of a claim; `attempt` distinguishes it from an earlier or later claim of the same task. */
export interface Claim {
  readonly task: Task;
  readonly worker: string;
  readonly attempt: number;
}

export interface Failure {
  /** One line; becomes the dead letter's reason. */
  readonly reason: string;
  /** What kind of error it is for the caller that waits for the task, when it is not tried again. */
  readonly code: ErrorCode;
  readonly retryable: boolean;
}

/** The part of the queue that a worker needs; also spoken over IPC between a daemon and its local workers. */
export interface WorkerQueue {
  /**
   * One task that the worker can run, or undefined after `waitMs`. The same task again when the worker already holds
   * one. Rejects with `cancelled` when `signal` fires; a task is never lost to that.
   */
  claim(worker: WorkerIdentity, options: { waitMs: number; signal?: AbortSignal }): Promise<Claim | undefined>;
  /** Renews the lease. False: it was lost, stop working on it. */
  extend(claim: Claim): Promise<boolean>;
  /** Result, acknowledgement and follow-up tasks in one atomic step. `duplicate`: another result was first; nothing changed. */
  complete(claim: Claim, result: Result, followUps: readonly Task[]): Promise<'stored' | 'duplicate'>;
  /** Retry later with a doubling delay, or dead letter when not retryable or out of attempts. `stale`: the claim was lost. */
  fail(claim: Claim, failure: Failure): Promise<'retry' | 'dead' | 'stale'>;
  /** Gives the task back to the others, at once and without counting an attempt. */
  release(claim: Claim): Promise<void>;
  /** Where the folders are that tasks refer to. */
  readonly folders?: Pick<PackedFolders, 'get'> | undefined;
}

export interface SweepReport {
  readonly promoted: number;
  readonly reclaimed: number;
  readonly died: number;
}

/** What subscribers receive: each final outcome once, dead letters as a result with status `error`. */
export type ResultListener = (result: Result) => void;

/** How a task ended. A dead letter is reported as a result with status `error`; a retry can still produce a real one. */
export interface TaskOutcome {
  readonly result: Result;
  readonly dead: boolean;
}

/** Takes outcomes in, oldest first; an outcome may come again after a crash. When it rejects, the same batch comes again. */
export type OutcomeSink = (outcomes: readonly TaskOutcome[]) => Promise<void>;

export interface TaskQueue extends WorkerQueue {
  /** Adds tasks; an id the queue already knows is a no-op. */
  enqueue(tasks: readonly Task[]): Promise<void>;
  /** `complete` and the worker's next task, when one waits, in one step: what a warm worker does in a loop. */
  completeAndClaim(
    claim: Claim,
    result: Result,
    followUps: readonly Task[],
    caps: ReadonlySet<CapTag>,
  ): Promise<{ outcome: 'stored' | 'duplicate'; next: Claim | undefined }>;
  /** The result of a task, also when it arrived earlier; undefined after `timeoutMs`. Rejects with `cancelled` on `signal`. */
  waitResult(id: TaskId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Result | undefined>;
  /** Receives outcomes from now on, in this process only; nothing is kept for a listener. */
  subscribe(listener: ResultListener): () => void;
  /**
   * Durable: offers every outcome, also those from before the call, and forgets it only when the sink has resolved.
   * One collector at a time per queue object (`conflict`). Call the answer to stop; it resolves when the sink is idle.
   */
  collect(sink: OutcomeSink): () => Promise<void>;
  sweep(): Promise<SweepReport>;
  /**
   * Resolves when there may be tasks for one of these sets of tags, and from time to time without any; claims nothing. With a
   * queue that lacks it, a spawner looks at `depth` from time to time.
   */
  arrival?(classes: readonly ReadonlySet<CapTag>[], signal: AbortSignal): Promise<void>;
  /** Takes tasks out (waiting) or disowns them (claimed); each ends as a result with status `skip` and this reason. */
  cancel(ids: readonly TaskId[], reason: string): Promise<void>;
  /**
   * As `cancel` for what nobody has claimed. The holder of a claimed one learns at its next `extend` that it is not wanted, and
   * may still complete it, with what it has come to. Such a task stays open until it is completed, given back or cancelled.
   */
  withdraw(ids: readonly TaskId[], reason: string): Promise<void>;
  depth(): Promise<Depth>;
  /** Tasks that nobody has claimed, oldest first, at most `limit`: for a user to look at. A queue of a plugin may lack it. */
  waiting?(limit: number): Promise<Task[]>;
  readonly deadLetters: DeadLetterQueue;
  /** Why a queue on another machine cannot be reached at the moment, in one line; it is tried again. */
  readonly trouble?: string | undefined;
  /** The machines that serve the workspace, on a queue that machines share. */
  readonly pools?: WorkerPools;
  /** Takes folders for hosts that do not have them; a queue without it has its workers on this machine only. */
  readonly folders?: PackedFolders;
  /** Stops every wait and closes connections. Tasks stay where they are. */
  close(): Promise<void>;
}

/** Kept for a user to see; no task depends on it. */
export interface WorkerPools {
  /** Valid for this long, or until it is set again. */
  announce(pool: WorkerPool, ttlMs: number): Promise<void>;
  withdraw(id: string): Promise<void>;
  list(): Promise<WorkerPool[]>;
}

export interface DeadLetterQueue {
  /** Oldest first. */
  list(options?: { limit?: number; offset?: number }): Promise<DeadLetter[]>;
  inspect(id: string): Promise<DeadLetter | undefined>;
  /** Puts them back with attempts 0; returns how many. Undefined: all. */
  retry(ids?: readonly string[]): Promise<number>;
  purge(ids?: readonly string[]): Promise<number>;
}

/** Settings that every adapter understands. */
export interface QueueOptions {
  readonly leaseMs: number;
  readonly maxRetry: number;
  /** First retry delay in milliseconds; doubles with each attempt, with jitter of ±20 %. */
  readonly retryDelayMs: number;
  /** Milliseconds since the epoch; tests pass their own. Redis uses its own clock. */
  readonly now?: () => number;
}

declare module '../registry.ts' {
  interface PluginKinds {
    queue: (config: Config, workspace: string) => Promise<TaskQueue>;
  }
}
