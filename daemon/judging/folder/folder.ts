/**
 * The `openevolve` and `shinka` evaluators: a folder's own evaluator file, unmodified, in a fresh sandbox per program.
 * Higher scores are better; for a run, the speed-up of a candidate is its score against the original's.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { type EvaluatorSpec, type Execution, FolderOptions, type Metrics, type Outcome } from '../../../shared/judging.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { assetPath } from '../../assets.ts';
import { openForked } from '../../executors/fork-server.ts';
import type { Executor, SandboxExit, SandboxSpec } from '../../executors/sandbox.ts';
import { shownAt } from '../copies/copy.ts';
import { type Evaluator, type EvaluatorContext, OriginalFails } from '../evaluator.ts';
import { hotLines } from '../hot-lines.ts';

export type FolderKind = 'openevolve' | 'shinka';

const files = { openevolve: 'evaluator.py', shinka: 'evaluate.py' } as const;
/** Where the folder appears in the sandbox, and the candidate next to it. */
const FOLDER_AT = '/evaluation';
/** An evaluation that has answered ends at once. */
const ENDING_MS = 1000;
/** Artifacts are cut to this many characters each. */
const MOST_ARTIFACT = 20_000;
/** Characters of what an outcome says. */
const MOST_DETAIL = 8000;

const Answer = z.object({
  metrics: z.record(z.string(), z.number()).default({}),
  artifacts: z.record(z.string(), z.string()).default({}),
  error: z.string().optional(),
  /** The evaluator's own file fails with every program. */
  unusable: z.boolean().default(false),
  wrong: z.string().optional(),
  note: z.string().optional(),
  /** Why the program could not be kept apart from the evaluator; there is no result then. */
  together: z.string().optional(),
  /** How many times the evaluator has loaded the program, where it is kept apart: more often than was said, and there is no result. */
  loaded: z.number().int().min(0).optional(),
  /** A process that the evaluator has started may have run the program together with code that reports for it. */
  doubted: z.boolean().default(false),
  /** Path, line and times. */
  lines: z.array(z.tuple([z.string(), z.number(), z.number()])).optional(),
});

/**
 * `together`: why the original cannot be kept apart from the evaluator, so that candidates are not either. Journals of
 * version 0.1 say nothing of it: their runs go on as they began.
 */
const Original = z.object({
  score: z.number(),
  ms: z.number(),
  together: z.string().optional(),
  apart: z.boolean().default(false),
  doubted: z.boolean().default(false),
  /** How many times the evaluator loads it. */
  loads: z.number().int().min(0).optional(),
});

export function createFolderEvaluator(kind: FolderKind): Evaluator {
  const run = (program: Program, options: FolderOptions, context: EvaluatorContext, how: RunOptions) =>
    evaluate(kind, program, options, context, how);
  return {
    name: kind,
    metric: 'combined_score',
    parse: (spec) => void parse(kind, spec),
    requires: () => ['python'],
    prepare: async (original, spec, context) => {
      const options = parse(kind, spec);
      let judged = await run(original, options, context, { apart: true });
      const { together } = judged;
      if (together !== undefined) judged = await run(original, options, context, { apart: false });
      const { execution, ms } = judged;
      if (execution.outcome.kind !== 'correct') {
        const message = `The evaluator fails on the initial program: ${execution.outcome.detail}`;
        throw new OriginalFails(message, `Run ${fileOf(kind, options)} on it by hand first.`, execution);
      }
      const missing = missingFeature(options, execution.metrics);
      if (missing !== undefined) {
        throw new PeagenError('invalid_config', `The feature dimension "${missing}" is not among the evaluator's metrics.`, {
          hint: `It returned: ${Object.keys(execution.metrics).join(', ')}.`,
        });
      }
      // The basis travels as MessagePack, where a missing value is not the same as a key that is not there.
      const why = together === undefined ? {} : { together };
      const score = execution.metrics['combined_score'];
      const { doubted, loaded } = judged;
      const loads = loaded === undefined ? {} : { loads: loaded };
      const data = Original.parse({ score, ms, ...why, apart: together === undefined, doubted, ...loads });
      const basis: Basis = { evaluator: spec, original, data };
      const metrics = { ...execution.metrics, ...against(data, data), ...unverified(data) };
      return { basis, execution: { ...execution, metrics } };
    },
    lines: async (program, basis, context) => {
      const options = parse(kind, basis.evaluator);
      const { lines } = await run(program, options, context, { apart: false, counts: true });
      return hotLines(program, [{ lines }]);
    },
    judge: async (candidate, basis, context) => {
      const options = parse(kind, basis.evaluator);
      const original = Original.parse(basis.data);
      const { apart, loads } = original;
      let judged = await run(candidate, options, context, { apart, loads });
      if ((judged.loaded ?? 0) > (loads ?? Number.POSITIVE_INFINITY)) judged = await run(candidate, options, context, { apart });
      const { execution, ms, together, doubted } = judged;
      if (together !== undefined) {
        const detail = `${together} That of the original can be.`;
        return { outcome: { kind: 'wrong', detail }, metrics: {}, artifacts: {} };
      }
      if (execution.outcome.kind !== 'correct') return execution;
      const missing = missingFeature(options, execution.metrics);
      if (missing !== undefined) return { ...execution, outcome: withoutFeature(missing, execution.metrics) };
      const own = {
        ...original,
        score: execution.metrics['combined_score'] ?? 0,
        ms,
        doubted: original.doubted || doubted,
      };
      const { outcome } = execution;
      // The model that writes the next candidate is shown it, as any other failure.
      const behind =
        own.score < original.score ? `Its score is ${short(own.score)}, that of the original ${short(original.score)}.` : '';
      const detail = [outcome.detail, behind].filter(Boolean).join('\n');
      const metrics = { ...execution.metrics, ...against(original, own), ...unverified(own) };
      return { ...execution, outcome: { ...outcome, detail }, metrics };
    },
  };
}

