/** How candidates are judged: what an evaluator is asked, and what it returns. */
import * as z from 'zod';
import { Entry, ProgramFile } from './program.ts';

/** Checked without a schema: values of a schema that refers to itself take a hundred times as long. */
export const Json = z.custom<z.core.util.JSONType>(isJson, 'not a JSON value');

/** Nobody can use a value that is nested more deeply than the stack allows. */
function isJson(value: unknown): boolean {
  try {
    return holdsJson(value);
  } catch (caught) {
    if (caught instanceof RangeError) return false;
    throw caught;
  }
}

function holdsJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  if (Array.isArray(value)) return value.every(holdsJson);
  const parent: unknown = Object.getPrototypeOf(value);
  return (parent === Object.prototype || parent === null) && Object.values(value).every(holdsJson);
}

/** What a function or a constructor is called with. */
export const Arguments = z.object({
  args: z.array(Json).default([]),
  kwargs: z.record(z.string(), Json).default({}),
});
export type Arguments = z.infer<typeof Arguments>;

const positional = z.array(Json).transform((args): Arguments => ({ args, kwargs: {} }));

/** One call of the entry function. Values are JSON; `function` evaluators deep-copy them per call. */
export const Call = Arguments.extend({
  /**
   * For a method: the constructor's arguments. The call then has an instance of its own, made within it. Without it all
   * calls share one instance, made without arguments.
   */
  init: z.union([positional, Arguments]).optional(),
  /** For a method of an instance of its own: calls of its methods that are made before, in their order. */
  before: z.array(Arguments.extend({ method: z.string() })).optional(),
  /** The values are tagged (daemon/judging/function/values.ts): tuples, sets, maps and what else JSON lacks. */
  typed: z.literal(true).optional(),
});
export type Call = z.infer<typeof Call>;

const withInstance = (call: Call): Call =>
  call.before === undefined || call.init !== undefined ? call : { ...call, init: { args: [], kwargs: {} } };

/** A list of calls as a user writes it: each a list of positional arguments, or `{args, kwargs, init, before}`. */
export const Calls = z.array(z.union([positional, Call.transform(withInstance)])).min(1);

/** A call in the shortest form that `Calls` reads back as the same. */
export function asWritten({ args, kwargs, init, before, typed }: Call): z.input<typeof Calls>[number] {
  const named = Object.keys(kwargs).length > 0;
  if (!named && init === undefined && typed === undefined) return args;
  return {
    args,
    ...(named ? { kwargs } : {}),
    ...(init === undefined ? {} : { init }),
    ...(before === undefined ? {} : { before }),
    ...(typed === undefined ? {} : { typed }),
  };
}

/** `(3, [1, 2], key="a")`. */
export function showArguments({ args, kwargs }: Arguments, show: (value: unknown) => string = JSON.stringify): string {
  return `(${[...args.map((arg) => show(arg)), ...Object.entries(kwargs).map(([name, value]) => `${name}=${show(value)}`)].join(', ')})`;
}

/** ` after add(3), clear()` for a call with others before it; otherwise nothing. */
export function showBefore({ before = [] }: Pick<Call, 'before'>, show?: (value: unknown) => string): string {
  return before.length === 0 ? '' : ` after ${before.map((step) => `${step.method}${showArguments(step, show)}`).join(', ')}`;
}

/** The evaluator by its registered name, and its own options (parsed by the evaluator). */
export const EvaluatorSpec = z.object({
  name: z.string().min(1),
  options: z.record(z.string(), z.unknown()).default({}),
});
export type EvaluatorSpec = z.infer<typeof EvaluatorSpec>;

/**
 * What a call does other than returning or raising. `instance`: the state of the object whose method is called. `globals`:
 * module variables and class attributes. `printed`: text on standard output and standard error. `files`: files in the
 * sandbox. `random`: how much of the random sequence is consumed.
 */
