/** What in a file can be evolved, and one patch round on it. */
import * as z from 'zod';
import { TokenUse } from '../asking.ts';
import { Confidence } from '../confidence.ts';
import { EvaluatorSpec, Metrics, Outcome } from '../judging.ts';
import { Origin, RelativePath } from '../program.ts';
import { PopulationSize, TargetSpec } from '../run-spec.ts';
import { request } from './message.ts';
import { RunRequest, SpendPlan } from './runs.ts';

/** A function that can be a target; lines are zero-based, `end_line` inclusive, `name` is `fn` or `Class.method`. */
export const FunctionInfo = z.object({
  name: z.string(),
  start: z.number().int(),
  end: z.number().int(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  params: z.array(z.string()),
});
export type FunctionInfo = z.infer<typeof FunctionInfo>;

/** Client → daemon: the functions of a file's text, for a selection, CodeLens and code actions. */
export const InspectFile = request(
  'peagen/target/inspect',
  z.object({ path: z.string(), text: z.string() }),
  z.object({
    language: z.string(),
    supported: z.boolean(),
    functions: z.array(FunctionInfo),
    hasMarkers: z.boolean(),
    /** The first place that does not parse, by its zero-based line: no candidate of such a file would be right. */
    error: z.object({ line: z.number().int(), what: z.string() }).optional(),
  }),
);

export const FindTargetRequest = z.object({
  /** Absolute folder. */
  root: z.string().min(1),
  /** As the user named them; absent: as configured. */
  path: RelativePath.optional(),
  entry_fn: z.string().optional(),
  /** Prefer the program and the settings of an OpenEvolve or ShinkaEvolve folder, where `root` is one. */
  evaluators: z.boolean().default(false),
  /** Candidates per generation, which such settings are translated for. */
  population: PopulationSize.optional(),
});
export type FindTargetRequest = z.input<typeof FindTargetRequest>;

export const FoundTarget = z.object({
  target: TargetSpec,
  evaluator: EvaluatorSpec,
  /** They go into the RunRequest next to the evaluator. */
  settings: RunRequest.omit({ target: true, evaluator: true }),
  warnings: z.array(z.string()),
});
export type FoundTarget = z.infer<typeof FoundTarget>;

/**
 * Client → daemon: what a folder is evolved by, and how it is judged, as its configuration says. Throws `invalid_input` when
 * nothing names a file.
 */
export const FindTarget = request('peagen/target/find', FindTargetRequest, FoundTarget);

export const MutateRequest = z.object({
  target: TargetSpec,
  mutator: z.string().optional(),
  backend: z.string().optional(),
  seed: z.number().int().min(0).max(0xffffffff).optional(),
  instructions: z.string().optional(),
});
export type MutateRequest = z.infer<typeof MutateRequest>;

export const MutateAnswer = z.object({
  changes: z.array(z.object({ path: RelativePath, before: z.string(), after: z.string() })),
  origin: Origin,
  outcome: Outcome.optional(),
  tokens: TokenUse,
  /** Unified diff of all changes. */
  diff: z.string(),
});
export type MutateAnswer = z.infer<typeof MutateAnswer>;

/** Client → daemon: bounds what one patch round can cost, and asks nothing. */
export const PlanMutate = request('peagen/mutate/plan', MutateRequest, SpendPlan);

/** Client → daemon: one patch round without evaluation. */
export const Mutate = request('peagen/mutate', MutateRequest, MutateAnswer);

export const JudgeRequest = z.object({
  /** Its text is the original. */
  target: TargetSpec,
  /** The changed file, whole. Unlike a candidate of a run it may differ anywhere. */
  text: z.string(),
  /** How to judge, as a run is given it; absent: as the configuration says. */
  evaluator: EvaluatorSpec.optional(),
  /** Further inputs to be right on, in the form of the evaluator's own. */
  heldout: z.string().optional(),
});
export type JudgeRequest = z.infer<typeof JudgeRequest>;

/** What a change is worth against the original. */
export const Verdict = z.object({
  /** Its detail is the excerpt that says what went wrong. */
  outcome: Outcome,
  /** On the held-out inputs, when there are some and the outcome was correct. */
  heldout: Outcome.optional(),
  /** What "correct" rests on; absent when a command or a folder judges. */
  confidence: Confidence.optional(),
  /** Why "correct" says little of this change: `no call runs lines 10 to 13, where it differs from the original`. */
  doubt: z.string().optional(),
  /** The original's time over the change's, with its 95 % interval. Null when not correct, or when nothing was timed. */
  speedup: z.object({ ratio: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** The same on the given calls alone, where longer ones made from them are timed too. */
  given: z.object({ ratio: z.number(), low: z.number(), high: z.number() }).optional(),
  /**
   * One pass over all calls, in milliseconds; peak memory in KB; characters of the function, or of the file without one.
   * Null: not measured.
   */
  before: z.object({ speed_ms: z.number().nullable(), peak_kb: z.number().nullable(), size: z.number().int() }),
  after: z.object({ speed_ms: z.number().nullable(), peak_kb: z.number().nullable(), size: z.number().int() }),
  /** How the code was run, where that is weaker than a sandbox. */
  warning: z.string().optional(),
  /** Everything that was measured. */
  metrics: Metrics,
  /** Unified diff of the change. */
  diff: z.string(),
});
export type Verdict = z.infer<typeof Verdict>;

/**
 * Client → daemon: judges a user's change of a target against its original, without a run. Cancelling the request withdraws
 * it.
 */
export const JudgeChange = request('peagen/judge', JudgeRequest, Verdict);
