/** A run of evolution: what is asked for, its summary, and the events of `journal.jsonl`, which clients hear once they are on disk. */
import * as z from 'zod';
import { Lessons, PromptRole, TokenUse } from './asking.ts';
import { Confidence } from './confidence.ts';
import { RunId, Sha256 } from './ids.ts';
import { Artifacts, Counterexample, EvaluatorSpec, Metrics, Objective, Outcome } from './judging.ts';
import { ArchiveStats, Elite, FeatureAxis, NicheId, placement } from './niche.ts';
import { Entry, Origin, RelativePath } from './program.ts';
import { RunSpec, StopSpec, TargetSpec } from './run-spec.ts';

/** Place of a candidate in a run. A slot is filled by the first attempt that yields a program not seen before. */
export const Slot = z.object({
  index: z.number().int().min(0),
  generation: z.number().int().min(1),
  attempt: z.number().int().min(0),
});
export type Slot = z.infer<typeof Slot>;

const stopReasons = [
  'max_generations',
  'target_ms',
  'no_improve',
  'budget_tokens',
  'budget_usd',
  'run_timeout',
  'exhausted',
  'user',
  'failed',
] as const;
export const StopReason = z.enum(stopReasons);
export type StopReason = z.infer<typeof StopReason>;

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), at: z.iso.datetime(), ...shape });

export const Best = z.object({
  sha256: Sha256,
  speedup: z.number(),
  /** 95 % interval of the speed-up. */
  speedup_low: z.number(),
  speedup_high: z.number(),
  speed_ms: z.number(),
  baseline_ms: z.number(),
  peak_kb: z.number(),
  /** Operations of a pass, and of one of the original, where they can be counted: the same on every machine. */
  cost: z.number().optional(),
  baseline_cost: z.number().optional(),
  /** How fast it is on the given calls alone, where longer ones made from them are timed too; with a 95 % interval. */
  given: z.object({ ratio: z.number(), low: z.number(), high: z.number() }).optional(),
  /** With the calls of the counter-example search. */
  confidence: Confidence.optional(),
  /** Where fitness is not the speed-up: its value and the original's, higher is better, with a 95 % interval where it varies. */
  score: z
    .object({ fitness: z.number(), original: z.number(), low: z.number().optional(), high: z.number().optional() })
    .optional(),
  /** Its evaluator can be deceived by it, and nothing outside of both bears the result out. */
  unverified: z.literal(true).optional(),
  /** What was skipped for lack of time before the announcement: comparing with others, making it smaller, measuring longer. */
  skipped: z.array(z.enum(['compare', 'minimise', 'measure'])).optional(),
  generation: z.number().int().min(0),
  niche: NicheId,
});
export type Best = z.infer<typeof Best>;

/** A leader of the search that was not announced, and why, for a user. `untested`: the calls would not show that it is wrong. */
export const Unconfirmed = z.object({ sha256: Sha256, why: z.string().max(1000), untested: z.literal(true).optional() });
export type Unconfirmed = z.infer<typeof Unconfirmed>;

/** A program that differs from the original on a call that was first tried before the announcement. */
export const Refuted = z.object({ sha256: Sha256, counterexample: Counterexample });
export type Refuted = z.infer<typeof Refuted>;

