/**
 * What all callers of the same back ends share: each back end's circuit breaker and its place below the rate limit. A
 * one-shot worker lives for one question, so that its parent process keeps them, and the worker asks over its link; a
 * rate limit for workers on several machines is kept in Redis.
 */
import type { Config } from '../../shared/config.ts';
import type { Log } from '../telemetry/log.ts';

/** What a request showed about a back end's health; `abandon`: nothing. */
export type RequestOutcome = 'success' | 'failure' | 'abandon';

export interface Traffic {
  /** Leave to ask now: 0, and then `leave` is owed; else the milliseconds after which to try again. */
  enter(backend: string): Promise<number>;
  /** `why`: of a failure, in words. */
  leave(backend: string, outcome: RequestOutcome, why?: string): Promise<void>;
  /** Takes one request of that many tokens from the rate limit: 0; else the milliseconds to wait. */
  take(backend: string, tokens: number): Promise<number>;
  /** Corrects an earlier estimate: `difference` is actual − estimated. */
  settle(backend: string, difference: number): Promise<void>;
  close(): void;
}

const provided = new WeakMap<Config, Traffic>();

/**
 * From now on, all who ask by this configuration keep to this traffic: a worker to its parent's, the tasks of a host to the
 * host's.
 */
export function provideTraffic(traffic: Traffic, config: Config): void {
  provided.set(config, traffic);
}

/** What was provided, else a traffic of its own. */
export async function openTraffic(config: Config, options: { log: Log; env: NodeJS.ProcessEnv }): Promise<Traffic> {
  const shared = provided.get(config);
  // Its provider closes it.
  if (shared !== undefined) return { ...bound(shared), close: () => undefined };
  return (await import('./own-traffic.ts')).ownTraffic(config, options);
}

function bound(traffic: Traffic): Omit<Traffic, 'close'> {
  return {
    enter: (backend) => traffic.enter(backend),
    leave: (backend, outcome, why) => traffic.leave(backend, outcome, why),
    take: (backend, tokens) => traffic.take(backend, tokens),
    settle: (backend, difference) => traffic.settle(backend, difference),
  };
}
