/**
 * The search itself: keeps slots in flight (select → mutate → execute → evaluate → insert) until a stop condition
 * holds. Steady-state by default; in a deterministic run a generation is selected from the archive as the one before
 * left it, and candidates are accepted and inserted in index order.
 */
import type { TokenUse } from '../../../shared/asking.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Slot, StopReason } from '../../../shared/run.ts';
import type { Task } from '../../../shared/task.ts';
import { createRandom } from '../../random.ts';
import { leavesRunOpen } from '../faults.ts';
import { choiceFor } from '../mutate/choice.ts';
import { Maker, type MakerDeps } from '../mutate/maker.ts';
import { reflectionDue } from '../mutate/reflection.ts';
import { slotExecuteId } from '../tasks.ts';
import { Assessor } from './assess.ts';
import { InFlight, OutstandingTasks, untilAborted, Wakeup } from './in-flight.ts';
import { type OrderGate, orderGates } from './order-gate.ts';
import { type Flight, generationIsMade, isWorthWaiting, keepingOf, mayLaunch } from './pace.ts';
import type { Scorer } from './scorer.ts';
import type { RunState } from './state/run-state.ts';
import { progressOf, timeLeft } from './state/run-view.ts';
import type { EventOf } from './state/slots.ts';
import {
  challenge,
  closeGenerations,
  insertFound,
  judgeSlot,
  judgeSubmitted,
  recordMade,
  type SettledSlot,
  type StepDeps,
} from './steps.ts';
import { stopReason } from './stop.ts';

interface SearchDeps extends MakerDeps, StepDeps {
  readonly basis: Basis;
  readonly scorer: Scorer;
}

export class Search {
  private readonly deps: SearchDeps;
  private readonly state: RunState;
  private readonly accepting: OrderGate;
  private readonly inserting: OrderGate;
  private readonly assessor: Assessor;
  private readonly maker: Maker;
  private readonly wakeup = new Wakeup();
  private readonly slots = new InFlight<number>(this.wakeup);
  /** The slots in flight that have their program. Making programs and judging them have a limit each. */
  private readonly judging = new Set<number>();
  private readonly submissions = new InFlight<Sha256>(this.wakeup);
  private readonly reflections = new InFlight<'reflection'>(this.wakeup);
  private readonly tasks: OutstandingTasks;
  private readonly aborter = new AbortController();
  private interruption: PeagenError | undefined;
  private rebasing = false;
  private nextIndex: number;
  /** The slots from here on have never been launched before. */
  private readonly firstNew: number;
  /** Slots whose selection grants a user's wish and is not in the journal yet. */
  private granting = 0;
  private asked: StopReason | undefined;

  constructor(deps: SearchDeps) {
    this.deps = deps;
    this.state = deps.state;
    this.nextIndex = deps.state.nextIndex;
    this.firstNew = this.nextIndex;
    const { signal } = this.aborter;
    this.tasks = new OutstandingTasks(deps.taskClient, signal, (task) => keepingOf(this.state, this.firstNew, task));
    const runTask = (task: Task) => this.tasks.run(task);
    this.assessor = new Assessor(deps, runTask);
    this.maker = new Maker(deps, { assessor: this.assessor, signal, runTask, outOfBudget: (reason) => this.outOfBudget(reason) });
    ({ accepting: this.accepting, inserting: this.inserting } = orderGates(this.state));
  }

  /**
   * Runs until a stop condition holds, or candidates are to be compared with something else. Throws what made it impossible to
   * go on, or `cancelled` when it was aborted.
   */
  async run(): Promise<StopReason | 'rebased' | 'repaired'> {
    for (const index of this.state.open.unsettled()) this.launch(index);
    const entering = [...this.state.pending.keys()];
    const atOnce = this.state.spec.deterministic ? 1 : entering.length;
    for (;;) {
      // In a deterministic run one enters after the other: which is the first of equals must not depend on who is faster.
      for (const one of this.submissions.size === 0 ? entering.splice(0, atOnce) : []) this.submit(one);
      await closeGenerations(this.deps);
      if (this.failure !== undefined) throw await this.abandon(this.failure);
      const reason = this.asked ?? stopReason(this.state.spec.stop, progressOf(this.state, Date.now()));
      const repaired = this.state.isRepaired && (reason !== undefined || generationIsMade(this.state, this.flight));
      const other = this.rebasing ? 'rebased' : repaired ? 'repaired' : undefined;
      const ended = other ?? reason;
      if (ended !== undefined && !isWorthWaiting(this.state, ended, this.flight)) {
        // A user waits for what becomes of an edit.
        if (other === undefined) await this.submissions.settled();
        await this.abandon(new PeagenError('cancelled', 'The run has stopped.'));
        if (other === undefined) await insertFound(this.deps);
        return ended;
      }
      if (ended === undefined) this.begin();
      await this.wakeup.wait(timeLeft(this.state, Date.now()));
    }
  }

  private begin(): void {
    if (this.reflections.size === 0 && reflectionDue(this.state)) this.reflections.begin('reflection', this.maker.reflect());
    while (mayLaunch(this.state, this.flight)) this.launch(this.nextIndex++);
  }

  stop(reason: StopReason): void {
    this.asked = reason;
    this.wakeup.nudge();
  }

