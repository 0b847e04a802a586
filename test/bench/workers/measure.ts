/** The measuring half of run.ts, bundled with the worker. Times in milliseconds, memory in MiB. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Broker } from '../../../daemon/fabric/broker.ts';
import { ProcessLauncher } from '../../../daemon/fabric/launchers/process.ts';
import { WarmSpawner } from '../../../daemon/fabric/spawner/warm-spawner.ts';
import { workerClasses } from '../../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { EvaluatePayload } from '../../../shared/payloads.ts';
import type { Task } from '../../../shared/task.ts';

const rounds = Number(process.argv[2] ?? 20);
const parallel = 4;

/** The smallest real task: its handler only computes. */
const payload: EvaluatePayload = {
  execution: { outcome: { kind: 'correct', detail: '' }, metrics: { speedup: 1.5, speed_ms: 7 }, artifacts: {} },
  program: { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [{ path: 'a.py', start: 0, end: 6 }] },
  scoring: { axes: [{ name: 'speed', bin: 5, unit: 'ms' }], metric: 'speedup', generation: 3 },
};
const task = (): Task => {
  const created_at = new Date().toISOString();
  return { kind: 'evaluate', id: newTaskId(), payload, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 };
};

const log = createLog({ level: 'error' });
const workspace = process.cwd();

function summary(samples: readonly number[]): { min: number; p50: number; p95: number; n: number } {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10;
  return { min: at(0), p50: at(0.5), p95: at(0.95), n: sorted.length };
}

/** A bare Node that does nothing, start to end. */
function bareNode(): number[] {
  const script = `${workspace}/nothing.mjs`;
  writeFileSync(script, '');
  return Array.from({ length: rounds }, () => {
    const started = performance.now();
    spawnSync(process.execPath, [script]);
    return performance.now() - started;
  });
}

/** Launch to the task being claimed, and to its result, nothing warm. */
async function coldStarts(): Promise<{ claimed: number[]; done: number[] }> {
  const config = Config.parse({});
  const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 100 });
  const launcher = new ProcessLauncher({ config, workspace });
  const broker = new Broker({ queue, config, log });
  const [claimed, done]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    const next = task();
    await queue.enqueue([next]);
    const started = performance.now();
    const worker = await launcher.launch(['cpu']);
    let seen = false;
    const brokered = broker.attach(worker, { name: 'cpu', caps: ['cpu'], parallel: 9 }, () => {
      if (seen || brokered?.busy !== true) return;
      seen = true;
      claimed.push(performance.now() - started);
    });
    await queue.waitResult(next.id, { timeoutMs: 30_000 });
    done.push(performance.now() - started);
    await worker.exited;
  }
  await launcher.close();
  await queue.close();
  return { claimed, done };
}

function open(idle: string) {
  const config = Config.parse({ worker: { defaults: { idle_timeout: idle } } });
  const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 100 });
  const launcher = new ProcessLauncher({ config, workspace });
  const classes = workerClasses(['cpu'], config, parallel);
  const spawner = new WarmSpawner({ queue, launcher, broker: new Broker({ queue, config, log }), classes, config, log });
  spawner.start();
  const run = async () => {
    const next = task();
    const started = performance.now();
    await queue.enqueue([next]);
    spawner.wake();
    await queue.waitResult(next.id, { timeoutMs: 60_000 });
    return performance.now() - started;
  };
  const close = async () => {
    await spawner.close();
    await queue.close();
  };
  return { run, close, spawner };
}

/** Enqueue to result with a worker waiting. */
async function warm(): Promise<number[]> {
  const { run, close } = open('30s');
  await run();
  const samples: number[] = [];
  for (let i = 0; i < rounds; i++) {
    // The next warm worker has loaded what it needs.
    await delay(400);
    samples.push(await run());
  }
  await close();
  return samples;
}

/** Single-use tasks a second, four at a time; the whole cost of a process is in it. */
async function sustained(): Promise<{ perSecond: number; launched: number }> {
  const { run, close, spawner } = open('30s');
  await run();
  const count = rounds * 10;
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, run));
  const perSecond = Math.round((count / (performance.now() - started)) * 10_000) / 10;
  const { launched } = spawner.stats();
  await close();
  return { perSecond, launched };
}

/** Proportional set size of the workers that wait; undefined where the system does not tell. */
async function memory(): Promise<number | undefined> {
  const { run, close } = open('30s');
  await run();
  await delay(1500);
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const sizes = children.flatMap((pid) => {
    try {
      return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
    } catch {
      return [];
    }
  });
  await close();
  return sizes.length === 0 ? undefined : Math.round((sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * 10) / 10;
}

/** Seconds until no process is left after the last task, with an idle time of one second. */
async function toZero(): Promise<number> {
  const { run, close, spawner } = open('1s');
  await run();
  const started = performance.now();
  while (spawner.stats().live > 0) await delay(20);
  const seconds = Math.round((performance.now() - started) / 10) / 100;
  await close();
  return seconds;
}

const node = summary(bareNode());
const cold = await coldStarts();
const report = {
  machine: { cores: availableParallelism(), load: Math.round((loadavg()[0] ?? 0) * 10) / 10, node: process.version },
  bare_node_ms: node,
  cold_launch_to_claimed_ms: summary(cold.claimed),
  cold_launch_to_result_ms: summary(cold.done),
  warm_enqueue_to_result_ms: summary(await warm()),
  sustained_single_use: await sustained(),
  memory_per_warm_worker_mib: process.platform === 'linux' ? await memory() : undefined,
  to_zero_after_1s_idle_s: await toZero(),
};
for (const [name, value] of Object.entries(report)) process.stderr.write(`${name.padEnd(30)} ${JSON.stringify(value)}\n`);
process.stdout.write(`${JSON.stringify(report)}\n`);
