/** The live workers of one class: launches, counts and ends them, and backs off when launches fail. */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { removeLeftTemporaries } from '../../executors/temporary.ts';
import type { Log } from '../../telemetry/log.ts';
import { metrics } from '../../telemetry/metrics.ts';
import type { Broker } from '../broker.ts';
import type { BrokeredWorker } from '../brokered-worker.ts';
import type { LaunchedWorker, Launcher } from '../launchers/launcher.ts';
import { crashLine, exitReasonOf } from '../launchers/log-tail.ts';
import { backOffMs, type ClassState } from './spawn-plan.ts';
import type { WorkerClass } from './worker-classes.ts';

interface WorkerGroupOptions {
  readonly workerClass: WorkerClass;
  readonly launcher: Launcher;
  readonly broker: Broker;
  readonly config: Config;
  readonly log: Log;
  readonly now: () => number;
  readonly onChange: () => void;
}

interface Member {
  readonly worker: LaunchedWorker;
  readonly brokered: BrokeredWorker | undefined;
  readonly launchedAt: number;
  /** We ended it: its task goes back without counting an attempt. */
  ended: boolean;
}

/** A worker outlives its own maximum uptime only when it hangs. */
const UPTIME_GRACE_MS = 10_000;

export class WorkerGroup {
  readonly name: string;
  backOffUntil = 0;
  launched = 0;
  /** Workers that have ended, by reason. */
  readonly exits: Record<string, number> = {};
  /** Why launches fail, while they do. */
  problem: string | undefined;
  private readonly options: WorkerGroupOptions;
  private readonly members = new Set<Member>();
  /** Launches in progress and workers until they are given back. */
  private readonly lives = new Set<Promise<void>>();
  private launching = 0;
  private failures = 0;
  private closing = false;

  constructor(options: WorkerGroupOptions) {
    this.options = options;
    this.name = options.workerClass.name;
  }

  /** `claimed`: tasks in hand anywhere, the only hint about workers that claim by themselves. */
  state(pending: number, claimed: number): ClassState {
    const brokered = [...this.members].flatMap((member) => (member.ended ? [] : (member.brokered ?? [])));
    const own = [...this.members].filter((member) => member.brokered === undefined && !member.ended).length;
    const ownBusy = Math.min(own, Math.max(0, claimed));
    const busy = brokered.filter((worker) => worker.busy).length;
    const idle = brokered.filter((worker) => worker.idle).length;
    const ending = brokered.filter((worker) => worker.over).length;
    return {
      pending,
      busy: busy + ownBusy,
      idle: idle + own - ownBusy,
      ending: ending + this.members.size - brokered.length - own,
      starting: this.launching + brokered.length - busy - idle - ending,
      parallel: this.options.workerClass.parallel,
      backOffUntil: this.backOffUntil,
      probing: this.failures > 0,
    };
  }

  counts(): { live: number; idle: number; busy: number } {
    const { busy, idle } = this.state(0, 0);
    return { live: this.members.size + this.launching, idle, busy };
  }

  launch(): Promise<void> {
    return this.track(this.start());
  }

  private async start(): Promise<void> {
    const { launcher, broker, workerClass, onChange, log } = this.options;
    this.launching += 1;
    try {
      const worker = await launcher.launch(workerClass.caps);
      const member: Member = {
        worker,
        brokered: broker.attach(worker, workerClass, onChange),
        launchedAt: this.options.now(),
        ended: false,
      };
      this.members.add(member);
      void this.track(this.follow(member));
      this.launched += 1;
      metrics.spawnerLaunch.inc({ caps: this.name });
      log.debug({ worker: worker.id, caps: workerClass.caps }, 'worker launched');
      if (this.closing) worker.drain();
    } catch (caught) {
      this.failed(PeagenError.from(caught).line);
    } finally {
      this.launching -= 1;
      onChange();
    }
  }

  /** Ends idle workers, as many as that. */
  retire(count: number): void {
    const idle = [...this.members].filter(({ brokered, ended }) => brokered?.idle === true && !ended);
    for (const member of idle.slice(0, count)) {
      member.ended = true;
      member.worker.drain();
    }
  }

  async close(drainMs: number): Promise<void> {
    this.closing = true;
    for (const { worker } of this.members) worker.drain();
    const timer = setTimeout(() => {
      for (const member of this.members) {
        member.ended = true;
        member.worker.kill();
      }
    }, drainMs);
    // A launch that ends well is followed by its worker's life.
    while (this.lives.size > 0) await Promise.all(this.lives);
    clearTimeout(timer);
  }

  private async track(life: Promise<void>): Promise<void> {
    this.lives.add(life);
    await life.finally(() => this.lives.delete(life));
  }

  private async follow(member: Member): Promise<void> {
    const { config, onChange } = this.options;
    const limit = setTimeout(() => member.worker.kill(), config.worker.defaults.max_uptime + UPTIME_GRACE_MS);
    const { code, log } = await member.worker.exited;
    clearTimeout(limit);
    const reason = exitReasonOf(code, log);
    const seconds = (this.options.now() - member.launchedAt) / 1000;
    this.exits[reason] = (this.exits[reason] ?? 0) + 1;
    metrics.workerExitReason.inc({ reason });
    metrics.workerRuntime.observe(seconds);
    this.judge(member, code, reason, log);
    await member.brokered?.giveBack(member.ended ? undefined : crashLine(code, log));
    this.members.delete(member);
    onChange();
    // What it had no time for; where it is not the last of its kind, the others' folders stay.
    if (code === null) await removeLeftTemporaries();
  }

  /** A worker that fails before it had a task counts as a failed launch; so does one that gave its task back unrun. */
  private judge(member: Member, code: number | null, reason: string, log: string): void {
    const orderly = code === 0 || member.ended || this.closing;
    const { worker, brokered } = member;
    if (orderly) this.options.log.debug({ worker: worker.id, reason }, 'worker ended');
    else this.options.log.warn({ worker: worker.id, code, reason, log: log.slice(-2000) }, 'a worker ended badly');
    const fruitful = brokered?.fruitful ?? orderly;
    if (reason === 'skipped') {
      this.failed('Workers give the waiting tasks back unrun.');
    } else if (!fruitful && !orderly) {
      this.failed(`Workers fail at their start: ${crashLine(code, log)}`);
    } else if (fruitful) {
      this.failures = 0;
      this.backOffUntil = 0;
      this.problem = undefined;
    }
  }

  private failed(problem: string): void {
    // Launches that fail together are one failure.
    if (this.options.now() >= this.backOffUntil) this.failures += 1;
    const pause = backOffMs(this.failures);
    this.backOffUntil = this.options.now() + pause;
    this.problem = problem;
    this.options.log.error({ caps: this.name, failures: this.failures, retryInMs: pause }, problem);
  }
}