function parse(kind: FolderKind, spec: EvaluatorSpec): FolderOptions {
  const parsed = FolderOptions.safeParse(spec.options);
  if (!parsed.success) {
    throw new PeagenError('invalid_input', `The ${kind} evaluator's options are wrong: ${z.prettifyError(parsed.error)}`, {
      hint: `It needs the folder that holds ${files[kind]}.`,
    });
  }
  if (!existsSync(join(parsed.data.root, fileOf(kind, parsed.data)))) {
    throw new PeagenError('not_found', `There is no ${fileOf(kind, parsed.data)} in ${parsed.data.root}.`);
  }
  return parsed.data;
}

const fileOf = (kind: FolderKind, options: FolderOptions): string => options.file ?? files[kind];

const short = (score: number): number => Number(score.toPrecision(6));

/** Times are one run each, not a measurement: the score is what counts here. */
function against(original: z.infer<typeof Original>, own: z.infer<typeof Original>): Metrics {
  // Returns the ratio of the scores. Scores that are not positive have no ratio, so that the difference is shown instead.
  const speedup = original.score > 0 && own.score > 0 ? own.score / original.score : 1 + own.score - original.score;
  return {
    speedup,
    speedup_low: speedup,
    speedup_high: speedup,
    speed_ms: own.ms,
    baseline_ms: original.ms,
    samples: 1,
    peak_kb: 0,
  };
}

/** The candidate shares a process with what reports on it, which may be the candidate's doing. */
const unverified = ({ apart, doubted }: z.infer<typeof Original>): Metrics => (apart && !doubted ? {} : { unverified: 1 });

function missingFeature(options: FolderOptions, metrics: Metrics): string | undefined {
  const known = new Set(['complexity', 'diversity', 'score', ...Object.keys(metrics)]);
  return options.feature_dimensions.find((name) => !known.has(name));
}

/** An evaluator that returns the metric for the original leaves it out where a candidate fails, or ends at an early stage. */
function withoutFeature(name: string, metrics: Metrics): Outcome {
  const returned = Object.entries(metrics).map(([metric, value]) => `${metric} = ${value}`);
  return { kind: 'wrong', detail: `The evaluator returned no ${name} for it, only ${returned.join(', ')}.` };
}

/** An evaluation of a program by the evaluator of a folder. */
interface FolderPlan {
  readonly order: { readonly evaluator: string; readonly seed?: number };
  /** The program's files, below the working folder. */
  readonly files: readonly { path: string; text: string }[];
  /** The sandbox, but for its files. */
  readonly spec: SandboxSpec;
  /** The answer begins with it; it is sent when the program's process has been made. */
  readonly word: string;
}

/** `line`: the answer; undefined when there is none. */
interface FolderRun {
  readonly line: string | undefined;
  readonly exit: SandboxExit;
  readonly ms: number;
}

interface FolderJudgement {
  readonly execution: Execution;
  readonly ms: number;
  readonly together?: string | undefined;
  readonly doubted: boolean;
  readonly loaded?: number | undefined;
  /** Path, line and times, where lines are counted. */
  readonly lines: readonly (readonly [string, number, number])[];
}

