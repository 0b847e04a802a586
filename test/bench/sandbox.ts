/**
 * What a sandbox costs, per tier, against the floor of a bare start of the same interpreter: cold start, a task into a
 * warm one, sustained single use, memory. Prints a table. Run: `node test/bench/sandbox.ts [tier …]`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { createBubblewrapTier } from '../../daemon/executors/bubblewrap/bubblewrap.ts';
import { createDockerTier } from '../../daemon/executors/docker/docker.ts';
import { findInterpreter } from '../../daemon/executors/interpreters.ts';
import { createPlainTier } from '../../daemon/executors/plain.ts';
import { Runner, type RunnerRuntime } from '../../daemon/executors/runner.ts';
import { defaultLimits, type Executor, type SandboxFactory } from '../../daemon/executors/sandbox.ts';

const tiers: Readonly<Record<string, () => Executor>> = {
  bubblewrap: createBubblewrapTier,
  docker: () => createDockerTier(),
  plain: createPlainTier,
};
const wanted = process.argv.slice(2);
const REPEATS = 30;
const PARALLEL = 4;
const WARM = 8;

const median = (list: number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const p95 = (list: number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? Number.NaN;

async function timed(repeats: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < repeats; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

/** One start of the interpreter that does nothing, in milliseconds, and how many a second with as many at a time as sandboxes. */
async function bare(runtime: RunnerRuntime): Promise<{ ms: number; perSecond: number }> {
  const { path } = await findInterpreter(runtime);
  const args = runtime === 'python' ? ['-I', '-S', '-c', 'pass'] : ['-e', '0'];
  const start = async (): Promise<void> => void (await once(spawn(path, args, { stdio: 'ignore' }), 'exit'));
  const ms = median(await timed(REPEATS, start));
  return { ms, perSecond: await sustained(3, async () => await start()) };
}

/** How often `work` is done a second, by four at a time. */
async function sustained(seconds: number, work: () => Promise<void>): Promise<number> {
  let done = 0;
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (; performance.now() < end; done++) await work();
    }),
  );
  return done / seconds;
}

const sources = {
  python: { path: 't.py', text: 'def f(n):\n    return n + 1\n' },
  node: { path: 't.js', text: 'function f(n) { return n + 1; }' },
} as const;

async function evaluateOnce(runner: Runner, runtime: RunnerRuntime): Promise<void> {
  const file = sources[runtime];
  await runner.ask({ op: 'load', path: file.path, fn: 'f', files: [file] }, 10_000);
  const reply = await runner.ask({ op: 'call', args: [1], kwargs: {} }, 10_000);
  if (reply.kind !== 'answer' || reply.value['value'] !== 2) throw new Error(JSON.stringify(reply));
}

/** Proportional set size of a runner that waits, with all that the tier keeps around it, in MiB. */
async function warmMemory(sandboxes: SandboxFactory, runtime: RunnerRuntime): Promise<number> {
  const runners = await Promise.all(Array.from({ length: WARM }, () => Runner.open(sandboxes, runtime)));
  for (const runner of runners) await runner.ready();
  let kilobytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/peagen/runner.')) continue;
      kilobytes += Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has just ended.
    }
  }
  await Promise.all(runners.map((runner) => runner.close()));
  return kilobytes / 1024 / WARM;
}

const rows: string[] = [];
for (const [name, create] of Object.entries(tiers)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const tier = create();
  const reason = await tier.unavailable();
  if (reason !== undefined) {
    rows.push(`| ${name} | not here: ${reason} |`);
    continue;
  }
  const sandboxes = { tier, warning: undefined, limits: defaultLimits };
  for (const runtime of ['python', 'node'] as const) {
    const floor = await bare(runtime);
    const cold = await timed(REPEATS, async () => {
      const runner = await Runner.open(sandboxes, runtime);
      await runner.ready();
      await runner.close();
    });
    // A warm one takes its task.
    const warm: number[] = [];
    const dispatch: number[] = [];
    for (let round = 0; round < REPEATS; round++) {
      const runner = await Runner.open(sandboxes, runtime);
      await runner.ready();
      const file = sources[runtime];
      dispatch.push(
        ...(await timed(1, async () => {
          await runner.ask({ op: 'load', path: file.path, fn: 'f', files: [file] }, 10_000);
        })),
      );
      warm.push(
        ...(await timed(1, async () => {
          await runner.ask({ op: 'call', args: [1], kwargs: {} }, 10_000);
        })),
      );
      await runner.close();
    }
    // Each of the four has its next one starting meanwhile.
    const starting = Array.from({ length: PARALLEL }, () => Runner.open(sandboxes, runtime));
    const perSecond = await sustained(6, async () => {
      const runner = await starting.shift();
      starting.push(Runner.open(sandboxes, runtime));
      if (runner === undefined) return;
      await runner.ready();
      await evaluateOnce(runner, runtime);
      void runner.close();
    });
    for (const runner of starting) await (await runner).close();
    rows.push(
      `| ${name} | ${runtime} | ${floor.ms.toFixed(1)} | ${median(cold).toFixed(1)} (${(median(cold) / floor.ms).toFixed(1)} ×) | ` +
        `${median(dispatch).toFixed(2)} / ${p95(dispatch).toFixed(2)} | ${median(warm).toFixed(2)} | ${perSecond.toFixed(0)} (${floor.perSecond.toFixed(0)}) | ${(await warmMemory(sandboxes, runtime)).toFixed(1)} |`,
    );
  }
}

console.log(`${availableParallelism()} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}\n`);
console.log(
  '| tier | runtime | bare start, ms | cold start to end, ms (× bare) | task into a warm one to candidate loaded, ms (p50 / p95) | one call, ms | single-use evaluations/s at 4 (bare starts/s at 4) | MiB per warm one |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const row of rows) console.log(row);
