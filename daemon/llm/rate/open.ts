/** Chooses the limiter: one in Redis when the queue is there, shared by the workspace; else this process's own. */
import type { Config } from '../../../shared/config.ts';
import type { Log } from '../../telemetry/log.ts';
import { LocalRateLimiter, type RateLimiter } from './limiter.ts';

export async function openRateLimiter(
  config: Config,
  options: { log: Log; env: NodeJS.ProcessEnv; needed: boolean },
): Promise<RateLimiter> {
  const { provider, url, workspace = 'default' } = config.task_queue;
  if (!options.needed || provider !== 'redis' || url === undefined) return new LocalRateLimiter();
  const { RedisRateLimiter } = await import('./redis.ts');
  return new RedisRateLimiter({ url, workspace, password: options.env['PEAGEN_REDIS_PASSWORD'], log: options.log });
}
