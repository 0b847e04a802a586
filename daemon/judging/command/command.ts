/**
 * The `command` evaluator: any test or benchmark command in a throw-away copy of the base folder, in a sandbox. Exit
 * status 0 is correct; its duration, or the metric `speed_ms`, is compared with the original's, run in turns.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { CommandOptions, type EvaluatorSpec, type Execution, type HotLine, type Metrics } from '../../../shared/judging.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { times } from '../../../shared/words/ratio.ts';
import { assetPath } from '../../assets.ts';
import { type Base, openBase } from '../copies/base.ts';
import { type Evaluator, type EvaluatorContext, OriginalFails } from '../evaluator.ts';
import { broken, callsMade, spentIn } from '../forgery/counterproof.ts';
import { changesClocks, worthCheating } from '../forgery/honesty.ts';
import { judgeReports, type ReportedVerdict, stepsFor, type Timed } from '../forgery/reported.ts';
import { hotLines } from '../hot-lines.ts';
import { efforts, floorOf, ratioOf } from '../timing/statistics/measure.ts';
import { estimate, pooledNoise } from '../timing/statistics/posterior.ts';
import { MATCH_PAIRS, type RaceVerdict, race } from '../timing/statistics/race.ts';
import { tuned } from '../tuned.ts';
import { endedEarly, leftOut } from './ending.ts';
import { KeptRuns } from './kept-runs.ts';
import { counterproof, drawnProof, type RunMarked } from './proofs.ts';
import { compilePattern } from './report.ts';
import { type CommandRun, runOnce } from './run-once.ts';

export function createCommandEvaluator(): Evaluator {
  return { name: 'command', metric: 'speedup_low', parse: (spec) => void parse(spec), requires: () => [], prepare, judge, lines };
}

/** Runs of the original before a search, the first for correctness included. */
const ORIGINALS = MATCH_PAIRS;
/** Exit statuses of a shell that could not run the command: no permission, not found. */
const notRun: readonly (number | null)[] = [126, 127];
function parse(spec: EvaluatorSpec): CommandOptions {
  const { command } = spec.options;
  if (command === undefined || (typeof command === 'string' && command.trim() === '')) {
    throw new PeagenError('invalid_input', 'The command evaluator has no command to run.', {
      hint: 'Give --command, or command under [evaluate] in .peagen.toml, such as "python3 -m pytest -q".',
    });
  }
  const parsed = CommandOptions.safeParse(spec.options);
  if (!parsed.success) {
    throw new PeagenError('invalid_input', `The command evaluator's options are wrong: ${z.prettifyError(parsed.error)}`);
  }
  for (const source of parsed.data.metrics) if (source.from === 'regex') compilePattern(source.pattern);
  return parsed.data;
}

async function prepare(
  original: Program,
  spec: EvaluatorSpec,
  context: EvaluatorContext,
): Promise<{ basis: Basis; execution: Execution }> {
  const options = parse(spec);
  await using base = await openBase(options.root, context.signal);
  const first = await runOnce(original, options, context, base);
  if (first.outcome.kind !== 'correct') {
    const { outcome, metrics, output } = first;
    const message = `The command fails on the original: ${outcome.detail}`;
    const hint = `Make "${options.command}" succeed in ${options.root} first.`;
    // No program makes a command run that cannot be found.
    if (notRun.includes(first.code)) throw new PeagenError('original_fails', message, { hint });
    throw new OriginalFails(message, hint, { outcome, metrics, artifacts: { output } });
  }
  if (first.unreported !== undefined) {
    throw new PeagenError('original_fails', `The command succeeds on the original, but ${first.unreported}.`, {
      hint: 'Change the command, or metrics under [evaluate].',
    });
  }
  const runs = [first];
  while (runs.length < ORIGINALS) runs.push(await still(original, options, context, base));
  const key = keyOf(original, options, base, context);
  for (const ran of runs) kept.put(key, ran);
  const took = runs.map(({ ms }) => ms);
  const share = await shareOf(original, options, context, base);
  return {
    basis: { evaluator: spec, original, data: null },
    execution: {
      outcome: first.outcome,
      metrics: { ...first.metrics, ...speed({ baseline: took, candidate: took }), ...share },
      artifacts: { output: first.output },
      // How much one run differs from the next: the noise of a pair.
      readings: took.slice(1).map((ms, index) => Math.log((took[index] ?? ms) / ms)),
    },
  };
}

const kept = new KeptRuns<CommandRun>();

/** What a run of the original depends on; undefined where nobody says whether the folder has changed. */
function keyOf(
  { files }: Program,
  { command }: CommandOptions,
  { snapshot }: Base,
  { seed }: EvaluatorContext,
): string | undefined {
  return snapshot && JSON.stringify([snapshot, command, seed, files]);
}

