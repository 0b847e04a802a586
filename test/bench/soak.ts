/**
 * Hosts and a submitter on Redis for as long as asked, with one piece after the other restarted, all but the first host:
 * nothing is lost or done twice, and memory, handles and files stay flat. `npm run bench -- soak [--minutes 60] [--hosts 2]`,
 * after a build.
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TaskClient } from '../../daemon/engine/task-client.ts';
import { namedExecuteTask } from '../../daemon/engine/tasks.ts';
import { LocalFabric } from '../../daemon/fabric/local-fabric.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { newTaskId } from '../../shared/ids.ts';
import { ExecuteData, type ExecutePayload } from '../../shared/payloads.ts';
import { startHost } from '../redis/host.ts';
import { RedisServer } from '../redis/server.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, hosts: { type: 'string', default: '2' } },
});
const [minutes, hostCount] = [Number(values.minutes), Number(values.hosts)];
const AT_A_TIME = 4;
/** A tenth of the time between two restarts, and as often a sample. */
const [SAMPLE_MS, RESTART_MS] = [Math.max(2000, minutes * 600), Math.max(15_000, minutes * 6000)];
const NAME = 'bench/soak';

const home = mkdtempSync(join(tmpdir(), 'peagen-soak-'));
// The users of sandboxes reach the temporary folders of the hosts in it.
chmodSync(home, 0o755);
const workspace = join(home, 'workspace');
mkdirSync(workspace);
chmodSync(workspace, 0o700);
const text = 'def total(n):\n    return n * (n - 1) // 2\n';
const evaluator = `import importlib.util
def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {"combined_score": float(module.total(100))}
`;
writeFileSync(join(workspace, 'evaluator.py'), evaluator);
const redis = await RedisServer.start({ appendOnly: true });
const task_queue = { provider: 'redis', url: redis.url, workspace: NAME, lease_ms: 5000 };
const registry = builtinRegistry();
const log = createLog({ level: 'silent' });

interface HostProcess {
  readonly child: ChildProcess;
  readonly place: string;
}

async function openHost(index: number): Promise<HostProcess> {
  const place = join(home, `host-${index}`);
  const args = ['--concurrency', '2', '--grace', '5s'];
  return { place, child: await startHost(task_queue, place, { args, env: { PEAGEN__TASK_QUEUE__LEASE_MS: '5000' } }) };
}

interface Submitter {
  readonly fabric: LocalFabric;
  readonly client: TaskClient;
  /** Tasks whose result it received and nobody has taken yet: another submitter, on its way out, may receive the same. */
  readonly told: Set<string>;
}

async function openSubmitter(): Promise<Submitter> {
  const config = Config.parse({ task_queue, worker: { defaults: { caps_only: ['llm'] } } });
  const opened = await LocalFabric.open({ config, registry, log, workspace });
  const told = new Set<string>();
  opened.collector.on(({ task_id, status }) => {
    if (status !== 'ok') return;
    if (told.has(task_id)) counts.twice++;
    told.add(task_id);
  });
  return { fabric: opened, client: new TaskClient(opened), told };
}

const counts = { done: 0, twice: 0, wrong: 0, failed: 0, restarts: 0 };
const hosts = await Promise.all(Array.from({ length: hostCount }, (_, index) => openHost(index)));
let submitter = await openSubmitter();
let over = false;

const programOf = (code: string) => ({
  language: 'python',
  files: [{ path: 'target.py', text: code }],
  spans: [{ path: 'target.py', start: 0, end: code.length }],
});
/** Every candidate is compared with the same original, as in a run. */
const basis = { evaluator: { name: 'openevolve', options: { root: workspace } }, original: programOf(text), data: null };

async function work(): Promise<void> {
  while (!over) {
    const program = programOf(`# ${newTaskId()}\n${text}`);
    const payload = { mode: 'alone', deterministic: true, effort: 'quick', program, basis } as ExecutePayload;
    // A run's task, which is stored: a submitter that is restarted asks for it again.
    const task = { ...namedExecuteTask({ key: newTaskId() }, 'soak', payload, ['python']), trace: { run: 'soak' } };
    for (;;) {
      const { client } = submitter;
      const data = await client.run(task, new AbortController().signal).catch((caught: unknown) => caught);
      if (data instanceof Error) {
        if (client !== submitter.client || over) continue;
        if (/closed|cancelled/.test(data.message)) await delay(50);
        else counts.failed++;
        if (over || !/closed|cancelled/.test(data.message)) break;
        continue;
      }
      const { execution } = ExecuteData.parse(data);
      if (execution.metrics['combined_score'] !== 4950) counts.wrong++;
      counts.done++;
      submitter.told.delete(task.id);
      break;
    }
  }
}

