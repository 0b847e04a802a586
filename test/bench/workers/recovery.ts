/**
 * From the death of a host in the middle of its tasks to their results, with the lease that ships: `npm run bench --
 * workers/recovery [rounds] [tasks]`, after a build. Two hosts serve; one is killed, and another is started in its place.
 */
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskClient } from '../../../daemon/engine/task-client.ts';
import { namedExecuteTask } from '../../../daemon/engine/tasks.ts';
import { LocalFabric } from '../../../daemon/fabric/local-fabric.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import { ExecuteData } from '../../../shared/payloads.ts';
import { programOf } from '../../integration/judging/judging.ts';
import { startHost } from '../../redis/host.ts';
import { RedisServer } from '../../redis/server.ts';

const [rounds = 3, tasks = 4] = process.argv.slice(2).map(Number);
const home = mkdtempSync(join(tmpdir(), 'peagen-recovery-'));
chmodSync(home, 0o755);
const root = join(home, 'workspace');
mkdirSync(root, { mode: 0o700 });
// Long enough to be killed in the middle of.
writeFileSync(
  join(root, 'evaluator.py'),
  'import time\ndef evaluate(path):\n    time.sleep(2)\n    return {"combined_score": 1.0}\n',
);
const redis = await RedisServer.start({ appendOnly: true });
const queue = { url: redis.url, workspace: 'bench/recovery' };
const config = Config.parse({ task_queue: { provider: 'redis', ...queue }, worker: { defaults: { caps_only: ['llm'] } } });
const fabric = await LocalFabric.open({
  config,
  registry: builtinRegistry(),
  log: createLog({ level: 'silent' }),
  workspace: root,
});
const client = new TaskClient(fabric);
const start = (at: number) => startHost(queue, join(home, `host-${at}`), { args: ['--concurrency', String(tasks)] });
const hosts = [await start(0), await start(1)];
const waits: number[] = [];
let failed = 0;
for (let round = 0; round < rounds; round++) {
  const program = programOf('python', `# ${newTaskId()}\nx = 1\n`);
  const basis = { evaluator: { name: 'openevolve', options: { root } }, original: program, data: null };
  const payload = { mode: 'alone', deterministic: true, effort: 'quick', program, basis } as const;
  let killedAt = 0;
  const running = Array.from({ length: 2 * tasks }, async (_, at) => {
    const task = namedExecuteTask({ key: newTaskId() }, `recovery-${at}`, payload, ['python']);
    const { execution } = ExecuteData.parse(await client.run(task, new AbortController().signal));
    if (execution.metrics['combined_score'] !== 1) failed++;
    return performance.now();
  });
  while ((await fabric.queue.depth()).claimed < 2 * tasks) await delay(20);
  await delay(500);
  const ended = hosts[0] === undefined ? undefined : once(hosts[0], 'exit');
  hosts[0]?.kill('SIGKILL');
  killedAt = performance.now();
  await ended;
  hosts[0] = await start(0);
  const after = (await Promise.all(running)).map((at) => (at - killedAt) / 1000);
  waits.push(Math.max(...after));
  process.stdout.write(`round ${round + 1}: ${tasks} tasks of the killed host back after ${Math.max(...after).toFixed(1)} s\n`);
}
const { dead } = await fabric.queue.depth();
await fabric.close();
for (const host of hosts) host.kill('SIGKILL');
await redis.stop();
rmSync(home, { recursive: true, force: true });
const figures = { rounds, worst_s: Number(Math.max(...waits).toFixed(1)), failed, dead, load: Math.round(loadavg()[0] ?? 0) };
process.stdout.write(`${JSON.stringify(figures)}\n`);
if (failed + dead > 0) process.exitCode = 1;
