/** What a run is asked for: its target, its stop conditions, and all that shapes it once defaults are resolved. */
import * as z from 'zod';
import { Asking, Prices } from './asking.ts';
import { Confidence } from './confidence.ts';
import { EvaluatorSpec, Objectives } from './judging.ts';
import { CvtNiches, FeatureAxis } from './niche.ts';
import { RelativePath } from './program.ts';

/** What to evolve: a file under a folder, and the part of it that may change. */
export const TargetSpec = z.object({
  /** Absolute path of the base folder. */
  root: z.string().min(1),
  path: RelativePath,
  /** The text to start from, when it is not what is on disk (an unsaved buffer). */
  text: z.string().optional(),
  /** The function to evolve and to call, or `Class.method`. Without it: EVOLVE-BLOCK markers, else the whole file. */
  entry_fn: z.string().optional(),
  /**
   * Further functions of the file that may change along with it; without `entry_fn`, all that may change. Left out, they are
   * those that nothing but it uses.
   */
  functions: z.array(z.string().min(1)).max(200).optional(),
});
export type TargetSpec = z.infer<typeof TargetSpec>;

/** When a run is to stop, without defaults: what is left out is as configured. */
export const StopRequest = z.object({
  max_generations: z.number().int().positive().optional(),
  /** Stop when one pass takes at most this many milliseconds. */
  target_ms: z.number().positive().optional(),
  /** Stop after this many generations without a better best. */
  no_improve: z.number().int().positive().optional(),
  budget_tokens: z.number().int().positive().optional(),
  /** Dollars; the prices of the back ends must be known. */
  budget_usd: z.number().positive().optional(),
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

/**
 * Controls that a search is compared with. `best-of-n`: every candidate is made from the original. `greedy`: from the best so far,
 * a (1+1) search. Neither learns from other programs. `random`: as a search, with parents at random.
 */
export const Control = z.enum(['best-of-n', 'greedy', 'random']);
export type Control = z.infer<typeof Control>;

/** Each is in flight at a time, with its prompt and its program. */
export const MOST_PER_GENERATION = 1024;

/** How far a search on a plateau goes at most: levels above this one change nothing any more. */
export const HIGHEST_LEVEL = 3;

/** Candidates per generation, as they may be asked for. */
export const PopulationSize = z
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
  /** The functions that may change along with the entry since nothing else uses them, where the target names none. */
  helpers: z.array(z.string()).min(1).optional(),
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
  /** Another than `search` is the control of an experiment. */
  strategy: z.enum(['search', ...Control.options]).optional(),
  /** Stage 0: a command that a candidate must pass, in a copy of the folder, before it is judged. */
  check: z.string().min(1).optional(),
  /** Generations between two reflections, in which a model says what works and what to try next; none without it. */
  reflect: z.number().int().positive().optional(),
  /** Generations without a better best after which the search looks further afield; it never does without it. */
  plateau: z.number().int().positive().optional(),
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
  /** Covers the back ends that have a price; what a run costs is reckoned with these. */
  prices: Prices.optional(),
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
