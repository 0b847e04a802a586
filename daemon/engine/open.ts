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
import type { CallOutputs, Extension, RunPlan, RunRequest, ShownPrompt, SpendPlan } from '../../shared/protocol/runs.ts';
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
import type { RunSpec } from '../../shared/run-spec.ts';
import type { CapTag } from '../../shared/task.ts';
import { programSha } from '../evolution/hash.ts';
import { normalHash } from '../evolution/syntax/normal.ts';
import { shownTier } from '../executors/open.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import type { Engine, RunListener } from './engine.ts';
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
import { runIdFor } from './records/run-files.ts';
import { RunRecords } from './records/run-records.ts';
import { type RenderAnswer, type RenderDecisions, type RenderRequest, renderProjects } from './render/render.ts';
import { controlSpec } from './run/control.ts';
import { Run, type RunDeps } from './run/run.ts';
import type { RunState } from './run/run-state.ts';
import { infoOf } from './run/run-view.ts';
import type { EventOf } from './run/slots.ts';
import { Derivations } from './target/derive.ts';
import { type DeriveInputsDeps, deriveInputs } from './target/derive-inputs.ts';
import { findTarget } from './target/find-target.ts';
import { planResume, planRun } from './target/plan.ts';
import { loadEvaluator } from './target/pool.ts';
import { type Resolved, resolveRequest } from './target/resolve.ts';
import { extensionOf, foundersOf } from './target/reuse.ts';
import { waysFor } from './target/ways.ts';
import { asksModels, attemptCost } from './target/worst-case.ts';
import type { TaskClient } from './task-client.ts';

export interface EngineOptions {
  readonly config: Config;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
  readonly log: Log;
  readonly registry: Registry;
  /** Names the code that made a run, in its journal. */
  readonly build: string;
}

export function openEngine(options: EngineOptions): Engine {
  return new WorkspaceEngine(options);
}

class WorkspaceEngine implements Engine {
  private options: EngineOptions;
  private readonly records: RunRecords;
  private readonly live = new Map<RunId, Run>();
  private readonly requests = new Map<string, Promise<RunInfo>>();
  private readonly listeners = new Set<RunListener>();
  private readonly derivations = new Derivations(() => this.taskClient({ offline: true }));
  private readonly fabrics: Fabrics;
  /** Requests under way that are no run. */
  private readonly requested = new Set<Promise<unknown>>();

  constructor(options: EngineOptions) {
    this.options = options;
    const { config, registry, log, workspace } = options;
    this.fabrics = new Fabrics(options);
    this.records = new RunRecords(workspace, log, (spec) => selectorOf(spec, config, registry));
  }

  async plan(request: RunRequest): Promise<RunPlan> {
    await this.records.files.requireWritable();
    return planRun(request, this.options.config, this.options.registry, this.derivations);
  }

  async planResume(request: Extension | { run: RunId }): Promise<SpendPlan> {
    const state = await this.stateOf(request.run);
    const stop = 'generations' in request ? extensionOf(state, request).stop : state.spec.stop;
    return planResume(state, { ...state.spec, stop }, this.records, this.options);
  }

  async planMutate(request: MutateRequest): Promise<SpendPlan> {
    return planMutation(request, this.options.config, this.options.registry);
  }

