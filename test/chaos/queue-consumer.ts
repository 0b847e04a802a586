/** One consumer process of the chaos test: `URL PREFIX NAME COUNT`, COUNT workers until it is killed or told to end. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { parseAddress } from '../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../daemon/fabric/redis/redis-queue.ts';
import { PeagenError } from '../../shared/errors.ts';
import { TaskId } from '../../shared/ids.ts';
import type { Task } from '../../shared/task.ts';

const [url = '', prefix = '', name = '', count = '4', leaseMs = '3000'] = process.argv.slice(2);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());

/** A consumer may be started while the server is down. */
async function connect(): Promise<RedisQueue> {
  const options = { leaseMs: Number(leaseMs), maxRetry: 20, retryDelayMs: 20, prefix, report: () => undefined };
  for (;;) {
    try {
      return await RedisQueue.open(parseAddress(url, {}), options);
    } catch (error) {
      if (!PeagenError.from(error).retryable) throw error;
      await delay(100);
    }
  }
}

const queue = await connect();

const Payload = z.object({ n: z.number(), followUp: z.boolean(), poison: z.boolean() });

/** The follow-up's id is derived, so that running a task again makes the same one. */
function followUp(task: Task): Task {
  const id = TaskId.parse(createHash('sha256').update(task.id).digest('hex').slice(0, 32));
  return { ...task, kind: 'evaluate', id, payload: { n: -1, followUp: false, poison: false }, attempts: 0 };
}

async function work(id: string): Promise<void> {
  while (!stop.signal.aborted) {
    const claim = await queue.claim({ id, caps: new Set(['cpu']) }, { waitMs: 1000, signal: stop.signal });
    if (claim === undefined) continue;
    const { task } = claim;
    const payload = Payload.parse(task.payload);
    if (payload.poison) {
      await queue.fail(claim, { reason: `poison ${payload.n}`, code: 'internal', retryable: false });
      continue;
    }
    // One in fifty fails once and is retried.
    if (payload.n % 50 === 7 && task.attempts === 0) {
      await queue.fail(claim, { reason: 'flaky', code: 'internal', retryable: true });
      continue;
    }
    const created_at = new Date().toISOString();
    const result = {
      task_id: task.id,
      status: 'ok' as const,
      data: { n: payload.n },
      created_at,
      attempts: task.attempts,
      worker_id: id,
    };
    await queue.complete(claim, result, payload.followUp ? [followUp(task)] : []);
  }
}

await Promise.allSettled(Array.from({ length: Number(count) }, (_, i) => work(`${name}-${i}`)));
await queue.close();
