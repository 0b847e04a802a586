/**
 * The search itself: keeps slots in flight (select → mutate → execute → evaluate → insert) until a stop condition
 * holds. Steady-state by default; in a deterministic run a generation is selected from the archive as the one before
 * left it, and candidates are accepted and inserted in index order.
 */

import { PeagenError } from '../../shared/errors.ts';
import type { Sha256, TaskId } from '../../shared/ids.ts';
import {
  type Basis,
  EvaluateData,
  ExecuteData,
  type ExecutePayload,
  MutateData,
  type MutatePayload,
  type Scoring,
} from '../../shared/payloads.ts';
import type { Program } from '../../shared/program.ts';
import type { RunEvent, Slot, StopReason } from '../../shared/run.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { createRandom, type Random } from '../evolution/random.ts';
import type { ParentSelector } from '../evolution/selectors/selector.ts';
import { followUpId } from '../handlers/follow-up.ts';
import { Account, type CandidateCost } from '../llm/account.ts';
import type { Log } from '../telemetry/log.ts';
import { isSpeedup } from './confirm.ts';
import type { Desk } from './desk.ts';
import { isCandidatesFault, isPassing } from './faults.ts';
import { mutatePayload } from './mutate-payload.ts';
import { OrderGate } from './order-gate.ts';
import type { NewEvent, RunState } from './run-state.ts';
import { stopReason } from './stop.ts';
import { evaluateTask, mutateTask, slotExecuteTask } from './tasks.ts';
import { ATTEMPTS } from './worst-case.ts';

/** Programs a mutator sees beside the parent. */
const INSPIRATIONS = 3;
/** A candidate below this share of the best is measured no further: `slow`. */
const WORTH_MEASURING = 0.5;

export interface SearchDeps {
  readonly state: RunState;
  readonly desk: Desk;
  readonly selector: ParentSelector;
  readonly log: Log;
  readonly original: Program;
  readonly basis: Basis;
  readonly scoring: (generation: number) => Scoring;
  /** Capability tags that the tasks of a mutator need. */
  mutateRequires(mutator: string): Promise<readonly CapTag[]>;
  readonly executeRequires: readonly CapTag[];
  /** Tokens that one attempt can cost at worst; 0 for a mutator that asks no model. */
  readonly attemptCost: CandidateCost;
  /** Writes the event to the journal, applies it to the state and tells the listeners, in this order. */
  record(event: NewEvent): Promise<void>;
  putText(text: string): Promise<Sha256>;
  program(sha256: Sha256): Promise<Program>;
}

type Choice = Pick<Extract<RunEvent, { type: 'selected' }>, 'parent' | 'inspirations'>;
type Mutated = Extract<RunEvent, { type: 'mutated' }>;

export class Search {
  private readonly deps: SearchDeps;
  private readonly state: RunState;
  private readonly accepting: OrderGate;
  private readonly inserting: OrderGate;
  private readonly inFlight = new Map<number, Promise<void>>();
  private readonly outstanding = new Set<TaskId>();
  private readonly aborter = new AbortController();
  private readonly account: Account;
  private failure: unknown;
  private interrupted = false;
  private failuresInARow = 0;
  private asked: StopReason | undefined;
  private rung = false;
  private answerBell: () => void = () => undefined;

  constructor(deps: SearchDeps) {
    this.deps = deps;
    this.state = deps.state;
    this.account = new Account(deps.state.spec.stop.budget_tokens, deps.attemptCost, deps.state.tokens);
    const openIndices = [...this.state.open.keys()];
    const first = Math.min(this.state.nextIndex, ...openIndices);
    this.accepting = new OrderGate(first);
    this.inserting = new OrderGate(first);
    for (let index = first; index < this.state.nextIndex; index++) {
      const open = this.state.open.get(index);
      if (open === undefined) this.inserting.leave(index);
      if (open === undefined || open.mutated !== undefined) this.accepting.leave(index);
    }
  }

