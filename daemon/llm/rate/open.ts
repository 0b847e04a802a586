/** Chooses the limiter: one in Redis when the queue is there, shared by the workspace; else this process's own. */
import type { Config } from '../../../shared/config.ts';
import type { Log } from '../../telemetry/log.ts';
import { localWorkspace } from '../../workspace-name.ts';
import { LocalRateLimiter, type RateLimiter } from './limiter.ts';

export async function openRateLimiter(
  config: Config,
  options: { log: Log; env: NodeJS.ProcessEnv; needed: boolean },
): Promise<RateLimiter> {
  // The folder stands for a workspace without a name, as for the queue's own keys.
  const { provider, url, workspace = localWorkspace(process.cwd()) } = config.task_queue;
  if (!options.needed || provider !== 'redis' || url === undefined) return new LocalRateLimiter();
  const { RedisRateLimiter } = await import('./redis.ts');
  const { PEAGEN_REDIS_PASSWORD: password, PEAGEN_REDIS_CA: ca } = options.env;
  return new RedisRateLimiter({ url, workspace, password, ca, log: options.log });
}