/** The part of the command's time that calls of the program's functions take; nothing where they are not seen to be called. */
async function shareOf(original: Program, options: CommandOptions, context: EvaluatorContext, base: Base): Promise<Metrics> {
  const timed = broken(original, 0);
  if (timed === undefined) return {};
  const { outcome, wallMs, read } = await runOnce(timed.program, options, context, base, timed.mark);
  const ms = spentIn({ mark: read });
  return outcome.kind !== 'correct' || ms === undefined ? {} : { program_share: Math.min(1, ms / wallMs) };
}

/** Another run of the original, which succeeded before. */
async function still(original: Program, options: CommandOptions, context: EvaluatorContext, base: Base): Promise<CommandRun> {
  const ran = await runOnce(original, options, context, base);
  if (ran.outcome.kind === 'correct') return ran;
  throw new PeagenError('original_fails', `The command fails on the original now: ${ran.outcome.detail}`, {
    hint: 'It has to end alike whenever it runs: look for what depends on time, chance or order.',
  });
}

async function judge(candidate: Program, basis: Basis, context: EvaluatorContext): Promise<Execution> {
  const options = parse(basis.evaluator);
  await using base = await openBase(options.root, context.signal);
  const timed = { baseline: [] as number[], candidate: [] as number[] };
  const runs = { original: [] as Timed[], candidate: [] as Timed[] };
  const outputs: string[] = [];
  let originals: Metrics = {};
  let reported: Metrics = {};
  let [output, whole] = ['', ''];
  const key = keyOf(basis.original, options, base, context);
  const tampers = changesClocks(basis.original, candidate);
  if (tampers !== undefined) return { outcome: { kind: 'forged', detail: tampers }, metrics: {}, artifacts: {} };
  const marked: RunMarked = (program, mark) => runOnce(program, options, context, base, mark);
  const began = performance.now();
  const late = () => context.withinMs !== undefined && performance.now() - began >= context.withinMs;
  const readings: number[] = [];
  const noise = (): number => context.noise ?? pooledNoise([readings]);
  const quick = context.effort === 'quick';
  // Fewer readings than a comparison takes have no interval but that of the noise of all pairs.
  const ratioIn = ({ baseline, candidate: own }: typeof timed, logs: readonly number[]) =>
    quick || logs.length < efforts.compare.minRounds ? estimate(logs, noise()) : ratioOf(baseline, own);
  let verdict: RaceVerdict = 'more';
  const more = (round: number): boolean => {
    if (context.pairs !== undefined) return round < context.pairs;
    if (quick) return verdict === 'more';
    return round < efforts[context.effort].minRounds && !(round >= 1 && late());
  };
  for (let round = 0; more(round); round++) {
    for (const side of round % 2 === 0 ? (['candidate', 'baseline'] as const) : (['baseline', 'candidate'] as const)) {
      if (side === 'baseline') {
        const known = round === 0 && quick && context.role === 'newcomer' ? kept.take(key) : undefined;
        const ran = known ?? (await still(basis.original, options, context, base));
        if (known === undefined) kept.put(key, ran);
        timed.baseline.push(ran.ms);
        runs.original.push({ reported: ran.ms, wall: ran.wallMs });
        outputs.push(ran.whole);
        originals = ran.metrics;
        continue;
      }
      const ran = await runOnce(candidate, options, context, base);
      const { outcome, metrics } = ran;
      if (outcome.kind !== 'correct') return { outcome, metrics, artifacts: { output: ran.output } };
      timed.candidate.push(ran.ms);
      runs.candidate.push({ reported: ran.ms, wall: ran.wallMs });
      [reported, output, whole] = [metrics, ran.output, ran.whole];
    }
    readings.push(Math.log((timed.baseline.at(-1) ?? 0) / (timed.candidate.at(-1) ?? 1)));
    verdict = race(readings, noise(), { mustBeat: context.toBeat, best: context.best });
    const so = ratioIn(timed, readings);
    if (context.toBeat !== undefined && (quick ? verdict === 'lost' : round >= 1) && so.high < context.toBeat * tuned.half) {
      const detail = `${options.command} succeeds, at ${times(so.ratio)} the original's speed; ${times(context.toBeat)} was to beat.`;
      const metrics = { ...reported, ...speed(timed, so) };
      return { outcome: { kind: 'slow', detail }, metrics, artifacts: { output }, readings };
    }
  }
  const own = basis.original.files.map(({ text }) => text).join('\n');
  const seen = ratioIn(timed, readings);
  // A search is not led astray by little. Of what is to be announced, any gain is looked into.
  const { ratio } = seen;
  const gains = options.metrics.length > 0 || (quick ? worthCheating({ ratio, low: ratio, high: ratio }) : seen.high > 1);
  // A newcomer that gains becomes a challenger, and a holder was one.
  const isProved = context.role === 'newcomer' || context.role === 'holder';
  const spared =
    leftOut(originals, reported) ??
    endedEarly(outputs, whole, own) ??
    (gains && !isProved ? await counterproof(candidate, basis.original, marked) : undefined);
  if (spared !== undefined) {
    const detail = `${options.command}: ${spared}\n${output}`.trim().slice(0, 8000);
    return { outcome: { kind: 'forged', detail }, metrics: reported, artifacts: { output } };
  }
  const reports = reported['speed_ms'] !== undefined && seen.high > 1 && context.role !== 'newcomer';
  const proofs = [
    ...(gains && !quick ? [() => drawnProof(candidate, basis.original, runs, marked, late)] : []),
    ...(reports ? [() => reportsOf(candidate, basis.original, runs, options, context, base)] : []),
  ];
  let [leastMs, unverified] = [0, false];
  for (const prove of proofs) {
    const told = await prove();
    if (told.forged !== undefined) {
      const detail = `${options.command}: ${told.forged}.`;
      return { outcome: { kind: 'forged', detail }, metrics: reported, artifacts: { output } };
    }
    leastMs = Math.max(leastMs, told.leastMs);
    unverified ||= told.unverified;
  }
  // What is not believed of its reports is taken from each reading, as a share: on a busy machine no reading is the least.
  const share = leastMs > Math.min(...timed.candidate) ? Math.min(1, leastMs / Math.min(...timed.baseline)) : 0;
  const bounded = {
    ...timed,
    candidate: timed.candidate.map((ms, index) => Math.max(ms, share * (timed.baseline[index] ?? 0))),
  };
  const logs = bounded.candidate.map((ms, index) => Math.log((bounded.baseline[index] ?? 0) / ms));
  const metrics = { ...reported, ...speed(bounded, ratioIn(bounded, logs)), ...(unverified ? { unverified: 1 } : {}) };
  return { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: { output }, readings: logs };
}

