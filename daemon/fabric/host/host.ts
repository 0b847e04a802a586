/**
 * The host: runs the built-in handlers as asynchronous code of this process, as many tasks at a time as its capability
 * classes allow. Code that is not ours never runs here: candidates run in executors, a plugin's parts in a process per task.
 */
import { availableParallelism } from 'node:os';
import type { CapTag, Task } from '../../../shared/task.ts';
import { hostBegins } from '../../executors/idle.ts';
import { removeLeftTemporaries } from '../../executors/temporary.ts';
import { Threads } from '../../handlers/threads.ts';
import { provideTraffic } from '../../llm/traffic.ts';
import { metrics } from '../../telemetry/metrics.ts';
import { Turns } from '../../turns.ts';
import type { Launcher } from '../launchers/launcher.ts';
import type { Claim } from '../queue.ts';
import { SharedTraffic } from '../shared-traffic.ts';
import { demandOf } from '../spawner/worker-classes.ts';
import { findHandler } from '../worker/find-handler.ts';
import { type HandlerOutcome, runTask } from '../worker/run-task.ts';
import type { WorkerStats, Workers, WorkersOptions } from '../workers.ts';
import { foreignPart } from './foreign.ts';
import { Leases } from './leases.ts';
import { runInProcess } from './plugin-process.ts';
import { Slots } from './slots.ts';
import { guardStrayErrors, ownedBy } from './stray-errors.ts';
import { TIDY_MS } from './task-in-hand.ts';

/** More often than the lease asks for: a beat is cheap, and it is how a host learns that a task is not wanted any more. */
const BEAT_MS = 1000;
/** The next look at what waits, and the next numbers for the metrics, come no sooner. */
const LOOK_MS = 100;
const DRAIN_MS = 2000;
/** How long a queue may take at the end to accept the tasks that are given back. */
const REPORT_MS = 3000;

