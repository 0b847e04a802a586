/** The limiter in Redis. While Redis cannot be reached, each process keeps to the limit by itself: asking goes on. */
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { assetPath } from '../../assets.ts';
import type { Log } from '../../telemetry/log.ts';
import { LocalRateLimiter, type RateLimiter } from './limiter.ts';
import type { RateLimit } from './window.ts';

export interface RedisRateOptions {
  readonly url: string;
  readonly workspace: string;
  readonly password: string | undefined;
  /** File with the certificates to trust, for `rediss:`. */
  readonly ca?: string | undefined;
  readonly log: Log;
}

/** Redis counts 0 as "no limit"; Infinity does not travel. */
const finite = (limit: number) => (Number.isFinite(limit) ? limit : 0);

export class RedisRateLimiter implements RateLimiter {
  private readonly redis: Redis;
  private readonly script = readFileSync(assetPath('llm/rate/take.lua'), 'utf8');
  private readonly local = new LocalRateLimiter();
  private readonly prefix: string;
  private readonly log: Log;
  private warned = false;

  constructor(options: RedisRateOptions) {
    this.prefix = `peagen:{${options.workspace}}:rate:`;
    this.log = options.log;
    this.redis = new Redis(options.url, {
      ...(options.password === undefined ? {} : { password: options.password }),
      ...(options.ca === undefined || !options.url.startsWith('rediss:') ? {} : { tls: { ca: readFileSync(options.ca) } }),
      maxRetriesPerRequest: 1,
      commandTimeout: 5_000,
      retryStrategy: (times) => Math.min(2_000, times * 100),
    });
    // An idle connection must not keep a finished command alive.
    this.redis.on('connect', () => this.redis.stream.unref());
    this.redis.on('error', (error: Error) => this.warn(error));
  }

  async take(backend: string, limit: RateLimit, tokens: number): Promise<number> {
    try {
      const wait = await this.run(backend, limit, tokens, 1);
      this.warned = false;
      return wait;
    } catch (caught) {
      this.warn(caught);
      return this.local.take(backend, limit, tokens);
    }
  }

  async settle(backend: string, limit: RateLimit, difference: number): Promise<void> {
    await this.run(backend, limit, difference, 0).catch((caught: unknown) => this.warn(caught));
  }

  close(): void {
    this.redis.disconnect();
  }

  private async run(backend: string, limit: RateLimit, tokens: number, requests: number): Promise<number> {
    const key = this.prefix + backend;
    const wait = await this.redis.eval(
      this.script,
      1,
      key,
      finite(limit.requests),
      finite(limit.tokens),
      Math.round(tokens),
      requests,
    );
    return Number(wait);
  }

  private warn(caught: unknown): void {
    if (!this.warned) this.log.warn({ err: caught }, 'The shared rate limit cannot be reached; this process keeps to it alone.');
    this.warned = true;
  }
}
