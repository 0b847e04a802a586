/** One child of the broker: the claim it holds, the lease that is renewed for it, and the answers to its calls. */
import type { Config } from '../../shared/config.ts';
import { type ErrorCode, PeagenError } from '../../shared/errors.ts';
import type { CapTag, Result, ResultStatus } from '../../shared/task.ts';
import { machine } from '../executors/machine.ts';
import { requireEditorModels } from '../llm/backends/editor.ts';
import type { Log } from '../telemetry/log.ts';
import { addCounts, metrics } from '../telemetry/metrics.ts';
import { passSpan } from '../telemetry/trace.ts';
import type { LaunchedWorker } from './launchers/launcher.ts';
import type { Claim, WorkerQueue } from './queue.ts';
import type { Semaphore } from './semaphore.ts';
import type { SharedTraffic } from './shared-traffic.ts';
import { FromWorker, type Report, type WorkerChannel } from './worker/ipc.ts';

/** A child whose event loop has been silent for this many leases while it holds a task hangs, and is killed. */
const SILENT_LEASES = 10;
/** More often than the lease asks for: a beat is cheap, and it is how a worker learns that its task is not wanted any more. */
const BEAT_MS = 1000;

interface BrokeredOptions {
  readonly queue: WorkerQueue;
  readonly config: Config;
  readonly log: Log;
  readonly worker: LaunchedWorker;
  readonly channel: WorkerChannel;
  readonly caps: readonly CapTag[];
  readonly gate: Semaphore;
  readonly traffic: SharedTraffic;
  readonly onChange: () => void;
}

export class BrokeredWorker {
  private readonly options: BrokeredOptions;
  private readonly gone = new AbortController();
  private claim: Claim | undefined;
  private wait: AbortController | undefined;
  private beat: NodeJS.Timeout | undefined;
  private heardAt = 0;
  private settling = false;
  private everClaimed = false;
  private reported = false;
  /** Back ends that it has leave to ask, until it says how that went. */
  private readonly entered: string[] = [];

  constructor(options: BrokeredOptions) {
    this.options = options;
    const { channel, worker, caps, config } = options;
    channel.listen((message) => void this.hear(message));
    channel.send({ type: 'hello', id: worker.id, caps, config, machine });
    this.gone.signal.addEventListener('abort', () => clearInterval(this.beat), { once: true });
    void worker.exited.then(() => this.gone.abort());
  }

  /** It holds a task. */
  get busy(): boolean {
    return this.claim !== undefined;
  }

  /** It has asked for a task and has none yet. */
  get idle(): boolean {
    return this.wait !== undefined;
  }

  /** It has had its task, and is about to exit. */
  get over(): boolean {
    return this.everClaimed && this.claim === undefined;
  }

  /** It has reported on its task or died of it: its end is not a failed launch. */
  get fruitful(): boolean {
    return this.reported || this.busy;
  }

  /**
   * Call once, when it has exited. A crash counts as a failed attempt, so that a task that kills its workers ends in
   * the dead-letter queue; a worker that we ended (`crash` undefined) gives its task back uncounted.
   */
  async giveBack(crash: string | undefined): Promise<void> {
    this.gone.abort();
    const { queue, log, worker, traffic } = this.options;
    await traffic.abandon(this.entered);
    const claim = this.claim;
    if (claim === undefined || this.settling) return;
    this.endClaim();
    try {
      if (crash === undefined) await queue.release(claim);
      else await queue.fail(claim, { reason: crash, code: 'internal', retryable: true });
    } catch (caught) {
      // The lease runs out and the sweep takes it back.
      log.warn({ err: caught, worker: worker.id, task: claim.task.id }, 'a claim could not be given back');
    }
    this.options.onChange();
  }

  private async hear(raw: unknown): Promise<void> {
    const { channel, log, worker } = this.options;
    const parsed = FromWorker.safeParse(raw);
    if (!parsed.success) {
      log.error({ worker: worker.id, issue: parsed.error.issues[0] }, 'a worker sent a message that is none; it is ended');
      worker.kill();
      return;
    }
    const message = parsed.data;
    this.heardAt = Date.now();
    if (message.type === 'stopWaiting') {
      this.wait?.abort();
      return;
    }
    try {
      channel.send({ type: 'answer', call: message.call, value: await this.serve(message) });
    } catch (caught) {
      channel.send({ type: 'refusal', call: message.call, error: PeagenError.from(caught).toJSON() });
    }
  }