  async showPrompt(of: { run: RunId } | { request: RunRequest }): Promise<ShownPrompt> {
    const { promptOfRun, promptOfTarget } = await import('./mutate/show-prompt.ts');
    if ('run' in of) return promptOfRun(await this.stateOf(of.run), this.records, this.options);
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
      const state = this.live.get(run)?.state ?? (await this.records.load(run).catch(() => undefined));
      if (state?.requestId === requestId) return infoOf(state, this.live.has(run));
    }
    await this.records.files.requireWritable();
    const resolved = await resolveRequest(request, this.options.config, this.options.registry, this.derivations);
    return this.begin(resolved, requestId, request.seeds);
  }

  private async begin(resolved: Resolved, requestId: string, seeds: NonNullable<RunRequest['seeds']> = []): Promise<RunInfo> {
    const { spec, program, entry } = resolved;
    const run = runIdFor(requestId, Date.now());
    const founders = await foundersOf(seeds, program, this.records);
    await this.records.files.create(run);
    const deps = await this.dependencies(run, resolved);
    const started: EventOf<'started'> = {
      type: 'started',
      at: new Date().toISOString(),
      run,
      request_id: requestId,
      spec,
      original: programSha(program),
      normal: await normalHash(program),
      object: await this.records.objects.put(JSON.stringify(program)),
      ...(entry === undefined ? {} : { entry }),
      build: this.options.build,
    };
    return this.follow(await Run.start(deps, started, founders));
  }

  async control(run: RunId, requestId: string): Promise<RunInfo> {
    const { stopped, spec, original, entry } = await this.stateOf(run);
    if (stopped?.summary === undefined) {
      throw new PeagenError('conflict', `Run ${run} is not over, so its budget is not known.`, {
        hint: 'Wait for it, or stop it.',
      });
    }
    const program = await this.records.readProgram(original.object);
    return this.begin({ spec: controlSpec(spec, stopped.summary), program, entry, ...(await this.judging(spec)) }, requestId);
  }

  async extend({ run, ...how }: Extension): Promise<RunInfo> {
    if (this.live.has(run)) throw new PeagenError('conflict', `Run ${run} is in progress.`);
    const state = await this.records.load(run);
    const event = { ...extensionOf(state, how), at: new Date().toISOString() };
    const program = await this.records.readProgram(state.original.object);
    const spec = { ...state.spec, stop: event.stop };
    const deps = await this.dependencies(run, { spec, program, ...(await this.judging(spec)) });
    return this.follow(await Run.extend(deps, event, run));
  }

  async resume(run: RunId): Promise<RunInfo> {
    if (this.live.has(run)) throw new PeagenError('conflict', `Run ${run} is in progress.`);
    const { spec, stopped, original } = await this.records.load(run);
    if (stopped !== undefined)
      throw new PeagenError('conflict', `Run ${run} is over (${stopped.reason}).`, { hint: 'Start a new one.' });
    const program = await this.records.readProgram(original.object);
    const deps = await this.dependencies(run, { spec, program, ...(await this.judging(spec)) });
    // Read again behind the lock: what another process wrote before it ended counts.
    const state = await this.records.load(run);
    const { config, registry } = this.options;
    const { warning } = await shownTier(config, registry, !(await asksModels(spec, config, registry)));
    return { ...this.follow(await Run.resume(deps, state)), ...(warning === undefined ? {} : { warning }) };
  }

  /** How a run that is on disk is judged. */
  private async judging({ evaluator: { name }, metric }: RunSpec): Promise<Pick<Resolved, 'evaluator' | 'metric'>> {
    const { config, registry } = this.options;
    const evaluator = await loadEvaluator(name, config, registry);
    return { evaluator, metric: metric ?? config.evaluate.metric ?? evaluator.metric };
  }

  private follow(run: Run): RunInfo {
    this.live.set(run.id, run);
    run.done
      .catch(() => undefined)
      .finally(() => {
        this.live.delete(run.id);
        this.records.keep(run.state);
      });
    return run.info();
  }

  private async dependencies(
    run: RunId,
    resolved: Pick<Resolved, 'spec' | 'program' | 'evaluator' | 'metric'>,
  ): Promise<RunDeps> {
    const { config, registry, log } = this.options;
    const { evaluator, metric } = resolved;
    const models = await asksModels(resolved.spec, config, registry);
    await shownTier(config, registry, !models);
    const release = await this.records.files.lock(run);
    try {
      return {
        folder: this.records.files.folder(run),
        taskClient: await this.taskClient({ offline: !models }),
        records: this.records,
        evaluator,
        mutateRequires: (mutator) => this.mutateRequires(mutator),
        attemptCost: await attemptCost(resolved, config, registry),
        // What a run may spend is agreed on: one that asks no model does not begin to.
        crossover: models ? 'crossover' : 'crossover-tree',
        metric,
        log: log.child({ run }),
        tell: (id, event) => {
          for (const listener of this.listeners) listener(id, event);
        },
        release,
      };
    } catch (caught) {
      release();
      throw caught;
    }
  }

  private async mutateRequires(mutator: string): Promise<readonly CapTag[]> {
    const { config, registry } = this.options;
    return (await registry.load('mutator', mutator))(config).requires;
  }

  private taskClient(options?: { offline: boolean }): Promise<TaskClient> {
    return this.fabrics.taskClient(this.options.config.task_queue, options);
  }

  async stop(run: RunId): Promise<RunInfo> {
    const live = this.requireLive(run);
    live.stop();
    await live.done.catch(() => undefined);
    return infoOf(live.state, false);
  }

  async pause(run: RunId): Promise<RunInfo> {
    const live = this.requireLive(run);
    await live.pause(true);
    return live.info();
  }

  async unpause(run: RunId): Promise<RunInfo> {
    const live = this.requireLive(run);
    await live.pause(false);
    return live.info();
  }

  async finished(run: RunId): Promise<RunSummary> {
    const live = this.live.get(run);
    if (live !== undefined) return live.done;
    const { stopped } = await this.records.load(run);
    if (stopped?.summary !== undefined) return stopped.summary;
    throw new PeagenError('conflict', stopped?.detail ?? `Run ${run} was interrupted.`, { hint: 'Resume it with --resume.' });
  }

  info(run: RunId): RunInfo {
    return this.requireLive(run).info();
  }

  async runs(): Promise<RunInfo[]> {
    const infos: RunInfo[] = [];
    for (const run of await this.records.files.list()) {
      try {
        infos.push(this.live.get(run)?.info() ?? (await this.infoOnDisk(run)));
      } catch (caught) {
        this.options.log.warn({ run, err: caught }, 'a run cannot be read');
      }
    }
    return infos;
  }

  async delete(run: RunId): Promise<void> {
    if (this.live.has(run)) {
      throw new PeagenError('conflict', `Run ${run} is in progress.`, { hint: 'Stop it first.' });
    }
    await this.records.delete(run);
  }

  /** A run that this engine does not work on; another process may, or another engine of this one. */
  private async infoOnDisk(run: RunId): Promise<RunInfo> {
    const owner = this.records.files.owner(run);
    const info = infoOf(await this.records.load(run), owner !== undefined);
    const elsewhere = owner !== undefined && owner !== process.pid && info.state !== 'finished';
    return elsewhere ? { ...info, elsewhere } : info;
  }

  async elites(run: RunId): Promise<Elite[]> {
    return (await this.stateOf(run)).population.elites();
  }

  async front(run: RunId): Promise<Elite[]> {
    return (await this.stateOf(run)).population.paretoFront();
  }

  async submit(run: RunId, text: string, parent: Sha256 | undefined): Promise<{ sha256: Sha256 }> {
    await shownTier(this.options.config, this.options.registry, false);
    return { sha256: await this.requireLive(run).submit(text, parent) };
  }

  steer(run: RunId, parent: Sha256, mate?: Sha256): Promise<void> {
    return this.requireLive(run).steer(parent, mate);
  }

  pin(run: RunId, sha256: Sha256, pinned: boolean): Promise<void> {
    return this.requireLive(run).pin(sha256, pinned);
  }

  discard(run: RunId, sha256: Sha256): Promise<void> {
    return this.requireLive(run).discard(sha256);
  }

  async elite(run: RunId, sha256: Sha256): Promise<EliteDetail> {
    return this.records.eliteDetail(await this.stateOf(run), sha256);
  }

  async outputs(run: RunId): Promise<CallOutputs> {
    const { basis, spec } = await this.stateOf(run);
    const none = { calls: [], heldout: [] };
    if (basis === undefined) return none;
    const evaluator = await loadEvaluator(spec.evaluator.name, this.options.config, this.options.registry);
    return evaluator.outputs?.(await this.records.readBasis(basis)) ?? none;
  }

  async history(run: RunId): Promise<readonly HistoryPoint[]> {
    return (await this.stateOf(run)).history.points;
  }

  async ancestors(run: RunId, sha256: Sha256): Promise<Ancestor[]> {
    return ancestorsOf(await this.stateOf(run), sha256);
  }

  async replay(run: RunId, generation?: number): Promise<ReplayReport> {
    const { config, registry } = this.options;
    const mutateRequires = (mutator: string) => this.mutateRequires(mutator);
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
    const { population, spec } = await this.stateOf(run);
    const { pricesOf } = await import('../llm/prices.ts');
    const prices = { ...pricesOf(this.options.config), ...spec.prices };
    return reportRun(run, await this.records.events(run), { population, prices });
  }

  async exportArchive(runs: readonly RunId[], format: 'csv' | 'json'): Promise<string> {
    const states = await Promise.all(runs.map((run) => this.stateOf(run)));
    const exported = states.map(({ run, archive, population }) => ({ run, archive, front: population.paretoFront() }));
    return exportArchive(exported, format);
  }

  async exportToGit(run: RunId, preview: boolean): Promise<GitExport> {
    const state = await this.stateOf(run);
    const { root } = state.spec.target;
    const steps = await lineageOf(state, this.records);
    const branch = `peagen/${run}`;
    if (!preview) return { root, ...(await exportToGit(root, branch, steps)) };
    return {
      root,
      branch,
      base: null,
      commits: steps.map(({ sha256, origin }) => ({ commit: null, sha256, summary: origin.summary })),
    };
  }

  findTarget(request: z.output<typeof FindTarget.params>): Promise<FoundTarget> {
    return findTarget(request, this.options.config);
  }

  async waysToJudge(request: DetectJudgingRequest): Promise<FoundWays> {
    return waysFor(request, this.options.config, this.options.registry);
  }

  // What asks models is loaded when it is first needed.
  async planProposal(request: ProposeInputsRequest): Promise<Omit<RunPlan['worst_case'], 'candidates' | 'judging_s'>> {
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
    return { config, registry, taskClient: await this.taskClient(), derivations: this.derivations };
  }

  async judge(request: JudgeRequest, signal: AbortSignal): Promise<Verdict> {
    const { warning } = await shownTier(this.options.config, this.options.registry, false);
    const verdict = await this.during(async () => judgeChange(request, await this.makingCalls(), signal));
    return { ...verdict, ...(warning === undefined ? {} : { warning }) };
  }

  async mutate(request: MutateRequest): Promise<MutateAnswer> {
    return this.during(async () => mutateOnce(request, this.options.config, this.options.registry, await this.taskClient()));
  }

  async render(request: RenderRequest, choices: RenderDecisions, signal: AbortSignal): Promise<RenderAnswer> {
    return this.during(async () =>
      renderProjects(request, choices, { ...this.options, taskClient: await this.taskClient() }, signal),
    );
  }

  subscribe(listener: RunListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  running(): RunId[] {
    return [...this.live.keys()];
  }

  working(): boolean {
    return this.requested.size > 0 || this.live.size > 0;
  }

  trouble(): string | undefined {
    return this.fabrics.trouble ?? [...this.live.values()].find(({ notice }) => notice !== undefined)?.notice;
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
      await Promise.allSettled([...this.live.values()].map((run) => run.done));
    });
  }

  async close(): Promise<void> {
    const runs = [...this.live.values()];
    for (const run of runs) run.interrupt();
    await Promise.all(runs.map((run) => run.done.catch(() => undefined)));
    await this.fabrics.close();
  }

  private requireLive(run: RunId): Run {
    const live = this.live.get(run);
    if (live === undefined)
      throw new PeagenError('not_found', `Run ${run} is not in progress here.`, {
        hint: 'It has ended, or another process works on it; see the list of runs.',
      });
    return live;
  }

  private async stateOf(run: RunId): Promise<RunState> {
    return this.live.get(run)?.state ?? (await this.records.load(run));
  }
}
