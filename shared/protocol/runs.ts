/** Evolution runs: planning, starting, following and reading them. */
import * as z from 'zod';
import { TokenUse } from '../asking.ts';
import { RunId, Sha256 } from '../ids.ts';
import { EvaluatorSpec } from '../judging.ts';
import { Elite } from '../niche.ts';
import { EliteDetail, Expected, RunEvent, RunInfo, RunSummary } from '../run.ts';
import { Control, PopulationSize, RunSpec, StopRequest, TargetSpec } from '../run-spec.ts';
import { notification, request } from './message.ts';

/** What a user decides about a run; all the rest comes from the configuration. */
export const RunRequest = z.object({
  target: TargetSpec,
  /** Absent: as the configuration says. */
  evaluator: EvaluatorSpec.optional(),
  /** Inputs that the search never sees, in the form of the evaluator's own; with a command, another command. */
  heldout: z.string().optional(),
  seed: z.number().int().min(0).max(0xffffffff).optional(),
  population: PopulationSize.optional(),
  deterministic: z.boolean().optional(),
  selector: z.string().optional(),
  mutator: z.string().optional(),
  backend: z.string().optional(),
  strategy: RunSpec.shape.strategy,
  /** In place of the configuration's archive and islands: a folder brings its own. */
  axes: RunSpec.shape.axes.optional(),
  islands: RunSpec.shape.islands,
  capacity: RunSpec.shape.capacity,
  selector_options: RunSpec.shape.selector_options,
  examples: RunSpec.shape.examples,
  max_code_length: RunSpec.shape.max_code_length,
  asking: RunSpec.shape.asking,
  /** Programs that enter next to the original: texts of the target's file, and the elites of other runs of it. */
  seeds: z
    .array(z.union([z.object({ text: z.string() }), z.object({ run: RunId })]))
    .max(64)
    .optional(),
  confirm: RunSpec.shape.confirm,
  /** What a run is to improve, in place of the configuration's. */
  objectives: RunSpec.shape.objectives,
  stop: StopRequest.optional(),
  instructions: z.string().optional(),
});
export type RunRequest = z.infer<typeof RunRequest>;

export const RunPlan = z.object({
  spec: RunSpec,
  /** Upper bounds, shown before a run begins. Tokens are 0 for the offline mutator; money is null when a price is unknown. */
  worst_case: z.object({
    candidates: z.number().int(),
    prompt_tokens: z.number().int(),
    completion_tokens: z.number().int(),
    dollars: z.number().nullable(),
    /** Seconds of judging, if every candidate ran into its time limit on this machine's workers; a run's own limit counts. */
    judging_s: z.number().default(0),
  }),
  /** What is likely, next to what is possible; absent where no model is asked. */
  expected: Expected.optional(),
  sandbox: z.object({ tier: z.string(), warning: z.string().optional() }),
});
export type RunPlan = z.infer<typeof RunPlan>;

/** Client → daemon: checks a request, resolves its defaults and bounds its cost, without starting anything. */
export const PlanRun = request('peagen/run/plan', RunRequest, RunPlan);

/** A question as it would be sent to a model. */
export const ShownPrompt = z.object({
  mutator: z.string(),
  /** The program that the question is about. */
  parent: Sha256,
  system: z.string(),
  prompt: z.string(),
  tokens: z.number().int(),
});
export type ShownPrompt = z.infer<typeof ShownPrompt>;

/**
 * Client → daemon: renders the next question of a run, or the first one of a new target, without asking it. For a run
 * without models it is what the mutator `patch` would ask.
 */
export const ShowPrompt = request(
  'peagen/run/prompt',
  z.union([z.object({ run: RunId }), z.object({ request: RunRequest })]),
  ShownPrompt,
);

/** Client → daemon: starts a run. `requestId` is made by the client, so that a retry after a reconnect starts nothing twice. */
export const StartRun = request('peagen/run/start', z.object({ requestId: z.string().min(8), request: RunRequest }), RunInfo);

const OneRun = z.object({ run: RunId });

const Cost = z.object({
  expected: Expected.optional(),
  worst_case: RunPlan.shape.worst_case.omit({ candidates: true, judging_s: true }),
});

/** What paid work can still cost: what was spent before it, what is likely and what is possible. */
export const SpendPlan = Cost.extend({
  spent: TokenUse,
  /** What a control of a run costs, which begins at the original. */
  control: Cost.optional(),
});
export type SpendPlan = z.infer<typeof SpendPlan>;