const pieces: (() => Promise<void>)[] = [
  // The first host lives all the time, so that its memory shows what it keeps.
  ...hosts.slice(1).map((_, at) => async () => {
    const index = at + 1;
    const old = hosts[index];
    if (old === undefined) return;
    const ended = new Promise((resolve) => old.child.once('exit', resolve));
    old.child.kill(index % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    await ended;
    hosts[index] = await openHost(index);
  }),
  async () => {
    await redis.kill();
    await redis.up();
  },
  async () => {
    const old = submitter;
    submitter = await openSubmitter();
    await old.fabric.close();
  },
];

const statusOf = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
const handlesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
const filesUnder = (folder: string) => readdirSync(folder, { recursive: true }).length;

interface Sample {
  readonly minute: number;
  readonly submitter: number;
  readonly host: number;
  readonly handles: number;
  readonly files: number;
  readonly redis: number;
}

function sample(): Sample {
  globalThis.gc?.();
  const pids = hosts.flatMap(({ child }) => child.pid ?? []);
  const sum = (of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0);
  const files = hosts.reduce((total, { place }) => total + filesUnder(place), 0);
  const handles = handlesOf(process.pid) + sum(handlesOf);
  const minute = minutes - (end - Date.now()) / 60_000;
  return { minute, submitter: statusOf(process.pid), host: statusOf(pids[0] ?? 0), handles, files, redis: statusOf(redis.pid) };
}

const workers = Array.from({ length: AT_A_TIME }, work);
const samples: Sample[] = [];
const end = Date.now() + minutes * 60_000;
let restartAt = Date.now() + RESTART_MS;
while (Date.now() < end) {
  await delay(Math.min(SAMPLE_MS, end - Date.now()));
  try {
    samples.push(sample());
  } catch {
    // A process is being restarted.
  }
  if (Date.now() < restartAt || end - Date.now() < SAMPLE_MS * 3) continue;
  await pieces[counts.restarts++ % pieces.length]?.();
  restartAt = Date.now() + RESTART_MS;
}
over = true;
await Promise.all(workers);
const depth = await submitter.fabric.queue.depth();
await submitter.fabric.close();
for (const { child } of hosts) child.kill('SIGKILL');
await redis.stop();
rmSync(home, { recursive: true, force: true });

/** Least squares: how much a figure grows in an hour, with the error of that, which a figure that stays flat does not exceed twice. */
function slopeOf(part: readonly Sample[], of: keyof Sample): readonly [slope: number, error: number] {
  const mean = (key: keyof Sample) => part.reduce((sum, each) => sum + each[key], 0) / part.length;
  const [x, y] = [mean('minute'), mean(of)];
  const spread = part.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
  const slope = part.reduce((sum, each) => sum + (each.minute - x) * (each[of] - y), 0) / spread;
  const rest = part.reduce((sum, each) => sum + (each[of] - y - slope * (each.minute - x)) ** 2, 0);
  return [60 * slope, 60 * Math.sqrt(rest / (part.length - 2) / spread)];
}
const halves = [samples.slice(0, samples.length / 2), samples.slice(samples.length / 2)] as const;
process.stdout.write('| figure | at the end | first half, an hour | second half, an hour |\n| --- | --- | --- | --- |\n');
const names = {
  submitter: 'memory of the submitter, MB',
  host: 'memory of the host that is never restarted, MB',
  handles: 'open handles of all',
  files: 'files of hosts',
  redis: 'memory of Redis, MB',
};
for (const name of ['submitter', 'host', 'handles', 'files', 'redis'] as const) {
  const slopes = halves.map((half) => slopeOf(half, name).map((value) => value.toFixed(0)));
  const shown = slopes.map(([slope, error]) => `${slope} ± ${error}`).join(' | ');
  process.stdout.write(`| ${names[name]} | ${Math.round(samples.at(-1)?.[name] ?? 0)} | ${shown} |\n`);
}
const figures = { minutes, hosts: hostCount, ...counts, dead: depth.dead, left: depth.pending, samples: samples.length };
process.stdout.write(`${JSON.stringify(figures)}\n`);
if (counts.wrong + counts.twice + counts.failed + depth.dead > 0) process.exitCode = 1;
