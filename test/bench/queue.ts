/**
 * The queue's speed, as ratios in one run, with the server's CPU per task next to each: `node test/bench/queue.ts`.
 * Writes its table into README.md next to it.
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { parseAddress } from '../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../daemon/fabric/redis/redis-queue.ts';
import { StubQueue } from '../../daemon/fabric/stub/stub-queue.ts';
import type { Task } from '../../shared/task.ts';
import { RedisServer } from '../redis/server.ts';
import { bareLatencies, benchTask, idleLatencies, runBullmq, runRaw, runTasks } from './queue/subjects.ts';

const options = { leaseMs: 30_000, maxRetry: 3, retryDelayMs: 1000 };
/** Tasks of one run at 50 workers and at one; in the first runs, the client's code is still being compiled. */
const [MANY, FEW] = [12_000, 3000];
const ROUNDS = 6;
const rows: [figure: string, value: string, wanted: string][] = [];

interface Measured {
  readonly perSecond: number;
  /** Microseconds of the server's CPU per task. */
  readonly serverUs: number;
}

const server = await RedisServer.start();
const redis = server.client();
let workspaces = 0;
const prefix = () => `peagen:{bench/${workspaces++}}:`;
const open = (at: string) => RedisQueue.open(parseAddress(server.url, {}), { ...options, prefix: at, report: console.error });

async function serverCpu(): Promise<number> {
  const info = await redis.info('cpu');
  const of = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return (of('used_cpu_user') + of('used_cpu_sys')) * 1e6;
}

async function measure(tasks: number, run: () => Promise<void>): Promise<Measured> {
  const cpu = await serverCpu();
  const began = performance.now();
  await run();
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: tasks / seconds, serverUs: ((await serverCpu()) - cpu) / tasks };
}

/** The best of the runs of each, taken in turns, so that a disturbance hits neither side alone. */
async function compare(tasks: number, runs: (() => Promise<void>)[]): Promise<Measured[]> {
  const best: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, run] of runs.entries()) {
      const measured = await measure(tasks, run);
      await redis.flushall();
      if (measured.perSecond > (best[i]?.perSecond ?? 0)) best[i] = measured;
    }
  }
  return best;
}

const show = ({ perSecond, serverUs }: Measured) => `${Math.round(perSecond)}/s, ${serverUs.toFixed(0)} µs`;
const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The daemon's way: one queue object, a collector that takes the results in. */
async function ours(tasks: number, workers: number): Promise<void> {
  const queue = await open(prefix());
  queue.collect(async () => undefined);
  await runTasks(queue, tasks, workers);
  await queue.close();
}

async function redisFigures(): Promise<void> {
  const none: Measured = { perSecond: 1, serverUs: 0 };
  const raw = new Redis({ host: '127.0.0.1', port: server.port, replyMapping: 'legacy' });
  const [own = none, bull = none, pipelined = none] = await compare(MANY, [
    () => ours(MANY, 50),
    () => runBullmq(server.port, MANY, 50),
    () => runRaw(raw, MANY, 50),
  ]);
  raw.disconnect();
  rows.push(['Full life with result and follow-up, 50 workers', show(own), '']);
  rows.push(['BullMQ add + process, concurrency 50', show(bull), '']);
  rows.push(['Raw pipelined commands, 50 wide', show(pipelined), '']);
  rows.push(['ours ÷ BullMQ at 50', (own.perSecond / bull.perSecond).toFixed(2), '≥ 1.2']);
  rows.push(['ours ÷ raw at 50', (own.perSecond / pipelined.perSecond).toFixed(2), '≥ 0.7']);
  rows.push(['Redis CPU per task, 50 workers', `${own.serverUs.toFixed(0)} µs`, '≤ 55 µs on an idle machine']);
  rows.push(['Redis CPU per task, ours ÷ BullMQ', (own.serverUs / bull.serverUs).toFixed(2), '≤ 0.81 (55 of 68 µs)']);

  const [one = none, bullOne = none] = await compare(FEW, [() => ours(FEW, 1), () => runBullmq(server.port, FEW, 1)]);
  rows.push(['Full life, 1 worker', show(one), '']);
  rows.push(['BullMQ, concurrency 1', show(bullOne), '']);
  rows.push(['ours ÷ BullMQ at 1', (one.perSecond / bullOne.perSecond).toFixed(2), '≥ 1']);

  const at = prefix();
  const [producer, consumer] = [await open(at), await open(at)];
  const idle = await idleLatencies(producer, consumer, 400);
  await Promise.all([producer.close(), consumer.close()]);
  const [p50, p99] = [percentile(idle, 0.5), percentile(idle, 0.99)];
  rows.push(['Idle enqueue to claim, p50 / p99', `${p50.toFixed(2)} / ${p99.toFixed(2)} ms`, '< 1.2 / < 5 ms']);
  const [pusher, popper] = [server.client(), server.client()];
  const bare = await bareLatencies(pusher, popper, 400);
  for (const client of [pusher, popper]) client.disconnect();
  rows.push([
    'The same of a bare RPUSH to BLPOP',
    `${percentile(bare, 0.5).toFixed(2)} / ${percentile(bare, 0.99).toFixed(2)} ms`,
    '',
  ]);
  await redis.flushall();
  await swarm(256, 4, 60_000);
  await memoryFigures();
}