export class Host implements Workers {
  private readonly options: WorkersOptions;
  private readonly traffic: SharedTraffic;
  private readonly threads = new Threads(availableParallelism());
  /** Spaces out tasks that come together. */
  private readonly turns = new Turns();
  private readonly handlers: { builtin: readonly string[]; foreign: boolean };
  private slots: readonly Slots[] = [];
  private launcher: Promise<Launcher> | undefined;
  private guard: Disposable | undefined;
  private hasClosed: () => void = () => undefined;
  private launched = 0;
  private homeless: string | undefined;
  private looking = false;
  private shownAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkersOptions) {
    this.options = options;
    this.traffic = new SharedTraffic(options);
    this.handlers = handlersOf(options);
    if (options.config.llm.backends.length > 0) provideTraffic(this.traffic, options.config);
  }

  get trouble(): string | undefined {
    return this.traffic.trouble;
  }

  start(): void {
    if (this.slots.length > 0) return;
    const { queue, classes, config, log } = this.options;
    this.guard = guardStrayErrors();
    this.hasClosed = hostBegins();
    void removeLeftTemporaries().then((folders) => {
      if (folders > 0) log.info({ folders }, 'temporary folders of processes that were killed are removed');
    });
    const leases = new Leases(queue, Math.min(BEAT_MS, config.task_queue.lease_ms / 3), log);
    const taskLimitMs = config.worker.defaults.max_uptime;
    this.slots = classes.map(
      (workerClass) => new Slots({ queue, workerClass, leases, log, taskLimitMs, run: (...task) => this.run(...task) }),
    );
  }

  /** Tasks reach a host by themselves; what is looked for here is tasks that none of its classes can run. */
  wake(): void {
    if (this.looking) return;
    this.looking = true;
    setTimeout(() => void this.look().finally(() => (this.looking = false)), LOOK_MS).unref();
  }

  stats(): WorkerStats {
    const { classes } = this.options;
    const counts = classes.map((_, index) => this.slots[index]?.busy ?? 0);
    const exits: Record<string, number> = {};
    for (const { ends } of this.slots)
      for (const [reason, times] of Object.entries(ends)) exits[reason] = (exits[reason] ?? 0) + times;
    const busy = counts.reduce((sum, count) => sum + count, 0);
    const problem = this.slots.find((each) => each.problem !== undefined)?.problem ?? this.homeless;
    const activeAt = Math.max(...this.slots.map((each) => each.activeAt));
    return {
      live: busy,
      idle: 0,
      byCaps: Object.fromEntries(
        classes.map(({ name }, index) => [name, { live: counts[index] ?? 0, idle: 0, busy: counts[index] ?? 0 }]),
      ),
      launched: this.launched,
      exits,
      quietMs: busy > 0 ? 0 : Date.now() - activeAt,
      ...(problem === undefined ? {} : { problem }),
    };
  }

  async close({ drainMs = DRAIN_MS } = {}): Promise<void> {
    const closing = Promise.all(this.slots.map((slots) => slots.close(drainMs)));
    // A queue that does not answer is not waited for: it takes the tasks back when their leases run out.
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs + TIDY_MS + REPORT_MS);
    await Promise.race([closing, late]);
    clearTimeout(timer);
    this.hasClosed();
    this.hasClosed = () => undefined;
    await (await this.launcher)?.close();
    this.traffic.close();
    await this.threads.close();
    this.guard?.[Symbol.dispose]();
    this.guard = undefined;
  }

  private async run(claim: Claim, caps: ReadonlySet<CapTag>, signal: AbortSignal): Promise<HandlerOutcome> {
    const { log, config, registry, queue } = this.options;
    const { task } = claim;
    this.show();
    const part = await this.foreignPart(task, caps);
    if (part !== undefined) return await this.runForeign({ claim, caps: [...caps], part, signal });
    const context = {
      registry,
      config,
      log,
      caps,
      workspace: this.options.workspace,
      folders: queue.folders,
      allowed: this.handlers.builtin,
      signal,
      workerId: claim.worker,
      threads: this.threads,
    };
    await this.turns.next();
    const outcome = await ownedBy({ task: task.id, kind: task.kind, log }, () =>
      runTask(claim, { ...context, image: process.env['WORKER_IMAGE'] }),
    );
    count(outcome);
    return outcome;
  }

  private async foreignPart(task: Task, caps: ReadonlySet<CapTag>): Promise<string | undefined> {
    const { registry, config } = this.options;
    const part = foreignPart(task, registry, config);
    if (part !== undefined || !this.handlers.foreign) return part;
    const search = { registry, config, caps, allowed: this.handlers.builtin };
    const found = await findHandler(task, search).catch(() => undefined);
    return found === undefined ? `plugin's handler for ${task.kind} tasks` : undefined;
  }

  private async runForeign(task: Parameters<typeof runInProcess>[0]): Promise<HandlerOutcome> {
    const { config, registry, workspace, log, queue } = this.options;
    this.launcher ??= registry.load('launcher', 'process').then((make) => make(config, workspace));
    this.launched += 1;
    return await runInProcess(task, {
      launcher: await this.launcher,
      config,
      log,
      traffic: this.traffic,
      folders: queue.folders,
    });
  }

  private async look(): Promise<void> {
    const { queue, classes, log } = this.options;
    this.show();
    const depth = await queue.depth().catch(() => undefined);
    if (depth === undefined) return;
    const { homeless } = demandOf(depth.byLane, classes);
    const text =
      homeless.length === 0
        ? undefined
        : `No worker of this machine can run the waiting tasks of ${homeless.join(', ')} (it has ${classes.map(({ name }) => name).join('; ') || 'no capability'}).`;
    if (text !== undefined && text !== this.homeless) log.warn(text);
    this.homeless = text;
  }

  private show(): void {
    if (performance.now() - this.shownAt < LOOK_MS) return;
    this.shownAt = performance.now();
    for (const [caps, { live, idle }] of Object.entries(this.stats().byCaps)) {
      metrics.spawnerLive.set({ caps }, live);
      metrics.spawnerIdle.set({ caps }, idle);
    }
  }
}

/** `builtin`: the handlers that a host may use. `foreign`: others may be used too, in a process. */
function handlersOf({ registry, config }: WorkersOptions): { builtin: readonly string[]; foreign: boolean } {
  const { plugins } = config.worker.defaults;
  const known = registry.names('handler');
  const allowed = plugins === undefined ? known : known.filter((name) => plugins.includes(name));
  const builtin = allowed.filter((name) => registry.sourceOf('handler', name) === 'builtin');
  for (const name of plugins ?? []) registry.require('handler', name);
  return { builtin, foreign: builtin.length < allowed.length };
}

function count(outcome: HandlerOutcome): void {
  const handler = outcome.handler ?? 'none';
  const status = outcome.kind === 'fail' ? 'error' : outcome.kind;
  metrics.workerTask.inc({ handler, status });
  if (outcome.kind === 'fail') metrics.handlerFail.inc({ handler, reason: outcome.code });
  metrics.handlerDuration.observe({ handler, status }, outcome.ms / 1000);
}
