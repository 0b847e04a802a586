/**
 * Candidates a second of a whole search as it ships, beside what the sandboxes alone would do: a trivial candidate, and a
 * language model on loopback that answers at once. Prints one JSON line. Run: `node test/bench/evolve/rate.ts [candidates]`.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFunctionEvaluator } from '../../../daemon/handlers/evaluators/function.ts';
import type { Program } from '../../../shared/program.ts';
import { RunEvent, RunSummary } from '../../../shared/run.ts';
import { builtScript } from '../../built.ts';
import { contextOf, prepareText, programOf } from '../../integration/judging.ts';
import { startTestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
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
  const before = cpuSeconds();
  const { status, stderr, lastJson } = await runPeagen(
    [
      ...['evolve', 'run', '--target-file', 'step.py', '--entry-fn', 'step', '--inputs', JSON.stringify(inputs)],
      ...['--mutator', 'rewrite', '--population', String(WIDTH), '--generations', String(generations)],
      ...['--no-improve', String(generations), '--sync', '--yes', '--json'],
    ],
    folder,
  );
  if (status !== 0) throw new Error(stderr);
  const cpu = cpuSeconds() - before;
  const { run, evaluated } = RunSummary.parse(lastJson);
  const journal = await readFile(join(folder, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8');
  const ends = journal
    .trimEnd()
    .split('\n')
    .map((line) => RunEvent.parse(JSON.parse(line)))
    .flatMap((event) => (event.type === 'inserted' ? [Date.parse(event.at)] : []));
  const seconds = ((ends.at(-1) ?? Number.NaN) - (ends[0] ?? Number.NaN)) / 1000;
  return { candidates: evaluated, per_second: round((ends.length - 1) / seconds), cpu_ms: round((1000 * cpu) / evaluated) };
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
