/** What the configuration says about any queue, in the terms of the contract. */
import type { Config } from '../../shared/config.ts';
import type { QueueOptions } from './queue.ts';

const RETRY_DELAY_MS = 1000;

export function queueOptions({ task_queue }: Config): QueueOptions {
  return {
    leaseMs: task_queue.idle_ms ?? task_queue.lease_ms,
    maxRetry: task_queue.max_retry,
    retryDelayMs: RETRY_DELAY_MS,
  };
}
