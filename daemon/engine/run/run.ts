/** One run: its baseline, its search, its confirmed best, and its journal. Made new, or taken up again from the journal. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId, Sha256 } from '../../../shared/ids.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best, RunEvent, RunInfo, RunSummary, StopReason } from '../../../shared/run.ts';
import type { CapTag } from '../../../shared/task.ts';
import { Journal } from '../../evolution/journal.ts';
import type { Evaluator } from '../../judging/evaluator.ts';
import type { CandidateCost } from '../../llm/cost/account.ts';
import type { Log } from '../../telemetry/log.ts';
import { announce } from '../ending/announce.ts';
import { HeldOut, type Withdrawing } from '../ending/confirm.ts';
import { AnnounceDeadline, announceBudget, type TimerClock } from '../ending/deadline.ts';
import { saveBest } from '../ending/save-best.ts';
import { leavesRunOpen } from '../faults.ts';
import { MinHashes } from '../mutate/min-hashes.ts';
import { DiskRoom } from '../records/disk-room.ts';
import type { Folded, RunRecords } from '../records/run-records.ts';
import { rebasedEvent } from '../target/rebase.ts';
import { requireNew, submissionOf } from '../target/submission.ts';
import { TargetWatch } from '../target/target-watch.ts';
import type { TaskClient } from '../task-client.ts';
import { checkOf, type Scope } from '../tasks.ts';
import { type Failing, heldOutFault, isFailing, noBasis, originalFails, type Prepared, prepare } from './baseline.ts';
import { Edits } from './edits.ts';
import { Scorer } from './scorer.ts';
import { Search } from './search.ts';
import type { RunState } from './state/run-state.ts';
import { infoOf, progressOf, summaryOf } from './state/run-view.ts';
import type { EventOf, NewEvent } from './state/slots.ts';

export interface RunDeps {
  readonly folder: string;
  readonly taskClient: TaskClient;
  readonly records: RunRecords;
  readonly evaluator: Evaluator;
  mutateRequires(mutator: string): Promise<readonly CapTag[]>;
  /** Tokens that one attempt at a candidate can cost at worst. */
  readonly attemptCost: CandidateCost;
  readonly metric: string;
  /** The mutator that a user's wish for a crossover is given to. */
  readonly crossover: string;
  readonly log: Log;
  readonly config: Config;
  readonly tell: (run: RunId, event: RunEvent) => void;
  /** The clock of the announcement; the process's own unless given. */
  readonly clock?: Partial<TimerClock>;
  /** Gives up the run's lock. */
  readonly release: () => void;
}

export class Run {
  readonly state: RunState;
  /** Settles when the run has stopped; rejects when it failed or was interrupted. */
  readonly done: Promise<RunSummary>;
  private readonly deps: RunDeps;
  private readonly journal: Journal;
  private readonly programs = new Map<string, Program>();
  private readonly aborter = new AbortController();
  private readonly room: DiskRoom;
  private readonly put = (text: string): Promise<Sha256> => this.room.wait(() => this.deps.records.objects.put(text));
  private readonly program = async (sha256: Sha256): Promise<Program> => {
    const cached = this.programs.get(sha256);
    if (cached !== undefined) return cached;
    const object = this.state.objectOf(sha256);
    if (object === undefined) throw new PeagenError('internal', `The program ${sha256} is not part of run ${this.id}.`);
    const program = await this.deps.records.readProgram(object);
    this.programs.set(sha256, program);
    return program;
  };
  private readonly sketches: MinHashes;
  private readonly scorer: Scorer;
  private readonly deadline: AnnounceDeadline;
  private search: Search | undefined;
  private asked: StopReason | undefined;
  private readonly edits: Edits;
  /** Programs on their way into the journal, by the hash of their syntax trees. */
  private readonly entering = new Map<Sha256, Sha256>();