interface RunOptions {
  /** The program runs in a process of its own. */
  readonly apart: boolean;
  /** How many times the evaluator loads it then, where that is known: fewer processes are made. */
  readonly loads?: number | undefined;
  /** Its lines are counted. */
  readonly counts?: boolean;
}

async function evaluate(
  kind: FolderKind,
  program: Program,
  options: FolderOptions,
  context: EvaluatorContext,
  { apart, loads, counts = false }: RunOptions,
): Promise<FolderJudgement> {
  context.signal.throwIfAborted();
  const main = program.files[0]?.path ?? 'program.py';
  const suffix = /\.[^./]+$/.exec(main)?.[0] ?? '.py';
  const placeOf = (path: string): string => (program.files.length === 1 ? `candidate/program${suffix}` : `candidate/${path}`);
  const place = placeOf(main);
  const order = {
    evaluator: `${FOLDER_AT}/${fileOf(kind, options)}`,
    program: place,
    cascade: options.cascade,
    thresholds: options.cascade_thresholds,
    features: options.feature_dimensions,
    apart,
    ...(loads === undefined ? {} : { loads }),
    lines: counts ? program.files.map(({ path }) => placeOf(path)) : [],
    ...(context.seed === undefined ? {} : { seed: context.seed }),
  };
  const { limits, tier } = context.sandboxes;
  await using folder = await shownAt(FOLDER_AT, options.root, tier, context.signal);
  const timeoutMs = options.timeout === undefined ? limits.wallMs : options.timeout * 1000;
  const files = program.files.map(({ path, text }) => ({ path: placeOf(path), text: text.toWellFormed() }));
  const plan: FolderPlan = {
    order,
    files,
    word: randomBytes(12).toString('hex'),
    spec: {
      runtime: 'python',
      argv: ['-S', '-s', '-B', '/peagen/folder.py', kind, 'order.json', order.evaluator],
      mounts: [{ from: assetPath('executors/runners'), at: '/peagen' }, ...folder.mounts],
      env: { PYTHONHASHSEED: '0' },
      limits: {
        ...limits,
        ...(options.memory_mb === undefined ? {} : { memoryBytes: options.memory_mb * 1024 ** 2 }),
        wallMs: timeoutMs,
        cpuSeconds: Math.max(limits.cpuSeconds, Math.ceil(timeoutMs / 1000) * 4),
      },
    },
  };
  const { word } = plan;
  const mayFork = !counts && place.endsWith('.py');
  const { line, exit, ms } = await runPlan(
    tier,
    plan,
    mayFork ? stateOf(options.root, order.evaluator) : undefined,
    context.signal,
  );
  context.signal.throwIfAborted();
  const answer = line === undefined ? undefined : folderAnswerOf(line, word);
  const paths = new Map(program.files.map(({ path }) => [placeOf(path), path]));
  const lines = (answer?.lines ?? []).map(([file, at, times]) => [paths.get(file) ?? file, at, times] as const);
  const { together, doubted = false, loaded } = answer ?? {};
  return { execution: executionOf(line, answer, exit, options, timeoutMs), ms, together, doubted, loaded, lines };
}

/** What the imports of the evaluator depend on: another file in the folder may hide a package. */
function stateOf(root: string, evaluator: string): string {
  const names = readdirSync(root).filter((name) => name !== '.peagen');
  const { mtimeMs, size } = statSync(join(root, evaluator.slice(FOLDER_AT.length)));
  return JSON.stringify([names, mtimeMs, size]);
}

/** `state`: that of a folder whose imports are made once for many evaluations. */
async function runPlan(tier: Executor, plan: FolderPlan, state: string | undefined, signal: AbortSignal): Promise<FolderRun> {
  const { order, files, spec, word } = plan;
  const orderFile = (content: unknown) => ({ path: 'order.json', text: JSON.stringify(content) });
  const serving = { ...spec, files: [orderFile({ evaluator: order.evaluator })] };
  const forked = state === undefined ? undefined : await openForked(tier, serving, state);
  const seed = order.seed === undefined ? {} : { PEAGEN_SEED: String(order.seed) };
  const sandbox = forked ?? (await tier.open({ ...spec, env: { ...spec.env, ...seed }, files: [orderFile(order), ...files] }));
  const stop = (): void => sandbox.kill();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const start = performance.now();
  const text = JSON.stringify({ ...order, files });
  const length = String(Buffer.byteLength(text) + 1).padStart(12, '0');
  sandbox.send(forked === undefined ? word : [length, text, word].join('\n'));
  const line = await sandbox.receive();
  const ms = performance.now() - start;
  // The answer is there; grandchildren that still run are of no use to anybody. A fork that ends says what it has printed.
  const over = line === undefined ? undefined : setTimeout(stop, forked === undefined ? 0 : ENDING_MS);
  const exit = await sandbox.exited;
  clearTimeout(over);
  signal.removeEventListener('abort', stop);
  return { line, exit, ms };
}