/** Where the lines that ran are reported in the copy, and where Python finds what counts them. */
const [LINES, LINES_SITE] = ['.peagen-lines', '.peagen-lines-site'];

/** Counted by the interpreters themselves, in whatever processes the command starts. */
async function lines(program: Program, { evaluator }: Basis, context: EvaluatorContext): Promise<HotLine[]> {
  const options = parse(evaluator);
  const counter = {
    path: `${LINES_SITE}/sitecustomize.py`,
    text: await readFile(assetPath('executors/runners/peagen_runner/lines.py'), 'utf8'),
  };
  const set = [
    `PEAGEN_LINES="$PWD/${LINES}" NODE_V8_COVERAGE="$PWD/${LINES}" PYTHONPATH="$PWD/${LINES_SITE}"`,
    `PEAGEN_LINES_OF='${program.files.map(({ path }) => path.replaceAll("'", "'\\''")).join('\n')}'`,
  ].join(' ');
  const counting = { ...options, command: `export ${set}\n${options.command}` };
  const { read } = await runOnce({ ...program, files: [...program.files, counter] }, counting, context, undefined, LINES);
  return hotLines(program, (read ?? '').split('\n').map(jsonIn));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What becomes of the reports when both programs take more steps, and of the clock out here. */
async function reportsOf(
  candidate: Program,
  original: Program,
  runs: { readonly original: readonly Timed[]; readonly candidate: readonly Timed[] },
  options: CommandOptions,
  context: EvaluatorContext,
  base: Base,
): Promise<ReportedVerdict> {
  /** `false`: it fails then. */
  const slowed = async (program: Program, steps: number): Promise<{ timed: Timed; calls: number } | false | undefined> => {
    const change = broken(program, steps);
    if (change === undefined) return undefined;
    const { outcome, ms, wallMs, read } = await runOnce(change.program, options, context, base, change.mark);
    const calls = callsMade({ mark: read });
    if (outcome.kind !== 'correct') return false;
    return calls > 0 ? { timed: { reported: ms, wall: wallMs }, calls } : undefined;
  };
  const plain = async (program: Program): Promise<Timed | undefined> => {
    const { outcome, ms, wallMs } = await runOnce(program, options, context, base);
    return outcome.kind === 'correct' ? { reported: ms, wall: wallMs } : undefined;
  };
  const counted = (await slowed(original, 0)) || undefined;
  // It looks at who calls it. Twice: what fails by chance proves nothing.
  if (counted !== undefined && (await slowed(candidate, 0)) === false && (await slowed(candidate, 0)) === false)
    return { forged: 'it fails when its calls are counted, unlike the original', leastMs: 0, unverified: false };
  const steps = counted && stepsFor(original.language === 'python' ? 'python' : 'node', counted.timed.wall, counted.calls);
  const first = counted ? { ...runs, original: [...runs.original, counted.timed] } : runs;
  return await judgeReports(first, async (which) => {
    if (which === 'original' || which === 'candidate') return await plain(which === 'original' ? original : candidate);
    const run = steps !== undefined && (await slowed(which === 'slowedOriginal' ? original : candidate, steps));
    return run ? run.timed : undefined;
  });
}

function speed(
  times: { readonly baseline: readonly number[]; readonly candidate: readonly number[] },
  { ratio, low, high } = ratioOf(times.baseline, times.candidate),
): Metrics {
  const own = floorOf(times.candidate);
  return {
    speed_ms: own.floor,
    baseline_ms: floorOf(times.baseline).floor,
    speedup: ratio,
    speedup_low: low,
    speedup_high: high,
    samples: own.n,
    peak_kb: 0,
  };
}
