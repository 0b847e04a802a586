/** Lets at most `width` holders through at a time, first come, first served. */
import { PeagenError } from '../../shared/errors.ts';

export class Semaphore {
  private readonly width: number;
  private readonly waiting: (() => void)[] = [];
  private held = 0;

  constructor(width: number) {
    this.width = width;
  }

  /** Rejects with `cancelled` when `signal` fires first. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.held < this.width && !signal.aborted) {
      this.held += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const give = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        const index = this.waiting.indexOf(give);
        if (index >= 0) this.waiting.splice(index, 1);
        reject(new PeagenError('cancelled', 'Waiting for a free place was cancelled.'));
      };
      if (signal.aborted) return leave();
      this.waiting.push(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** The place goes to the next in line, when there is one. */
  leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.held -= 1;
    else next();
  }
}