  private constructor(deps: RunDeps, state: RunState, journal: Journal, first: NewEvent) {
    this.deps = deps;
    this.state = state;
    this.journal = journal;
    this.room = new DiskRoom(deps.folder, this.aborter.signal);
    this.deadline = new AnnounceDeadline(deps.clock);
    this.sketches = new MinHashes(this.program);
    this.scorer = new Scorer(state.spec, deps.metric, this.sketches);
    this.edits = new Edits({
      target: state.spec.target,
      original: () => state.original.sha256,
      isSearching: () => this.search !== undefined,
      prepare: (program) => this.prepare(program, state.nextScope),
      ready: () => this.search?.rebase(),
      signal: this.aborter.signal,
      log: deps.log,
    });
    this.done = this.main(first);
    this.done.catch(() => undefined); // `main` records failures, whether anybody listens or not.
  }

  /** `founders`: programs that enter next to the original. */
  static async start(deps: RunDeps, started: EventOf<'started'>, founders: readonly EventOf<'submitted'>[] = []): Promise<Run> {
    const journal = await Journal.create(deps.folder);
    const state = await deps.records.begin(started.run, started);
    await journal.append(started);
    for (const founder of founders) {
      await journal.append(founder);
      state.apply(founder);
    }
    const run = new Run(deps, state, journal, { type: 'resumed', from_index: 0 });
    deps.tell(started.run, started);
    return run;
  }

  static async resume(deps: RunDeps, { state, mark }: Pick<Folded, 'state' | 'mark'>): Promise<Run> {
    const journal = await Journal.reopen(deps.folder, mark);
    return new Run(deps, state, journal, { type: 'resumed', from_index: state.nextIndex });
  }

  /** Takes up a run that is over. */
  static async extend(deps: RunDeps, event: EventOf<'extended'>, run: RunId): Promise<Run> {
    const journal = await Journal.reopen(deps.folder);
    await journal.append(event);
    deps.records.forget(run);
    const state = await deps.records.fresh(run);
    const extended = new Run(deps, state, journal, { type: 'resumed', from_index: state.nextIndex });
    deps.tell(run, event);
    return extended;
  }

  get id(): RunId {
    return this.state.run;
  }

  get notice(): string | undefined {
    return this.room.notice ?? this.state.held ?? this.edits.notice;
  }

  info(): RunInfo {
    return infoOf(this.state, true);
  }

