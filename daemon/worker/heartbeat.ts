/** Renews the lease of the task in hand until it is disposed of. */
import type { Claim, WorkerQueue } from '../fabric/queue.ts';

/** The queue not answering is not a loss: the lease may still be good when it comes back, and then `extend` says so. */
export function startHeartbeat(queue: WorkerQueue, claim: Claim, everyMs: number, onLost: () => void): Disposable {
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