export const RunSummary = z.object({
  run: RunId,
  seed: z.number().int(),
  generations: z.number().int(),
  candidates: z.number().int(),
  evaluated: z.number().int(),
  correct: z.number().int(),
  /** Candidates that are right on the calls that the search sees and wrong on others. */
  overfit: z.number().int().optional(),
  /** Null when nothing beat the original. */
  best: Best.nullable(),
  /** Where the original fails by itself: the first program that does not, which `best` is compared with; null without one. */
  mended: Sha256.nullable().optional(),
  /** Elites that were faster, but wrong on the held-out inputs: they are not offered. */
  overfitted: z.array(Sha256).default([]),
  /** Programs refuted by the counter-example search, each with its call; the elites among them are in `overfitted` too. */
  refuted: z.array(Refuted).optional(),
  /** What "correct" rests on; with the calls of the counter-example search where there is a best. */
  confidence: Confidence.optional(),
  /** Leaders of the search that were not clearly faster, or not right, when they were measured with care. */
  unconfirmed: z.array(Unconfirmed).default([]),
  coverage: z.number().int(),
  qd_score: z.number(),
  /** SHA-256 over the candidates' hashes, in index order, each as 64 hex digits and a newline. */
  candidates_digest: Sha256,
  tokens: TokenUse,
  stopped: StopReason,
  wall_s: z.number(),
  /** Folder where the best variant and its diff were saved; null when there is none. */
  output: z.string().nullable(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** Pairs of readings, where speed was measured; see Execution. */
const Readings = z.array(z.number()).optional();

/** What an event made of the archive. It follows from the events, so that clients receive it and the journal omits it. */
const Stats = { stats: ArchiveStats.optional() };

/** A program that enters a run from outside of its slots. */
const Submission = {
  sha256: Sha256,
  /** Hash of its syntax tree without comments and layout. */
  normal: Sha256,
  /** The object that holds the program, as JSON. */
  object: Sha256,
  /** `mutator` is `user` for a user's edit, `rebase` for an elite of before, `seed` for a founder. */
  origin: Origin,
};

export const RunEvent = z.discriminatedUnion('type', [
  event('started', {
    run: RunId,
    /** The client's id of the request, so that a retry starts nothing twice. */
    request_id: z.string(),
    spec: RunSpec,
    original: Sha256,
    /** Describes its syntax tree, as in `mutated`; older journals have none. */
    normal: Sha256.optional(),
    /** The object that holds the original program, as JSON. */
    object: Sha256,
    entry: Entry.optional(),
    build: z.string(),
  }),
  /** A daemon or CLI took the run up again after it was interrupted. */
  event('resumed', { from_index: z.number().int() }),
  /**
   * A run that was over goes on: its ending counts no longer, and `stop` holds in place of what it began with. Time and
   * budgets of the extension are counted from here on, on top of what was spent.
   */
  event('extended', { reason: StopReason, stop: StopSpec }),
  /** What candidates are compared with: the original or, where that fails by itself, `program`, the first that does not. */
  event('baseline', {
    metrics: Metrics,
    features: z.array(z.number()),
    fitness: z.number(),
    basis: Sha256,
    program: Sha256.optional(),
    /** As of `evaluated`. */
    artifacts: Sha256.optional(),
    readings: Readings,
  }),
  /**
   * The original fails by itself: candidates fix it until one is correct, and `baseline` follows. With `program`: so does
   * that candidate, which had seemed to be correct.
   */
  event('failing', { outcome: Outcome, program: Sha256.optional() }),
  event('selected', {
    slot: Slot,
    parent: Sha256,
    inspirations: z.array(Sha256),
    mutator: z.string(),
    /** Unless it is the run's own. */
    backend: z.string().optional(),
    /** The kind of change that the question asks for. */
    role: PromptRole.optional(),
    /** How far the search is on a plateau, from 1; absent while the best improves. */
    plateau: z.number().int().min(1).optional(),
    /** A user's wish chose the parent. */
    wished: z.boolean().optional(),
    seed: z.number().int(),
  }),
  /** The mutator made a program that the run has not seen before. */
  event('mutated', {
    slot: Slot,
    sha256: Sha256,
    /** Hash of its syntax tree without comments and layout. */
    normal: Sha256,
    /** The object that holds the program, as JSON. */
    object: Sha256,
    origin: Origin,
    tokens: TokenUse,
  }),
  /** It made none, or one already known; the slot tries again or is given up (`final`). */
  event('rejected', {
    slot: Slot,
    reason: z.string(),
    /** The same program, which has been made before: what is known of it counts. */
    twin: Sha256.optional(),
    tokens: TokenUse,
    final: z.boolean(),
  }),
  event('evaluated', {
    slot: Slot,
    sha256: Sha256,
    outcome: Outcome,
    metrics: Metrics,
    fitness: z.number().nullable(),
    features: z.array(z.number()),
    /** The object that holds what the evaluation wrote, by name, as JSON; only of what may be shown to a mutator. */
    artifacts: Sha256.optional(),
    readings: Readings,
  }),
  /**
   * A challenge for a title: the challenger of `slot`, and the program that holds it, are measured again in fresh processes. Their
   * fitness is the posterior of all their readings from here on; `inserted` follows.
   */
  event('measured', { slot: Slot, sha256: Sha256, outcome: Outcome, metrics: Metrics, readings: Readings }),
  event('inserted', { slot: Slot, sha256: Sha256, ...placement, ...Stats }),
  event('generation', {
    generation: z.number().int(),
    ...Stats,
    /** Champions that settled on another island; sent to clients only. */
    migrated: z.number().int().min(0).optional(),
    /** The island, from 0, that began again with the best of another one; sent to clients only. */
    restarted: z.number().int().min(0).optional(),
  }),
  /**
   * A model was asked what the attempts so far teach. Later questions show the lessons. `reason`: why there are none, in one
   * line; the search goes on without.
   */
  event('reflected', {
    generation: z.number().int().min(1),
    lessons: Lessons.optional(),
    reason: z.string().max(1000).optional(),
    /** Objects that hold the question and the answer. */
    prompt: Sha256.optional(),
    answer: Sha256.optional(),
    tokens: TokenUse,
  }),
  /** The search is over; its best is measured with care, for this number of milliseconds at most. */
  event('confirming', { within_ms: z.number().int().min(0).optional() }),
  event('paused', {}),
  event('unpaused', {}),
  event('confirmed', {
    best: Best.nullable(),
    /** Elites that were faster, but wrong on the held-out inputs. */
    overfitted: z.array(Sha256).default([]),
    unconfirmed: z.array(Unconfirmed).default([]),
    /** False of the winner of the comparison, which is still to be made smaller and measured to the end. */
    final: z.boolean().default(true),
  }),
  /**
   * The counter-example search found a call on which a program that was to be announced differs from the original: it
   * leaves the archive, and what follows is compared on that call too.
   */
  event('refuted', {
    sha256: Sha256,
    counterexample: Counterexample,
    /** Fresh calls that were compared until then. */
    calls: z.number().int().min(0),
    ...Stats,
  }),
  /** The confirmed best without what did not contribute to it; `confirmed` follows and names it. */
  event('minimised', {
    from: Sha256,
    /** The object that holds the program, as JSON. */
    object: Sha256,
    origin: Origin,
    /** As the search judges, for the archive. */
    outcome: Outcome,
    metrics: Metrics,
    fitness: z.number(),
    features: z.array(z.number()),
    /** As measured to the end. */
    best: Best,
  }),
  /** A program that no mutator made: a user's own edit, or an elite that was carried over a rebase. `judged` follows. */
  event('submitted', { ...Submission, generation: z.number().int().min(0) }),
  /** What became of a submitted program. */
  event('judged', {
    sha256: Sha256,
    outcome: Outcome,
    metrics: Metrics,
    fitness: z.number().nullable(),
    features: z.array(z.number()),
    readings: Readings,
    ...placement,
    ...Stats,
  }),
  /** A user's wish: a number of the next slots descend from this parent. */
  event('steered', {
    parent: Sha256,
    /** Shown to the mutator first; of a crossover, the second parent. */
    inspirations: z.array(Sha256),
    /** In place of the run's own. */
    mutator: z.string().optional(),
    slots: z.number().int().positive(),
  }),
  /** A pinned elite stays in the list of elites and is shown to the mutators, whatever beats it. */
  event('pinned', { sha256: Sha256, pinned: z.boolean() }),
  /** A user does not want this program: it left the archive, and its niche's champion before it is back. */
  event('discarded', { sha256: Sha256, ...Stats }),
  /**
   * The file was edited under the run: from here on everything is compared with the new original. A `baseline` follows,
   * and each elite that still applies is judged again (`judged`).
   */
  event('rebased', {
    original: Sha256,
    /** As of `started`. */
    normal: Sha256.optional(),
    /** The object that holds the new original, as JSON. */
    object: Sha256,
    carried: z.array(z.object(Submission)),
    /** Elites whose change does not apply to the new text. */
    dropped: z.number().int().min(0),
  }),
  event('stopped', { reason: StopReason, detail: z.string().optional(), summary: RunSummary.optional() }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

/** What a run is likely to spend, if it goes on to its last generation or to the end of its budget. */
export const Expected = z.object({
  candidates: z.number().int(),
  tokens: z.number().int(),
  /** Null when a price is unknown. */
  dollars: z.number().nullable(),
});
export type Expected = z.infer<typeof Expected>;

/** State of a run for a list of runs. `interrupted`: its process ended in mid-run; it can be resumed. */
export const RunInfo = z.object({
  run: RunId,
  state: z.enum(['running', 'paused', 'finished', 'interrupted']),
  /** In progress in another process than the daemon that is asked; its events are not heard. */
  elsewhere: z.literal(true).optional(),
  target: TargetSpec.omit({ text: true }),
  started_at: z.iso.datetime(),
  generation: z.number().int(),
  max_generations: z.number().int(),
  candidates: z.number().int(),
  evaluated: z.number().int(),
  correct: z.number().int(),
  /** Candidates that are right on the calls that the search sees and wrong on others. */
  overfit: z.number().int().optional(),
  best: z.number().nullable(),
  /**
   * What candidates are compared with: its fitness, and whether that is the speed-up over it; else it is a score. `mended`:
   * the original fails, and this is the first candidate that does not.
   */
  baseline: z
    .object({
      fitness: z.number(),
      is_speedup: z.boolean(),
      mended: z.literal(true).optional(),
      /** The part of the command's time that the program's functions take, from 0 to 1. */
      share: z.number().optional(),
    })
    .optional(),
  /** The one metric that the run is about, where that is neither speed nor a score of an evaluator. */
  goal: Objective.pick({ metric: true, direction: true }).optional(),
  stats: ArchiveStats,
  axes: z.array(FeatureAxis),
  /** One entry for each island, in ring order. */
  islands: z.array(ArchiveStats).optional(),
  /** Programs on the Pareto front, with several objectives. */
  front: z.number().int().optional(),
  tokens: TokenUse,
  /** What a match rests on: of a run that has ended with a best, with the calls of the counter-example search. */
  confidence: Confidence.optional(),
  /** Never spent more than this. */
  budget_tokens: z.number().int().positive().optional(),
  budget_usd: z.number().positive().optional(),
  /** Dollars spent so far; null when a price is unknown; absent where no model is asked. */
  dollars: z.number().nullable().optional(),
  /** What the whole run will have spent if it goes on as it has; from the first candidates on. */
  expected: Expected.optional(),
  /** It stops after this many seconds. */
  run_timeout: z.number().positive().optional(),
  /** Better bests, oldest first. */
  trend: z.array(z.tuple([z.number().int().min(0), z.number()])).optional(),
  /** Its best is being measured before it is announced, since then, and for this number of milliseconds at most. */
  confirming: z.object({ since: z.iso.datetime(), within_ms: z.number().int().optional() }).optional(),
  stopped: StopReason.optional(),
  /** What it announced at its end, and what it did not. */
  ending: RunSummary.pick({ best: true, mended: true, overfitted: true, refuted: true, unconfirmed: true }).optional(),
  /** In the result of a resume: what of its records was damaged, and how candidates are run where that is weaker than a sandbox. */
  warning: z.string().optional(),
  /** Why it failed, when it did. */
  failure: z.string().optional(),
});
export type RunInfo = z.infer<typeof RunInfo>;

/** An elite with what a review needs. */
export const EliteDetail = z.object({
  run: RunId,
  elite: Elite,
  /** Files that differ from the original: path under the target's root, the original's and the candidate's text. */
  changes: z.array(z.object({ path: RelativePath, before: z.string(), after: z.string() })),
  origin: Origin,
  outcome: Outcome,
  /** How the run judges: the evaluator with its inputs or its command. */
  judged_by: EvaluatorSpec.optional(),
  confidence: Confidence.optional(),
  /** What its evaluation wrote, by name, as far as it was kept. */
  artifacts: Artifacts.optional(),
});
export type EliteDetail = z.infer<typeof EliteDetail>;
