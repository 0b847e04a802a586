/**
 * What the engine offers to its one caller, the server. Parameters and results are those of shared/protocol, so a server
 * method is one line.
 */

import type * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import type { HistoryPoint } from '../../shared/history.ts';
import type { RunId, Sha256 } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import type { Collected, Retention } from '../../shared/protocol/collect.ts';
import type { GitExport } from '../../shared/protocol/export.ts';
import type {
  DerivedInputs,
  DeriveInputsRequest,
  DetectJudgingRequest,
  FoundWays,
  PlanProposal,
  ProposedInputs,
  ProposeInputsRequest,
} from '../../shared/protocol/judging.ts';
import type { ReplayReport } from '../../shared/protocol/replay.ts';
import type { RunReport } from '../../shared/protocol/report.ts';
import type {
  CallOutputs,
  Extension,
  RunPlan,
  RunRequest,
  ShownPrompt,
  SpendPlan,
  UnreadableRun,
} from '../../shared/protocol/runs.ts';
import type {
  FindTarget,
  FoundTarget,
  JudgeRequest,
  MutateAnswer,
  MutateRequest,
  Verdict,
} from '../../shared/protocol/targets.ts';
import type { Ancestor } from '../../shared/protocol/watch.ts';
import type { EliteDetail, RunEvent, RunInfo, RunSummary } from '../../shared/run.ts';
import type { Control } from '../../shared/run-spec.ts';
import type { TaskQueue } from '../fabric/queue.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import type { RenderAnswer, RenderDecisions, RenderRequest } from './render/render.ts';

export type RunListener = (run: RunId, event: RunEvent) => void;

export interface EngineOptions {
  readonly config: Config;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
  readonly log: Log;
  readonly registry: Registry;
  /** Names the code that made a run, in its journal. */
  readonly build: string;
}

