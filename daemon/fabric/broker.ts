/**
 * The parent's side of the IPC: serves its children's calls against the queue, on one connection. A child holds at most
 * one claim and can touch no other. What a child that ended still held is given back at once, not after its lease.
 */
import type { Config } from '../../shared/config.ts';
import type { CapTag } from '../../shared/task.ts';
import type { Log } from '../telemetry/log.ts';
import { BrokeredWorker } from './brokered-worker.ts';
import type { LaunchedWorker } from './launchers/launcher.ts';
import type { TaskQueue } from './queue.ts';
import { Semaphore } from './semaphore.ts';
import { SharedTraffic } from './shared-traffic.ts';

export interface BrokerOptions {
  readonly queue: TaskQueue;
  readonly config: Config;
  readonly log: Log;
}

export class Broker {
  private readonly options: BrokerOptions;
  private readonly gates = new Map<string, Semaphore>();
  private readonly traffic: SharedTraffic;

  constructor(options: BrokerOptions) {
    this.options = options;
    this.traffic = new SharedTraffic(options);
  }

  /** Which language model's back end fails, and why. */
  get trouble(): string | undefined {
    return this.traffic.trouble;
  }

  /**
   * Serves a worker until it has exited. At most `parallel` workers of its class hold tasks at a time; others stand by,
   * so that the next task starts without a launch. `onChange` fires when it took up or ended a task.
   */
  attach(
    worker: LaunchedWorker,
    group: { name: string; caps: readonly CapTag[]; parallel: number },
    onChange: () => void,
  ): BrokeredWorker | undefined {
    if (worker.channel === undefined) return undefined;
    let gate = this.gates.get(group.name);
    if (gate === undefined) {
      gate = new Semaphore(group.parallel);
      this.gates.set(group.name, gate);
    }
    const { options, traffic } = this;
    return new BrokeredWorker({ ...options, worker, channel: worker.channel, caps: group.caps, gate, traffic, onChange });
  }
}
