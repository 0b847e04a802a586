/**
 * The warm-spawner: launches one-shot workers as tasks arrive, keeps a few ahead while there is demand, takes back what
 * dead workers held, and holds no process and no timer when there is nothing to do. What to launch is decided in
 * spawn-plan.ts.
 */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { CapTag } from '../../../shared/task.ts';
import { removeLeftTemporaries } from '../../executors/temporary.ts';
import type { Log } from '../../telemetry/log.ts';
import { metrics } from '../../telemetry/metrics.ts';
import type { Broker } from '../broker.ts';
import type { Launcher } from '../launchers/launcher.ts';
import type { Depth, TaskQueue } from '../queue.ts';
import type { WorkerStats, Workers } from '../workers.ts';
import { planSpawns } from './spawn-plan.ts';
import { demandOf, type WorkerClass } from './worker-classes.ts';
import { WorkerGroup } from './worker-group.ts';

export interface WarmSpawnerOptions {
  readonly queue: TaskQueue;
  readonly launcher: Launcher;
  readonly broker: Broker;
  readonly classes: readonly WorkerClass[];
  readonly config: Config;
  readonly log: Log;
  /** Waits for tasks that other machines enqueued, or looks this often; undefined: only when woken. Milliseconds. */
  readonly pollMs?: number;
  readonly now?: () => number;
}

const SWEEP_MS = 1000;
const DRAIN_MS = 2000;

export class WarmSpawner implements Workers {
  private readonly options: WarmSpawnerOptions;
  private readonly groups: readonly WorkerGroup[];
  private readonly now: () => number;
  private readonly caps: readonly ReadonlySet<CapTag>[];
  private readonly ending = new AbortController();
  private waiting = false;
  private timer: NodeJS.Timeout | undefined;
  private ticking = false;
  private again = false;
  private sweepDue = false;
  private started = false;
  private closing = false;
  private homeless: string | undefined;
  private activeAt: number;

  constructor(options: WarmSpawnerOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.activeAt = this.now();
    this.caps = options.classes.map(({ caps }) => new Set(caps));
    this.groups = options.classes.map(
      (workerClass) => new WorkerGroup({ ...options, workerClass, now: this.now, onChange: () => this.wake() }),
    );
  }

  /** Ends what an earlier spawner left behind, then looks for tasks. */
  start(): void {
    if (this.started) return;
    this.started = true;
    void this.endLeftovers().then(() => this.wake());
  }

  /** Something may have changed: tasks were enqueued, or a worker took up or ended one. Cheap; calls are merged. */
  wake(): void {
    if (this.closing || !this.started) return;
    if (this.ticking) {
      this.again = true;
      return;
    }
    this.ticking = true;
    setImmediate(() => void this.tick());
  }

  get trouble(): string | undefined {
    return this.options.broker.trouble;
  }

  stats(): WorkerStats {
    const counts = this.groups.map((group) => group.counts());
    const byCaps = Object.fromEntries(
      this.groups.map((group, index) => [group.name, counts[index] ?? { live: 0, idle: 0, busy: 0 }]),
    );
    const problem = this.groups.find((group) => group.problem !== undefined)?.problem ?? this.homeless;
    return {
      live: counts.reduce((sum, { live }) => sum + live, 0),
      idle: counts.reduce((sum, { idle }) => sum + idle, 0),
      byCaps,
      launched: this.groups.reduce((sum, { launched }) => sum + launched, 0),
      exits: sumOf(this.groups.map(({ exits }) => exits)),
      quietMs: this.now() - this.activeAt,
      ...(problem === undefined ? {} : { problem }),
    };
  }

  /** Workers have this long to finish the task in hand, then they are ended and their tasks given back. */
  async close({ drainMs = DRAIN_MS } = {}): Promise<void> {
    this.closing = true;
    this.ending.abort();
    clearTimeout(this.timer);
    await Promise.all(this.groups.map((group) => group.close(drainMs)));
    await this.options.launcher.close();
  }

