/**
 * A run of evolution: what is asked for, the events that make up its journal, and its summary. The journal
 * (`journal.jsonl`) holds one event a line; a client hears the same events, after they are on disk.
 */
import * as z from 'zod';
import { Asking, TokenUse } from './asking.ts';
import { Confidence } from './confidence.ts';
import { RunId, Sha256 } from './ids.ts';
import { Artifacts, Counterexample, EvaluatorSpec, Metrics, Objectives, Outcome } from './judging.ts';
import { ArchiveStats, CvtNiches, Elite, FeatureAxis, NicheId } from './niche.ts';
import { Entry, Origin, RelativePath } from './program.ts';

/** What to evolve: a file under a folder, and the part of it that may change. */
export const TargetSpec = z.object({
  /** Absolute path of the base folder. */
  root: z.string().min(1),
  path: RelativePath,
  /** The text to start from, when it is not what is on disk (an unsaved buffer). */
  text: z.string().optional(),
  /** The function to evolve and to call, or `Class.method`. Without it: EVOLVE-BLOCK markers, else the whole file. */
  entry_fn: z.string().optional(),
  /** Further functions of the file that may change along with it; without `entry_fn`, all that may change. */
  functions: z.array(z.string().min(1)).max(200).optional(),
});
export type TargetSpec = z.infer<typeof TargetSpec>;

/** When a run is to stop, as far as somebody asked for it: without defaults, so that what is left out is as configured. */
export const StopRequest = z.object({
  max_generations: z.number().int().positive().optional(),
  /** Stop when one pass takes at most this many milliseconds. */
  target_ms: z.number().positive().optional(),
  /** Stop after this many generations without a better best. */
  no_improve: z.number().int().positive().optional(),
  budget_tokens: z.number().int().positive().optional(),
  /** Seconds. */
  run_timeout: z.number().positive().optional(),
});

/** Stop conditions; a missing one never stops the run. */
export const StopSpec = StopRequest.extend({ max_generations: z.number().int().positive().default(200) });
export type StopSpec = z.infer<typeof StopSpec>;

export const IslandSpec = z.object({
  count: z.number().int().min(2).max(64),
  /** Generations between two migrations. */
  interval: z.number().int().min(1),
  /** Champions that each island sends. */
  migrants: z.number().int().min(1),
});
export type IslandSpec = z.infer<typeof IslandSpec>;

/** Each is in flight at a time, with its prompt and its program. */
export const MOST_PER_GENERATION = 1024;

/** Candidates per generation, as they may be asked for. */
export const Population = z
  .number()
  .int()
  .positive()
  .max(MOST_PER_GENERATION, {
    error: ({ input }) =>
      `A generation has at most ${MOST_PER_GENERATION} candidates, not ${input}: ask for fewer, in more generations`,
  });

/** Everything that shapes a run, resolved: with the same spec, seed and answers a deterministic run repeats itself. */
export const RunSpec = z.object({
  target: TargetSpec,
  evaluator: EvaluatorSpec,
  /** Judges winners by a command that the search never runs; journals of version 0.1 have held-out inputs here. */
  heldout: EvaluatorSpec.optional(),
  /** What a match with the original is worth; absent when a command or a folder judges, and in older journals. */
  confidence: Confidence.optional(),
  seed: z.number().int().min(0).max(0xffffffff),
  /** Candidates per generation. */
  population: z.number().int().positive(),
  /** Candidates enter the archive in index order and are judged by operation count instead of time. */
  deterministic: z.boolean(),
  selector: z.string(),
  mutator: z.string(),
  /**
   * What each slot chooses from, when there is a choice: `structural`, or `patch@local` for a mutator with one of several
   * back ends.
   */
  mutators: z.array(z.string()).min(1).optional(),
  backend: z.string().optional(),
  /** Models are asked: while no candidate is correct, they fix those that fail. */
  fix: z.boolean().optional(),
  axes: z.array(FeatureAxis).min(1),
  /** In place of a grid over the axes. */
  cvt: z.object({ niches: CvtNiches }).optional(),
  /** Archives that evolve apart, and send copies of their best to the next one in a ring. */
  islands: IslandSpec.optional(),
  /** What fitness is, unless there are objectives; journals of version 0.1 lack it. */
  metric: z.string().optional(),
  /** Several metrics, in place of `metric`. */
  objectives: Objectives.optional(),
  /** Evaluations of a candidate that would win, where an evaluator's scores vary; 1 unless given. */
  repeats: z.number().int().min(1).optional(),
  /** The seed of the first, second, … evaluation of a program. */
  seeds: z.array(z.number().int().min(0)).optional(),
  /** `best-of-n`: the control of an experiment. Every candidate is made from the original, and learns from no other. */
  strategy: z.enum(['search', 'best-of-n']).optional(),
  /** Stage 0: a command that a candidate must pass, in a copy of the folder, before it is judged. */
  check: z.string().min(1).optional(),
  /** A child whose tokens differ less than this share from the parent's or a recent candidate's is not judged. */
  near_duplicate: z.number().min(0).max(1).optional(),
  /** Champions that are kept, of each island its share; the worst goes. */
  capacity: z.number().int().positive().optional(),
  /** Over the configuration's `[selector.NAME]`. */
  selector_options: z.record(z.string(), z.unknown()).optional(),
  /** Programs that a mutator is shown in addition to the parent: a number of the best, and a number of others. */
  examples: z.object({ best: z.number().int().min(0).max(64), others: z.number().int().min(0).max(64) }).optional(),
  /** A child with a file of more characters is refused. */
  max_code_length: z.number().int().positive().optional(),
  asking: Asking.optional(),
  /**
   * How the best is measured before it is announced: within a budget unless given; `precise`: until the interval is narrow;
   * `none`: what the search has measured is announced.
   */
  confirm: z.enum(['none', 'precise']).optional(),
  stop: StopSpec,
  /** Guidance for the mutator, in the user's words. */
  instructions: z.string().optional(),
});
export type RunSpec = z.infer<typeof RunSpec>;

