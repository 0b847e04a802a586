/** The traffic of a process that asks for itself, or for the workers that it launched: breakers and rate limits of its own. */
import type { Config, LlmBackendConfig } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { metrics } from '../telemetry/metrics.ts';
import { localWorkspace } from '../workspace-name.ts';
import { Breaker } from './breaker.ts';
import { LocalRateLimiter, type RateLimiter } from './rate/limiter.ts';
import type { RateLimit } from './rate/window.ts';
import type { RequestOutcome, Traffic } from './traffic.ts';

const stateNumber = { closed: 0, half_open: 1, open: 2 } as const;

/** Throws `not_found` for a back end that is not configured. */
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

  async leave(backend: string, outcome: RequestOutcome, why = `Back end "${backend}" fails.`): Promise<void> {
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

export async function ownTraffic(config: Config, { log, env }: { log: Log; env: NodeJS.ProcessEnv }): Promise<OwnTraffic> {
  const { backends } = config.llm;
  const needed = backends.some((backend) => limitOf(backend) !== undefined);
  return new OwnTraffic(backends, await openRateLimiter(config, { log, env, needed }), log);
}

/** One in Redis when the queue is there, shared by the workspace; else this process's own. */
async function openRateLimiter(
  config: Config,
  options: { log: Log; env: NodeJS.ProcessEnv; needed: boolean },
): Promise<RateLimiter> {
  // The folder stands for a workspace without a name, as for the queue's own keys.
  const { provider, url, workspace = localWorkspace(process.cwd()) } = config.task_queue;
  if (!options.needed || provider !== 'redis' || url === undefined) return new LocalRateLimiter();
  const { RedisRateLimiter } = await import('./rate/redis.ts');
  const { PEAGEN_REDIS_PASSWORD: password, PEAGEN_REDIS_CA: ca } = options.env;
  return new RedisRateLimiter({ url, workspace, password, ca, log: options.log });
}