/** Undefined when the line does not begin with `word`, as every answer of ours does, or holds something else. */
export function folderAnswerOf(line: string, word: string): z.infer<typeof Answer> | undefined {
  if (!line.startsWith(`${word} `)) return undefined;
  try {
    return Answer.safeParse(JSON.parse(line.slice(word.length))).data;
  } catch {
    return undefined;
  }
}

/** Throws `original_fails` where no program makes the evaluator work. */
function executionOf(
  line: string | undefined,
  answer: z.infer<typeof Answer> | undefined,
  exit: SandboxExit,
  options: FolderOptions,
  timeoutMs: number,
): Execution {
  const stderr = exit.stderr.trim().slice(-4000);
  if (line === undefined) return { outcome: ended(exit, timeoutMs), metrics: {}, artifacts: stderr === '' ? {} : { stderr } };
  if (answer === undefined) {
    return {
      outcome: { kind: 'forged', detail: `Something else was written to the result channel: ${line.slice(0, 200)}` },
      metrics: {},
      artifacts: {},
    };
  }
  const artifacts = Object.fromEntries(
    Object.entries(answer.artifacts).map(([name, text]) => [name, text.slice(0, MOST_ARTIFACT)]),
  );
  if (stderr !== '') artifacts['stderr'] ??= stderr;
  if (answer.error !== undefined) {
    const trace = (artifacts['traceback'] ?? '').trim().slice(-4000);
    const detail = trace === answer.error ? trace : `${answer.error.slice(0, MOST_DETAIL)}\n${trace}`;
    if (answer.unusable) {
      const hint = `Fix ${fileOf('openevolve', options)} first.`;
      throw new PeagenError('original_fails', `The evaluator cannot be used: ${detail}`, { hint });
    }
    return { outcome: { kind: 'crashed', detail }, metrics: {}, artifacts };
  }
  if (answer.wrong !== undefined)
    return { outcome: { kind: 'wrong', detail: answer.wrong.slice(0, MOST_DETAIL) }, metrics: answer.metrics, artifacts };
  const score = scoreOf(answer.metrics, options.feature_dimensions);
  if (score === undefined)
    return { outcome: { kind: 'wrong', detail: 'The evaluator returned no number to make a score of.' }, metrics: {}, artifacts };
  return {
    outcome: { kind: 'correct', detail: (answer.note ?? '').slice(0, MOST_DETAIL) },
    metrics: { ...answer.metrics, combined_score: score },
    artifacts,
  };
}

/** `combined_score`, else the mean of the numbers that are no feature dimension. */
function scoreOf(metrics: Metrics, features: readonly string[]): number | undefined {
  if (metrics['combined_score'] !== undefined) return metrics['combined_score'];
  const values = Object.entries(metrics)
    .filter(([name]) => !features.includes(name))
    .map(([, value]) => value);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function ended(exit: SandboxExit, timeoutMs: number): Outcome {
  const text = exit.stderr.trim().slice(-2000);
  switch (exit.cause) {
    case 'timeout':
      return { kind: 'timeout', detail: `The evaluation took longer than ${timeoutMs} ms.` };
    case 'memory':
      return { kind: 'memory', detail: 'The evaluation ran out of memory.' };
    case 'output':
      return { kind: 'crashed', detail: 'The evaluation wrote more output than it may.' };
    case 'exit':
    case 'killed':
      return {
        kind: 'crashed',
        detail: `The evaluation ended without a result (${exit.signal ?? `status ${exit.code}`}).\n${text}`,
      };
  }
}

/** The evaluator that a folder brings, by the names of its files; undefined when it brings none. */
export function folderEvaluator(root: string): EvaluatorSpec | undefined {
  for (const kind of ['openevolve', 'shinka'] as const) {
    if (existsSync(join(root, files[kind]))) return { name: kind, options: { root, file: basename(files[kind]) } };
  }
  return undefined;
}
