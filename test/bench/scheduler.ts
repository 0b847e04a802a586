/**
 * The scheduler without a network: 1,000,000 tasks of five lanes for 10,000 workers of three classes, in simulated time, through
 * the spawner's plan and the queue in memory. `npm run bench -- scheduler [tasks] [workers]`; it checks that each task ran once,
 * on a worker that has its tags.
 */
import assert from 'node:assert/strict';
import type { Claim } from '../../daemon/fabric/queue.ts';
import { type ClassState, planSpawns } from '../../daemon/fabric/spawner/spawn-plan.ts';
import { demandOf, type WorkerClass } from '../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../daemon/fabric/stub/stub-queue.ts';
import { createRandom } from '../../daemon/random.ts';
import { TaskId } from '../../shared/ids.ts';
import { type CapTag, canClaim, type Task, type TaskKind } from '../../shared/task.ts';

const [tasks = 1_000_000, most = 10_000] = process.argv.slice(2).map(Number);
/** Simulated milliseconds of a launch, and between two looks of the spawner. */
const [LAUNCH_MS, LOOK_MS] = [300, 100];
const random = createRandom('scheduler', 1);

const lanes: readonly { kind: TaskKind; requires: CapTag[]; share: number; ms: number }[] = [
  { kind: 'execute', requires: ['cpu', 'python'], share: 0.4, ms: 800 },
  { kind: 'execute', requires: ['cpu', 'node'], share: 0.25, ms: 600 },
  { kind: 'mutate', requires: ['cpu', 'llm'], share: 0.2, ms: 3000 },
  { kind: 'evaluate', requires: ['cpu'], share: 0.14, ms: 20 },
  { kind: 'execute', requires: ['cpu', 'docker', 'gpu'], share: 0.01, ms: 5000 },
];
const classes: readonly WorkerClass[] = [
  { name: 'cpu', caps: ['cpu', 'node', 'python'], parallel: Math.floor(most * 0.6) },
  { name: 'llm', caps: ['cpu', 'llm'], parallel: Math.floor(most * 0.35) },
  { name: 'gpu', caps: ['cpu', 'docker', 'gpu'], parallel: Math.floor(most * 0.05) },
];

let now = 0;
const queue = new StubQueue({ leaseMs: 3_600_000, maxRetry: 3, retryDelayMs: 1000, now: () => now });
/** What happens at a simulated time: a bucket for each millisecond. */
const calendar = new Map<number, (() => void | Promise<void>)[]>();
const after = (ms: number, act: () => void | Promise<void>) => {
  const at = now + Math.max(1, Math.round(ms));
  const bucket = calendar.get(at);
  if (bucket === undefined) calendar.set(at, [act]);
  else bucket.push(act);
};

const states = classes.map((group) => ({ group, caps: new Set(group.caps), starting: 0, busy: 0, idle: [] as string[] }));
type State = (typeof states)[number];
const waiting: Record<string, number> = {};
const ran = new Map<string, number>();
let work = 0;
let peak = 0;
let launched = 0;

function laneFor(at: number): (typeof lanes)[number] {
  let share = (at % 1000) / 1000;
  for (const lane of lanes) {
    share -= lane.share;
    if (share < 0) return lane;
  }
  return lanes[0] as (typeof lanes)[number];
}

function taskAt(at: number): Task {
  const { kind, requires } = laneFor(at);
  const id = TaskId.parse(at.toString(16).padStart(32, '0'));
  return { kind, id, payload: null, requires, attempts: 0, created_at: '2026-01-01T00:00:00.000Z', schema_v: 1 };
}

