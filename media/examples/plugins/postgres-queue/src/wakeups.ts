/** Waits that end when something happens, when their time is over, or with an error. */
import { QueueError } from './connection.js';

export interface WaitOptions {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  /** What was waited for, for the error message. */
  readonly what: string;
}

export class Wakeups {
  #next = Promise.withResolvers<void>();

  constructor() {
    this.#next.promise.catch(() => undefined);
  }

  /** Take it before you look whether there is anything: what happens after that is not missed. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  ring(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    this.#next.promise.catch(() => undefined);
    resolve();
  }

  /** Ends this wait and all to come. */
  close(): void {
    this.#next.reject(new QueueError('cancelled', 'The queue was closed.'));
  }
}

/** True when `happened` was first; false when the time was over. Rejects with `cancelled` on the signal. */
export async function waitFor(happened: Promise<void>, { ms, signal, what }: WaitOptions): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const cancel = () => over.reject(new QueueError('cancelled', `${what} was cancelled.`));
  if (signal?.aborted === true) cancel();
  const timer = setTimeout(() => over.resolve(false), Math.max(0, ms));
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([happened.then(() => true), over.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
