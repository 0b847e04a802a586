/** The runs that an engine works on: begins, extends and resumes them, and finds the state of any run, live or on disk. */
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId } from '../../../shared/ids.ts';
import type { Extension, RunRequest, UnreadableRun } from '../../../shared/protocol/runs.ts';
import type { RunInfo, RunSummary, StopReason } from '../../../shared/run.ts';
import type { Control, RunSpec } from '../../../shared/run-spec.ts';
import type { CapTag } from '../../../shared/task.ts';
import { programSha } from '../../evolution/hash.ts';
import { normalHash } from '../../evolution/syntax/normal.ts';
import { shownTier } from '../../executors/open.ts';
import type { EngineOptions, RunListener } from '../engine.ts';
import { runIdFor } from '../records/run-files.ts';
import type { RunRecords } from '../records/run-records.ts';
import { loadEvaluator } from '../target/pool.ts';
import type { Resolved } from '../target/resolve.ts';
import { extensionOf, foundersOf } from '../target/reuse.ts';
import { asksModels, attemptCost } from '../target/worst-case.ts';
import type { TaskClient } from '../task-client.ts';
import { Run, type RunDeps } from './run.ts';
import type { RunState } from './state/run-state.ts';
import { infoOf } from './state/run-view.ts';
import type { EventOf } from './state/slots.ts';

export class LiveRuns {
  readonly running = new Map<RunId, Run>();
  readonly listeners = new Set<RunListener>();
  private readonly options: Omit<EngineOptions, 'workspace'>;
  private readonly records: RunRecords;
  private readonly taskClient: (options: { offline: boolean }) => Promise<TaskClient>;

  constructor(options: Omit<EngineOptions, 'workspace'>, records: RunRecords, taskClient: LiveRuns['taskClient']) {
    this.options = options;
    this.records = records;
    this.taskClient = taskClient;
  }

  async begin(resolved: Resolved, requestId: string, seeds: NonNullable<RunRequest['seeds']> = []): Promise<RunInfo> {
    const { spec, program, entry } = resolved;
    const run = runIdFor(requestId, Date.now());
    const founders = await foundersOf(seeds, program, this.records);
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
    return this.follow(await Run.start(deps, started, founders), deps);
  }

  async control(run: RunId, strategy: Control, requestId: string): Promise<RunInfo> {
    const { stopped, spec, original, entry } = await this.stateOf(run);
    if (stopped?.summary === undefined) {
      throw new PeagenError('conflict', `Run ${run} is not over, so its budget is not known.`, {
        hint: 'Wait for it, or stop it.',
      });
    }
    const program = await this.records.readProgram(original.object);
    const controlled = controlSpec(spec, strategy, stopped.summary);
    return this.begin({ spec: controlled, program, entry, ...(await this.judging(spec)) }, requestId);
  }

  async extend({ run, ...how }: Extension): Promise<RunInfo> {
    if (this.running.has(run)) throw new PeagenError('conflict', `Run ${run} is in progress.`);
    const state = await this.records.load(run);
    const event = { ...extensionOf(state, how), at: new Date().toISOString() };
    const program = await this.records.readProgram(state.original.object);
    const spec = { ...state.spec, stop: event.stop };
    const deps = await this.dependencies(run, { spec, program, ...(await this.judging(spec)) });
    return this.follow(await Run.extend(deps, event, run), deps);
  }

  async resume(run: RunId): Promise<RunInfo> {
    if (this.running.has(run)) throw new PeagenError('conflict', `Run ${run} is in progress.`);
    const { spec, stopped, original } = await this.records.load(run);
    if (stopped !== undefined) {
      const extend = `Extend it with "peagen evolve run --extend ${run}", or start a new one.`;
      const hint = stopped.reason === 'failed' ? 'Start a new one.' : extend;
      throw new PeagenError('conflict', `Run ${run} is over (${stopped.reason}).`, { hint });
    }
    const program = await this.records.readProgram(original.object);
    const deps = await this.dependencies(run, { spec, program, ...(await this.judging(spec)) });
    // Read again behind the lock: what another process wrote before it ended counts.
    const taken = await this.records.take(run);
    const { config, registry } = this.options;
    const { warning } = await shownTier(config, registry, !(await asksModels(spec, config, registry)));
    const warnings = [...taken.warnings, ...(warning === undefined ? [] : [warning])];
    const info = this.follow(await Run.resume(deps, taken), deps);
    return warnings.length === 0 ? info : { ...info, warning: warnings.join(' ') };
  }