  /** Runs until a stop condition holds. Throws what made it impossible to go on, or `cancelled` when it was aborted. */
  async run(): Promise<StopReason> {
    for (const index of [...this.state.open.keys()].sort((a, b) => a - b)) this.launch(index);
    for (;;) {
      await this.closeGenerations();
      if (this.failure !== undefined) throw await this.abandon(this.failure);
      const reason = this.asked ?? stopReason(this.state.spec.stop, this.state.progress(Date.now()));
      if (reason !== undefined) {
        await this.abandon(new PeagenError('cancelled', 'The run has stopped.'));
        return reason;
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

  private mayLaunch(): boolean {
    const { spec, nextIndex, paused } = this.state;
    if (paused || this.inFlight.size >= spec.population) return false;
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
        timer = setTimeout(resolve, Math.max(0, limit * 1000 - this.state.progress(Date.now()).elapsedMs) + 1);
    });
    clearTimeout(timer);
    this.rung = false;
  }

  private nudge(): void {
    this.rung = true;
    this.answerBell();
  }

  private async closeGenerations(): Promise<void> {
    for (
      let generation = this.state.takeClosedGeneration();
      generation !== undefined;
      generation = this.state.takeClosedGeneration()
    ) {
      await this.deps.record({ type: 'generation', generation, stats: this.state.archive.stats() });
    }
  }

  /** Ends what is in flight. Tasks are taken back from the queue, except of a run that will be resumed: it wants their results. */
  private async abandon(reason: unknown): Promise<unknown> {
    const tasks = this.interrupted ? [] : [...this.outstanding];
    this.aborter.abort(reason);
    await this.deps.desk.cancel(tasks, 'the run has stopped').catch((caught: unknown) => {
      this.deps.log.warn({ err: caught }, 'could not cancel outstanding tasks');
    });
    await Promise.all(this.inFlight.values());
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
    if (this.state.open.get(index)?.evaluated === undefined) await this.judge(mutated);
    await this.insert(mutated);
  }

  private async select(slot: Slot): Promise<void> {
    const { spec } = this.state;
    const random = createRandom(spec.seed, 'select', slot.index, slot.attempt);
    const chosen = this.firstChoice(slot) ?? this.choose(random);
    const mutator = this.state.division?.choose(slot, chosen.inspirations.length > 0) ?? spec.mutator;
    await this.deps.record({ type: 'selected', slot, ...chosen, mutator, seed: random.int(2 ** 32) });
  }

  /** A later attempt of a deterministic run keeps its parent: by now the archive depends on who was faster. */
  private firstChoice(slot: Slot): Choice | undefined {
    const selected = this.state.open.get(slot.index)?.selected;
    if (!this.state.spec.deterministic || selected === undefined) return undefined;
    return { parent: selected.parent, inspirations: selected.inspirations };
  }

  private choose(random: Random): Choice {
    const { archive } = this.state;
    const parent = this.deps.selector.select(archive, random);
    const inspirations = this.deps.selector.inspirations(archive, INSPIRATIONS, parent.sha256, random);
    return { parent: parent.sha256, inspirations: inspirations.map((elite) => elite.sha256) };
  }

  /** Fills the slot (`mutated`), or not (`rejected`, `given up`: no attempt is left). */
  private async mutate(slot: Slot): Promise<'filled' | 'rejected' | 'given up'> {
    const open = this.state.open.get(slot.index);
    if (open === undefined) throw new PeagenError('internal', `Slot ${slot.index} was never selected.`);
    const { selected } = open;
    const payload = {
      ...(await mutatePayload(open, this.deps)),
      next: this.executePayload(slot),
      nextRequires: [...this.deps.executeRequires],
    };
    const requires = await this.deps.mutateRequires(selected.mutator);
    const task = await this.paidFor(mutateTask(this.state.scope, slot, payload, requires), payload);
    const data = await this.child(task);
    if (this.state.spec.deterministic) await this.accepting.enter(slot.index, this.aborter.signal);
    this.aborter.signal.throwIfAborted();
    if (data.kind === 'child' && !this.state.hasSeen(data.normal)) {
      const object = await this.deps.putText(JSON.stringify(data.program));
      const prompt = data.prompt === undefined ? {} : { prompt: await this.deps.putText(data.prompt) };
      const answer = data.answer === undefined ? {} : { answer: await this.deps.putText(data.answer) };
      const parents = [selected.parent, ...(data.origin.mutator === 'crossover' ? selected.inspirations.slice(0, 1) : [])];
      const origin = { ...data.origin, parents, ...prompt, ...answer };
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
    await this.deps.record({ type: 'rejected', slot, reason, tokens: data.tokens, final });
    return final ? 'given up' : 'rejected';
  }

  /** A model that fails now and then costs an attempt, not the run; one that only fails ends it. */
  private async child(task: Task): Promise<MutateData> {
    try {
      const data = MutateData.parse(await this.runTask(task));
      this.account.settle(task.id, data.tokens);
      this.failuresInARow = 0;
      return data;
    } catch (caught) {
      const error = PeagenError.from(caught);
      // A mutator throws only what has cost nothing; of what a dead worker spent nobody knows.
      if (error.code === 'internal') this.account.forfeit(task.id);
      else this.account.release(task.id);
      this.failuresInARow++;
      if (!isPassing(error) || this.failuresInARow > this.state.spec.population * 2) throw error;
      return { kind: 'rejected', reason: error.message, tokens: { prompt: 0, completion: 0 } };
    }
  }

  /** The task with its share of the budget, once there is one. */
  private async paidFor(task: Task, payload: MutatePayload): Promise<Task> {
    if (!task.requires.includes('llm')) return task;
    const allowance = await this.account.grant(task.id, this.aborter.signal);
    if (allowance === undefined) return task;
    return allowance === 'exhausted' ? this.outOfTokens() : { ...task, payload: { ...payload, allowance } };
  }

  /** The run ends here; the slot stays open for a resume with a larger budget. */
  private outOfTokens(): Promise<never> {
    this.stop('budget_tokens');
    const { signal } = this.aborter;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }

  private async judge(mutated: Mutated): Promise<void> {
    const { slot, sha256 } = mutated;
    const program = await this.deps.program(sha256);
    const next = this.executePayload(slot);
    const execute = slotExecuteTask(this.state.scope, slot, { ...next, program }, this.deps.executeRequires);
    try {
      const { execution } = ExecuteData.parse(await this.runTask(execute));
      const evaluate = evaluateTask(execute, { execution, program, scoring: this.deps.scoring(slot.generation) });
      const { outcome, metrics, fitness, features } = EvaluateData.parse(await this.runTask(evaluate));
      await this.deps.record({ type: 'evaluated', slot, sha256, outcome, metrics, fitness, features });
    } catch (caught) {
      const error = PeagenError.from(caught);
      if (!isCandidatesFault(error)) throw error;
      const outcome = { kind: 'crashed' as const, detail: error.message };
      await this.deps.record({ type: 'evaluated', slot, sha256, outcome, metrics: {}, fitness: null, features: [] });
    }
  }

  private async insert(mutated: Mutated): Promise<void> {
    const { slot, sha256 } = mutated;
    if (this.state.spec.deterministic) await this.inserting.enter(slot.index, this.aborter.signal);
    this.aborter.signal.throwIfAborted();
    const inserted = this.state.insert(slot.index);
    await this.deps.record({ type: 'inserted', slot, sha256, ...inserted, stats: this.state.archive.stats() });
    this.inserting.leave(slot.index);
  }

  private executePayload(slot: Slot): Omit<ExecutePayload, 'program'> {
    const { spec, archive } = this.state;
    const scoring = this.deps.scoring(slot.generation);
    const best = isSpeedup(scoring) ? archive.best()?.fitness : undefined;
    return {
      mode: 'candidate',
      basis: this.deps.basis,
      deterministic: spec.deterministic,
      ...(best === undefined || spec.deterministic ? {} : { toBeat: best * WORTH_MEASURING }),
      effort: 'quick',
      scoring,
    };
  }

  /** Remembers the task while it is out, so that stopping takes it back. */
  private async runTask(task: Task): Promise<unknown> {
    this.outstanding.add(task.id);
    try {
      return await this.deps.desk.run(task, this.aborter.signal);
    } finally {
      this.outstanding.delete(task.id);
    }
  }
}