  /** Ends at once and leaves the run to be resumed. */
  abort(): void {
    this.interruption = new PeagenError('cancelled', 'The run was interrupted.');
    this.wake();
  }

  wake(): void {
    this.wakeup.nudge();
  }

  /** Ends what is in flight, since it is compared with an original that is no more. */
  rebase(): void {
    this.rebasing = true;
    this.wakeup.nudge();
  }

  /** Has a program judged that no slot made. */
  submit(sha256: Sha256): void {
    const { deps, assessor, aborter } = this;
    this.submissions.begin(sha256, judgeSubmitted(sha256, { ...deps, assessor, signal: aborter.signal }));
  }

  private get flight(): Flight {
    const { nextIndex: next, slots, judging, submissions, reflections } = this;
    return { next, slots: slots.size, judging: judging.size, others: submissions.size + reflections.size };
  }

  private get failure(): unknown {
    return this.slots.failure ?? this.submissions.failure ?? this.reflections.failure ?? this.interruption;
  }

  private launch(index: number): void {
    const slot = this.fill(index).finally(() => this.judging.delete(index));
    this.slots.begin(index, slot);
  }

  /** Ends what is in flight. Tasks leave the queue, except those of a run that will be resumed: it wants their results. */
  private async abandon(reason: unknown): Promise<unknown> {
    this.tasks.close();
    const { failure, interruption } = this;
    if (interruption === undefined) await this.maker.breakOff();
    const resumable = interruption !== undefined || (failure !== undefined && leavesRunOpen(PeagenError.from(failure)));
    const tasks = resumable ? [] : this.tasks.open;
    if (!resumable) this.deps.taskClient.recorded();
    this.aborter.abort(reason);
    await this.deps.taskClient.cancel(tasks, 'the run has stopped').catch((caught: unknown) => {
      this.deps.log.warn({ err: caught }, 'could not cancel outstanding tasks');
    });
    await Promise.all([this.slots.settled(), this.submissions.settled(), this.reflections.settled()]);
    return reason;
  }

  /** One slot, from wherever the journal says it stands to its insertion: select, mutate, judge, insert. */
  private async fill(index: number): Promise<void> {
    const { open: slots, spec } = this.state;
    const open = slots.get(index);
    let slot: Slot = open?.selected.slot ?? { index, generation: Math.floor(index / spec.population) + 1, attempt: 0 };
    let mutated = open?.mutated;
    if (open?.rejected === true) slot = { ...slot, attempt: slot.attempt + 1 };
    while (mutated === undefined) {
      if (slots.get(index)?.selected.slot.attempt !== slot.attempt) await this.select(slot);
      const settled = await this.mutate(slot);
      if (settled === 'given up') {
        this.accepting.leave(index);
        this.inserting.leave(index);
        return;
      }
      mutated = slots.get(index)?.mutated;
      slot = { ...slot, attempt: slot.attempt + 1 };
    }
    this.accepting.leave(index);
    this.judging.add(index);
    this.wakeup.nudge();
    const judging = { ...this.deps, assessor: this.assessor, signal: this.aborter.signal };
    if (slots.get(index)?.evaluated === undefined) await judgeSlot(mutated, judging);
    this.deps.taskClient.recorded([slotExecuteId(this.state.scope, mutated.slot)]);
    await challenge(mutated.slot, judging);
    await this.insert(mutated);
  }

  private async select(slot: Slot): Promise<void> {
    const random = createRandom(this.state.spec.seed, 'select', slot.index, slot.attempt);
    const choice = choiceFor(this.state, slot, random, this.granting);
    const granted = choice.wished === true && slot.attempt === 0 ? 1 : 0;
    this.granting += granted;
    await this.deps.record({ type: 'selected', slot, ...choice, seed: random.int(2 ** 32) });
    this.granting -= granted;
  }

  private async mutate(slot: Slot): Promise<SettledSlot> {
    const open = this.state.open.get(slot.index);
    if (open === undefined) throw new PeagenError('internal', `Slot ${slot.index} was never selected.`);
    const { task, data } = await this.maker.make(slot, open);
    await this.mayAccept(slot, data.tokens);
    const settled = await recordMade(slot, open, { task, data }, this.deps);
    this.deps.taskClient.recorded(settled === 'filled' ? [task.id] : [task.id, slotExecuteId(this.state.scope, slot)]);
    if (settled !== 'filled') this.maker.throwIfHopeless();
    return settled;
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
      if (paid && this.interruption === undefined)
        await this.deps.record({ type: 'rejected', slot, reason: 'the run has stopped', tokens, final: false });
      throw caught;
    }
  }

  /** The run ends here; the slot stays open for a resume with a larger budget. */
  private outOfBudget(reason: StopReason): Promise<never> {
    this.stop(reason);
    return untilAborted(this.aborter.signal);
  }

  private async insert(mutated: EventOf<'mutated'>): Promise<void> {
    const { slot, sha256 } = mutated;
    if (this.state.spec.deterministic) await this.inserting.enter(slot.index, this.aborter.signal);
    this.aborter.signal.throwIfAborted();
    // It is judged again, against the program that does not fail.
    if (this.state.isRepaired) return untilAborted(this.aborter.signal);
    await this.deps.record({ type: 'inserted', slot, sha256 });
    this.inserting.leave(slot.index);
  }
}