  /** How a run that is on disk is judged. */
  private async judging({ evaluator: { name }, metric }: RunSpec): Promise<Pick<Resolved, 'evaluator' | 'metric'>> {
    const { config, registry } = this.options;
    const evaluator = await loadEvaluator(name, config, registry);
    return { evaluator, metric: metric ?? config.evaluate.metric ?? evaluator.metric };
  }

  private follow(run: Run, { taskClient }: RunDeps): RunInfo {
    this.running.set(run.id, run);
    taskClient.held = (problem) => {
      run.state.held = problem === undefined ? undefined : `The run waits until results can be stored again. ${problem}`;
    };
    run.done
      .catch(() => undefined)
      .finally(() => {
        this.running.delete(run.id);
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
    if (models) this.prepareToAsk(resolved.spec);
    // Not before it is known to begin: a folder without a journal is not a run.
    await this.records.files.create(run);
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
        config,
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

  /** Loads what asks models while the original is judged. What cannot be loaded fails the first question. */
  private prepareToAsk({ backend }: RunSpec): void {
    const { config, registry } = this.options;
    const loading: Promise<unknown>[] = [registry.load('handler', 'mutate')];
    for (const { name, preset = 'compatible' } of config.llm.backends)
      if (backend === undefined || backend === name) loading.push(registry.load('backend', preset));
    void Promise.allSettled(loading);
  }

  async mutateRequires(mutator: string): Promise<readonly CapTag[]> {
    const { config, registry } = this.options;
    return (await registry.load('mutator', mutator))(config).requires;
  }

  async finished(run: RunId): Promise<RunSummary> {
    const live = this.running.get(run);
    if (live !== undefined) return live.done;
    const { stopped } = await this.records.load(run);
    if (stopped?.summary !== undefined) return stopped.summary;
    throw new PeagenError('conflict', stopped?.detail ?? `Run ${run} was interrupted.`, { hint: 'Resume it with --resume.' });
  }

  async list(): Promise<RunInfo[]> {
    return (await this.listed()).runs;
  }

  /** Every run, and what is there under the name of a run and cannot be read. */
  async listed(): Promise<{ runs: RunInfo[]; unreadable: UnreadableRun[] }> {
    const runs: RunInfo[] = [];
    const unreadable: UnreadableRun[] = [];
    for (const run of await this.records.files.list()) {
      try {
        runs.push(this.running.get(run)?.info() ?? (await this.infoOnDisk(run)));
      } catch (caught) {
        if (await this.records.files.isEmpty(run)) continue;
        this.options.log.warn({ run, err: caught }, 'a run cannot be read');
        unreadable.push({ run, reason: PeagenError.from(caught).line });
      }
    }
    return { runs, unreadable };
  }

  /** A run that this engine does not work on; another process may, or another engine of this one. */
  private async infoOnDisk(run: RunId): Promise<RunInfo> {
    const owner = this.records.files.owner(run);
    const info = infoOf(await this.records.load(run), owner !== undefined);
    const elsewhere = owner !== undefined && owner !== process.pid && info.state !== 'finished';
    return elsewhere ? { ...info, elsewhere } : info;
  }

  require(run: RunId): Run {
    const live = this.running.get(run);
    if (live === undefined)
      throw new PeagenError('not_found', `Run ${run} is not in progress here.`, {
        hint: 'It has ended, or another process works on it; see the list of runs.',
      });
    return live;
  }

  async stateOf(run: RunId): Promise<RunState> {
    return this.running.get(run)?.state ?? (await this.records.load(run));
  }
}

/** Ends that were a limit. At any other the search has left some of what it might have spent. */
const LIMITS: readonly StopReason[] = ['max_generations', 'budget_tokens', 'budget_usd', 'run_timeout'];

/**
 * The control of a run: the same mutators within the same limits, with a simpler choice of parents. What a search brings is
 * what it has over this. It may spend what the search might; of a search that ended before, as many candidates as that has
 * judged. What the search has spent in tokens is no limit: a question is paid for in advance as if it went as badly as can
 * be, so that little could be asked of that, and nothing at all after a short search.
 */
export function controlSpec(
  spec: RunSpec,
  strategy: Control,
  { evaluated, stopped }: Pick<RunSummary, 'evaluated' | 'stopped'>,
): RunSpec {
  const { islands: _, near_duplicate: __, reflect: ___, plateau: ____, ...same } = spec;
  const used = Math.max(1, Math.ceil(evaluated / spec.population));
  const max_generations = LIMITS.includes(stopped) ? spec.stop.max_generations : used;
  // Nothing is given up early: the budget is what counts.
  return { ...same, strategy, stop: { ...spec.stop, max_generations, no_improve: max_generations } };
}