function begin(state: State, worker: string, claim: Claim): void {
  const { task } = claim;
  assert.ok(canClaim(task.requires, state.caps), `${worker} has not all of ${task.requires}`);
  ran.set(task.id, (ran.get(task.id) ?? 0) + 1);
  const lane = `${task.kind}/${task.requires.join('+')}`;
  waiting[lane] = (waiting[lane] ?? 0) - 1;
  const mean = laneFor(Number.parseInt(task.id, 16)).ms;
  const ms = Math.max(1, Math.round(mean * (0.5 + random.next())));
  work += ms;
  after(ms, async () => {
    const result = { task_id: task.id, status: 'ok' as const, data: null, created_at: task.created_at, attempts: 0 };
    const { next } = await queue.completeAndClaim(claim, result, [], state.caps);
    if (next !== undefined) return begin(state, worker, next);
    state.busy--;
    state.idle.push(worker);
  });
}

async function claimFor(state: State, worker: string): Promise<void> {
  const claim = await queue.claim({ id: worker, caps: state.caps }, { waitMs: 0 });
  if (claim === undefined) {
    state.idle.push(worker);
    return;
  }
  state.busy++;
  begin(state, worker, claim);
}

async function look(): Promise<void> {
  const { pending, homeless } = demandOf(waiting, classes);
  assert.deepEqual(homeless, []);
  const shown = states.map(({ group, starting, busy, idle }, index): ClassState => {
    const fixed = { ending: 0, backOffUntil: 0, probing: false, parallel: group.parallel };
    return { pending: pending[index] ?? 0, starting, busy, idle: idle.length, ...fixed };
  });
  const steps = planSpawns(shown, { warmPool: 2, maxParallel: most }, now);
  for (const [index, { launch, retire }] of steps.entries()) {
    const state = states[index];
    if (state === undefined) continue;
    state.idle.splice(0, retire);
    state.starting += launch;
    for (let at = 0; at < launch; at++) {
      const worker = `${state.group.name}-${launched++}`;
      after(LAUNCH_MS, () => {
        state.starting--;
        return claimFor(state, worker);
      });
    }
  }
  peak = Math.max(
    peak,
    states.reduce((sum, { starting, busy, idle }) => sum + starting + busy + idle.length, 0),
  );
  for (const state of states) for (const worker of state.idle.splice(0)) await claimFor(state, worker);
  if (ran.size < tasks) after(LOOK_MS, look);
}

const cpu = process.cpuUsage();
for (let at = 0; at < tasks; at += 1000) {
  const some = Array.from({ length: Math.min(1000, tasks - at) }, (_, index) => taskAt(at + index));
  await queue.enqueue(some);
  for (const { kind, requires } of some) {
    const lane = `${kind}/${requires.join('+')}`;
    waiting[lane] = (waiting[lane] ?? 0) + 1;
  }
}
const enqueued = process.cpuUsage(cpu);
after(1, look);
while (calendar.size > 0) {
  now++;
  const due = calendar.get(now);
  calendar.delete(now);
  for (const act of due ?? []) await act();
}
const used = process.cpuUsage(cpu);
await queue.close();

assert.equal(ran.size, tasks, 'every task ran');
assert.ok(
  [...ran.values()].every((times) => times === 1),
  'none ran twice',
);
assert.ok(peak <= most, `${peak} workers lived`);
const seconds = (use: NodeJS.CpuUsage) => (use.user + use.system) / 1e6;
const perTask = ((seconds(used) - seconds(enqueued)) / tasks) * 1e6;
const figures = {
  tasks,
  workers: peak,
  launched,
  simulated_s: now / 1000,
  busy: Number((work / (peak * now)).toFixed(3)),
  cpu_s: Number(seconds(used).toFixed(1)),
  us_a_task: Number(perTask.toFixed(1)),
  rss_mb: Math.round(process.memoryUsage().rss / 1e6),
};
process.stdout.write(
  `${tasks} tasks on ${peak} workers of ${classes.length} classes: each ran once, in ${figures.simulated_s} simulated seconds, workers busy ${(figures.busy * 100).toFixed(1)} % of it.\n` +
    `Scheduling took ${figures.us_a_task} µs of CPU a task, ${figures.cpu_s} s in all, ${figures.rss_mb} MB.\n${JSON.stringify(figures)}\n`,
);
