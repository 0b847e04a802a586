/**
 * The search itself: keeps slots in flight (select → mutate → execute → evaluate → insert) until a stop condition
 * holds. Steady-state by default; in a deterministic run a generation is selected from the archive as the one before
 * left it, and candidates are accepted and inserted in index order.
 */

import type { TokenUse } from '../../../shared/asking.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256, TaskId } from '../../../shared/ids.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Slot, StopReason } from '../../../shared/run.ts';
import type { Task } from '../../../shared/task.ts';
import { createRandom } from '../../evolution/random.ts';
import { followUpId } from '../../handlers/follow-up.ts';
import { leavesRunOpen } from '../faults.ts';
import { choiceFor } from '../mutate/choice.ts';
import { Maker, type MakerDeps, parentsOf } from '../mutate/maker.ts';
import { knowing } from '../mutate/memory.ts';
import { keptArtifacts } from '../mutate/mutate-payload.ts';
import { ATTEMPTS } from '../target/worst-case.ts';
import { Assessor } from './assess.ts';
import { OrderGate } from './order-gate.ts';
import type { RunState } from './run-state.ts';
import { progressOf } from './run-view.ts';
import type { Scorer } from './scorer.ts';
import type { EventOf, NewEvent } from './slots.ts';
import { stopReason } from './stop.ts';
import { nextMatch } from './title.ts';

export interface SearchDeps extends MakerDeps {
  readonly basis: Basis;
  readonly scorer: Scorer;
  /** Writes the event to the journal, applies it to the state and notifies the listeners, in this order. */
  record(event: NewEvent): Promise<void>;
  putText(text: string): Promise<Sha256>;
}

type Mutated = EventOf<'mutated'>;

export class Search {
  private readonly deps: SearchDeps;
  private readonly state: RunState;
  private readonly accepting: OrderGate;
  private readonly inserting: OrderGate;
  private readonly assessor: Assessor;
  private readonly inFlight = new Map<number, Promise<void>>();
  /** Those of the slots in flight that have their program. Asking models and judging are two pools. */
  private readonly judging = new Set<number>();
  private readonly submissions = new Map<Sha256, Promise<void>>();
  private readonly outstanding = new Set<TaskId>();
  private readonly aborter = new AbortController();
  private readonly maker: Maker;
  private failure: unknown;
  private interrupted = false;
  private rebasing = false;
  /** Nothing new begins. */
  private ending = false;
  private asked: StopReason | undefined;
  private rung = false;
  private answerBell: () => void = () => undefined;

  constructor(deps: SearchDeps) {
    this.deps = deps;
    this.state = deps.state;
    const runTask = (task: Task) => this.runTask(task);
    const assessor = new Assessor(deps, runTask);
    const { signal } = this.aborter;
    this.assessor = assessor;
    this.maker = new Maker(deps, { assessor, signal, runTask, outOfTokens: () => this.outOfTokens() });
    const first = Math.min(this.state.nextIndex, ...this.unsettled());
    this.accepting = new OrderGate(first);
    this.inserting = new OrderGate(first);
    for (let index = first; index < this.state.nextIndex; index++) {
      const open = this.state.open.get(index);
      const settled = open === undefined && !this.state.open.reopened.has(index);
      if (settled) this.inserting.leave(index);
      if (settled || open?.mutated !== undefined) this.accepting.leave(index);
    }
  }

  /**
   * Runs until a stop condition holds, or candidates are to be compared with something else. Throws what made it impossible to
   * go on, or `cancelled` when it was aborted.
   */
  async run(): Promise<StopReason | 'rebased' | 'mended'> {
    for (const index of this.unsettled()) this.launch(index);
    for (const sha256 of this.state.pending.keys()) this.submit(sha256);
    for (;;) {
      await this.closeGenerations();
      if (this.failure !== undefined) throw await this.abandon(this.failure);
      const reason = this.asked ?? stopReason(this.state.spec.stop, progressOf(this.state, Date.now()));
      const mended = this.mended && (reason !== undefined || this.generationIsMade);
      const other = this.rebasing ? 'rebased' : mended ? 'mended' : undefined;
      const ended = other ?? reason;
      if (ended !== undefined) {
        // A user waits for what becomes of an edit.
        if (other === undefined) await Promise.all(this.submissions.values());
        await this.abandon(new PeagenError('cancelled', 'The run has stopped.'));
        return ended;
      }
      while (this.mayLaunch()) this.launch(this.state.nextIndex++);
      await this.somethingHappens();
    }
  }

