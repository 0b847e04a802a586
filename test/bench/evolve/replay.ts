/**
 * How near replays come to the record of a run: evolves a sample briefly as it ships, replays it again and again, and prints
 * what each replay measured against what was recorded. Run: `node test/bench/evolve/replay.ts [--repeats 10] [--load 8]
 * [--sample bad_sort]`; `--load` keeps that many busy loops running next to it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { RunSummary } from '../../../shared/run.ts';
import { builtScript } from '../../built.ts';
import { runPeagen } from '../../peagen.ts';

const { values: given } = parseArgs({
  options: {
    repeats: { type: 'string', default: '10' },
    load: { type: 'string', default: '0' },
    sample: { type: 'string', default: 'bad_sort' },
  },
});
const samples = join(import.meta.dirname, '..', '..', '..', 'media', 'samples');
const Replayed = z.object({
  candidates: z.number(),
  identical: z.number(),
  best: z.object({ recorded: z.number(), ratio: z.number(), cost: z.object({ recorded: z.number(), measured: z.number() }) }),
});

async function json(args: string[], cwd: string): Promise<unknown> {
  const { status, stderr, lastJson } = await runPeagen([...args, '--sync', '--json'], cwd);
  if (status !== 0) throw new Error(stderr);
  return lastJson;
}

function startLoad(count: number): ChildProcess[] {
  return Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
}

// What building costs is not measured.
builtScript('cli');
const folder = await mkdtemp(join(tmpdir(), 'peagen-bench-'));
const load = startLoad(Number(given.load));
try {
  await cp(join(samples, given.sample), join(folder, given.sample), { recursive: true });
  const started = performance.now();
  const summary = RunSummary.parse(
    await json(['evolve', 'run', given.sample, '--generations', '2', '--seed', '4', '--deterministic', '--yes'], folder),
  );
  const run_s = (performance.now() - started) / 1000;
  const off: number[] = [];
  const seconds: number[] = [];
  for (let i = 0; i < Number(given.repeats); i++) {
    const start = performance.now();
    const { candidates, identical, best } = Replayed.parse(await json(['evolve', 'replay', summary.run], folder));
    if (identical !== candidates) throw new Error(`${candidates - identical} of ${candidates} candidates differ.`);
    if (best.cost.measured !== best.cost.recorded)
      throw new Error(`The operations of the best differ: ${JSON.stringify(best.cost)}`);
    off.push(round((best.ratio - 1) * 100));
    seconds.push((performance.now() - start) / 1000);
    process.stderr.write(`${((best.ratio - 1) * 100).toFixed(2)} %, load ${loadavg()[0]?.toFixed(1)}\n`);
  }
  const result = {
    sample: given.sample,
    load: round(loadavg()[0] ?? 0),
    recorded: summary.best?.speedup,
    operations: summary.best?.cost,
    off_percent: off,
    worst: Math.max(...off.map(Math.abs)),
    run_s: round(run_s),
    replay_s: round(seconds.reduce((sum, one) => sum + one, 0) / seconds.length),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  for (const loop of load) loop.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
