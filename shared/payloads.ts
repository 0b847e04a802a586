/**
 * The payloads of mutate, execute and evaluate tasks: what each handler parses, and what the one before it makes.
 * A payload is complete: a worker on another machine needs nothing else. On a queue that machines share, the folder of an
 * evaluator or a check is a hash, by which the host fetches it (daemon/judging/copies/packed.ts).
 */
import * as z from 'zod';
import { Asking, Lessons, PromptRole, TokenUse } from './asking.ts';
import { Confidence } from './confidence.ts';
import { Sha256 } from './ids.ts';
import { Call, Counterexample, Evaluation, EvaluatorSpec, Execution, HotLine, Metrics, Objectives } from './judging.ts';
import { FeatureAxis } from './niche.ts';
import { Entry, Origin, Program } from './program.ts';
import { CapTag } from './task.ts';

const BasisParts = z.object({
  evaluator: EvaluatorSpec,
  original: Program,
  /** The oracle's outputs or whatever the evaluator needs; plain data. */
  data: z.unknown(),
});
export type Basis = z.infer<typeof BasisParts>;

const parsedBases = new WeakSet<object>();
const isParsed = (value: unknown): value is Basis => typeof value === 'object' && value !== null && parsedBases.has(value);

/**
 * What a candidate is compared with: made once per run from the original by the evaluator, opaque to all others. It is large and
 * part of each task, and nobody changes it, so that one that was parsed before is returned as it is.
 */
export const Basis = z.unknown().transform((value, context): Basis => {
  if (isParsed(value)) return value;
  const parsed = BasisParts.safeParse(value);
  if (!parsed.success) {
    for (const { message, path } of parsed.error.issues) context.addIssue({ code: 'custom', message, path });
    return z.NEVER;
  }
  parsedBases.add(parsed.data);
  return parsed.data;
});

/** How an execution becomes fitness and features. */
export const Scoring = z.object({
  axes: z.array(FeatureAxis).min(1),
  /** The metric that fitness is; higher is better. */
  metric: z.string(),
  /** Several objectives, in place of `metric`. */
  objectives: Objectives.optional(),
  /** Sketches of elites (daemon/evolution/min-hash.ts): what the feature `diversity` measures the distance to. */
  neighbours: z.array(z.string()).max(64).optional(),
  generation: z.number().int().min(0),
});
export type Scoring = z.infer<typeof Scoring>;

/**
 * How long is measured: `quick` while searching, `compare` to choose among the best, `final` for what is announced, until
 * the interval is narrow.
 */
export const EffortName = z.enum(['quick', 'compare', 'final']);
export type EffortName = z.infer<typeof EffortName>;

/** Calls made for a function from what is known about it. */
export const Derivation = z.object({
  /** The timed calls: those given, or the most demanding derived ones when none were given. */
  calls: z.array(Call).min(1),
  derived: z.array(Call),
  heldout: z.array(Call),
  /** Made from the timed ones and timed with them. */
  longer: z.array(Call).default([]),
  confidence: Confidence,
});
export type Derivation = z.infer<typeof Derivation>;

/** How calls are derived: the same seed and hints give the same calls. */
export const DeriveOptions = z.object({
  seed: z.number().int().min(0),
  within_ms: z.number().int().positive().default(2000),
  /** Calls found in doctests and in the workspace; they are tried like given ones, but count as derived. */
  examples: z.array(Call).max(200).default([]),
});
export type DeriveOptions = z.infer<typeof DeriveOptions>;

/** How a program is attacked with fresh calls before it is announced. */
export const AttackOptions = z.object({
  seed: z.number().int().min(0),
  /** After the least number of calls the search ends at this time, or after `calls` of them. */
  within_ms: z.number().int().positive().default(2000),
  calls: z.number().int().positive().default(1000),
  /** Calls that are compared however long they take, up to `most_ms`: what is found should not depend on the machine's load. */
  least: z.number().int().min(0).default(400),
  /** Processor time of the original in all of them: a slow function is compared on fewer calls. */
  cpu_ms: z.number().int().positive().default(6000),
  most_ms: z.number().int().positive().default(40_000),
});
export type AttackOptions = z.infer<typeof AttackOptions>;