  private async endLeftovers(): Promise<void> {
    const { launcher, log } = this.options;
    void removeLeftTemporaries().then((folders) => {
      if (folders > 0) log.info({ folders }, 'temporary folders of processes that were killed are removed');
    });
    try {
      for (const worker of await launcher.leftovers()) {
        log.warn({ worker: worker.id }, 'a worker that an earlier process left behind is ended');
        worker.kill();
        await worker.exited;
      }
    } catch (caught) {
      log.warn({ err: caught }, 'leftover workers could not be ended');
    }
  }

  private async tick(): Promise<void> {
    const sweep = this.sweepDue;
    this.sweepDue = false;
    let next: number | undefined;
    try {
      next = await this.look(sweep);
    } catch (caught) {
      if (!this.closing)
        this.options.log.warn({ err: caught }, `the queue could not be read: ${PeagenError.from(caught).message}`);
      next = SWEEP_MS;
    }
    this.ticking = false;
    if (this.closing) return;
    this.schedule(next);
    if (this.again) {
      this.again = false;
      this.wake();
    }
  }

  /** A timer that is set stays: a steady stream of wakes must not keep the sweep from its turn. */
  private schedule(next: number | undefined): void {
    if (next === undefined) {
      clearTimeout(this.timer);
      this.timer = undefined;
      return;
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.sweepDue = true;
      this.wake();
    }, next);
  }

  /** Returns when to look again by itself, in milliseconds. */
  private async look(sweep: boolean): Promise<number | undefined> {
    const { queue, config } = this.options;
    if (sweep) await queue.sweep();
    const depth = await queue.depth();
    if (this.closing) return undefined;
    this.act(depth);
    const open =
      depth.pending + depth.claimed + depth.delayed > 0 || this.groups.some((group) => group.backOffUntil > this.now());
    return open ? Math.min(SWEEP_MS, config.task_queue.lease_ms / 4) : this.waitForTasks();
  }

  /** Returns when to look again, where the queue does not wake this spawner. */
  private waitForTasks(): number | undefined {
    const { queue, pollMs, log } = this.options;
    if (pollMs === undefined || queue.arrival === undefined) return pollMs;
    if (this.waiting) return undefined;
    this.waiting = true;
    queue
      .arrival(this.caps, this.ending.signal)
      .catch((caught: unknown) => log.debug(`waiting for tasks: ${PeagenError.from(caught).line}`))
      .finally(() => {
        this.waiting = false;
        this.wake();
      });
    return undefined;
  }

  private act(depth: Depth): void {
    const { classes, config } = this.options;
    const { warm_pool, max_parallel } = config.worker.defaults;
    const { pending, homeless } = demandOf(depth.byLane, classes);
    this.reportHomeless(homeless);
    let claimed = depth.claimed;
    const states = this.groups.map((group, index) => {
      const state = group.state(pending[index] ?? 0, claimed);
      claimed -= state.busy;
      return state;
    });
    if (states.some((state) => state.pending > 0 || state.busy > 0)) this.activeAt = this.now();
    const steps = planSpawns(states, { warmPool: warm_pool, maxParallel: max_parallel }, this.now());
    for (const [index, step] of steps.entries()) {
      const group = this.groups[index];
      for (let i = 0; i < step.launch; i++) void group?.launch();
      if (step.retire > 0) group?.retire(step.retire);
    }
    for (const group of this.groups) {
      const { live, idle } = group.counts();
      metrics.spawnerLive.set({ caps: group.name }, live);
      metrics.spawnerIdle.set({ caps: group.name }, idle);
    }
  }

  private reportHomeless(lanes: readonly string[]): void {
    const text =
      lanes.length === 0
        ? undefined
        : `No worker of this machine can run the waiting tasks of ${lanes.join(', ')} (it has ${this.options.classes.map(({ name }) => name).join('; ') || 'no capability'}).`;
    if (text !== undefined && text !== this.homeless) this.options.log.warn(text);
    this.homeless = text;
  }
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const count of counts) for (const [key, value] of Object.entries(count)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
