/** Lets a run stand still while the disk that holds its records is full: what could not be written is written when there is room. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 1000;

export class DiskRoom {
  private readonly folder: string;
  private readonly signal: AbortSignal;
  private waiting = 0;

  constructor(folder: string, signal: AbortSignal) {
    this.folder = folder;
    this.signal = signal;
  }

  /** What a user is shown meanwhile. */
  get notice(): string | undefined {
    return this.waiting === 0 ? undefined : `The disk is full: make room in ${this.folder}, and the run goes on.`;
  }

  /** `write` is called again until it does not meet a full disk. Rejects with the reason of the signal. */
  async wait<T>(write: () => Promise<T>): Promise<T> {
    let isFull = false;
    try {
      for (;;) {
        try {
          return await write();
        } catch (caught) {
          if (!isDiskFull(caught)) throw caught;
          if (!isFull) this.waiting++;
          isFull = true;
          this.signal.throwIfAborted();
          await delay(LOOK_MS, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
        }
      }
    } finally {
      if (isFull) this.waiting--;
    }
  }
}

function isDiskFull(caught: unknown): boolean {
  if (!(caught instanceof Error)) return false;
  return ('code' in caught && (caught.code === 'ENOSPC' || caught.code === 'EDQUOT')) || isDiskFull(caught.cause);
}