export const AttackReport = z.object({
  /** Fresh calls on which both programs were compared. */
  calls: z.number().int().min(0),
  counterexample: Counterexample.optional(),
});
export type AttackReport = z.infer<typeof AttackReport>;

export const SearchRole = z.enum(['newcomer', 'challenger', 'holder']);
export type SearchRole = z.infer<typeof SearchRole>;

export const ExecutePayload = z.object({
  /**
   * `basis`: judge the original and make the Basis. `candidate`: judge against it. `alone`: as `basis`, while there is
   * nothing yet to compare with, but that a program fails is its outcome and no error. `derive`: make calls for the
   * original. `attack`: look for a call on which the program differs from the original of the basis. `lines`: count how often its lines run.
   */
  mode: z.enum(['basis', 'candidate', 'alone', 'derive', 'attack', 'lines']),
  /** In mode `derive`. */
  derive: DeriveOptions.optional(),
  /** In mode `attack`. */
  attack: AttackOptions.optional(),
  program: Program,
  basis: Basis,
  /** Judge by deterministic operation count, without timing. */
  deterministic: z.boolean(),
  /** Speed-up over the original that the candidate should beat, its parent's; clearly below it, measuring is cut early. */
  toBeat: z.number().optional(),
  /** Speed-up of the best so far: a candidate that seems faster is measured again before that is believed. */
  best: z.number().optional(),
  /** Standard deviation of the logarithm of a pair of readings, pooled over the run (daemon/judging/timing/statistics/posterior.ts). */
  noise: z.number().positive().optional(),
  effort: EffortName.default('quick'),
  /** What chance is seeded with, for an evaluator of scores: PEAGEN_SEED in its environment. */
  seed: z.number().int().min(0).optional(),
  /** While searching: this number of pairs is taken, whatever they show. */
  pairs: z.number().int().positive().optional(),
  /**
   * In a search by time. A newcomer would be measured again before it takes a title, so that its gain is not looked into. A
   * challenger and the holder of a title are known to be correct: only their speed is measured.
   */
  role: SearchRole.optional(),
  /** Kilobytes, of a challenger and a holder. */
  peak_kb: z.number().min(0).optional(),
  /**
   * Milliseconds after which measuring ends with a wider interval, though never before it has looked as often as `compare`
   * does.
   */
  within_ms: z.number().int().positive().optional(),
  /** Stage 0: run in a copy of the folder `root` before anything else; a status other than 0 makes a candidate `invalid`. */
  check: z.object({ command: z.string().min(1), root: z.string().min(1) }).optional(),
  /** The execution is scored in the same task. */
  scoring: Scoring.optional(),
});
export type ExecutePayload = z.infer<typeof ExecutePayload>;

/**
 * `basis` is present in mode `basis`, and of a correct program in mode `alone`; `score` where the payload had `scoring`, unless
 * the handler knows none: then an evaluate task makes it.
 */
export const ExecuteData = z.object({
  execution: Execution,
  basis: Basis.optional(),
  /** In mode `derive` and `attack`. */
  derivation: Derivation.optional(),
  attack: AttackReport.optional(),
  /** In mode `lines`; empty where nothing can be counted. */
  lines: z.array(HotLine).optional(),
  score: Evaluation.pick({ fitness: true, features: true }).optional(),
});
export type ExecuteData = z.infer<typeof ExecuteData>;

/** Scores an execution that was made by another task. */
export const EvaluatePayload = z.object({ execution: Execution, program: Program, scoring: Scoring });
export type EvaluatePayload = z.infer<typeof EvaluatePayload>;
export const EvaluateData = Evaluation;

/** A program of the archive that a mutator may learn from. */
export const Example = z.object({ sha256: Sha256, program: Program, metrics: Metrics, note: z.string().default('') });
export type Example = z.infer<typeof Example>;

/** One step of a lineage. */
export const LineageNote = z.object({
  change: z.string(),
  /** Belongs to the program that the step made. */
  metrics: Metrics,
  /** Unified, without file names. */
  diff: z.string(),
});
export type LineageNote = z.infer<typeof LineageNote>;