export const effectKinds = ['instance', 'globals', 'printed', 'files', 'random'] as const;
export const EffectKind = z.enum(effectKinds);
export type EffectKind = z.infer<typeof EffectKind>;

/** Options of the `function` evaluator. Calls run in the order `calls`, `derived`, `heldout`, `longer`, all in one process. */
export const FunctionOptions = z.object({
  entry: Entry,
  /** The calls that are timed, and that a mutator may see. */
  calls: z.array(Call).min(1),
  /** Calls made from `calls` and the source (daemon/judging/inputs): compared but not timed; a mutator may see them. */
  derived: z.array(Call).default([]),
  /** Compared but not timed, and never shown to a mutator before a candidate fails on one of them. */
  heldout: z.array(Call).default([]),
  /** Made from `calls` where those are too short for a better algorithm to show: compared, and timed with them. */
  longer: z.array(Call).default([]),
  /** Effects that are not compared; the verdict says so. */
  ignore_effects: z.array(EffectKind).default([]),
  /** Files of the target's folder that it imports, and that never change. */
  support: z.array(ProgramFile).default([]),
  /** Numbers differ when |a−b| > max(abs, rel·max(|a|,|b|)). 0 and 0: exact. */
  tolerance: z.object({ rel: z.number().min(0), abs: z.number().min(0) }).default({ rel: 1e-9, abs: 0 }),
});
export type FunctionOptions = z.infer<typeof FunctionOptions>;

/** Where a `command` evaluator finds numbers, in addition to exit status and duration. */
export const MetricSource = z.discriminatedUnion('from', [
  /** The last line of standard output that is a JSON object: each of its numbers. */
  z.object({ from: z.literal('json') }),
  /** First group of the last match in standard output. */
  z.object({ from: z.literal('regex'), name: z.string().min(1), pattern: z.string().min(1) }),
  /** A JUnit report the command writes: `tests`, `failures`, `test_ms`. */
  z.object({ from: z.literal('junit'), path: z.string().min(1) }),
]);
export type MetricSource = z.infer<typeof MetricSource>;

/**
 * Options of the `command` evaluator: an exit status of 0 is correct; its duration is the speed unless a metric `speed_ms` is
 * given.
 */
export const CommandOptions = z.object({
  /** Run by the platform's shell in a throw-away copy of the base folder. */
  command: z.string().min(1),
  /** Absolute path of the base folder; the hash of a packed one in a task of a shared queue. */
  root: z.string().min(1),
  metrics: z.array(MetricSource).default([]),
});
export type CommandOptions = z.infer<typeof CommandOptions>;

/** Options of the `openevolve` and `shinka` evaluators: an evaluator file of another system, unmodified. */
export const FolderOptions = z.object({
  /** Absolute path of the folder that holds the evaluator; the hash of a packed one in a task of a shared queue. */
  root: z.string().min(1),
  /** The evaluator's file in it. */
  file: z.string().min(1).optional(),
  cascade: z.boolean().default(true),
  /** Score that stage 1, 2, 3 must reach for the next one to run. */
  cascade_thresholds: z.array(z.number()).default([0.5, 0.75, 0.9]),
  /** Metrics that are features of the archive: no part of the score. */
  feature_dimensions: z.array(z.string()).default([]),
  /** Seconds. */
  timeout: z.number().positive().optional(),
  memory_mb: z.number().positive().optional(),
});
export type FolderOptions = z.infer<typeof FolderOptions>;

/**
 * What became of a candidate. `slow` is correct but clearly slower than what it had to beat, so measuring was
 * cut early; `invalid` never ran (it does not parse or load); `forged` reported what did not happen; `overfit` is right on
 * the calls that the search sees and wrong on others.
 */
const outcomeKinds = ['correct', 'slow', 'wrong', 'crashed', 'timeout', 'memory', 'invalid', 'forged', 'overfit'] as const;
export const OutcomeKind = z.enum(outcomeKinds);
export type OutcomeKind = z.infer<typeof OutcomeKind>;

