/**
 * The life of a one-shot worker: claim exactly one task, run one handler, report, end. Its end always has a reason.
 * While it waits for a task it imports what it will need to run one.
 */
import type { Claim, WorkerIdentity, WorkerQueue } from '../queue.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Report } from './ipc.ts';
import { collectDeltas } from './metric-deltas.ts';
import type { Outcome, runTask as RunTaskFunction } from './run-task.ts';
import type { Runtime } from './runtime.ts';
import type { WorkerSettings } from './settings.ts';

export type ExitReason = 'done' | 'failed' | 'skipped' | 'idle' | 'drained' | 'max-uptime' | 'lease-lost' | 'orphaned' | 'error';

type RunTask = typeof RunTaskFunction;

export interface OneShotOptions {
  readonly queue: WorkerQueue;
  readonly settings: WorkerSettings;
  readonly identity: () => Promise<WorkerIdentity>;
  readonly runtime: () => Promise<Runtime>;
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
  private stopping: ExitReason | undefined;

  constructor(options: OneShotOptions) {
    this.options = options;
  }

  /** After the task in hand. */
  drain(): void {
    this.stopping ??= 'drained';
    this.waiting.abort();
  }

  /** At once: the task is not ours any more, or nobody is there to hear of it. */
  abandon(reason: 'lease-lost' | 'orphaned'): void {
    this.stopping = reason;
    this.waiting.abort();
    this.working.abort();
  }

  async run(): Promise<ExitReason> {
    const { queue, settings } = this.options;
    const uptime = setTimeout(() => {
      this.stopping ??= 'max-uptime';
      this.waiting.abort();
      this.working.abort();
    }, settings.maxUptimeMs);
    try {
      const claimed = this.claim(queue);
      // Loaded while waiting; a failure is told when they are needed.
      const loading = Promise.all([this.options.runtime(), import('./run-task.ts')]);
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

  private async work(claim: Claim, runtime: Runtime, runTask: RunTask): Promise<ExitReason> {
    const { queue } = this.options;
    const { id, caps } = await this.options.identity();
    const { lease_ms } = runtime.config.task_queue;
    let outcome: Outcome;
    {
      using _heartbeat = startHeartbeat(queue, claim, Math.min(10_000, lease_ms / 3), () => this.abandon('lease-lost'));
      outcome = await runTask(claim, {
        ...runtime,
        caps,
        workerId: id,
        image: this.options.image,
        signal: this.working.signal,
      });
    }
    if (this.stopping === 'lease-lost' || this.stopping === 'orphaned') return this.stopping;
    const { handler, ms } = outcome;
    const code = outcome.kind === 'fail' ? outcome.code : undefined;
    this.options.report({ handler, ms, code, metrics: await collectDeltas() });
    return this.conclude(claim, outcome);
  }

  private async conclude(claim: Claim, outcome: Outcome): Promise<ExitReason> {
    const { queue, settings } = this.options;
    if (outcome.kind === 'ok') {
      await queue.complete(claim, outcome.result, outcome.followUps);
      return 'done';
    }
    if (this.stopping === 'max-uptime') {
      const reason = `The worker reached its maximum uptime of ${settings.maxUptimeMs / 1000} s.`;
      await queue.fail(claim, { reason, retryable: true });
      return 'max-uptime';
    }
    if (outcome.kind === 'skip') {
      await queue.release(claim);
      return 'skipped';
    }
    await queue.fail(claim, { reason: outcome.reason, retryable: outcome.retryable });
    return 'failed';
  }
}
