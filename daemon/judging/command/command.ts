/**
 * The `command` evaluator: any test or benchmark command in a throw-away copy of the base folder, in a sandbox. Exit
 * status 0 is correct; its duration, or the metric `speed_ms`, is compared with the original's, run in turns.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import {
  CommandOptions,
  type EvaluatorSpec,
  type Execution,
  type HotLine,
  type Metrics,
  type Outcome,
} from '../../../shared/judging.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { times } from '../../../shared/words/ratio.ts';
import { assetPath } from '../../assets.ts';
import type { SandboxSpec } from '../../executors/sandbox.ts';
import { type Base, openBase } from '../copies/base.ts';
import { COPY_AT, type Copy, copyOf, textIn } from '../copies/copy.ts';
import { type Evaluator, type EvaluatorContext, OriginalFails } from '../evaluator.ts';
import { type Break, type BrokenRun, breaks, broken, callsMade, disproved, spentIn } from '../forgery/counterproof.ts';
import { changesClocks, worthCheating } from '../forgery/honesty.ts';
import { judgeReports, type ReportedVerdict, stepsFor, type Timed } from '../forgery/reported.ts';
import { hotLines } from '../hot-lines.ts';
import { efforts, floorOf, ratioOf } from '../timing/statistics/measure.ts';
import { estimate, pooledNoise } from '../timing/statistics/posterior.ts';
import { MATCH_PAIRS, type RaceVerdict, race } from '../timing/statistics/race.ts';
import { tuned } from '../tuned.ts';
import { endedEarly, leftOut, outcomeOf } from './ending.ts';
import { KeptRuns } from './kept-runs.ts';
import { compilePattern, excerptOf, metricsFrom, readable, unreported } from './report.ts';
import { toolchain } from './toolchain.ts';

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

interface Ran {
  readonly outcome: Outcome;
  /** Exit status. */
  readonly code: number | null;
  /** What it reports of itself, or else took. */
  readonly ms: number;
  /** What it took, seen from here. */
  readonly wallMs: number;
  readonly metrics: Metrics;
  /** What a source of metrics lacks. */
  readonly unreported: string | undefined;
  /** An excerpt of what it wrote, and all of it. */
  readonly output: string;
  readonly whole: string;
  /** Text of the file that was to be read. */
  readonly read: string | undefined;
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

const kept = new KeptRuns<Ran>();

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
async function still(original: Program, options: CommandOptions, context: EvaluatorContext, base: Base): Promise<Ran> {
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
    (gains && !isProved ? await counterproof(candidate, basis.original, options, context, base) : undefined);
  if (spared !== undefined) {
    const detail = `${options.command}: ${spared}\n${output}`.trim().slice(0, 8000);
    return { outcome: { kind: 'forged', detail }, metrics: reported, artifacts: { output } };
  }
  const reports = reported['speed_ms'] !== undefined && seen.high > 1 && context.role !== 'newcomer';
  const told = reports ? await reportsOf(candidate, basis.original, runs, options, context, base) : undefined;
  if (told?.forged !== undefined) {
    return {
      outcome: { kind: 'forged', detail: `${options.command}: ${told.forged}.` },
      metrics: reported,
      artifacts: { output },
    };
  }
  // What is not believed of its reports is taken from each reading.
  const bounded = { ...timed, candidate: timed.candidate.map((ms) => Math.max(ms, told?.leastMs ?? 0)) };
  const logs = bounded.candidate.map((ms, index) => Math.log((bounded.baseline[index] ?? 0) / ms));
  const unverified = told?.unverified === true ? { unverified: 1 } : {};
  const metrics = { ...reported, ...speed(bounded, ratioIn(bounded, logs)), ...unverified };
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

/** Whether the candidate still succeeds when it is broken on purpose, and the original does not. */
async function counterproof(
  candidate: Program,
  original: Program,
  options: CommandOptions,
  context: EvaluatorContext,
  base: Base,
): Promise<string | undefined> {
  const tell = async (program: Program, how: Break): Promise<BrokenRun> => {
    const change = broken(program, how);
    if (change === undefined) return { succeeded: false, mark: undefined };
    const ran = await runOnce(change.program, options, context, base, change.mark);
    return { succeeded: ran.outcome.kind === 'correct', mark: ran.read };
  };
  // Nothing is timed. Nearly every candidate fails each of them, and that is that.
  const told = await Promise.all(breaks.map((how) => tell(candidate, how)));
  for (const [index, how] of breaks.entries()) {
    if (told[index]?.succeeded !== true) continue;
    // Twice: what fails by chance proves nothing.
    let why: string | undefined;
    for (const candidates of [told[index], undefined]) {
      why = disproved(how, await tell(original, how), candidates ?? (await tell(candidate, how)));
      if (why === undefined) break;
    }
    if (why !== undefined) return `${why}, which the original does not: its success is forged.`;
  }
  return undefined;
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

/**
 * In a copy of the folder that holds the program. Without a `base` of several runs it opens one for itself. `reading`: a file
 * of the copy, or a folder of files, to be read at the end.
 */
export async function runOnce(
  program: Program,
  options: CommandOptions,
  context: EvaluatorContext,
  base?: Base,
  reading?: string,
): Promise<Ran> {
  context.signal.throwIfAborted();
  const { tier } = context.sandboxes;
  await using copy = await copyOf(options.root, program, {
    tier,
    signal: context.signal,
    ...(base === undefined ? {} : { base }),
  });
  const tools = await toolchain();
  const spec: SandboxSpec = {
    runtime: 'command',
    argv: ['/bin/sh', '-c', options.command],
    cwd: COPY_AT,
    mounts: [...tools.mounts, ...copy.mounts],
    env: { ...tools.env, CI: 'true', ...(context.seed === undefined ? {} : { PEAGEN_SEED: String(context.seed) }) },
    limits: context.sandboxes.limits,
  };
  const sandbox = await tier.open(spec);
  const stop = (): void => sandbox.kill();
  context.signal.addEventListener('abort', stop);
  const lines: string[] = [];
  for (let line = await sandbox.receive(); line !== undefined; line = await sandbox.receive()) lines.push(line);
  const exit = await sandbox.exited;
  context.signal.removeEventListener('abort', stop);
  context.signal.throwIfAborted();
  const stdout = lines.join('\n');
  const files = await reports(copy, options);
  const metrics = metricsFrom(options.metrics, stdout, files);
  const whole = readable(`${stdout}\n${exit.stderr}`, [copy.folder, COPY_AT]).trim();
  const output = excerptOf(whole);
  const outcome = outcomeOf(exit, options.command, output, context.sandboxes.limits);
  const read = reading === undefined ? undefined : await textIn(copy, reading);
  const ms = metrics['speed_ms'] ?? exit.wallMs;
  const missing = unreported(options.metrics, stdout, files);
  return { outcome, code: exit.code, ms, wallMs: exit.wallMs, metrics, unreported: missing, output, whole, read };
}

/** The reports named in the options, from the copy. */
async function reports(copy: Copy, options: CommandOptions): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const source of options.metrics) {
    if (source.from !== 'junit') continue;
    const text = await textIn(copy, source.path);
    if (text !== undefined) found.set(source.path, text);
  }
  return found;
}
