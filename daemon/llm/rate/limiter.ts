/** Keeps back ends below their requests and tokens a minute: in this process, or in Redis for all workers of a workspace. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RateLimit, RateWindow } from './window.ts';

export interface RateLimiter {
  /** Takes one request of so many tokens, or answers the milliseconds to wait before trying again. */
  take(backend: string, limit: RateLimit, tokens: number): Promise<number>;
  /** Corrects an earlier estimate: `difference` is actual − estimated. */
  settle(backend: string, limit: RateLimit, difference: number): Promise<void>;
  close(): void;
}

/** Waits until the limit lets one request through. Rejects when `signal` fires. */
export async function waitForRate(
  limiter: RateLimiter,
  backend: string,
  limit: RateLimit,
  tokens: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const wait = await limiter.take(backend, limit, tokens);
    if (wait <= 0) return;
    // Those who wait for the same second do not come back in the same millisecond.
    await sleep(wait + Math.random() * 50, undefined, { signal });
  }
}

export class LocalRateLimiter implements RateLimiter {
  private readonly windows = new Map<string, RateWindow>();

  async take(backend: string, limit: RateLimit, tokens: number): Promise<number> {
    return this.window(backend, limit).take(tokens, Date.now());
  }

  async settle(backend: string, limit: RateLimit, difference: number): Promise<void> {
    this.window(backend, limit).settle(difference, Date.now());
  }

  close(): void {
    this.windows.clear();
  }

  private window(backend: string, limit: RateLimit): RateWindow {
    const window = this.windows.get(backend) ?? new RateWindow(limit);
    this.windows.set(backend, window);
    return window;
  }
}
