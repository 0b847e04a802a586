/**
 * The `function` evaluator: calls the entry function on given inputs; the original is the oracle. Python, JavaScript and
 * TypeScript. Correctness, then memory, then speed against the original; deterministic judging counts operations instead.
 */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import {
  type EffectKind,
  type EvaluatorSpec,
  type Execution,
  effectKinds,
  FunctionOptions,
  type Metrics,
  type Outcome,
} from '../../../shared/judging.ts';
import type { Basis } from '../../../shared/payloads.ts';
import { fileText, type Program } from '../../../shared/program.ts';
import { requireCounter } from '../../executors/instructions.ts';
import { type Runner, RunnerPool } from '../../executors/runner.ts';
import { finalDifference, unstableKinds } from '../effects/effects.ts';
import type { Evaluator, EvaluatorContext } from '../evaluator.ts';
import { tampering } from '../forgery/honesty.ts';
import { hotLines } from '../hot-lines.ts';
import { attackWinner } from '../inputs/attack/attack.ts';
import { deriveCalls } from '../inputs/derive.ts';
import { linesRun } from '../inputs/original.ts';
import { keptRunners } from '../timing/kept-originals.ts';
import { pairedRun } from '../timing/timing.ts';
import {
  againstItself,
  type Bounds,
  type Observed,
  originalFails,
  runCalls,
  runtimeOf,
  type Source,
  sourceOf,
} from './correctness.ts';
import { instructionCounts, modelled, peakAlone, peakKb, perCallArtifacts } from './figures.ts';
import { candidateBounds, countedBounds, limitOf, Oracle, patienceMs } from './oracle.ts';
import { shownOutputs } from './outputs.ts';
import { type ExpectedResults, mismatch, outcome, rulesOf } from './result.ts';
import { countedRepeats, passCost, passOf, timedCalls, timedRepeats } from './timed.ts';

const METRICS = [
  ...['speedup', 'speedup_low', 'speedup_high', 'speed_ms', 'speed_p10_ms', 'baseline_ms', 'samples', 'peak_kb', 'size_ch'],
  ...['cost', 'baseline_cost', 'instructions', 'baseline_instructions'],
];

/** `instructions`: counts those of every careful measurement too. */
export function createFunctionEvaluator(how: { readonly instructions: boolean } = { instructions: false }): Evaluator {
  return {
    name: 'function',
    metric: 'speedup_low',
    metrics: METRICS,
    parse: (spec) => void parse(spec),
    derive: deriveCalls,
    attack: attackWinner,
    requires: (language) => [runtimeOf(language)],
    outputs: (basis) => shownOutputs(parse(basis.evaluator), oracleOf(basis).results),
    lines: async (program, basis, context) => {
      const options = parse(basis.evaluator);
      const whole = withSupport(program, options);
      const { report, texts } = await linesRun(whole, options.entry, timedCalls(options), context);
      return hotLines(program, [report], texts);
    },
    prepare: async (original, spec, context) => {
      if (how.instructions) await requireCounter(runtimeOf(original.language));
      return await prepare(original, spec, context);
    },
    judge: async (candidate, basis, context) => {
      const execution = await judge(candidate, basis, context);
      const wanted = how.instructions && context.effort === 'final' && execution.outcome.kind === 'correct';
      if (!wanted) return execution;
      const options = parse(basis.evaluator);
      const oracle = oracleOf(basis);
      const own = { files: withSupport(candidate, options).files, entry: options.entry };
      const pass = passOf(options, oracle.results, oracle.repeats).options;
      const counts = await instructionCounts(own, oracle.source, pass, {
        sandboxes: context.sandboxes,
        passMs: oracle.timedMs,
      });
      return { ...execution, metrics: { ...execution.metrics, ...counts } };
    },
  };
}

/** Many candidates have the same imports. */
const [knownOptions, knownOracles] = [new WeakMap<object, FunctionOptions>(), new WeakMap<object, Oracle>()];

