/** Keeps back ends below their requests and tokens a minute: in this process, or in Redis for all workers of a workspace. */
import { type RateLimit, RateWindow } from './window.ts';

export interface RateLimiter {
  /** Takes one request of that many tokens, or returns the milliseconds to wait before trying again. */
  take(backend: string, limit: RateLimit, tokens: number): Promise<number>;
  /** Corrects an earlier estimate: `difference` is actual − estimated. */
  settle(backend: string, limit: RateLimit, difference: number): Promise<void>;
  close(): void;
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