  stop(reason: StopReason): void {
    this.asked = reason;
    this.nudge();
  }

  /** Ends at once and leaves the run to be resumed. */
  abort(): void {
    this.interrupted = true;
    this.failure ??= new PeagenError('cancelled', 'The run was interrupted.');
    this.nudge();
  }

  wake(): void {
    this.nudge();
  }

  /** Ends what is in flight, since it is compared with an original that is no more. */
  rebase(): void {
    this.rebasing = true;
    this.nudge();
  }

  /** Has a program judged that no slot made. */
  submit(sha256: Sha256): void {
    const judged = this.judgeSubmitted(sha256)
      .catch((caught: unknown) => {
        this.failure ??= caught;
      })
      .finally(() => {
        this.submissions.delete(sha256);
        this.nudge();
      });
    this.submissions.set(sha256, judged);
  }

  /** The original fails, and now there is a program that does not. */
  private get mended(): boolean {
    return this.state.failing !== undefined && this.state.archive.best() !== undefined;
  }

  /**
   * In a deterministic run, what has begun comes to a program first: which of it would be made again must not depend on who
   * is faster.
   */
  private get generationIsMade(): boolean {
    const { spec, nextIndex } = this.state;
    if (!spec.deterministic) return true;
    return nextIndex % spec.population === 0 && this.judging.size === this.inFlight.size;
  }

  /** Slots that have begun and have no end yet. */
  private unsettled(): number[] {
    return [...this.state.open.keys(), ...this.state.open.reopened].sort((a, b) => a - b);
  }

  private mayLaunch(): boolean {
    const { spec, nextIndex, paused } = this.state;
    // Neither pool waits for the other: as many as a generation has are made while as many are judged.
    const asking = this.inFlight.size - this.judging.size;
    if (paused || asking >= spec.population || this.inFlight.size >= 2 * spec.population) return false;
    if (nextIndex >= spec.stop.max_generations * spec.population) return false;
    return !spec.deterministic || nextIndex % spec.population !== 0 || this.inFlight.size === 0;
  }

  private launch(index: number): void {
    const slot = this.fill(index)
      .catch((caught: unknown) => {
        this.failure ??= caught;
      })
      .finally(() => {
        this.inFlight.delete(index);
        this.judging.delete(index);
        this.nudge();
      });
    this.inFlight.set(index, slot);
  }

