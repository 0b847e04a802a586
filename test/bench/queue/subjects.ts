/** What the queue bench compares: our queue, BullMQ, and raw pipelined stream commands, each doing the same number of tasks. */
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Claim, TaskQueue } from '../../../daemon/fabric/queue.ts';
import { newTaskId, TaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

const PAYLOAD = 'x'.repeat(512);
const CHUNK = 100;

export function benchTask(over: Partial<Task> = {}): Task {
  const created_at = '2026-01-31T14:25:01.000Z';
  return { kind: 'mutate', id: newTaskId(), payload: PAYLOAD, requires: ['cpu'], attempts: 0, created_at, schema_v: 1, ...over };
}

/** The same id for the same task, as handlers derive it. */
function followUpOf(task: Task): Task {
  const id = TaskId.parse(task.id.replace(/^./, (digit) => ((Number.parseInt(digit, 16) + 8) % 16).toString(16)));
  return { ...task, kind: 'execute', id };
}

/** Half of the tasks are enqueued, the other half are their follow-ups; each is claimed and completed with a result. */
export async function runTasks(queue: TaskQueue, tasks: number, workers: number): Promise<void> {
  for (let at = 0; at < tasks / 2; at += CHUNK) {
    await queue.enqueue(Array.from({ length: Math.min(CHUNK, tasks / 2 - at) }, () => benchTask()));
  }
  const caps = new Set(['cpu']);
  let done = 0;
  const work = async (id: string) => {
    let claim: Claim | undefined;
    while (done < tasks) {
      claim ??= await queue.claim({ id, caps }, { waitMs: 0 });
      if (claim === undefined) continue;
      const { task } = claim;
      const result = {
        task_id: task.id,
        status: 'ok' as const,
        data: PAYLOAD,
        created_at: task.created_at,
        attempts: 0,
        worker_id: id,
      };
      const step = await queue.completeAndClaim(claim, result, task.kind === 'mutate' ? [followUpOf(task)] : [], caps);
      done += 1;
      claim = step.next;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, i) => work(`w${i}`)));
}

/** Adds in bulk, processes with a result kept, as a user of BullMQ would. */
export async function runBullmq(port: number, tasks: number, workers: number): Promise<void> {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const name = `bench${newTaskId()}`;
  const queue = new Queue(name, { connection });
  let done = 0;
  const finished = Promise.withResolvers<void>();
  for (let at = 0; at < tasks; at += CHUNK) {
    await queue.addBulk(Array.from({ length: CHUNK }, () => ({ name: 'task', data: { payload: PAYLOAD } })));
  }
  const worker = new Worker(name, async () => PAYLOAD, { connection, concurrency: workers });
  worker.on('completed', () => {
    done += 1;
    if (done === tasks) finished.resolve();
  });
  await finished.promise;
  await worker.close();
  await queue.close();
}

/** XADD → XREADGROUP → XADD, XACK, XDEL in pipelines of `width`: what this client and this server can do at best. */
export async function runRaw(redis: Redis, tasks: number, width: number): Promise<void> {
  const key = `raw:${newTaskId()}`;
  await redis.xgroup('CREATE', key, 'g', '0', 'MKSTREAM');
  for (let at = 0; at < tasks; at += width) {
    const add = redis.pipeline();
    for (let i = 0; i < width; i++) add.xadd(key, '*', 'i', newTaskId(), 'm', 'meta', 'p', PAYLOAD);
    await add.exec();
    const claim = redis.pipeline();
    for (let i = 0; i < width; i++) claim.xreadgroup('GROUP', 'g', 'c', 'COUNT', 1, 'STREAMS', key, '>');
    const claimed = await claim.exec();
    const complete = redis.pipeline();
    for (const [, reply] of claimed ?? []) {
      const [[, [[entry]]]] = reply as [[string, [[string, string[]]]]];
      complete.xadd(`${key}:results`, '*', 'r', PAYLOAD).xack(key, 'g', entry).xdel(key, entry);
    }
    await complete.exec();
  }
}

/** Milliseconds of a bare RPUSH to a client that waits in BLPOP, sorted: what the machine and the server allow. */
export async function bareLatencies(producer: Redis, consumer: Redis, samples: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < samples; i++) {
    const waiting = consumer.blpop('bare', 10);
    await new Promise((resolve) => setTimeout(resolve, 15));
    const began = performance.now();
    await Promise.all([producer.rpush('bare', PAYLOAD), waiting.then(() => found.push(performance.now() - began))]);
  }
  return found.sort((a, b) => a - b);
}

/** Milliseconds from enqueue to claim by a worker that was waiting, sorted. */
export async function idleLatencies(producer: TaskQueue, consumer: TaskQueue, samples: number): Promise<number[]> {
  const found: number[] = [];
  const caps = new Set(['cpu']);
  for (let i = 0; i < samples; i++) {
    const waiting = consumer.claim({ id: 'idle', caps }, { waitMs: 10_000 });
    // The worker has to be asleep: its claim has come back empty and it waits on the bells.
    await new Promise((resolve) => setTimeout(resolve, 15));
    const task = benchTask();
    const began = performance.now();
    await Promise.all([producer.enqueue([task]), waiting.then(() => found.push(performance.now() - began))]);
    const claim = await waiting;
    if (claim === undefined) throw new Error('the idle worker got no task');
    await consumer.complete(
      claim,
      { task_id: claim.task.id, status: 'ok', data: 0, created_at: task.created_at, attempts: 0 },
      [],
    );
  }
  return found.sort((a, b) => a - b);
}
