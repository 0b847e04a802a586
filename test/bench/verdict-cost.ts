/**
 * What a verdict costs, in processor time. First, comparing effects where a function has none: a candidate's correctness run with
 * effects and without, in turns, so that the machine's load is in both, and what the difference adds to judging a whole candidate.
 * Then deriving calls, for each ordinary function. All without a sandbox, whose own processes would not be counted.
 * Run: `npm run bench -- verdict-cost [turns, 0 for deriving only] [runs a turn]`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetPath } from '../../daemon/assets.ts';
import { createFunctionEvaluator } from '../../daemon/judging/function/function.ts';
import type { Program } from '../../shared/program.ts';
import { contextOf } from '../integration/judging/judging.ts';
import type { Fixture } from '../ordinary/fixture.ts';
import { fixtures } from '../ordinary/fixtures.ts';
import { cpuSeconds } from './evolve/cpu.ts';

const turns = Number(process.argv[2] ?? 20);
const runs = Number(process.argv[3] ?? 10);
/** As many as a verdict has by default: given, derived and held out. */
const CALLS = 83;
const functions = ['merge_intervals', 'edit_distance', 'duplicates', 'moving-average'];

function lines({ path, entry, text, sessions }: Fixture, effects: boolean): string {
  const calls = sessions(1, CALLS).flat();
  const orders = [
    { op: 'load', path, fn: entry, files: [{ path, text }], effects },
    ...calls.map((call) => ({ op: 'call', ...call })),
    ...(effects ? [{ op: 'state' }] : []),
  ];
  return orders.map((order, id) => `${JSON.stringify({ ...order, id })}\n`).join('');
}

/** Milliseconds of processor time of one run, from its start to its end. */
function runMs(language: Fixture['language'], input: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-effects-'));
  try {
    const runner = assetPath(`executors/runners/runner.${language === 'python' ? 'py' : 'cjs'}`);
    const [command, flags] = language === 'python' ? ['python3', ['-S', '-s', '-B']] : [process.execPath, ['--expose-gc']];
    const before = cpuSeconds();
    const own = process.cpuUsage();
    for (let run = 0; run < runs; run++) {
      const { status, stdout } = spawnSync(command, [...flags, runner], { cwd: folder, input, encoding: 'utf8' });
      if (status !== 0 || stdout.includes('"error":"')) throw new Error(`The run failed: ${stdout.slice(0, 500)}`);
    }
    const { user, system } = process.cpuUsage(own);
    return (1000 * (cpuSeconds() - before) - (user + system) / 1000) / runs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const evaluator = createFunctionEvaluator();

/** Milliseconds of processor time that judging the original as a candidate takes, its processes and its share of this one. */
async function candidateMs({ language, path, entry, text, sessions }: Fixture): Promise<number> {
  const context = await contextOf({}, { evaluate: { sandbox: 'plain' } });
  const program: Program = { language, files: [{ path, text }], spans: [{ path, start: 0, end: text.length }] };
  const options = { entry: { path, fn: entry }, calls: sessions(1, CALLS).flat() };
  const { basis } = await evaluator.prepare(program, { name: 'function', options }, context);
  const before = cpuSeconds();
  for (let run = 0; run < runs; run++) await evaluator.judge(program, basis, context);
  return (1000 * (cpuSeconds() - before)) / runs;
}

/** Processor time and wall time of deriving the calls of a verdict from the typed ones. */
async function deriveMs({ language, path, entry, text, calls }: Fixture): Promise<{ cpu: number; wall: number }> {
  const context = await contextOf({}, { evaluate: { sandbox: 'plain' } });
  const program: Program = { language, files: [{ path, text }], spans: [{ path, start: 0, end: text.length }] };
  const options = { entry: { path, fn: entry }, calls };
  const [cpu, wall] = [cpuSeconds(), performance.now()];
  await evaluator.derive?.(program, { name: 'function', options }, { seed: 1, within_ms: 2000, examples: [] }, context);
  return { cpu: 1000 * (cpuSeconds() - cpu), wall: performance.now() - wall };
}

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

if (turns > 0)
  console.log('| function | calls | CPU ms without | CPU ms with | ratio (quartiles) | candidate CPU ms | added to it |');
if (turns > 0) console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const fixture of fixtures.filter(({ name }) => turns > 0 && functions.includes(name))) {
  const [without, having] = [lines(fixture, false), lines(fixture, true)];
  const pairs = Array.from({ length: turns }, (_, turn) => {
    const first = runMs(fixture.language, turn % 2 === 0 ? without : having);
    const second = runMs(fixture.language, turn % 2 === 0 ? having : without);
    return turn % 2 === 0 ? { without: first, having: second } : { without: second, having: first };
  });
  const ratios = pairs.map((pair) => pair.having / pair.without);
  const [low, middle, high] = [at(ratios, 0.25), at(ratios, 0.5), at(ratios, 0.75)].map((ratio) => ratio.toFixed(3));
  const [mine, theirs] = [
    at(
      pairs.map(({ without: ms }) => ms),
      0.5,
    ),
    at(
      pairs.map(({ having: ms }) => ms),
      0.5,
    ),
  ];
  const whole = await candidateMs(fixture);
  const added = at(
    pairs.map((pair) => (pair.having - pair.without) / (whole - pair.having + pair.without)),
    0.5,
  );
  const cells = [
    mine.toFixed(1),
    theirs.toFixed(1),
    `${middle} (${low} to ${high})`,
    whole.toFixed(0),
    `${(100 * added).toFixed(1)} %`,
  ];
  console.log(`| ${fixture.name} | ${CALLS} | ${cells.join(' | ')} |`);
}
console.log('\n| deriving for | CPU ms | wall ms |\n| --- | --- | --- |');
const derived: number[] = [];
for (const fixture of fixtures) {
  const { cpu, wall } = await deriveMs(fixture);
  derived.push(cpu);
  console.log(`| ${fixture.name} | ${cpu.toFixed(0)} | ${wall.toFixed(0)} |`);
}
console.log(
  `\nDeriving: median ${at(derived, 0.5).toFixed(0)} ms, most ${Math.max(...derived).toFixed(0)} ms of processor time.`,
);