/** A run that is over, and for how much longer it is to go on: generations, and budgets and seconds on top of those spent. */
export const Extension = OneRun.extend({
  generations: z.number().int().positive(),
  stop: StopRequest.pick({ budget_tokens: true, budget_usd: true, run_timeout: true }).optional(),
});
export type Extension = z.infer<typeof Extension>;

/** Client → daemon: bounds what continuing an interrupted run or extending one can cost, and continues nothing. */
export const PlanResume = request('peagen/run/resume/plan', z.union([Extension, OneRun]), SpendPlan);

/** Client → daemon: continues a run that is over. Throws `not_found`, and `conflict` for one that is not over. */
export const ExtendRun = request('peagen/run/extend', Extension, RunInfo);

/** Client → daemon: the run that a checkpoint file belongs to. Throws `not_found`, and `storage_failed` for a damaged one. */
export const FindCheckpoint = request('peagen/run/checkpoint', z.object({ file: z.string().min(1) }), OneRun);

/** Client → daemon: continues an interrupted run from its journal. */
export const ResumeRun = request('peagen/run/resume', OneRun, RunInfo);

/** Client → daemon: starts the control of a run that is over, best of n with the same budget. Throws `conflict` before that. */
export const ControlRun = request(
  'peagen/run/control',
  OneRun.extend({ requestId: z.string().min(8), strategy: Control.default('best-of-n') }),
  RunInfo,
);

/**
 * Client → daemon: waits for the end of a run and returns its summary. Throws what the run failed with, or `conflict` when it
 * was interrupted. Cancelling the request ends the waiting, not the run.
 */
export const AwaitRun = request('peagen/run/await', OneRun, RunSummary);

/** Client → daemon: ends a run, confirms its best and writes its summary; returns when that is done. */
export const StopRun = request('peagen/run/stop', OneRun, RunInfo);

/** Client → daemon: no new candidates until unpaused; those in flight finish. */
export const PauseRun = request('peagen/run/pause', OneRun, RunInfo);
export const UnpauseRun = request('peagen/run/unpause', OneRun, RunInfo);

/** Client → daemon: removes the record of a run that is over. Throws `conflict` while a process works on it, and `not_found`. */
export const DeleteRun = request('peagen/run/delete', OneRun, z.object({}));

/** Client → daemon: all runs of the workspace, newest first. */
export const ListRuns = request('peagen/run/list', z.object({}), z.array(RunInfo));

/** What is there under the name of a run and cannot be read, with the reason in one line. */
export const UnreadableRun = z.object({ run: RunId, reason: z.string() });
export type UnreadableRun = z.infer<typeof UnreadableRun>;

/** Client → daemon: the runs that `peagen/run/list` leaves out, newest first. */
export const ListUnreadableRuns = request('peagen/run/unreadable', z.object({}), z.array(UnreadableRun));

/** Client → daemon: the champions of a run's niches, best first. */
export const ListElites = request('peagen/run/elites', OneRun, z.array(Elite));

/** Client → daemon: the programs that no other beats in one objective without losing in another; empty with one objective. */
export const ListFront = request('peagen/run/front', OneRun, z.array(Elite));

/** Client → daemon: one elite with its change, for a review. */
export const GetElite = request('peagen/run/elite', OneRun.extend({ sha256: Sha256 }), EliteDetail);

/** What the original did on one call, in words: what it returned or raised, and its arguments where it changed them. */
export const CallOutput = z.object({
  returned: z.string().optional(),
  raised: z.string().optional(),
  args: z.string().optional(),
});
export type CallOutput = z.infer<typeof CallOutput>;

/** In the order of the evaluator's own lists, the first of each. */
export const CallOutputs = z.object({
  calls: z.array(CallOutput),
  derived: z.array(CallOutput).optional(),
  heldout: z.array(CallOutput),
  longer: z.array(CallOutput).optional(),
});
export type CallOutputs = z.infer<typeof CallOutputs>;

/** Nobody reads more of them. */
export const MOST_OUTPUTS = 50;

/**
 * Client → daemon: what the original did on the calls that a run judges by, which is what every correct candidate does; at
 * most `MOST_OUTPUTS` of each list. None for an evaluator that makes no calls, and before the original was judged.
 */
export const ListOutputs = request('peagen/run/outputs', OneRun, CallOutputs);

/**
 * Daemon → client: an event of a run, after it is in the journal. Sent to every client of the workspace. `info` is the run
 * after the event, so that no client works it out a second time; absent when the run is no longer in progress.
 */
export const RunEventNotification = notification(
  'peagen/run/event',
  z.object({ run: RunId, event: RunEvent, info: RunInfo.optional() }),
);
