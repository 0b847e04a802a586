/**
 * Many small tasks through hosts as they ship: `npm run bench -- hosts [tasks] [workers] [hosts]`, after a build. Counts that each
 * result is reported once, while the hosts share one Redis; the smallest real task leaves nothing to measure but the way of a task.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFabric } from '../../daemon/fabric/local-fabric.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { newTaskId } from '../../shared/ids.ts';
import type { EvaluatePayload } from '../../shared/payloads.ts';
import type { Task } from '../../shared/task.ts';
import { startHost } from '../redis/host.ts';
import { RedisServer } from '../redis/server.ts';

const [tasks = 100_000, workers = 256, hostCount = 4] = process.argv.slice(2).map(Number);
const AT_ONCE = 500;
const home = mkdtempSync(join(tmpdir(), 'peagen-hosts-'));
const redis = await RedisServer.start({ appendOnly: true });
const task_queue = { provider: 'redis', url: redis.url, workspace: 'bench/hosts' };

const payload: EvaluatePayload = {
  execution: { outcome: { kind: 'correct', detail: '' }, metrics: { speedup: 1.5, speed_ms: 7 }, artifacts: {} },
  program: { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [{ path: 'a.py', start: 0, end: 6 }] },
  scoring: { axes: [{ name: 'speed', bin: 5, unit: 'ms' }], metric: 'speedup', generation: 3 },
};
const created_at = new Date().toISOString();
const task = (): Task => ({
  kind: 'evaluate',
  id: newTaskId(),
  payload,
  requires: ['cpu'],
  attempts: 0,
  created_at,
  schema_v: 1,
});

const args = ['--caps', 'cpu', '--concurrency', String(workers / hostCount)];
const env = { PEAGEN__WORKER__DEFAULTS__MAX_PARALLEL: String(workers) };
const hosts = await Promise.all(
  Array.from({ length: hostCount }, (_, at) => startHost(task_queue, join(home, `host-${at}`), { args, env })),
);

const fabric = await LocalFabric.open({
  config: Config.parse({ task_queue, worker: { defaults: { caps_only: ['llm'] } } }),
  registry: builtinRegistry(),
  log: createLog({ level: 'warn' }),
  workspace: home,
});
const told = new Map<string, number>();
const { promise: all, resolve } = Promise.withResolvers<void>();
fabric.collector.on(({ task_id, status }) => {
  assert.equal(status, 'ok');
  told.set(task_id, (told.get(task_id) ?? 0) + 1);
  if (told.size === tasks) resolve();
});

/** Seconds of processor time so far, in units of the system's clock, of which there are a hundred in a second. */
const cpuOf = (pid = 0) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const cpu = () => ({
  hosts: hosts.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
  redis: cpuOf(redis.pid),
  submitter: cpuOf(process.pid),
});
const before = cpu();
const began = performance.now();
for (let made = 0; made < tasks; made += AT_ONCE)
  await fabric.queue.enqueue(Array.from({ length: Math.min(AT_ONCE, tasks - made) }, task));
await all;
const seconds = (performance.now() - began) / 1000;
const after = cpu();
const depth = await fabric.queue.depth();
for (const host of hosts) {
  host.kill('SIGTERM');
  await once(host, 'exit');
}
await fabric.close();
await redis.stop();
rmSync(home, { recursive: true, force: true });

const twice = [...told.values()].filter((times) => times > 1).length;
const perTask = (of: keyof typeof before) => Math.round(((after[of] - before[of]) / tasks) * 1e6);
const figures = {
  ...{ tasks, workers, hosts: hostCount, told: told.size, twice, dead: depth.dead, left: depth.pending + depth.claimed },
  ...{ seconds: Math.round(seconds), per_second: Math.round(tasks / seconds) },
  cpu_us_per_task: { hosts: perTask('hosts'), redis: perTask('redis'), submitter: perTask('submitter') },
  ...{ cores: availableParallelism(), load: Math.round(loadavg()[0] ?? 0) },
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
if (twice + figures.dead + figures.left > 0) process.exitCode = 1;
