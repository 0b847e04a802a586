/**
 * A limit on requests and tokens a minute, as sums over seconds: no 60 seconds ever hold more than the limit. Pure; the
 * Lua script next to it does the same in Redis.
 */
export interface RateLimit {
  readonly requests: number;
  readonly tokens: number;
}

/** One second's worth; `at` is the second since the epoch. */
interface Bucket {
  at: number;
  requests: number;
  tokens: number;
}

/** Seconds that a bucket counts for: a minute, and the second it began in. */
const SPAN = 61;

export class RateWindow {
  private buckets: Bucket[] = [];
  private readonly limit: RateLimit;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /**
   * Takes one request of that many tokens and returns 0, or takes nothing and returns the milliseconds to wait. A request
   * above the whole limit goes when the window is empty.
   */
  take(tokens: number, now: number): number {
    const second = Math.floor(now / 1000);
    this.buckets = this.buckets.filter((bucket) => bucket.at > second - SPAN);
    const need = Math.min(tokens, this.limit.tokens);
    let requests = this.buckets.reduce((sum, bucket) => sum + bucket.requests, 1);
    let used = this.buckets.reduce((sum, bucket) => sum + bucket.tokens, need);
    if (requests <= this.limit.requests && used <= this.limit.tokens) {
      this.add(second, 1, tokens);
      return 0;
    }
    for (const bucket of this.buckets) {
      requests -= bucket.requests;
      used -= bucket.tokens;
      if (requests <= this.limit.requests && used <= this.limit.tokens) return (bucket.at + SPAN) * 1000 - now;
    }
    return 1000;
  }

  /** Corrects a request's tokens to what they were. */
  settle(difference: number, now: number): void {
    this.add(Math.floor(now / 1000), 0, difference);
  }

  private add(second: number, requests: number, tokens: number): void {
    const last = this.buckets.at(-1);
    if (last?.at === second) {
      last.requests += requests;
      last.tokens += tokens;
    } else {
      this.buckets.push({ at: second, requests, tokens });
    }
  }
}
