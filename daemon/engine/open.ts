/** Opens the engine of a workspace: its runs, live and on disk, over one fabric that starts with the first task. */

import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { HistoryPoint } from '../../shared/history.ts';
import type { RunId, Sha256 } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import type { Collected, Retention } from '../../shared/protocol/collect.ts';
import type { GitExport } from '../../shared/protocol/export.ts';
import type { DetectJudgingRequest, FoundWays, ProposedInputs, ProposeInputsRequest } from '../../shared/protocol/judging.ts';
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
import type { EliteDetail, RunInfo, RunSummary } from '../../shared/run.ts';
import type { Control } from '../../shared/run-spec.ts';
import { shownTier } from '../executors/open.ts';
import { detectCaps } from '../fabric/caps.ts';
import { requireKeys } from '../llm/presets.ts';
import type { Engine, EngineOptions, RunListener } from './engine.ts';
import { Fabrics } from './fabrics.ts';
import { judgeChange } from './judge.ts';
import { mutateOnce, planMutation } from './mutate/mutate-once.ts';
import { selectorOf } from './mutate/selector.ts';
import { ancestorsOf } from './records/ancestors.ts';
import { collectRuns } from './records/collect-runs.ts';
import { exportArchive } from './records/export-archive.ts';
import { exportToGit } from './records/export-git.ts';
import { lineageOf } from './records/lineage.ts';
import { replayRecorded } from './records/replay-recorded.ts';
import { reportRun } from './records/report.ts';
import { RunRecords } from './records/run-records.ts';
import { type RenderAnswer, type RenderDecisions, type RenderRequest, renderProjects } from './render/render.ts';
import { LiveRuns } from './run/live-runs.ts';
import { infoOf } from './run/state/run-view.ts';
import { Derivations } from './target/derive.ts';
import { type DeriveInputsDeps, deriveInputs } from './target/derive-inputs.ts';
import { findTarget } from './target/find-target.ts';
import { planResume, planRun } from './target/plan.ts';
import { loadEvaluator } from './target/pool.ts';
import { resolveRequest } from './target/resolve.ts';
import { extensionOf } from './target/reuse.ts';
import { waysFor } from './target/ways.ts';
import type { TaskClient } from './task-client.ts';

export function openEngine(options: EngineOptions): Engine {
  return new WorkspaceEngine(options);
}

class WorkspaceEngine implements Engine {
  private options: EngineOptions;
  private readonly records: RunRecords;
  private readonly live: LiveRuns;
  private readonly requests = new Map<string, Promise<RunInfo>>();
  private readonly derivations = new Derivations(async () => (await this.taskClient({ offline: true })).own);
  private readonly fabrics: Fabrics;
  /** Requests under way that are no run. */
  private readonly requested = new Set<Promise<unknown>>();

  constructor(options: EngineOptions) {
    this.options = options;
    const { config, registry, log, workspace } = options;
    this.fabrics = new Fabrics(options);
    this.records = new RunRecords(workspace, log, (spec) => selectorOf(spec, config, registry), options.build);
    this.live = new LiveRuns(options, this.records, (how) => this.taskClient(how));
  }

  async plan(request: RunRequest, signal = new AbortController().signal): Promise<RunPlan> {
    this.lookAround();
    await this.records.files.requireWritable();
    return planRun(request, this.options, this.derivations.until(signal), this.records);
  }

  async planResume(request: Extension | { run: RunId }): Promise<SpendPlan> {
    const state = await this.live.stateOf(request.run);
    const stop = 'generations' in request ? extensionOf(state, request).stop : state.spec.stop;
    return planResume(state, { ...state.spec, stop }, this.records, this.options);
  }

  async planMutate(request: MutateRequest): Promise<SpendPlan> {
    return planMutation(request, this.options.config, this.options.registry);
  }

  async showPrompt(of: { run: RunId } | { request: RunRequest }): Promise<ShownPrompt> {
    const { promptOfRun, promptOfTarget } = await import('./mutate/show-prompt.ts');
    if ('run' in of) return promptOfRun(await this.live.stateOf(of.run), this.records, this.options);
    return promptOfTarget(of.request, this.derivations, this.options);
  }

  start(request: RunRequest, requestId: string): Promise<RunInfo> {
    const known = this.requests.get(requestId);
    if (known !== undefined) return known;
    const started = this.during(() => this.startNew(request, requestId));
    this.requests.set(requestId, started);
    // A request that failed may be made again under the same id.
    started.catch(() => this.requests.delete(requestId));
    return started;
  }

