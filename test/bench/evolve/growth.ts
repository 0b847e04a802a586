/**
 * What a candidate costs the engine, and whether that grows with the archive: a scripted mutator and a trivial
 * evaluator, so that everything measured is ours. Prints one JSON line per size.
 * Run: `node test/bench/evolve/growth.ts [sizes]`, by default 100,1000,10000.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunInfo } from '../../../shared/run.ts';
import { openScene, request, summaryOf } from '../../unit/engine/scene.ts';

const sizes = (process.argv[2] ?? '100,1000,10000').split(',').map(Number);
const POPULATION = 16;
/** Each program has a niche of its own, so that the archive holds them all. */
const axes = [{ name: 'number', bin: 1, unit: '' }];
/** Candidates at the start and at the end of a run that are compared. */
const SLICE = 0.1;

for (const size of sizes) {
  const folder = await mkdtemp(join(tmpdir(), 'peagen-bench-'));
  try {
    process.stdout.write(`${JSON.stringify(await measure(folder, size))}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, size: number) {
  const generations = Math.ceil(size / POPULATION);
  const asked = request({
    mutator: 'scripted',
    deterministic: false,
    population: POPULATION,
    axes,
    stop: { max_generations: generations, no_improve: generations },
  });
  const marks: { wall: number; cpu: number }[] = [];
  const mark = () => {
    const { user, system } = process.cpuUsage();
    marks.push({ wall: performance.now(), cpu: (user + system) / 1000 });
  };
  mark();
  let infos = 0;
  let last: RunInfo | undefined;
  const scene = await openScene(folder, asked, cpus().length, {
    hear: (event, run) => {
      if (event.type !== 'inserted') return;
      mark();
      // As a client does that shows progress.
      const start = performance.now();
      last = run?.info() ?? last;
      infos += performance.now() - start;
    },
  });
  const { evaluated } = await summaryOf(scene);
  const slice = Math.max(1, Math.floor((marks.length - 1) * SLICE));
  const end = marks.length - 1;
  return {
    programs: evaluated,
    niches: last?.stats.coverage,
    ...rates(marks, 0, end),
    first_tenth: rates(marks, 0, slice),
    last_tenth: rates(marks, end - slice, end),
    us_per_info: round((infos / end) * 1000),
    heap_mb: round(process.memoryUsage().heapUsed / 1024 ** 2),
  };
}

function rates(marks: readonly { wall: number; cpu: number }[], from: number, to: number) {
  const [a, b] = [marks[from], marks[to]];
  if (a === undefined || b === undefined) throw new RangeError(`No candidates from ${from} to ${to}.`);
  const count = to - from;
  return { per_second: round((1000 * count) / (b.wall - a.wall)), cpu_ms: round((b.cpu - a.cpu) / count) };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