export interface Engine {
  /** Resolves defaults, finds the target, bounds the cost. Throws on anything that would make the run fail at its start. */
  plan(request: RunRequest, signal?: AbortSignal): Promise<RunPlan>;
  /** Bounds what continuing or extending a run can cost. Throws `not_found`. */
  planResume(request: Extension | { run: RunId }): Promise<SpendPlan>;
  /** Continues a run that is over. Throws `not_found`, or `conflict` for one that is not over. */
  extend(extension: Extension): Promise<RunInfo>;
  /** Renders the next question of a run, or the first one of a target that is not evolved yet, and asks nothing. */
  showPrompt(of: { run: RunId } | { request: RunRequest }): Promise<ShownPrompt>;
  /** Starts a run. A second call with the same `requestId` returns the same run. */
  start(request: RunRequest, requestId: string): Promise<RunInfo>;
  /** Starts the control of a run that is over, another strategy with the same budget. Throws `conflict` before that. */
  control(run: RunId, strategy: Control, requestId: string): Promise<RunInfo>;
  /** The run that a checkpoint file belongs to. Throws `not_found`, and `storage_failed` for a damaged one. */
  findCheckpoint(file: string): Promise<{ run: RunId }>;
  /** Continues an interrupted run from its journal. Throws `not_found`, or `conflict` when it is running or finished. */
  resume(run: RunId): Promise<RunInfo>;
  /** Ends a run orderly: no new candidates, best confirmed, summary written. */
  stop(run: RunId): Promise<RunInfo>;
  pause(run: RunId): Promise<RunInfo>;
  unpause(run: RunId): Promise<RunInfo>;
  /** The summary, when the run has stopped. Rejects when the run failed. */
  finished(run: RunId): Promise<RunSummary>;
  /** A run in progress as it is now. Throws `not_found`. */
  info(run: RunId): RunInfo;
  runs(): Promise<RunInfo[]>;
  /** What `runs` leaves out because it cannot be read. */
  unreadableRuns(): Promise<UnreadableRun[]>;
  /** Removes the record of a run that is over. Throws `conflict` while a process works on it, and `not_found`. */
  delete(run: RunId): Promise<void>;
  /** Champions, best first, then pinned elites that were beaten. */
  elites(run: RunId): Promise<Elite[]>;
  /** The Pareto front; empty with one objective. */
  front(run: RunId): Promise<Elite[]>;
  /** Enters a user's text of the target into a run in progress. Throws `invalid_input` or `conflict`. */
  submit(run: RunId, text: string, parent: Sha256 | undefined): Promise<{ sha256: Sha256 }>;
  /** The next slots descend from this elite; with a mate, one slot crosses the two. */
  steer(run: RunId, parent: Sha256, mate?: Sha256): Promise<void>;
  pin(run: RunId, sha256: Sha256, pinned: boolean): Promise<void>;
  discard(run: RunId, sha256: Sha256): Promise<void>;
  elite(run: RunId, sha256: Sha256): Promise<EliteDetail>;
  /** What the original did on the calls that the run judges by. */
  outputs(run: RunId): Promise<CallOutputs>;
  /** How a run went so far, oldest first. */
  history(run: RunId): Promise<readonly HistoryPoint[]>;
  /** An elite with all its ancestors, itself first. Throws `not_found`. */
  ancestors(run: RunId, sha256: Sha256): Promise<Ancestor[]>;
  /** Makes every candidate of a run again and compares hashes; measures its best again. */
  replay(run: RunId, generation?: number): Promise<ReplayReport>;
  /** What a run spent, and what it got for it. */
  report(run: RunId): Promise<RunReport>;
  /** Removes old runs that no living process works on. */
  collect(retention: Retention): Promise<Collected>;
  /** The archives of runs, merged, as JSON. Throws `conflict` for archives that cannot be compared. */
  exportArchive(runs: readonly RunId[]): Promise<string>;
  /** The way from the original to the announced best as a git branch. Throws `not_found` without a best. */
  exportToGit(run: RunId, preview: boolean): Promise<GitExport>;
  /** What a folder is evolved by, and how it is judged. Throws `invalid_input` when nothing names a file. */
  findTarget(request: z.output<typeof FindTarget.params>): Promise<FoundTarget>;
  /** How candidates of a target can be judged, as found in its folder. Throws `not_found` without the folder. */
  waysToJudge(request: DetectJudgingRequest): Promise<FoundWays>;
  /** What proposing inputs can cost at worst. */
  planProposal(request: ProposeInputsRequest): Promise<z.infer<typeof PlanProposal.result>>;
  /** Inputs that a model proposes, with what the original did on them. */
  proposeInputs(request: ProposeInputsRequest, signal: AbortSignal): Promise<ProposedInputs>;
  /** Calls that are made without a model, with what the original did on them. */
  deriveInputs(request: DeriveInputsRequest, signal: AbortSignal): Promise<DerivedInputs>;
  /** What a user's change is worth against the original. */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<Verdict>;
  /** Bounds what one patch round can cost. */
  planMutate(request: MutateRequest): Promise<SpendPlan>;
  mutate(request: MutateRequest, signal: AbortSignal): Promise<MutateAnswer>;
  /** Renders the projects of a payload file into a folder, wholly or not at all. */
  render(request: RenderRequest, choices: RenderDecisions, signal: AbortSignal): Promise<RenderAnswer>;
  /** Calls the listener with every event after it is on disk. Returns the function that ends it. */
  subscribe(listener: RunListener): () => void;
  /** Runs in progress. */
  running(): RunId[];
  /** Whether something is in progress: a run, a patch round or a judgement. */
  working(): boolean;
  /**
   * Why the queue, or a language model, cannot be reached at the moment, in one line; work waits for it. Else what a user
   * should know of a run in progress.
   */
  trouble(): string | undefined;
  /** The queues in this process's memory, for a look and for their dead letters. */
  ownQueues(): readonly Pick<TaskQueue, 'depth' | 'deadLetters'>[];
  /** What begins from now on uses this queue; a run in progress keeps the one that it began with. */
  useQueue(task_queue: Config['task_queue']): void;
  /** Interrupts runs in an orderly way (they can be resumed), ends workers, closes the queue. */
  close(): Promise<void>;
}