/** Place of a candidate in a run. A slot is filled by the first attempt that yields a program not seen before. */
export const Slot = z.object({
  index: z.number().int().min(0),
  generation: z.number().int().min(1),
  attempt: z.number().int().min(0),
});
export type Slot = z.infer<typeof Slot>;

export const stopReasons = [
  'max_generations',
  'target_ms',
  'no_improve',
  'budget_tokens',
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
  /** Operations of a pass, where they can be counted: the same on every machine. */
  cost: z.number().optional(),
  /** With the calls of the counter-example search. */
  confidence: Confidence.optional(),
  /** Where fitness is not the speed-up: its value and the original's, higher is better, with a 95 % interval where it varies. */
  score: z
    .object({ fitness: z.number(), original: z.number(), low: z.number().optional(), high: z.number().optional() })
    .optional(),
  generation: z.number().int().min(0),
  niche: NicheId,
});
export type Best = z.infer<typeof Best>;

/** A leader of the search that was not announced, and why, for a user. */
export const Unconfirmed = z.object({ sha256: Sha256, why: z.string().max(1000) });
export type Unconfirmed = z.infer<typeof Unconfirmed>;

/** A program that differs from the original on a call that nobody had tried before it was to be announced. */
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

/** A program that enters a run from outside of its slots. */
const Submission = {
  sha256: Sha256,
  /** Hash of its syntax tree without comments and layout. */
  normal: Sha256,
  /** The object that holds the program, as JSON. */
  object: Sha256,
  /** `mutator` is `user` for a user's edit, `rebase` for an elite of before. */
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
  event('inserted', {
    slot: Slot,
    sha256: Sha256,
    status: z.enum(['new', 'improved', 'rejected']),
    niche: NicheId,
    stats: ArchiveStats,
  }),
  event('generation', {
    generation: z.number().int(),
    stats: ArchiveStats,
    /** Champions that settled on another island. */
    migrated: z.number().int().min(0).optional(),
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
    stats: ArchiveStats,
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
    status: z.enum(['new', 'improved', 'rejected']),
    niche: NicheId,
    stats: ArchiveStats,
    readings: Readings,
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
  event('discarded', { sha256: Sha256, stats: ArchiveStats }),
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
  baseline: z.object({ fitness: z.number(), is_speedup: z.boolean(), mended: z.literal(true).optional() }).optional(),
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
  /** It stops after this many seconds. */
  run_timeout: z.number().positive().optional(),
  /** Better bests, oldest first. */
  trend: z.array(z.tuple([z.number().int().min(0), z.number()])).optional(),
  /** Its best is being measured before it is announced, since then, and for this number of milliseconds at most. */
  confirming: z.object({ since: z.iso.datetime(), within_ms: z.number().int().optional() }).optional(),
  stopped: StopReason.optional(),
  /** What it announced at its end, and what it did not. */
  ending: RunSummary.pick({ best: true, mended: true, overfitted: true, refuted: true, unconfirmed: true }).optional(),
  /** How candidates are run, where that is weaker than a sandbox: in the result of a resume. */
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
