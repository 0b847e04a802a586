/** One run: its baseline, its search, its confirmed best, and its journal. Made new, or taken up again from the journal. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId, Sha256 } from '../../shared/ids.ts';
import { type Basis, EvaluateData, ExecuteData, type Scoring } from '../../shared/payloads.ts';
import type { Program } from '../../shared/program.ts';
import type { Best, RunEvent, RunInfo, RunSummary, StopReason } from '../../shared/run.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { Journal } from '../evolution/journal.ts';
import type { Evaluator } from '../handlers/evaluators/evaluator.ts';
import type { CandidateCost } from '../llm/account.ts';
import type { Log } from '../telemetry/log.ts';
import { announce } from './announce.ts';
import { changesOf, unifiedDiff } from './changes.ts';
import type { Desk } from './desk.ts';
import type { RunRecords } from './run-records.ts';
import type { NewEvent, RunState } from './run-state.ts';
import { Search } from './search.ts';
import { evaluateTask, namedExecuteTask } from './tasks.ts';

export interface RunDeps {
  readonly folder: string;
  readonly desk: Desk;
  readonly records: RunRecords;
  readonly evaluator: Evaluator;
  mutateRequires(mutator: string): Promise<readonly CapTag[]>;
  /** Tokens that one attempt at a candidate can cost at worst. */
  readonly attemptCost: CandidateCost;
  readonly metric: string;
  readonly log: Log;
  readonly tell: (run: RunId, event: RunEvent) => void;
  /** Gives up the run's lock. */
  readonly release: () => Promise<void>;
}

export class Run {
  readonly state: RunState;
  /** Settles when the run has stopped; rejects when it failed or was interrupted. */
  readonly done: Promise<RunSummary>;
  private readonly deps: RunDeps;
  private readonly journal: Journal;
  private readonly programs = new Map<string, Program>();
  private readonly aborter = new AbortController();
  private search: Search | undefined;
  private asked: StopReason | undefined;

  private constructor(deps: RunDeps, state: RunState, journal: Journal, first: NewEvent) {
    this.deps = deps;
    this.state = state;
    this.journal = journal;
    this.done = this.main(first);
    // Whoever started the run may not be listening any more; failures are journalled and logged by `main`.
    this.done.catch(() => undefined);
  }

  static async start(deps: RunDeps, started: Extract<RunEvent, { type: 'started' }>): Promise<Run> {
    const journal = await Journal.create(deps.folder);
    await journal.append(started);
    const state = await deps.records.begin(started.run, started);
    const run = new Run(deps, state, journal, { type: 'resumed', from_index: 0 });
    deps.tell(started.run, started);
    return run;
  }

  static async resume(deps: RunDeps, state: RunState): Promise<Run> {
    const journal = await Journal.reopen(deps.folder);
    return new Run(deps, state, journal, { type: 'resumed', from_index: state.nextIndex });
  }

  get id(): RunId {
    return this.state.run;
  }

  info(): RunInfo {
    return this.state.info(true);
  }

  stop(): void {
    this.asked = 'user';
    this.search?.stop('user');
  }

  /** Ends at once; the run can be resumed. */
  interrupt(): void {
    this.aborter.abort(new PeagenError('cancelled', 'The run was interrupted.'));
    this.search?.abort();
  }

  async pause(paused: boolean): Promise<void> {
    if (this.state.paused === paused) return;
    await this.record({ type: paused ? 'paused' : 'unpaused' });
    this.search?.wake();
  }

  private async main(first: NewEvent): Promise<RunSummary> {
    try {
      if (first.type === 'resumed' && first.from_index > 0) await this.record(first);
      const original = await this.deps.records.readProgram(this.state.original.object);
      const basis = await this.baseline(original);
      const reason = this.asked ?? (await this.searchOn(original, basis));
      const best = await this.announce(basis);
      return await this.finish(reason, best);
    } catch (caught) {
      await this.fail(PeagenError.from(caught));
      throw caught;
    } finally {
      await this.journal.close();
      await this.deps.release();
    }
  }