  private async startNew(request: RunRequest, requestId: string): Promise<RunInfo> {
    for (const run of await this.records.files.ofRequest(requestId)) {
      const state = this.live.running.get(run)?.state ?? (await this.records.load(run).catch(() => undefined));
      if (state?.requestId === requestId) return infoOf(state, this.live.running.has(run));
    }
    await this.records.files.requireWritable();
    this.lookAround();
    // It is needed in any case; where it cannot be had, the run says so when it asks for it.
    void this.taskClient().catch(() => undefined);
    const resolved = await resolveRequest(request, this.options.config, this.options.registry, this.derivations);
    if (resolved.spec.fix === true) requireKeys(this.options.config, process.env);
    return this.live.begin(resolved, requestId, request.seeds);
  }

  /** What is looked for on this machine, and each once, is looked for while a request is read, and at the same time. */
  private lookAround(): void {
    const { config, registry } = this.options;
    void detectCaps({ config, env: process.env });
    void shownTier(config, registry, true).catch(() => undefined);
  }

  private taskClient(options?: { offline: boolean }): Promise<TaskClient> {
    return this.fabrics.taskClient(this.options.config.task_queue, options);
  }

  async stop(run: RunId): Promise<RunInfo> {
    const live = this.live.require(run);
    live.stop();
    await live.done.catch(() => undefined);
    return infoOf(live.state, false);
  }

  async pause(run: RunId): Promise<RunInfo> {
    const live = this.live.require(run);
    await live.pause(true);
    return live.info();
  }

  async unpause(run: RunId): Promise<RunInfo> {
    const live = this.live.require(run);
    await live.pause(false);
    return live.info();
  }

  info(run: RunId): RunInfo {
    return this.live.require(run).info();
  }

  control(run: RunId, strategy: Control, requestId: string): Promise<RunInfo> {
    return this.live.control(run, strategy, requestId);
  }

  extend(extension: Extension): Promise<RunInfo> {
    return this.live.extend(extension);
  }

  async findCheckpoint(file: string): Promise<{ run: RunId }> {
    return { run: await this.records.ofCheckpoint(file) };
  }

  resume(run: RunId): Promise<RunInfo> {
    return this.live.resume(run);
  }

  finished(run: RunId): Promise<RunSummary> {
    return this.live.finished(run);
  }

  runs(): Promise<RunInfo[]> {
    return this.live.list();
  }

  async unreadableRuns(): Promise<UnreadableRun[]> {
    return (await this.live.listed()).unreadable;
  }

  async delete(run: RunId): Promise<void> {
    if (this.live.running.has(run)) {
      throw new PeagenError('conflict', `Run ${run} is in progress.`, { hint: 'Stop it first.' });
    }
    await this.records.delete(run);
  }

  async elites(run: RunId): Promise<Elite[]> {
    return (await this.live.stateOf(run)).population.elites();
  }

  async front(run: RunId): Promise<Elite[]> {
    return (await this.live.stateOf(run)).population.paretoFront();
  }

  async submit(run: RunId, text: string, parent: Sha256 | undefined): Promise<{ sha256: Sha256 }> {
    await shownTier(this.options.config, this.options.registry, false);
    return { sha256: await this.live.require(run).submit(text, parent) };
  }

  steer(run: RunId, parent: Sha256, mate?: Sha256): Promise<void> {
    return this.live.require(run).steer(parent, mate);
  }

  pin(run: RunId, sha256: Sha256, pinned: boolean): Promise<void> {
    return this.live.require(run).pin(sha256, pinned);
  }

  discard(run: RunId, sha256: Sha256): Promise<void> {
    return this.live.require(run).discard(sha256);
  }

  async elite(run: RunId, sha256: Sha256): Promise<EliteDetail> {
    return this.records.eliteDetail(await this.live.stateOf(run), sha256);
  }

  async outputs(run: RunId): Promise<CallOutputs> {
    const { basis, spec } = await this.live.stateOf(run);
    const none = { calls: [], heldout: [] };
    if (basis === undefined) return none;
    const evaluator = await loadEvaluator(spec.evaluator.name, this.options.config, this.options.registry);
    return evaluator.outputs?.(await this.records.readBasis(basis)) ?? none;
  }

  async history(run: RunId): Promise<readonly HistoryPoint[]> {
    return (await this.live.stateOf(run)).history.points;
  }

  async ancestors(run: RunId, sha256: Sha256): Promise<Ancestor[]> {
    return ancestorsOf(await this.live.stateOf(run), sha256);
  }

  async replay(run: RunId, generation?: number): Promise<ReplayReport> {
    const { config, registry } = this.options;
    const mutateRequires = (mutator: string) => this.live.mutateRequires(mutator);
    return replayRecorded(run, generation, {
      records: this.records,
      config,
      registry,
      taskClient: await this.taskClient(),
      mutateRequires,
    });
  }

