/**
 * What all who ask the same back ends share: each back end's circuit breaker and its place below the rate limit. A
 * one-shot worker lives for one question, so that its parent process keeps them, and the worker asks over its link; a
 * rate limit for workers on several machines is kept in Redis.
 */
import type { Config, LlmBackendConfig } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { metrics } from '../telemetry/metrics.ts';
import { Breaker } from './breaker.ts';
import type { RateLimiter } from './rate/limiter.ts';
import { openRateLimiter } from './rate/open.ts';
import type { RateLimit } from './rate/window.ts';

/** What a request has told about a back end's health; `abandon`: nothing. */
export type Outcome = 'success' | 'failure' | 'abandon';

export interface Traffic {
  /** Leave to ask now: 0, and then `leave` is owed; else the milliseconds after which to try again. */
  enter(backend: string): Promise<number>;
  /** `why`: of a failure, in words. */
  leave(backend: string, outcome: Outcome, why?: string): Promise<void>;
  /** Takes one request of so many tokens from the rate limit: 0; else the milliseconds to wait. */
  take(backend: string, tokens: number): Promise<number>;
  /** Corrects an earlier estimate: `difference` is actual − estimated. */
  settle(backend: string, difference: number): Promise<void>;
  close(): void;
}

const stateNumber = { closed: 0, half_open: 1, open: 2 } as const;

/** The traffic of this process. Throws `not_found` for a back end that is not configured. */
export class OwnTraffic implements Traffic {
  private readonly breakers = new Map<string, Breaker>();
  private readonly limits: ReadonlyMap<string, RateLimit | undefined>;
  private readonly limiter: RateLimiter;
  private readonly log: Pick<Log, 'warn'>;
  private readonly troubles = new Map<string, string>();

  constructor(backends: readonly LlmBackendConfig[], limiter: RateLimiter, log: Pick<Log, 'warn'>) {
    this.limits = new Map(backends.map((backend) => [backend.name, limitOf(backend)]));
    this.limiter = limiter;
    this.log = log;
  }

  async enter(backend: string): Promise<number> {
    const now = Date.now();
    const breaker = this.breaker(backend);
    return breaker.enter(now) ? 0 : Math.max(1, breaker.nextTry(now) - now);
  }

  /** Which back end is left alone because it fails, and why; undefined while all answer. */
  get trouble(): string | undefined {
    return this.troubles.values().next().value;
  }

  async leave(backend: string, outcome: Outcome, why = `Back end "${backend}" fails.`): Promise<void> {
    const breaker = this.breaker(backend);
    const before = breaker.state(Date.now());
    if (outcome === 'failure') breaker.failure(Date.now());
    else breaker[outcome]();
    if (outcome === 'success') this.troubles.delete(backend);
    // Once, and not for every time that it is tried again in vain.
    if (before === 'closed' && breaker.state(Date.now()) === 'open') {
      const trouble = `${why} It fails again and again: it is asked only now and then until it answers.`;
      this.troubles.set(backend, trouble);
      this.log.warn({ backend }, trouble);
    }
    metrics.llmBreaker.set({ backend }, stateNumber[breaker.state(Date.now())]);
  }

  async take(backend: string, tokens: number): Promise<number> {
    const limit = this.limit(backend);
    return limit === undefined ? 0 : this.limiter.take(backend, limit, tokens);
  }

  async settle(backend: string, difference: number): Promise<void> {
    const limit = this.limit(backend);
    if (limit !== undefined) await this.limiter.settle(backend, limit, difference);
  }

  close(): void {
    this.limiter.close();
  }

  private breaker(backend: string): Breaker {
    this.limit(backend);
    const breaker = this.breakers.get(backend) ?? new Breaker();
    this.breakers.set(backend, breaker);
    return breaker;
  }

  private limit(backend: string): RateLimit | undefined {
    if (!this.limits.has(backend)) throw new PeagenError('not_found', `There is no back end "${backend}" to ask.`);
    return this.limits.get(backend);
  }
}

function limitOf({ requests_per_minute, tokens_per_minute }: LlmBackendConfig): RateLimit | undefined {
  if (requests_per_minute === undefined && tokens_per_minute === undefined) return undefined;
  return { requests: requests_per_minute ?? Number.POSITIVE_INFINITY, tokens: tokens_per_minute ?? Number.POSITIVE_INFINITY };
}

let parent: Traffic | undefined;

/** A worker calls this before its task: its parent's traffic is the one to keep to. */
export function provideTraffic(traffic: Traffic): void {
  parent = traffic;
}

/** The parent's traffic in a worker that has a parent, else this process's own. */
export async function openTraffic(config: Config, options: { log: Log; env: NodeJS.ProcessEnv }): Promise<Traffic> {
  return parent ?? ownTraffic(config, options);
}

export async function ownTraffic(config: Config, { log, env }: { log: Log; env: NodeJS.ProcessEnv }): Promise<OwnTraffic> {
  const { backends } = config.llm;
  const needed = backends.some((backend) => limitOf(backend) !== undefined);
  return new OwnTraffic(backends, await openRateLimiter(config, { log, env, needed }), log);
}
