/** Workers that wait for a task, served in the order they came. */
import { PeagenError } from '../../../shared/errors.ts';
import { type CapTag, canClaim } from '../../../shared/task.ts';
import type { Claim, WorkerIdentity } from '../queue.ts';

interface Waiter {
  readonly worker: WorkerIdentity;
  readonly settle: (claim: Claim | undefined) => void;
  readonly reject: (error: PeagenError) => void;
}

export class Waiters {
  private readonly take: (worker: WorkerIdentity) => Claim | undefined;
  private readonly waiting = new Set<Waiter>();

  constructor(take: (worker: WorkerIdentity) => Claim | undefined) {
    this.take = take;
  }

  wait(worker: WorkerIdentity, options: { waitMs: number; signal?: AbortSignal }): Promise<Claim | undefined> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        worker,
        settle: (claim) => {
          leave();
          resolve(claim);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const abort = () => waiter.reject(new PeagenError('cancelled', `The claim of worker ${worker.id} was cancelled.`));
      const timer = setTimeout(() => waiter.settle(undefined), options.waitMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.add(waiter);
    });
  }

  /** A task with these tags came in: the first worker that can run it gets one. */
  offer(tags: readonly CapTag[]): void {
    for (const waiter of this.waiting) {
      if (!canClaim(tags, waiter.worker.caps)) continue;
      const claim = this.take(waiter.worker);
      if (claim !== undefined) {
        waiter.settle(claim);
        return;
      }
    }
  }

  close(): void {
    for (const waiter of [...this.waiting]) waiter.reject(new PeagenError('cancelled', 'The queue was closed.'));
  }
}