  stop(): void {
    this.asked = 'user';
    this.deadline.stop();
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

  /** Enters a user's own text of the target; its events tell what becomes of it. */
  async submit(text: string, parent: Sha256 | undefined): Promise<Sha256> {
    this.requireSearch();
    if (parent !== undefined) this.requireKnown(parent);
    const from = parent ?? this.state.original.sha256;
    const submission = await submissionOf(await this.original(), text, { sha256: from, program: await this.program(from) });
    const { program, sha256, normal, origin } = submission;
    const object = await this.put(JSON.stringify(program));
    requireNew(submission, this.state, this.entering);
    const search = this.requireSearch();
    this.entering.set(normal, sha256);
    await this.record({ type: 'submitted', sha256, normal, object, origin, generation: this.state.generations.done });
    search.submit(sha256);
    return sha256;
  }

  /** The next slots make children of this elite: with `mate`, one slot crosses the two. */
  async steer(parent: Sha256, mate?: Sha256): Promise<void> {
    this.requireSearch();
    for (const sha256 of mate === undefined ? [parent] : [parent, mate]) this.requireKnown(sha256);
    const how =
      mate === undefined
        ? { inspirations: [], slots: this.state.spec.population }
        : { inspirations: [mate], slots: 1, mutator: this.deps.crossover };
    await this.record({ type: 'steered', parent, ...how });
  }

  async pin(sha256: Sha256, pinned: boolean): Promise<void> {
    this.requireSearch();
    this.requireKnown(sha256);
    if (this.state.population.isPinned(sha256) !== pinned) await this.record({ type: 'pinned', sha256, pinned });
  }

  async discard(sha256: Sha256): Promise<void> {
    this.requireSearch();
    this.requireKnown(sha256);
    if (sha256 === this.state.original.sha256) {
      throw new PeagenError('invalid_input', 'The original cannot be discarded: everything is compared with it.');
    }
    await this.record({ type: 'discarded', sha256 });
  }

  /** Returns a program of the archive, or a former champion. */
  private requireKnown(sha256: Sha256): void {
    if (this.state.archive.find(sha256) !== undefined) return;
    throw new PeagenError('not_found', `Run ${this.id} keeps no candidate ${sha256.slice(0, 12)}.`, {
      hint: 'It may have been discarded.',
    });
  }

  private requireSearch(): Search {
    if (this.search !== undefined) return this.search;
    throw new PeagenError('conflict', `Run ${this.id} is not searching: it judges its original, or its best.`, {
      hint: 'The run is ending and takes no more changes. Judge the change on its own with "peagen judge".',
    });
  }

  private async main(first: NewEvent): Promise<RunSummary> {
    try {
      if (first.type === 'resumed' && first.from_index > 0) await this.record(first);
      const { basis, reason } = await this.searchThrough();
      const best = await this.announce(basis);
      return await this.finish(reason, best);
    } catch (caught) {
      await this.fail(PeagenError.from(caught));
      throw caught;
    } finally {
      await this.journal.close();
      await this.deps.records.left(this.id, this.journal.size);
      this.deps.release();
    }
  }

  private original(): Promise<Program> {
    return this.deps.records.readProgram(this.state.original.object);
  }

  /** Searches until a stop condition holds, over whatever originals the user makes of the file meanwhile. */
  private async searchThrough(): Promise<{ basis: Basis; reason: StopReason }> {
    for (;;) {
      const original = await this.original();
      const basis = await this.baseline(original);
      // Inputs on which the original fails would say nothing about the best, and are reported before the search.
      if (this.state.failing === undefined) await new HeldOut(this.state.spec.heldout).prepare(this.confirmer(basis));
      if (this.asked !== undefined) return { basis, reason: this.asked };
      const watch = new TargetWatch(this.state.spec.target, this.knownText(original), (text) => this.edited(text));
      const reason = await this.searchOn(original, basis).finally(() => {
        this.search = undefined;
        return watch.close();
      });
      if (reason === 'rebased') await this.rebase(original);
      else if (reason === 'repaired') await this.compareWithRepaired();
      else return { basis, reason };
    }
  }

  /** What is on disk, as far as that is known: a run may have begun with an unsaved text. */
  private knownText(original: Program): string | undefined {
    const { spec, rebased } = this.state;
    return spec.target.text === undefined || rebased ? original.files[0]?.text : undefined;
  }

  /** The target has another text. */
  edited(text: string): Promise<void> {
    return this.edits.hear(text);
  }

  /** From here on, everything is compared with the edited target. */
  private async rebase(old: Program): Promise<void> {
    const { state, edits } = this;
    const next = edits.take();
    const { program, deps } = this;
    await this.record(await rebasedEvent(old, next.program, state, { program, objects: deps.records.objects }));
    await this.compareWith(next);
  }

  /** Judges the original once: it is the oracle and the first elite or, while it fails by itself, what is fixed. */
  private async baseline(original: Program): Promise<Basis> {
    const { basis, scope, failing, spec } = this.state;
    if (basis !== undefined) return this.deps.records.readBasis(basis);
    if (failing !== undefined) return noBasis(spec, original);
    const prepared = await this.prepare(original, scope);
    if (!isFailing(prepared)) return this.compareWith(prepared);
    if (spec.fix !== true) throw originalFails(prepared);
    await this.record({ type: 'failing', ...prepared });
    return noBasis(spec, original);
  }

  /** The original, or the program of this run that stands in for it. */
  private async compareWith({ basis, baseline }: Prepared, program?: Sha256): Promise<Basis> {
    const stored = await this.put(JSON.stringify(basis));
    await this.record({ type: 'baseline', ...baseline, basis: stored, ...(program === undefined ? {} : { program }) });
    return basis;
  }

  /** A candidate does not fail where the original does. Judged once more, it is what the others are compared with. */
  private async compareWithRepaired(): Promise<void> {
    const { archive, nextScope, spec } = this.state;
    const sha256 = archive.best()?.sha256;
    if (sha256 === undefined) throw new PeagenError('internal', 'Nothing is fixed.');
    const prepared = await this.prepare(await this.program(sha256), nextScope);
    let outcome = isFailing(prepared) ? prepared.outcome : undefined;
    if (!isFailing(prepared)) {
      const scope = { ...nextScope, key: `${nextScope.key}/${sha256}` };
      outcome = await heldOutFault({ ...this.confirmer(prepared.basis), scope }, spec.heldout);
      if (outcome === undefined) await this.compareWith(prepared, sha256);
    }
    if (outcome !== undefined) await this.record({ type: 'failing', outcome, program: sha256 });
  }

  private prepare(program: Program, scope: Scope): Promise<Prepared | Failing> {
    const requires = this.deps.evaluator.requires(program.language);
    return prepare(program, scope, {
      spec: this.state.spec,
      scorer: this.scorer,
      requires,
      runTask: (task) => this.deps.taskClient.own.run(task, this.aborter.signal),
      putText: this.put,
    });
  }

  private async searchOn(original: Program, basis: Basis): Promise<StopReason | 'rebased' | 'repaired'> {
    const { deps, state, scorer, sketches } = this;
    this.search = new Search({
      state,
      taskClient: deps.taskClient,
      log: deps.log,
      config: deps.config,
      original,
      basis,
      scorer,
      sketches,
      mutateRequires: (mutator) => deps.mutateRequires(mutator),
      attemptCost: deps.attemptCost,
      executeRequires: ['cpu', ...deps.evaluator.requires(original.language)],
      entering: this.entering,
      record: (event) => this.record(event),
      putText: this.put,
      program: this.program,
      hold: (sha256, program) => void this.programs.set(sha256, program),
      readText: (sha256) => deps.records.readText(sha256),
    });
    return this.search.run();
  }

  private async announce(basis: Basis): Promise<Best | null> {
    const { state, deadline, deps } = this;
    const budget = announceBudget(state.spec, progressOf(state, Date.now()).elapsedMs);
    if (budget !== undefined) deadline.within(budget);
    if (state.confirming === undefined && state.failing === undefined && state.spec.confirm !== 'none') {
      const within = deadline.leftMs === Number.POSITIVE_INFINITY ? {} : { within_ms: Math.round(deadline.leftMs) };
      await this.record({ type: 'confirming', ...within });
    }
    return announce({
      state: this.state,
      confirmer: this.confirmer(basis),
      record: (event) => this.record(event),
      program: this.program,
      putText: this.put,
      scorer: this.scorer,
      deadline: this.deadline,
      believed: deps.taskClient.own === deps.taskClient,
    });
  }

  private confirmer(basis: Basis): Withdrawing {
    const { taskClient, evaluator } = this.deps;
    const { scope, spec } = this.state;
    return { scope, taskClient: taskClient.own, evaluator, basis, ...checkOf(spec), signal: this.aborter.signal };
  }

  private async finish(reason: StopReason, best: Best | null): Promise<RunSummary> {
    const { folder } = this.deps;
    const save = async ({ sha256 }: Best) => saveBest(folder, await this.original(), await this.program(sha256));
    const output = best && (await this.room.wait(() => save(best)));
    const summary = summaryOf(this.state, Date.now(), reason, output);
    await this.room.wait(() => writeFile(join(folder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`));
    await this.record({ type: 'stopped', reason, summary });
    return summary;
  }

  /** An interruption leaves the journal open, so that the run can be resumed. Any other failure ends the run with its reason. */
  private async fail(error: PeagenError): Promise<void> {
    this.deps.log.error({ run: this.id, err: error }, 'run ended early');
    if (leavesRunOpen(error)) return;
    const caught = await this.record({ type: 'stopped', reason: 'failed', detail: error.line }).catch((err: unknown) => err);
    if (caught !== undefined) this.deps.log.error({ run: this.id, err: caught }, 'could not record the failure');
  }

  private async record(event: NewEvent): Promise<void> {
    const stamped: RunEvent = { ...event, at: new Date().toISOString() };
    await this.room.wait(() => this.journal.append(stamped));
    this.deps.tell(this.id, this.state.apply(stamped));
    if (event.type === 'generation') this.deps.records.grown(this.id, this.journal.size);
  }
}