function once<T>(known: WeakMap<object, T>, key: object, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

const oracleOf = ({ data }: Basis): Oracle => once(knownOracles, Object(data), () => Oracle.parse(data));

const parse = ({ options }: EvaluatorSpec): FunctionOptions =>
  once(knownOptions, options, () => {
    const parsed = FunctionOptions.safeParse(options);
    if (parsed.success) return parsed.data;
    throw new PeagenError('invalid_input', `The function evaluator's options are wrong: ${z.prettifyError(parsed.error)}`, {
      hint: 'It needs an entry function and inputs: a list of calls, each a list of arguments.',
    });
  });

const languages = ['python', 'javascript', 'typescript'];

function checkProgram(program: Program, options: FunctionOptions): void {
  if (!languages.includes(program.language)) {
    throw new PeagenError('unsupported', `The function evaluator cannot run ${program.language}.`, {
      hint: 'Use the command evaluator: a test or benchmark command for any language.',
    });
  }
  if (fileText(program, options.entry.path) === undefined) {
    throw new PeagenError('not_found', `The entry's file ${options.entry.path} is not part of the program.`);
  }
  if (program.language !== 'python' && options.calls.some((call) => Object.keys(call.kwargs).length > 0)) {
    throw new PeagenError('invalid_input', `Keyword arguments do not exist in ${program.language}.`, {
      hint: 'Write each call as a list of arguments.',
    });
  }
}

/** Returns the program with the files of its folder that it imports. */
function withSupport(program: Program, { support }: FunctionOptions): Program {
  const own = new Set(program.files.map(({ path }) => path));
  return { ...program, files: [...program.files, ...support.filter(({ path }) => !own.has(path))] };
}

function openPool(program: Program, context: EvaluatorContext): RunnerPool {
  return new RunnerPool(context.sandboxes, runtimeOf(program.language), context.signal);
}

async function prepare(
  original: Program,
  spec: EvaluatorSpec,
  context: EvaluatorContext,
): Promise<{ basis: Basis; execution: Execution }> {
  const options = parse(spec);
  checkProgram(original, options);
  const pool = openPool(original, context);
  try {
    const { wallMs } = context.sandboxes.limits;
    const operations = context.deterministic ? Number.MAX_SAFE_INTEGER : undefined;
    const longest = context.deterministic ? wallMs * 30 : wallMs;
    const bounds: Bounds = { loadMs: wallMs, callsMs: longest, cpuMs: undefined, operations };
    pool.prefetch(3);
    const whole = withSupport(original, options);
    const run = (within = bounds, memoryMs?: number): Promise<Tried> =>
      pool.use((runner) => tryOut(runner, whole, options, { bounds: within, memoryMs }));
    // Counted in a run of its own where time is measured, which counting would distort.
    const counting = operations === undefined ? [run({ ...bounds, operations: Number.MAX_SAFE_INTEGER })] : [];
    const [first, second, counted] = await Promise.all([
      run(bounds, context.deterministic ? undefined : wallMs),
      run(),
      ...counting,
    ]);
    if (!first.ok) throw originalFails(first.outcome.detail, first.outcome.kind);
    if (!second.ok) throw originalFails(second.outcome.detail, second.outcome.kind);
    for (const [index, result] of first.observed.results.entries()) {
      const again = second.observed.results[index];
      const differs = again === undefined ? undefined : mismatch(result, again, `call ${index + 1}, made twice,`, options);
      if (differs !== undefined) throw originalFails(differs.detail, 'wrong');
    }
    const { results, state, callsMs, timedMs, loadMs } = first.observed;
    // Empty where they cannot be counted.
    const costs = counted === undefined ? first.observed : counted.ok ? counted.observed : { perCall: [], wholeCost: 0 };
    const limitMs = Math.max(wallMs, first.observed.timedMs * 30);
    const repeats =
      counted === undefined ? countedRepeats(costs, options) : await timedRepeats(pool, first.source, options, limitMs);
    const cost = passCost(costs, options, repeats);
    const [failure] = results;
    // The given calls come first: an original that fails on all of them is refused, even when it returns on derived ones.
    if (failure !== undefined && results.slice(0, options.calls.length).every(({ raised }) => raised !== undefined)) {
      const said = failure.error?.split('\n').at(-1) ?? '';
      // Python's last line begins with the exception's name.
      const error = said.startsWith(`${failure.raised}`) ? said : `${failure.raised}: ${said}`;
      throw originalFails(`every call raises ${error}`, 'crashed');
    }
    const oracle: Oracle = {
      results: results.map(({ error: _text, ...result }) => result),
      state,
      unstable_effects: unstableEffects(first.observed, second.observed, options),
      callsMs: Math.min(callsMs, second.observed.callsMs),
      timedMs: Math.min(timedMs, second.observed.timedMs),
      loadMs: Math.min(loadMs, second.observed.loadMs),
      cost,
      wholeCost: costs.wholeCost,
      stateful: false,
      repeats,
      source: { files: [...first.source.files], entry: first.source.entry },
    };
    const peak = first.peak ?? (await peakAlone(pool, first.source, options, limitOf(oracle, context)));
    if (typeof peak !== 'number') throw originalFails(peak.detail, peak.kind);
    const correct = { source: first.source, cost, peak };
    const measured = () => againstItself(() => measureCorrect(correct, oracle, options, context, pool));
    let execution = await measured();
    if (execution.outcome.kind === 'wrong' && pool.runtime === 'node') {
      oracle.stateful = true;
      execution = await measured();
    }
    const basis: Basis = { evaluator: spec, original, data: oracle };
    if (execution.outcome.kind !== 'correct') throw originalFails(execution.outcome.detail, execution.outcome.kind);
    // Against itself it is exactly as fast, whatever two measurements say.
    const metrics = { ...execution.metrics, speedup: 1, speedup_low: 1, speedup_high: 1 };
    const artifacts = perCallArtifacts(options, first.observed, execution.metrics, context.deterministic);
    return { basis, execution: { ...execution, metrics, artifacts } };
  } finally {
    await pool.close();
  }
}

/** Random file names and printed times, for example: such an effect cannot be compared. */
function unstableEffects(first: Observed, second: Observed, options: FunctionOptions): EffectKind[] {
  const rules = rulesOf(options, undefined);
  const found = first.results.flatMap(({ effects = {} }, index) => {
    return unstableKinds(effects, second.results[index]?.effects ?? {}, rules);
  });
  const atEnd = finalDifference(second.state, { ...rules, original: first.state });
  return effectKinds.filter((kind) => found.includes(kind) || atEnd?.kind === kind);
}

/** `peak`: kilobytes, where they were measured. */
type Tried = { ok: true; observed: Observed; source: Source; peak?: number } | { ok: false; outcome: Outcome };

interface Trial {
  readonly bounds: Bounds;
  readonly expected?: ExpectedResults;
  /** How long measuring the memory may take; undefined: it is not measured. */
  readonly memoryMs?: number | undefined;
}

/** Readies the program, runs every call, and measures the memory that a correct one takes, all in one runner. */
async function tryOut(runner: Runner, program: Program, options: FunctionOptions, trial: Trial): Promise<Tried> {
  const { bounds, expected, memoryMs } = trial;
  const source = await sourceOf(runner, program, options.entry, bounds.loadMs);
  if ('kind' in source) return { ok: false, outcome: source };
  const ran = await runCalls(runner, source, options, bounds, expected);
  if (!ran.ok || memoryMs === undefined) return ran.ok ? { ...ran, source } : ran;
  const peak = await peakKb(runner, options, memoryMs);
  return typeof peak === 'number' ? { ...ran, source, peak } : { ok: false, outcome: peak };
}

async function judge(candidate: Program, basis: Basis, context: EvaluatorContext): Promise<Execution> {
  const options = parse(basis.evaluator);
  checkProgram(candidate, options);
  const tampers = tampering(basis.original, candidate);
  if (tampers !== undefined) return { outcome: outcome('forged', tampers), metrics: {}, artifacts: {} };
  const oracle = oracleOf(basis);
  const pool = openPool(candidate, context);
  try {
    const { role, peakKb } = context;
    // TypeScript is made JavaScript of in a sandbox, where correctness is judged along the way.
    if (role !== undefined && role !== 'newcomer' && peakKb !== undefined && candidate.language !== 'typescript') {
      const source = { files: withSupport(candidate, options).files, entry: options.entry };
      return await measureCorrect({ source, cost: 0, peak: peakKb }, oracle, options, context, pool);
    }
    pool.prefetch(1);
    const bounds = candidateBounds(oracle, context);
    const whole = withSupport(candidate, options);
    const expected = { results: oracle.results, state: oracle.state, unstable: oracle.unstable_effects };
    const memoryMs = context.deterministic ? undefined : limitOf(oracle, context);
    const measured = async (tried: Tried, runner?: Runner): Promise<Execution> => {
      if (!tried.ok) return { outcome: tried.outcome, metrics: {}, artifacts: {} };
      const peak = tried.peak ?? (await peakAlone(pool, tried.source, options, limitOf(oracle, context)));
      if (typeof peak !== 'number') return { outcome: peak, metrics: {}, artifacts: {} };
      const correct = { source: tried.source, cost: passCost(tried.observed, options, oracle.repeats), peak };
      const execution = await measureCorrect(correct, oracle, options, context, pool, runner);
      const { metrics } = execution;
      return { ...execution, artifacts: perCallArtifacts(options, tried.observed, metrics, context.deterministic) };
    };
    const tryIn = (runner: Runner, within = bounds): Promise<Tried> =>
      tryOut(runner, whole, options, { bounds: within, expected, memoryMs });
    // A program takes part in a race in the same process. What it may remember there is of no use in a match.
    const isRace = role === 'newcomer' && context.pairs === undefined;
    return isRace && !context.deterministic && !oracle.stateful
      ? await pool.use(async (runner) => await measured(await tryIn(runner), runner))
      : await measured(
          context.deterministic && pool.runtime === 'node'
            ? await tryCounted(tryIn, bounds, patienceMs(oracle), pool)
            : await pool.use(tryIn),
        );
  } finally {
    await pool.close();
  }
}

/** Watched only when it takes long without: most candidates end. */
async function tryCounted(
  tryIn: (runner: Runner, within: Bounds) => Promise<Tried>,
  bounds: Bounds,
  cpuMs: number,
  pool: RunnerPool,
): Promise<Tried> {
  const tried = await pool.use((runner) => tryIn(runner, { ...bounds, cpuMs }));
  if (tried.ok || tried.outcome.kind !== 'timeout') return tried;
  return await pool.use((runner) => tryIn(runner, { ...bounds, watched: true }));
}

/** Operations and kilobytes of a program known to be correct. */
interface Correct {
  readonly source: Source;
  readonly cost: number;
  readonly peak: number;
}

/** Speed of a program known to be correct. `runner`: in which that was found, to be measured in while searching. */
async function measureCorrect(
  { source, cost, peak }: Correct,
  oracle: Oracle,
  options: FunctionOptions,
  context: EvaluatorContext,
  pool: RunnerPool,
  runner?: Runner,
): Promise<Execution> {
  if (context.deterministic) {
    return { outcome: outcome('correct', ''), metrics: { peak_kb: peak, ...modelled(cost, oracle.cost) }, artifacts: {} };
  }
  const pass = passOf(options, oracle.results, oracle.repeats);
  const {
    outcome: verdict,
    metrics,
    readings,
  } = await pairedRun({
    pool,
    original: oracle.source,
    candidate: source,
    ...pass,
    stateful: oracle.stateful,
    goal: { mustBeat: context.toBeat, best: context.best },
    noise: context.noise,
    effort: context.effort,
    pairs: context.pairs,
    role: context.role,
    kept:
      runner && keptRunners(runner, pool.runtime, context.sandboxes, { source: oracle.source, options, repeats: oracle.repeats }),
    signal: context.signal,
    withinMs: context.withinMs,
    limitMs: limitOf(oracle, context),
  });
  const counts = context.effort !== 'quick' && verdict.kind === 'correct' ? await operations(source, oracle, options, pool) : {};
  return {
    outcome: verdict,
    metrics: { peak_kb: peak, ...metrics, ...counts },
    artifacts: {},
    ...(readings === undefined ? {} : { readings: [...readings] }),
  };
}

/**
 * Operations of a pass of both, which are the same on every machine, however busy it is: a replay is checked by them. None
 * where one cannot be counted.
 */
async function operations(source: Source, oracle: Oracle, options: FunctionOptions, pool: RunnerPool): Promise<Metrics> {
  if (oracle.cost === 0) return {};
  const bounds = { ...countedBounds(oracle), operations: Number.MAX_SAFE_INTEGER };
  const counted = await pool.use((runner) =>
    runCalls(runner, source, { ...options, derived: [], heldout: [] }, bounds, undefined),
  );
  return counted.ok ? { cost: passCost(counted.observed, options, oracle.repeats), baseline_cost: oracle.cost } : {};
}