  /** Wakes on a settled slot, a stop, or the run's time-out. */
  private async somethingHappens(): Promise<void> {
    const { run_timeout: limit } = this.state.spec.stop;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.answerBell = resolve;
      if (this.rung) resolve();
      if (limit !== undefined)
        timer = setTimeout(resolve, Math.max(0, limit * 1000 - progressOf(this.state, Date.now()).elapsedMs) + 1);
    });
    clearTimeout(timer);
    this.rung = false;
  }

  private nudge(): void {
    this.rung = true;
    this.answerBell();
  }

  private async closeGenerations(): Promise<void> {
    const { generations, archive } = this.state;
    for (let generation = generations.takeClosed(); generation !== undefined; generation = generations.takeClosed()) {
      // Migration comes before the event, which says what came of it.
      const migrated = this.state.population.endGeneration(generation);
      await this.deps.record({
        type: 'generation',
        generation,
        stats: archive.stats(),
        ...(migrated === undefined ? {} : { migrated }),
      });
    }
  }

  /**
   * Ends what is in flight. Tasks are taken back from the queue, except of a run that will be resumed: it wants their
   * results.
   */
  private async abandon(reason: unknown): Promise<unknown> {
    this.ending = true;
    if (!this.interrupted) await this.maker.breakOff();
    const resumable = this.interrupted || (this.failure !== undefined && leavesRunOpen(PeagenError.from(this.failure)));
    const tasks = resumable ? [] : [...this.outstanding];
    this.aborter.abort(reason);
    await this.deps.desk.cancel(tasks, 'the run has stopped').catch((caught: unknown) => {
      this.deps.log.warn({ err: caught }, 'could not cancel outstanding tasks');
    });
    await Promise.all([...this.inFlight.values(), ...this.submissions.values()]);
    return reason;
  }

  /** One slot, from wherever the journal says it stands to its insertion. */
  private async fill(index: number): Promise<void> {
    const open = this.state.open.get(index);
    let slot: Slot = open?.selected.slot ?? { index, generation: Math.floor(index / this.state.spec.population) + 1, attempt: 0 };
    let mutated = open?.mutated;
    if (open?.rejected === true) slot = { ...slot, attempt: slot.attempt + 1 };
    while (mutated === undefined) {
      if (this.state.open.get(index)?.selected.slot.attempt !== slot.attempt) await this.select(slot);
      const settled = await this.mutate(slot);
      if (settled === 'given up') {
        this.accepting.leave(index);
        this.inserting.leave(index);
        return;
      }
      mutated = this.state.open.get(index)?.mutated;
      slot = { ...slot, attempt: slot.attempt + 1 };
    }
    this.accepting.leave(index);
    this.judging.add(index);
    this.nudge();
    if (this.state.open.get(index)?.evaluated === undefined) await this.judge(mutated);
    await this.challenge(mutated);
    await this.insert(mutated);
  }

  private async select(slot: Slot): Promise<void> {
    const random = createRandom(this.state.spec.seed, 'select', slot.index, slot.attempt);
    const choice = choiceFor(this.state, slot, random);
    await this.deps.record({ type: 'selected', slot, ...choice, seed: random.int(2 ** 32) });
  }

  /** Fills the slot (`mutated`), or not (`rejected`, `given up`: no attempt is left). */
  private async mutate(slot: Slot): Promise<'filled' | 'rejected' | 'given up'> {
    const open = this.state.open.get(slot.index);
    if (open === undefined) throw new PeagenError('internal', `Slot ${slot.index} was never selected.`);
    const { task, data } = await this.maker.make(slot, open);
    await this.mayAccept(slot, data.tokens);
    const twin = data.normal === undefined ? undefined : this.state.memory.twinOf(data.normal);
    if (data.kind === 'child' && twin === undefined) {
      const object = await this.deps.putText(JSON.stringify(data.program));
      const prompt = data.prompt === undefined ? {} : { prompt: await this.deps.putText(data.prompt) };
      const answer = data.answer === undefined ? {} : { answer: await this.deps.putText(data.answer) };
      const origin = { ...data.origin, parents: parentsOf(open.selected, data.origin.mutator), ...prompt, ...answer };
      await this.deps.record({
        type: 'mutated',
        slot,
        sha256: data.sha256,
        normal: data.normal,
        object,
        origin,
        tokens: data.tokens,
      });
      return 'filled';
    }
    if (data.kind === 'child') await this.deps.desk.cancel([followUpId(task.id, 'execute')], 'duplicate of an earlier candidate');
    const reason = data.kind === 'rejected' ? data.reason : 'the same program as an earlier candidate';
    const final = slot.attempt + 1 >= ATTEMPTS;
    await this.deps.record({
      type: 'rejected',
      slot,
      reason,
      ...(twin === undefined ? {} : { twin }),
      tokens: data.tokens,
      final,
    });
    this.maker.throwIfHopeless();
    return final ? 'given up' : 'rejected';
  }

  /** Waits for the slot's turn. An answer that comes too late for that has cost what it has cost. */
  private async mayAccept(slot: Slot, tokens: TokenUse): Promise<void> {
    const { signal } = this.aborter;
    try {
      if (this.state.spec.deterministic) await this.accepting.enter(slot.index, signal);
      signal.throwIfAborted();
    } catch (caught) {
      const paid = tokens.prompt + tokens.completion > 0;
      // A resumed run finds the answer again.
      if (paid && !this.interrupted)
        await this.deps.record({ type: 'rejected', slot, reason: 'the run has stopped', tokens, final: false });
      throw caught;
    }
  }

  /** The run ends here; the slot stays open for a resume with a larger budget. */
  private outOfTokens(): Promise<never> {
    this.stop('budget_tokens');
    return this.ended();
  }

  private ended(): Promise<never> {
    const { signal } = this.aborter;
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }

  private async judge({ slot, sha256 }: Mutated): Promise<void> {
    const neighbours = this.state.open.get(slot.index)?.context.neighbours ?? [];
    const judged = await this.assessor.slot(slot, await this.deps.program(sha256), neighbours);
    const { metrics, fitness, features, readings } = judged;
    const outcome = knowing(this.state.open.get(slot.index)?.context.revealed ?? [], judged.outcome);
    const artifacts = await keptArtifacts(judged, this.state.spec, (text) => this.deps.putText(text));
    const measured = readings === undefined ? {} : { readings };
    await this.deps.record({ type: 'evaluated', slot, sha256, outcome, metrics, fitness, features, ...measured, ...artifacts });
  }

  /**
   * A candidate that would take a title is measured again, and so is who holds it: the search must not be led by a lucky
   * reading.
   */
  private async challenge({ slot }: Mutated): Promise<void> {
    const { state } = this;
    for (let match = nextMatch(state, slot.index); match.length > 0; match = nextMatch(state, slot.index)) {
      const again = match.map(async (sha256) => {
        const { outcome, metrics, readings } = await this.assessor.again(slot, sha256, await this.deps.program(sha256));
        this.aborter.signal.throwIfAborted();
        return { type: 'measured', slot, sha256, outcome, metrics, ...(readings === undefined ? {} : { readings }) } as const;
      });
      for (const event of await Promise.all(again)) await this.deps.record(event);
    }
  }

  private async judgeSubmitted(sha256: Sha256): Promise<void> {
    const pending = this.state.pending.get(sha256);
    if (pending === undefined) return;
    const judged = await this.assessor.submitted(sha256, await this.deps.program(sha256), pending.generation);
    this.aborter.signal.throwIfAborted();
    // Submitted twice at once.
    if (!this.state.pending.has(sha256)) return;
    const { metrics, fitness, features, readings } = judged;
    const outcome = knowing(this.state.memory.revealedNow, judged.outcome);
    const measured = readings === undefined ? {} : { readings };
    const entered = this.state.enter({ sha256, outcome, metrics, fitness, features, ...measured });
    const stats = this.state.archive.stats();
    await this.deps.record({ type: 'judged', sha256, outcome, metrics, fitness, features, ...measured, ...entered, stats });
  }

  private async insert(mutated: Mutated): Promise<void> {
    const { slot, sha256 } = mutated;
    if (this.state.spec.deterministic) await this.inserting.enter(slot.index, this.aborter.signal);
    this.aborter.signal.throwIfAborted();
    // It is judged again, by what does not fail.
    if (this.mended) return this.ended();
    const inserted = this.state.insert(slot.index);
    await this.deps.record({ type: 'inserted', slot, sha256, ...inserted, stats: this.state.archive.stats() });
    this.inserting.leave(slot.index);
  }

  /** Remembers the task while it is out, so that stopping takes it back. */
  private async runTask(task: Task): Promise<unknown> {
    this.outstanding.add(task.id);
    try {
      // A task that follows an answer given at the last moment may be in the queue already.
      if (this.ending) await this.ended();
      return await this.deps.desk.run(task, this.aborter.signal);
    } finally {
      this.outstanding.delete(task.id);
    }
  }
}