/** What the client and the server hold while tasks go through one queue object. */
async function memoryFigures(): Promise<void> {
  await redis.flushall();
  const queue = await open(prefix());
  queue.collect(async () => undefined);
  const held: { heap: number; server: number }[] = [];
  for (let round = 0; round < 5; round++) {
    await runTasks(queue, 50_000, 50);
    globalThis.gc?.();
    const server = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    held.push({ heap: process.memoryUsage().heapUsed / 1e6, server: server / 1e6 });
  }
  await queue.close();
  await redis.flushall();
  const [first, last] = [held[0], held.at(-1)];
  const both = (of: 'heap' | 'server') => `${first?.[of].toFixed(0)} / ${last?.[of].toFixed(0)} MB`;
  rows.push(['Client heap after 50,000 and 250,000 tasks through Redis', both('heap'), 'flat']);
  rows.push(['Redis then, which remembers each id for 15 minutes', both('server'), '']);
}

async function swarm(workers: number, processes: number, tasks: number): Promise<void> {
  const at = prefix();
  const queue = await open(at);
  await queue.enqueue(Array.from({ length: tasks }, () => benchTask()));
  const children = Array.from({ length: processes }, (_, i) =>
    fork(join(import.meta.dirname, 'queue', 'swarm.ts'), [server.url, at, `p${i}`, String(workers / processes)]),
  );
  const all = (word: string) =>
    Promise.all(
      children.map((child) => new Promise<void>((resolve) => child.on('message', (said) => said === word && resolve()))),
    );
  await all('ready');
  const measured = await measure(tasks, async () => {
    const done = all('done');
    for (const child of children) child.send('go');
    await done;
  });
  await queue.close();
  rows.push([`${workers} direct workers in ${processes} processes`, show(measured), '≥ 7000/s']);
}

/** Tasks are made beforehand: this measures the queue alone. */
async function stubRound(queue: StubQueue, tasks: readonly Task[]): Promise<number> {
  const caps = new Set(['cpu']);
  const began = performance.now();
  for (let at = 0; at < tasks.length; at += 1000) {
    await queue.enqueue(tasks.slice(at, at + 1000));
    const work = async (id: string) => {
      let claim = await queue.claim({ id, caps }, { waitMs: 0 });
      while (claim !== undefined) {
        const { id: task_id, created_at } = claim.task;
        const result = { task_id, status: 'ok' as const, data: null, created_at, attempts: 0 };
        claim = (await queue.completeAndClaim(claim, result, [], caps)).next;
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, i) => work(`w${i}`)));
  }
  return performance.now() - began;
}

async function stubFigures(): Promise<void> {
  const queue = new StubQueue(options);
  queue.collect(async () => undefined);
  const heaps: number[] = [];
  let [busy, ours] = [0, 0];
  const rounds = 20;
  const each = 50_000;
  for (let round = 0; round < rounds; round++) {
    const tasks = Array.from({ length: each }, () => benchTask());
    const cpu = process.cpuUsage();
    busy += await stubRound(queue, tasks);
    const { user, system } = process.cpuUsage(cpu);
    ours += user + system;
    tasks.length = 0;
    globalThis.gc?.();
    heaps.push(process.memoryUsage().heapUsed / 1e6);
  }
  const total = rounds * each;
  rows.push([
    'Stub, 50 workers',
    `${Math.round((total * 1000) / busy)}/s, ${(ours / total).toFixed(1)} µs of our own CPU`,
    '≥ 200000/s',
  ]);
  const [first = 0, last = 0] = [heaps[3], heaps.at(-1)];
  rows.push(['Stub heap after 200,000 and 1,000,000 tasks', `${first.toFixed(0)} / ${last.toFixed(0)} MB`, 'flat']);
  await queue.close();
}

const MARK = '<!-- queue -->';

function report(): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, load ${loadavg()[0]?.toFixed(1)} at the end`;
  const table = ['| figure | measured | wanted |', '| --- | --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  );
  const text = `${MARK}\n${machine}. Payload and result 512 bytes; µs are the server's CPU per task; best of ${ROUNDS} runs.\n\n${table}\n${MARK}`;
  const file = join(import.meta.dirname, 'README.md');
  const old = readFileSync(file, 'utf8');
  const [before, , after] = old.split(MARK);
  if (after === undefined) throw new Error(`${file} has no place for the table: two lines "${MARK}".`);
  writeFileSync(file, `${before}${text}${after}`);
  console.log(table);
}

try {
  await stubFigures();
  await redisFigures();
  report();
} finally {
  redis.disconnect();
  await server.stop();
}