  private async serve(message: Exclude<FromWorker, { type: 'stopWaiting' }>): Promise<unknown> {
    const { queue } = this.options;
    switch (message.type) {
      case 'claim':
        return this.take(message.waitMs);
      case 'extend':
        return this.claim !== undefined;
      case 'complete':
        return this.settle('ok', message.report, (claim) => {
          const result: Result = { ...message.result, worker_id: claim.worker };
          if (result.task_id !== claim.task.id) throw notHeld(result.task_id);
          return queue.complete(claim, result, message.followUps);
        });
      case 'fail':
        return this.settle('error', message.report, (claim) => queue.fail(claim, message.failure), message.failure.code);
      case 'release':
        return this.settle('skip', message.report, (claim) => queue.release(claim));
      case 'askEditor':
        if (this.claim === undefined) throw notHeld('none');
        return requireEditorModels().ask(message.model, message.request, { signal: this.gone.signal });
      case 'folder':
        if (this.claim === undefined) throw notHeld('none');
        return await queue.folders?.get(message.id, message.names);
      case 'traffic':
        return this.options.traffic.serve(message.ask, this.entered);
    }
  }

  private async take(waitMs: number): Promise<Claim | undefined> {
    const { queue, worker, caps, gate, onChange } = this.options;
    if (this.claim !== undefined || this.wait !== undefined || this.everClaimed) {
      throw new PeagenError('conflict', `Worker ${worker.id} claims twice; a worker takes one task.`);
    }
    const wait = new AbortController();
    this.wait = wait;
    const started = Date.now();
    const signal = AbortSignal.any([wait.signal, this.gone.signal]);
    let entered = false;
    // One timer for the place and the task together.
    const timer = setTimeout(() => wait.abort(), waitMs);
    onChange();
    try {
      await gate.enter(signal);
      entered = true;
      const claim = await queue.claim(
        { id: worker.id, caps: new Set(caps) },
        { waitMs: waitMs - (Date.now() - started), signal },
      );
      if (claim === undefined) return undefined;
      if (this.gone.signal.aborted) {
        await queue.release(claim);
        return undefined;
      }
      entered = false;
      this.hold(claim);
      return claim;
    } catch (caught) {
      if (!signal.aborted) throw caught;
      return undefined;
    } finally {
      clearTimeout(timer);
      this.wait = undefined;
      if (entered) gate.leave();
      onChange();
    }
  }

  private hold(claim: Claim): void {
    this.claim = claim;
    this.everClaimed = true;
    this.heardAt = Date.now();
    const { lease_ms } = this.options.config.task_queue;
    this.beat = setInterval(() => void this.renew(claim), Math.min(BEAT_MS, lease_ms / 3));
  }

  /** The parent beats for its children, since a handler may keep its own event loop busy. */
  private async renew(claim: Claim): Promise<void> {
    const { queue, channel, config, log, worker } = this.options;
    if (Date.now() - this.heardAt > SILENT_LEASES * config.task_queue.lease_ms) {
      log.warn({ worker: worker.id, task: claim.task.id }, 'a worker does not answer any more; it is ended');
      worker.kill();
      return;
    }
    try {
      if (!(await queue.extend(claim)) && this.claim === claim && !this.settling) channel.send({ type: 'lost' });
    } catch (caught) {
      log.warn({ err: caught, worker: worker.id }, 'a lease could not be renewed');
    }
  }

  private async settle<T>(status: ResultStatus, report: Report, act: (claim: Claim) => Promise<T>, code?: ErrorCode): Promise<T> {
    const claim = this.claim;
    if (claim === undefined || this.settling) throw notHeld(claim?.task.id ?? 'none');
    this.settling = true;
    try {
      const answer = await act(claim);
      this.reported = status !== 'skip';
      this.endClaim();
      count(status, report, code);
      return answer;
    } finally {
      this.settling = false;
      // It ended while its report was under way, and the report failed.
      if (this.gone.signal.aborted && this.claim !== undefined) await this.giveBack(undefined);
      this.options.onChange();
    }
  }

  private endClaim(): void {
    clearInterval(this.beat);
    this.claim = undefined;
    this.options.gate.leave();
  }
}

function notHeld(task: string): PeagenError {
  return new PeagenError('conflict', `The worker does not hold task ${task}.`);
}

function count(status: ResultStatus, { handler = 'none', ms, metrics: counts, spans = [] }: Report, code?: ErrorCode): void {
  for (const span of spans) passSpan({ ...span, parentId: span.parentId, error: span.error });
  metrics.workerTask.inc({ handler, status });
  if (code !== undefined) metrics.handlerFail.inc({ handler, reason: code });
  metrics.handlerDuration.observe({ handler, status }, ms / 1000);
  addCounts(counts);
}
