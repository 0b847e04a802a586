/**
 * The `function` evaluator: calls the entry function on given inputs; the original is the oracle. Python, JavaScript and
 * TypeScript. Correctness, then memory, then speed against the original; deterministic judging counts operations instead.
 */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { type EvaluatorSpec, type Execution, FunctionOptions, type Metrics } from '../../../shared/judging.ts';
import type { Basis } from '../../../shared/payloads.ts';
import { fileText, type Program } from '../../../shared/program.ts';
import { RunnerPool } from '../../sandbox/runner.ts';
import { type Bounds, CallResult, failureOf, load, mismatch, outcome, type Ran, runCalls, runtimeOf } from './correctness.ts';
import type { Evaluator, EvaluatorContext } from './evaluator.ts';
import { contest } from './timing.ts';

/** What candidates are compared with. */
const Oracle = z.object({
  results: z.array(CallResult),
  /** Wall clock of one correctness run of the original. */
  callsMs: z.number(),
  loadMs: z.number(),
  /** Operations of one pass; 0 when judging by time. */
  cost: z.number(),
});
type Oracle = z.infer<typeof Oracle>;

/** A modelled machine for deterministic judging: ten million operations a second. */
const OPERATIONS_PER_MS = 1e4;
/** A candidate that needs more operations than this many originals is given up. */
const MOST_ORIGINALS = 4;

export function createFunctionEvaluator(): Evaluator {
  return { name: 'function', metric: 'speedup', parse: (spec) => void parse(spec), requires, prepare, judge };
}

function requires(language: string): string[] {
  return [runtimeOf(language)];
}