  async collect(retention: Retention): Promise<Collected> {
    return await collectRuns(this.records.files, retention, Date.now());
  }

  async report(run: RunId): Promise<RunReport> {
    const { state, events } = await this.records.history(run);
    const { population, spec } = state;
    const { pricesOf } = await import('../llm/cost/prices.ts');
    const prices = { ...pricesOf(this.options.config), ...spec.prices };
    return reportRun(run, events, { population, prices });
  }

  async exportArchive(runs: readonly RunId[]): Promise<string> {
    const states = await Promise.all(runs.map((run) => this.live.stateOf(run)));
    return exportArchive(states.map(({ run, archive, population }) => ({ run, archive, front: population.paretoFront() })));
  }

  async exportToGit(run: RunId, preview: boolean): Promise<GitExport> {
    const state = await this.live.stateOf(run);
    const { root } = state.spec.target;
    const steps = await lineageOf(state, this.records);
    const branch = `peagen/${run}`;
    const made = await exportToGit(root, branch, steps, preview);
    return preview
      ? { root, branch, base: null, commits: made.commits.map((step) => ({ ...step, commit: null })) }
      : { root, ...made };
  }

  findTarget(request: z.output<typeof FindTarget.params>): Promise<FoundTarget> {
    return findTarget(request, this.options.config);
  }

  async waysToJudge(request: DetectJudgingRequest): Promise<FoundWays> {
    return waysFor(request, this.options.config, this.options.registry);
  }

  // What asks models is loaded when it is first needed.
  async planProposal(request: ProposeInputsRequest): ReturnType<Engine['planProposal']> {
    return (await import('./target/propose.ts')).planProposal(request, this.options.config);
  }

  async proposeInputs(request: ProposeInputsRequest, signal: AbortSignal): Promise<ProposedInputs> {
    return this.during(async () => (await import('./target/propose.ts')).proposeInputs(request, this.options, signal));
  }

  async deriveInputs(...[request, signal]: Parameters<Engine['deriveInputs']>): ReturnType<Engine['deriveInputs']> {
    return this.during(async () => deriveInputs(request, await this.makingCalls(), signal));
  }

  private async makingCalls(): Promise<DeriveInputsDeps & { taskClient: TaskClient }> {
    const { config, registry } = this.options;
    return { config, registry, taskClient: (await this.taskClient()).own, derivations: this.derivations };
  }

  async judge(request: JudgeRequest, signal: AbortSignal): Promise<Verdict> {
    const { warning } = await shownTier(this.options.config, this.options.registry, false);
    const verdict = await this.during(async () => judgeChange(request, await this.makingCalls(), signal));
    return { ...verdict, ...(warning === undefined ? {} : { warning }) };
  }

  async mutate(request: MutateRequest, signal: AbortSignal): Promise<MutateAnswer> {
    const { config, registry } = this.options;
    return this.during(async () => mutateOnce(request, config, registry, await this.taskClient(), signal));
  }

  async render(request: RenderRequest, choices: RenderDecisions, signal: AbortSignal): Promise<RenderAnswer> {
    return this.during(async () =>
      renderProjects(request, choices, { ...this.options, taskClient: await this.taskClient() }, signal),
    );
  }

  subscribe(listener: RunListener): () => void {
    this.live.listeners.add(listener);
    return () => this.live.listeners.delete(listener);
  }

  running(): RunId[] {
    return [...this.live.running.keys()];
  }

  working(): boolean {
    return this.requested.size > 0 || this.live.running.size > 0;
  }

  trouble(): string | undefined {
    return (
      this.fabrics.trouble(this.working()) ?? [...this.live.running.values()].find(({ notice }) => notice !== undefined)?.notice
    );
  }

  ownQueues(): ReturnType<Engine['ownQueues']> {
    return this.fabrics.ownQueues;
  }

  private async during<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    this.requested.add(working);
    try {
      return await working;
    } finally {
      this.requested.delete(working);
    }
  }

  useQueue(task_queue: Config['task_queue']): void {
    const { config } = this.options;
    if (isDeepStrictEqual(task_queue, config.task_queue)) return;
    this.options = { ...this.options, config: { ...config, task_queue } };
    this.fabrics.useQueue(task_queue, async () => {
      // A request under way may be the start of a run.
      await Promise.allSettled(this.requested);
      await Promise.allSettled([...this.live.running.values()].map((run) => run.done));
    });
  }

  async close(): Promise<void> {
    const runs = [...this.live.running.values()];
    for (const run of runs) run.interrupt();
    await Promise.all(runs.map((run) => run.done.catch(() => undefined)));
    await this.fabrics.close();
  }
}
