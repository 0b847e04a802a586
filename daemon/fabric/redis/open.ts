/** Opens the queue that the configuration names; its troubles go to the log. */
import type { Config } from '../../../shared/config.ts';
import { createLog } from '../../telemetry/log.ts';
import { queueOptions } from '../options.ts';
import type { TaskQueue } from '../queue.ts';
import { configuredAddress, workspacePrefix } from './connection/address.ts';
import { RedisQueue } from './redis-queue.ts';
import { queueKey } from './signature.ts';

export async function openRedisQueue(config: Config, workspace: string): Promise<TaskQueue> {
  const log = createLog({ level: 'warn' });
  return await RedisQueue.open(configuredAddress(config, process.env), {
    ...queueOptions(config),
    prefix: workspacePrefix(config, workspace),
    key: queueKey(process.env),
    report: (line) => log.warn(line),
  });
}
