/** One claimed task while a host works on it: its abort signal, and the time that a handler has to tidy up once it fired. */
import type { Claim } from '../queue.ts';

/** Why a task is ended before its handler is done with it. */
type Ending = 'lease-lost' | 'stopping' | 'max-uptime';

/** How long a handler may take to end its sandboxes when its task is not wanted any more. */
export const TIDY_MS = 2000;

export class TaskInHand {
  readonly claim: Claim;
  private readonly working = new AbortController();
  private reason: Ending | undefined;

  constructor(claim: Claim) {
    this.claim = claim;
  }

  /** Undefined while it may go on. */
  get ending(): Ending | undefined {
    return this.reason;
  }

  /** The first reason counts. */
  end(why: Ending): void {
    this.reason ??= why;
    this.working.abort();
  }

  /** The result of the work; undefined when it did not end in time after it was stopped. `work` must not reject. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { signal } = this.working;
    const { promise: overdue, resolve } = Promise.withResolvers<undefined>();
    let clock: NodeJS.Timeout | undefined;
    const startClock = (): void => {
      clock = setTimeout(() => resolve(undefined), TIDY_MS);
    };
    signal.addEventListener('abort', startClock, { once: true });
    try {
      return await Promise.race([work(signal), overdue]);
    } finally {
      clearTimeout(clock);
      signal.removeEventListener('abort', startClock);
    }
  }
}
