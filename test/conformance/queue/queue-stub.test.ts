import { setTimeout as delay } from 'node:timers/promises';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { queueConformance } from './queue-cases.ts';

queueConformance('stub', async (options) => {
  const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 1000, ...options });
  return { queue, second: queue, pass: (ms) => delay(ms) };
});
