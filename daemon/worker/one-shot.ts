/**
 * The life of a one-shot worker: claim exactly one task, run one handler, report, end. Its end always has a reason.
 * While it waits for a task it imports what it will need to run one.
 */
import type { Claim, WorkerIdentity, WorkerQueue } from '../fabric/queue.ts';
import type { Report } from '../fabric/worker/ipc.ts';
import type { HandlerOutcome, runTask as RunTaskFunction } from '../fabric/worker/run-task.ts';
import type { WorkerSettings } from '../fabric/worker/settings.ts';
import { takeCounts } from '../telemetry/counts.ts';
import type { WorkerRuntime } from './runtime.ts';

export type ExitReason = 'done' | 'failed' | 'skipped' | 'idle' | 'drained' | 'max-uptime' | 'lease-lost' | 'orphaned' | 'error';

/** How long a handler may tidy up (end its sandboxes) when its task is not wanted any more. */
const TIDY_MS = 2000;

type RunTask = typeof RunTaskFunction;

interface OneShotOptions {
  readonly queue: WorkerQueue;
  readonly settings: WorkerSettings;
  readonly identity: () => Promise<WorkerIdentity>;
  readonly runtime: () => Promise<WorkerRuntime>;
  /** Takes what the parent must know about the work, before it is reported. */
  readonly report: (report: Report) => void;
  readonly image: string | undefined;
}

export class OneShotWorker {
  private readonly options: OneShotOptions;
  /** Ends the wait for a task. */
  private readonly waiting = new AbortController();
  /** Ends the handler. */
  private readonly working = new AbortController();
  /** A handler that was asked to end has had its time. */
  private readonly overdue = Promise.withResolvers<undefined>();
  private stopping: ExitReason | undefined;

  constructor(options: OneShotOptions) {
    this.options = options;
  }

  /** After the task in hand. */
  drain(): void {
    this.stopping ??= 'drained';
    this.waiting.abort();
  }

  /** Ends at once: the task was taken back, or the parent is gone. */
  abandon(reason: 'lease-lost' | 'orphaned'): void {
    this.stopping = reason;
    this.abort();
  }

  private abort(): void {
    this.waiting.abort();
    this.working.abort();
    setTimeout(() => this.overdue.resolve(undefined), TIDY_MS).unref();
  }

  async run(): Promise<ExitReason> {
    const { queue, settings } = this.options;
    const uptime = setTimeout(() => {
      this.stopping ??= 'max-uptime';
      this.abort();
    }, settings.maxUptimeMs);
    try {
      const claimed = this.claim(queue);
      // Loaded while waiting; a failure is reported when they are needed.
      const loading = Promise.all([this.options.runtime(), import('../fabric/worker/run-task.ts')]);
      loading.catch(() => undefined);
      const claim = await claimed;
      if (claim === undefined) return this.stopping ?? 'idle';
      try {
        await loading;
      } catch (caught) {
        // Our fault, not the task's: it costs the task no attempt.
        await queue.release(claim);
        throw caught;
      }
      const [runtime, { runTask }] = await loading;
      return await this.work(claim, runtime, runTask);
    } finally {
      clearTimeout(uptime);
    }
  }

  private async claim(queue: WorkerQueue): Promise<Claim | undefined> {
    const identity = await this.options.identity();
    try {
      return await queue.claim(identity, { waitMs: this.options.settings.idleExitMs, signal: this.waiting.signal });
    } catch (caught) {
      // `cancelled` is how an aborted wait ends.
      if (this.stopping === undefined) throw caught;
      return undefined;
    }
  }

  private async work(claim: Claim, runtime: WorkerRuntime, runTask: RunTask): Promise<ExitReason> {
    const { queue } = this.options;
    const { id, caps } = await this.options.identity();
    const { lease_ms } = runtime.config.task_queue;
    let outcome: HandlerOutcome | undefined;
    {
      using _heartbeat = startHeartbeat(queue, claim, Math.min(10_000, lease_ms / 3), () => this.abandon('lease-lost'));
      const { image } = this.options;
      const { signal } = this.working;
      const running = runTask(claim, { ...runtime, caps, workerId: id, image, signal, folders: queue.folders });
      outcome = await Promise.race([running, this.overdue.promise]);
    }
    // A task that was withdrawn may still have come to something, such as tokens spent; the queue decides whether it counts.
    if (this.stopping === 'orphaned') return 'orphaned';
    this.options.report({ handler: outcome?.handler, ms: outcome?.ms ?? 0, metrics: takeCounts() });
    if (this.stopping === 'lease-lost' && outcome?.kind !== 'ok') {
      // Given back, a task that was withdrawn is over; of a claim that was lost, nothing changes.
      await queue.release(claim);
      return 'lease-lost';
    }
    return this.conclude(claim, outcome);
  }

  private async conclude(claim: Claim, outcome: HandlerOutcome | undefined): Promise<ExitReason> {
    const { queue, settings } = this.options;
    if (outcome?.kind === 'ok') {
      await queue.complete(claim, outcome.result, outcome.followUps);
      return this.stopping === 'lease-lost' ? 'lease-lost' : 'done';
    }
    if (outcome === undefined || this.stopping === 'max-uptime') {
      const reason = `The worker reached its maximum uptime of ${settings.maxUptimeMs / 1000} s.`;
      await queue.fail(claim, { reason, code: 'internal', retryable: true });
      return 'max-uptime';
    }
    if (outcome.kind === 'skip') {
      await queue.release(claim);
      return 'skipped';
    }
    await queue.fail(claim, { reason: outcome.reason, code: outcome.code, retryable: outcome.retryable });
    return 'failed';
  }
}

/**
 * Renews the lease of the task in hand until it is disposed of. The queue not answering is not a loss: the lease may still be
 * good when it comes back, and then `extend` says so.
 */
function startHeartbeat(queue: WorkerQueue, claim: Claim, everyMs: number, onLost: () => void): Disposable {
  let asking = false;
  const beat = async () => {
    if (asking) return;
    asking = true;
    try {
      if (!(await queue.extend(claim))) onLost();
    } catch {
      // Asked again at the next beat.
    } finally {
      asking = false;
    }
  };
  const timer = setInterval(() => void beat(), everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
