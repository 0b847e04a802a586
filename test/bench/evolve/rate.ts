/**
 * Candidates a second of a whole search as it ships, next to what the sandboxes alone would do: a trivial candidate, and a
 * language model on loopback that answers at once. Prints one JSON line. Run: `node test/bench/evolve/rate.ts [candidates]`.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import type { Program } from '../../../shared/program.ts';
import { builtScript } from '../../built.ts';
import { contextOf, prepareText, programOf } from '../../integration/judging/judging.ts';
import { startTestLlm } from '../../llm/server.ts';
import { cpuSeconds } from './cpu.ts';

const candidates = Number(process.argv[2] ?? 120);
const WIDTH = availableParallelism();
const SANDBOX_SECONDS = 10;

/** Every child is another program, and as fast as the original. */
const textOf = (number: number) => `def step(n):\n    return n + ${number} - ${number}\n`;
const inputs = [[1], [2], [3]];

/** Judgements a second with nothing around them, as many at a time as there are cores. */
async function sandboxRate() {
  const evaluator = createFunctionEvaluator();
  const { basis } = await prepareText(evaluator, 'python', textOf(0), 'step', {
    calls: inputs.map((args) => ({ args, kwargs: {} })),
  });
  const context = await contextOf();
  const before = cpuSeconds();
  const start = performance.now();
  let done = 0;
  const judge = async () => {
    while (performance.now() - start < SANDBOX_SECONDS * 1000) {
      const program: Program = programOf('python', textOf(done + 1));
      const { outcome } = await evaluator.judge(program, basis, context);
      if (outcome.kind !== 'correct' && outcome.kind !== 'slow') throw new Error(`${outcome.kind}: ${outcome.detail}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, judge));
  const seconds = (performance.now() - start) / 1000;
  return { per_second: round(done / seconds), cpu_ms: round((1000 * (cpuSeconds() - before)) / done) };
}

/** Rewrites the function with a number of its own. */
const answer = (_: unknown, i: number) => ({
  type: 'answer' as const,
  text: `Change: number ${i + 1}\n\n\`\`\`python\n${textOf(i + 1)}\`\`\``,
});

async function searchRate(folder: string, url: string) {
  const settings = `[[llm.backends]]
name = "scripted"
model = "test-model"
base_url = "${url}"
`;
  await writeFile(join(folder, '.peagen.toml'), settings);
  await writeFile(join(folder, 'step.py'), textOf(0));
  const generations = Math.ceil(candidates / WIDTH);
  const child = spawn(
    process.execPath,
    [
      ...[builtScript('cli'), 'evolve', 'run', '--target-file', 'step.py', '--entry-fn', 'step'],
      ...['--inputs', JSON.stringify(inputs), '--mutator', 'rewrite', '--population', String(WIDTH)],
      ...['--generations', String(generations), '--no-improve', String(generations), '--sync', '--yes', '--json'],
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Measuring the best with care, at the end, is not a candidate's.
  const marks: { at: number; cpu: number; count: number }[] = [];
  while (child.exitCode === null && (marks.at(-1)?.count ?? 0) < generations * WIDTH) {
    const inserted = (await journals(folder)).split('"type":"inserted"').length - 1;
    if (inserted > (marks.at(-1)?.count ?? 0)) {
      marks.push({ at: performance.now() / 1000, cpu: cpuSeconds(child.pid), count: inserted });
    }
    await Promise.race([delay(50), ended]);
  }
  const [first, last] = [marks[0], marks.at(-1)];
  if (child.exitCode !== null || first === undefined || last === undefined) throw new Error('The search ended early.');
  child.kill('SIGINT');
  await ended;
  const done = last.count - first.count;
  return {
    candidates: last.count,
    per_second: round(done / (last.at - first.at)),
    cpu_ms: round((1000 * (last.cpu - first.cpu)) / done),
  };
}

async function journals(folder: string): Promise<string> {
  const runs = join(folder, '.peagen', 'runs');
  const names = await readdir(runs).catch(() => []);
  const texts = names.map((name) => readFile(join(runs, name, 'journal.jsonl'), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('');
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

const folder = await mkdtemp(join(tmpdir(), 'peagen-bench-'));
// What building costs is not measured.
builtScript('cli');
const model = await startTestLlm();
model.script(...Array.from({ length: 2 * candidates }, answer));
try {
  const sandboxes = await sandboxRate();
  const search = await searchRate(folder, model.url);
  const result = {
    cores: WIDTH,
    load: round(loadavg()[0] ?? 0),
    sandboxes,
    search,
    sandboxes_over_search: round(sandboxes.per_second / search.per_second),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  await model.close();
  await rm(folder, { recursive: true, force: true });
}