/** A change of the same parent that was tried before. */
export const Attempt = z.object({
  change: z.string(),
  /** What became of it, in words. */
  result: z.string(),
  /** The measurements of the program that was made. */
  metrics: Metrics.default({}),
  /** Unified, without file names; empty when no program was made. */
  diff: z.string().default(''),
});
export type Attempt = z.infer<typeof Attempt>;

/** How far a search has come. */
export const Standing = z.object({ original: Metrics, best: Metrics.optional(), target_ms: z.number().optional() });
export type Standing = z.infer<typeof Standing>;

/** Everything a mutator may use; see Mutator. */
export const MutatePayload = z.object({
  mutator: z.string(),
  seed: z.number().int().min(0),
  original: Program,
  entry: Entry.optional(),
  parent: Example,
  inspirations: z.array(Example),
  /** Bloom filter over the normal hashes of all programs that the run has seen; base64, see daemon/evolution/seen.ts. */
  seen: z.string().optional(),
  /** Last failures, newest first: what went wrong, in words. */
  failures: z.array(z.string()).default([]),
  /** Summaries of the candidates that failed, newest first, for a mutator that asks no model. */
  failedChanges: z.array(z.string()).optional(),
  /** How the parent came about, its own step first. */
  lineage: z.array(LineageNote).optional(),
  /** What was tried from this parent, newest first. */
  tried: z.array(Attempt).optional(),
  standing: Standing.optional(),
  /** The kind of change to ask for. */
  role: PromptRole.optional(),
  /** How far the search is on a plateau, from 1. */
  plateau: z.number().int().min(1).optional(),
  /** What the latest reflection of the run concluded. */
  lessons: Lessons.optional(),
  /** A child whose sketch is nearer than `share` to one of these is refused before it is judged. */
  near: z.object({ share: z.number().min(0).max(1), sketches: z.array(z.string()).max(64) }).optional(),
  instructions: z.string().optional(),
  backend: z.string().optional(),
  /** In place of what is configured. */
  asking: Asking.optional(),
  /** The lines of the parent that most of its work is done in. */
  lines: z.array(HotLine).optional(),
  /** What the parent's evaluation wrote, by name. */
  artifacts: z.record(z.string(), z.string()).optional(),
  /** A child with a file of more characters is refused. */
  maxCodeLength: z.number().int().positive().optional(),
  /** Each result of the child is compared with the original's, so that a different one is a fault. */
  sameResults: z.boolean().optional(),
  /** Tokens, prompt and completion, that may be spent on this candidate; a run with a budget has reserved them. */
  allowance: z.number().int().min(0).optional(),
  /** Models have answered in this run: one that cannot be reached now may come back. */
  answered: z.boolean().optional(),
  /** The answers to give the mutator, in order, instead of asking a model: a replay. */
  recorded: z.array(z.string()).optional(),
  /** The follow-up: how to execute and score the child. Absent for a patch round without evaluation. */
  next: ExecutePayload.omit({ program: true }).optional(),
  /** Capability tags of the follow-up, in addition to `cpu`. */
  nextRequires: z.array(CapTag).default([]),
});
export type MutatePayload = z.infer<typeof MutatePayload>;

/** `rejected` carries the reason and the tokens that were spent on it. */
export const MutateData = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('child'),
    program: Program,
    sha256: Sha256,
    /** Hash of the syntax tree without comments and layout: equal for programs that differ in neither. */
    normal: Sha256,
    origin: Origin.omit({ parents: true, prompt: true, answer: true }),
    /** Texts to keep next to the run. */
    prompt: z.string().optional(),
    answer: z.string().optional(),
    tokens: TokenUse,
    /** Id of the follow-up execute task. */
    execute: z.string().optional(),
  }),
  z.object({
    kind: z.literal('rejected'),
    reason: z.string(),
    /** Belongs to a program that was made before. */
    normal: Sha256.optional(),
    prompt: z.string().optional(),
    answer: z.string().optional(),
    tokens: TokenUse,
  }),
]);
export type MutateData = z.infer<typeof MutateData>;