function parse(spec: EvaluatorSpec): FunctionOptions {
  const parsed = FunctionOptions.safeParse(spec.options);
  if (parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', `The function evaluator's options are wrong: ${z.prettifyError(parsed.error)}`, {
    hint: 'It needs an entry function and inputs: a list of calls, each a list of arguments.',
  });
}

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

function openPool(program: Program, context: EvaluatorContext): RunnerPool {
  const { language } = program;
  return new RunnerPool(context.sandboxes, { runtime: runtimeOf(language), language }, context.signal);
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
    const bounds: Bounds = { loadMs: wallMs, callsMs: context.deterministic ? wallMs * 30 : wallMs, operations };
    pool.prefetch(2);
    const run = (): Promise<Ran> => pool.use((runner) => runCalls(runner, original, options, bounds, undefined));
    const [first, second] = await Promise.all([run(), run()]);
    if (!first.ok) throw originalFails(first.outcome.detail, first.outcome.kind);
    if (!second.ok) throw originalFails(second.outcome.detail, second.outcome.kind);
    for (const [index, result] of first.observed.results.entries()) {
      const again = second.observed.results[index];
      const differs = again === undefined ? undefined : mismatch(result, again, `call ${index + 1}, made twice,`, options);
      if (differs !== undefined) throw originalFails(differs.detail, 'wrong');
    }
    const { results, callsMs, loadMs, cost } = first.observed;
    const oracle: Oracle = {
      results: results.map(({ error: _text, ...result }) => result),
      callsMs: Math.min(callsMs, second.observed.callsMs),
      loadMs: Math.min(loadMs, second.observed.loadMs),
      cost,
    };
    const basis: Basis = { evaluator: spec, original, data: oracle };
    const execution = await measureCorrect(original, basis, oracle, options, cost, context, pool);
    if (execution.outcome.kind !== 'correct') throw originalFails(execution.outcome.detail, execution.outcome.kind);
    return { basis, execution };
  } finally {
    await pool.close();
  }
}

function originalFails(detail: string, kind: string): PeagenError {
  const hints: Readonly<Record<string, string>> = {
    invalid: 'Fix the file or the name of the entry function first.',
    timeout: 'Use smaller inputs, or raise [evaluate] timeout.',
    memory: 'Use smaller inputs, or raise [evaluate] memory_mb.',
    wrong: 'Its results must not depend on time or on chance that no seed controls.',
  };
  return new PeagenError('original_fails', `The original fails on the inputs: ${detail}`, {
    hint: hints[kind] ?? 'Give inputs that the original accepts.',
  });
}

async function judge(candidate: Program, basis: Basis, context: EvaluatorContext): Promise<Execution> {
  const options = parse(basis.evaluator);
  checkProgram(candidate, options);
  const oracle = Oracle.parse(basis.data);
  const pool = openPool(candidate, context);
  try {
    pool.prefetch(1);
    const ran = await pool.use((runner) =>
      runCalls(runner, candidate, options, candidateBounds(oracle, context), oracle.results),
    );
    if (!ran.ok) return { outcome: ran.outcome, metrics: {}, artifacts: {} };
    return await measureCorrect(candidate, basis, oracle, options, ran.observed.cost, context, pool);
  } finally {
    await pool.close();
  }
}

/** Endless loops are common among candidates: they may cost about a second, not the whole time-out. */
function candidateBounds(oracle: Oracle, context: EvaluatorContext): Bounds {
  if (!context.deterministic) {
    return { loadMs: Math.max(2000, oracle.loadMs * 10), callsMs: Math.max(1000, oracle.callsMs * 10), operations: undefined };
  }
  // The count ends it; the clock only ends what executes no operations, and must not depend on the machine's load.
  const callsMs = Math.max(20_000, oracle.callsMs * MOST_ORIGINALS * 10);
  return { loadMs: 20_000, callsMs, operations: Math.ceil(oracle.cost * MOST_ORIGINALS) + 10_000 };
}

/** Memory and speed of a program known to be correct. */
async function measureCorrect(
  program: Program,
  basis: Basis,
  oracle: Oracle,
  options: FunctionOptions,
  cost: number,
  context: EvaluatorContext,
  pool: RunnerPool,
): Promise<Execution> {
  const { deterministic } = context;
  const runtime = runtimeOf(program.language);
  const limitMs = deterministic ? 120_000 : Math.max(5000, oracle.callsMs * 30);
  const metrics: Metrics = {};
  if (runtime === 'node' && deterministic) {
    // A garbage collector's peak is not reproducible.
    metrics['peak_kb'] = 0;
  } else {
    const peak = await pool.use(async (runner) => {
      const failed = await load(runner, program, options, limitMs);
      if (failed !== undefined) return failed;
      const reply = await runner.ask({ op: 'memory', calls: options.calls.map((call) => [call.args, call.kwargs]) }, limitMs);
      const failure = failureOf(reply, options.entry.fn, limitMs);
      if (failure !== undefined) return failure;
      const bytes = z.object({ peak_bytes: z.number().min(0) }).safeParse(reply.kind === 'answer' ? reply.value : {});
      return bytes.success ? bytes.data.peak_bytes / 1024 : outcome('crashed', 'Measuring its memory failed.');
    });
    if (typeof peak !== 'number') return { outcome: peak, metrics: {}, artifacts: {} };
    metrics['peak_kb'] = peak;
  }
  if (deterministic) {
    const speedup = oracle.cost / Math.max(1, cost);
    Object.assign(metrics, {
      cost,
      baseline_cost: oracle.cost,
      speed_ms: cost / OPERATIONS_PER_MS,
      baseline_ms: oracle.cost / OPERATIONS_PER_MS,
      speedup,
      speedup_low: speedup,
      speedup_high: speedup,
      samples: 1,
    });
    return { outcome: outcome('correct', ''), metrics, artifacts: {} };
  }
  const measured = await contest({
    pool,
    runtime,
    original: basis.original,
    candidate: program,
    options,
    expected: oracle.results,
    toBeat: context.toBeat,
    effort: context.effort,
    limitMs,
  });
  return { outcome: measured.outcome, metrics: { ...metrics, ...measured.metrics }, artifacts: {} };
}