  /** Judges the original once: it is the oracle, and the first elite. */
  private async baseline(original: Program): Promise<Basis> {
    const { spec, basis: known } = this.state;
    if (known !== undefined) return this.deps.records.readBasis(known);
    const empty: Basis = { evaluator: spec.evaluator, original, data: null };
    const requires = this.deps.evaluator.requires(original.language);
    const scoring = this.scoring(0);
    const payload = {
      mode: 'basis',
      program: original,
      basis: empty,
      deterministic: spec.deterministic,
      effort: 'quick',
      scoring,
    } as const;
    const execute = namedExecuteTask(this.state.scope, 'basis', payload, requires);
    const { basis, execution } = ExecuteData.parse(await this.runTask(execute));
    if (basis === undefined) throw new PeagenError('internal', 'The evaluator made no basis of the original.');
    const evaluate = evaluateTask(execute, { execution, program: original, scoring });
    const { metrics, features, fitness } = EvaluateData.parse(await this.runTask(evaluate));
    if (fitness === null)
      throw new PeagenError('original_fails', `The original fails on its own inputs: ${execution.outcome.detail}`);
    const object = await this.deps.records.objects.put(JSON.stringify(basis));
    await this.record({ type: 'baseline', metrics, features, fitness, basis: object });
    return basis;
  }

  private runTask(task: Task): Promise<unknown> {
    return this.deps.desk.run(task, this.aborter.signal);
  }

  private async searchOn(original: Program, basis: Basis): Promise<StopReason> {
    const { deps, state } = this;
    this.search = new Search({
      state,
      desk: deps.desk,
      selector: state.selector,
      log: deps.log,
      original,
      basis,
      scoring: (generation) => this.scoring(generation),
      mutateRequires: (mutator) => deps.mutateRequires(mutator),
      attemptCost: deps.attemptCost,
      executeRequires: ['cpu', ...deps.evaluator.requires(original.language)],
      record: (event) => this.record(event),
      putText: (text) => deps.records.objects.put(text),
      program: (sha256) => this.program(sha256),
    });
    return this.search.run();
  }

  private announce(basis: Basis): Promise<Best | null> {
    const { desk, evaluator, records } = this.deps;
    return announce({
      state: this.state,
      confirmer: { scope: this.state.scope, desk, evaluator, basis, signal: this.aborter.signal },
      record: (event) => this.record(event),
      program: (sha256) => this.program(sha256),
      putText: (text) => records.objects.put(text),
      scoring: (generation) => this.scoring(generation),
    });
  }

  private scoring(generation: number): Scoring {
    const { axes, objectives } = this.state.spec;
    return { axes, metric: this.deps.metric, ...(objectives === undefined ? {} : { objectives }), generation };
  }

  /** Saves the best variant with its diff, and the summary. */
  private async finish(reason: StopReason, best: Best | null): Promise<RunSummary> {
    let output: string | null = null;
    if (best !== null) {
      output = join(this.deps.folder, 'best');
      const changes = changesOf(await this.deps.records.readProgram(this.state.original.object), await this.program(best.sha256));
      for (const change of changes) {
        const path = join(output, ...change.path.split('/'));
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(path, change.after);
      }
      await writeFile(join(this.deps.folder, 'best.diff'), unifiedDiff(changes));
    }
    const summary = this.state.summary(Date.now(), reason, output);
    await writeFile(join(this.deps.folder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
    await this.record({ type: 'stopped', reason, summary });
    return summary;
  }

  /** An interruption leaves the journal open for a resume; anything else is the run's end, with its reason. */
  private async fail(error: PeagenError): Promise<void> {
    this.deps.log.error({ run: this.id, err: error }, 'run ended early');
    if (error.code === 'cancelled') return;
    await this.record({ type: 'stopped', reason: 'failed', detail: error.line }).catch((caught: unknown) => {
      this.deps.log.error({ run: this.id, err: caught }, 'could not record the failure');
    });
  }

  private async record(event: NewEvent): Promise<void> {
    const stamped: RunEvent = { ...event, at: new Date().toISOString() };
    await this.journal.append(stamped);
    this.state.apply(stamped);
    this.deps.tell(this.id, stamped);
  }

  private async program(sha256: Sha256): Promise<Program> {
    const cached = this.programs.get(sha256);
    if (cached !== undefined) return cached;
    const object = this.state.known.get(sha256)?.object ?? this.openObject(sha256);
    if (object === undefined) throw new PeagenError('internal', `The program ${sha256} is not part of run ${this.id}.`);
    const program = await this.deps.records.readProgram(object);
    this.programs.set(sha256, program);
    return program;
  }

  private openObject(sha256: Sha256): Sha256 | undefined {
    for (const open of this.state.open.values()) if (open.mutated?.sha256 === sha256) return open.mutated.object;
    return undefined;
  }
}
