/** Renews the leases of all claims that a host holds, with one timer, which runs only while there are any. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Claim, WorkerQueue } from '../queue.ts';

interface Lease {
  readonly claim: Claim;
  readonly onLost: () => void;
  asking: boolean;
}

export class Leases {
  private readonly queue: Pick<WorkerQueue, 'extend'>;
  private readonly everyMs: number;
  private readonly log: Log;
  private readonly held = new Set<Lease>();
  private timer: NodeJS.Timeout | undefined;

  constructor(queue: Pick<WorkerQueue, 'extend'>, everyMs: number, log: Log) {
    this.queue = queue;
    this.everyMs = everyMs;
    this.log = log;
  }

  /** Renews the lease of this claim until it is disposed of. `onLost` is called when the queue has taken the claim back. */
  hold(claim: Claim, onLost: () => void): Disposable {
    const lease: Lease = { claim, onLost, asking: false };
    this.held.add(lease);
    this.timer ??= setInterval(() => {
      for (const each of this.held) void this.renew(each);
    }, this.everyMs);
    return {
      [Symbol.dispose]: () => {
        this.held.delete(lease);
        if (this.held.size > 0) return;
        clearInterval(this.timer);
        this.timer = undefined;
      },
    };
  }

  /** A queue that cannot be reached has not taken the lease away: it is asked again at the next beat. */
  private async renew(lease: Lease): Promise<void> {
    if (lease.asking) return;
    lease.asking = true;
    try {
      const ours = await this.queue.extend(lease.claim);
      if (!ours && this.held.has(lease)) lease.onLost();
    } catch (caught) {
      this.log.debug({ task: lease.claim.task.id }, `a lease could not be renewed: ${PeagenError.from(caught).line}`);
    } finally {
      lease.asking = false;
    }
  }
}