/** A call on which a program differs from the original, with what each of them did, in words. */
export const Counterexample = z.object({ call: Call, expected: z.string().max(2000), actual: z.string().max(2000) });
export type Counterexample = z.infer<typeof Counterexample>;

/** `add(3) returned 4; the original returned 3`. */
export function describeCounterexample({ call, expected, actual }: Counterexample, fn = ''): string {
  const member = fn.lastIndexOf('.');
  const made = call.init === undefined ? '' : showArguments(call.init, shortened);
  const name = made === '' ? fn : `${fn.slice(0, member)}${made}${fn.slice(member)}`;
  return `${name}${showArguments(call, shortened)}${showBefore(call, shortened)} ${actual}; the original ${expected}`;
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

export const Outcome = z.object({
  kind: OutcomeKind,
  /** The smallest call found that differs from the original. */
  counterexample: Counterexample.optional(),
  /** A short excerpt for the user and the next prompt: the assertion, expected and actual, the traceback. */
  detail: z.string().max(8192).default(''),
});
export type Outcome = z.infer<typeof Outcome>;

/** Correct in the sense of the archive: it may enter. */
export function isCorrect(outcome: Outcome): boolean {
  return outcome.kind === 'correct' || outcome.kind === 'slow';
}

/**
 * Named numbers. Names every evaluator of speed uses: `speed_ms` (one pass over all calls, floor), `baseline_ms`
 * (the original, interleaved), `speedup` (baseline / candidate, with `speedup_low` and `speedup_high` as its
 * interval), `peak_kb`, `samples`, `cost` and `baseline_cost` (deterministic operation counts).
 */
export const Metrics = z.record(z.string(), z.number());
export type Metrics = z.infer<typeof Metrics>;

/** One of several objectives. */
export const Objective = z.object({
  metric: z.string().min(1),
  direction: z.enum(['max', 'min']),
  /** How much a step counts against steps of the others, when they are added up; 1 unless given. */
  weight: z.number().nonnegative().optional(),
  /** In the metric's unit: a program that is worse than this is wrong, however good it is otherwise. */
  limit: z.number().optional(),
  /** In the metric's unit: what counts as one step; below it, in order of importance, two values are equal. 1 unless given. */
  step: z.number().positive().optional(),
});
export type Objective = z.infer<typeof Objective>;

/** `weighted`: added up. `lexicographic`: the first decides, the next among equals, and so on. */
export const Objectives = z.object({
  combine: z.enum(['weighted', 'lexicographic']).default('weighted'),
  of: z.array(Objective).min(1).max(16),
});
export type Objectives = z.infer<typeof Objectives>;

/** Captured text worth keeping (standard error, a report), by name; each cut to size. */
/** A line of a program that much of its work is done in. */
export const HotLine = z.object({
  path: z.string(),
  /** From 1. */
  line: z.number().int().positive(),
  code: z.string(),
  /** Part of all operations of the program. */
  share: z.number().min(0).max(1),
  /** How often it ran. */
  runs: z.number().min(0),
});
export type HotLine = z.infer<typeof HotLine>;

export const Artifacts = z.record(z.string(), z.string());
export type Artifacts = z.infer<typeof Artifacts>;

/** What `execute` returns. */
export const Execution = z.object({
  outcome: Outcome,
  metrics: Metrics,
  artifacts: Artifacts.default({}),
  /** Where speed was measured: natural logarithms of the ratios original / candidate, one for each pair of processes. */
  readings: z.array(z.number()).max(1000).optional(),
});
export type Execution = z.infer<typeof Execution>;

/** What `evaluate` returns: the execution with its place in the search. Fitness: higher is better; null when not correct. */
export const Evaluation = Execution.extend({
  fitness: z.number().nullable(),
  /** Values of the archive's features, in its order; empty when not correct. */
  features: z.array(z.number()),
});
export type Evaluation = z.infer<typeof Evaluation>;
