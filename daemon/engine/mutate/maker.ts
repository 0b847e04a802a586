/** Has the children of slots made: what the mutator is given, its share of the budget, and the task. */
import type { TokenUse } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Basis, MutateData, MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Slot } from '../../../shared/run.ts';
import type { CapTag, Task } from '../../../shared/task.ts';
import { trustedAnswer } from '../../handlers/child-check.ts';
import { Account, type CandidateCost } from '../../llm/cost/account.ts';
import { oneLine } from '../../llm/prompts/view.ts';
import { promptRecord } from '../../llm/record.ts';
import { fanOutWidth } from '../../llm/routing.ts';
import { GenerateData } from '../../render/task.ts';
import type { Log } from '../../telemetry/log.ts';
import { isPassing } from '../faults.ts';
import type { Assessor } from '../run/assess.ts';
import type { EventOf, NewEvent, OpenSlot } from '../run/state/slots.ts';
import type { TaskClient } from '../task-client.ts';
import { mutateTask, reflectTask } from '../tasks.ts';
import { mutatorOf } from './division.ts';
import { LineCounts } from './line-counts.ts';
import { hasAnswered, mutatePayload, type PayloadDeps } from './mutate-payload.ts';
import { Questions } from './questions.ts';
import { answerRoom, lessonsIn, REFLECTION_TOKENS, reflectionQuestion } from './reflection.ts';

export interface MakerDeps extends PayloadDeps {
  readonly taskClient: TaskClient;
  readonly log: Log;
  readonly config: Config;
  /** Writes the event to the journal, applies it to the state and notifies the listeners, in this order. */
  record(event: NewEvent): Promise<void>;
  putText(text: string): Promise<Sha256>;
  /** Capability tags that the tasks of a mutator need. */
  mutateRequires(mutator: string): Promise<readonly CapTag[]>;
  readonly executeRequires: readonly CapTag[];
  /** Tokens that one attempt can cost at worst; 0 for a mutator that asks no model. */
  readonly attemptCost: CandidateCost;
}

interface MakerSearch {
  readonly assessor: Assessor;
  readonly signal: AbortSignal;
  runTask(task: Task): Promise<unknown>;
  /** The budget does not pay for another question. Rejects when the search has ended. */
  outOfBudget(reason: 'budget_tokens' | 'budget_usd'): Promise<never>;
}

export class Maker {
  private readonly deps: MakerDeps;
  private readonly search: MakerSearch;
  private readonly account: Account;
  private readonly questions: Questions;
  private failuresInARow = 0;
  /** A model has answered in this run. */
  private answered: boolean;
  private hopeless: PeagenError | undefined;
  private lineCounts: LineCounts | undefined;

  constructor(deps: MakerDeps, search: MakerSearch) {
    const { spec, spending } = deps.state;
    this.deps = deps;
    this.search = search;
    this.account = new Account(
      { tokens: spec.stop.budget_tokens, usd: spec.stop.budget_usd, prices: spec.prices },
      deps.attemptCost,
      { tokens: spending.sum, dollars: spending.dollars },
    );
    this.questions = new Questions(deps.taskClient, deps.log);
    this.answered = hasAnswered(deps.state);
  }

  async make(slot: Slot, open: OpenSlot): Promise<{ task: Task; data: MutateData }> {
    const { deps } = this;
    const requires = await deps.mutateRequires(open.selected.mutator);
    const next = await this.search.assessor.payload(slot, open.context.neighbours);
    const lines = requires.includes('llm') ? await this.lines(next.basis).of(open.selected.parent) : [];
    const payload = {
      ...(await mutatePayload(open, deps, requires)),
      ...(lines.length === 0 ? {} : { lines }),
      next,
      nextRequires: [...deps.executeRequires],
    };
    const { task, most } = await this.paidFor(mutateTask(deps.state.scope, slot, payload, requires), payload);
    const child = this.child(task, most, payload.original);
    return { task, data: await (requires.includes('llm') ? this.questions.track(task.id, child) : child) };
  }

  /** A program that failed has no basis before another one is made correct. */
  private lines(basis: Basis): LineCounts {
    const { deps, search } = this;
    this.lineCounts ??= new LineCounts({
      ...deps,
      basis,
      program: (sha256) => deps.program(sha256),
      runTask: (task) => search.runTask(task),
    });
    return this.lineCounts;
  }

  /** Asks for a reflection and records what came of it. What goes wrong with it is one line in the journal, never the run's end. */
  async reflect(): Promise<void> {
    const { record, putText, state, log } = this.deps;
    const generation = state.generations.done;
    const done = async (came: Partial<EventOf<'reflected'>>, tokens: TokenUse = { prompt: 0, completion: 0 }) => {
      if (came.reason !== undefined) log.warn({ run: state.run, generation }, `A reflection is left out: ${came.reason}.`);
      await record({ type: 'reflected', generation, ...came, tokens });
    };
    const question = await reflectionQuestion(this.deps);
    if (question === undefined) return done({ reason: 'the program is too long to ask about' });
    const { tokens: asked, ...payload } = question;
    const { id } = reflectTask(state.scope, generation, { ...payload, maxTokens: REFLECTION_TOKENS });
    const allowance = await this.account.grant(id, this.search.signal);
    const width = fanOutWidth(this.deps.config, payload.backend);
    const most = allowance === 'exhausted' ? 0 : (allowance ?? width * (asked + REFLECTION_TOKENS));
    const maxTokens = answerRoom(question, most / width);
    if (maxTokens === 0) {
      this.account.release(id);
      return done({ reason: 'the budget has no room for it' });
    }
    const task = reflectTask(state.scope, generation, { ...payload, maxTokens, allowance: most });
    const data = await this.questions.track(id, this.reflection(task, most));
    if (data.kind === 'failed') return done({ reason: oneLine(data.reason, 1000) }, data.tokens);
    const lessons = lessonsIn(data.text);
    const texts = { prompt: await putText(promptRecord(payload)), answer: await putText(data.text) };
    return done({ ...texts, ...(typeof lessons === 'string' ? { reason: lessons } : { lessons }) }, data.tokens);
  }

  private async reflection(task: Task, most: number): Promise<GenerateData> {
    const { signal, runTask } = this.search;
    try {
      const data = GenerateData.parse(await runTask(task));
      this.account.settle(task.id, data.tokens, false);
      return data;
    } catch (caught) {
      const lost = signal.aborted && this.questions.unaccounted(task.id);
      const error = PeagenError.from(caught);
      if (lost || error.code === 'internal') this.account.forfeit(task.id);
      else this.account.release(task.id);
      if (signal.aborted && !lost) throw caught;
      return { kind: 'failed', reason: error.message, tokens: { prompt: lost ? most : 0, completion: 0 } };
    }
  }

  /** Ends the questions under way; see Questions. */
  breakOff(): Promise<void> {
    return this.questions.breakOff();
  }

  /** A model that fails now and then costs an attempt, not the run; one that only fails ends it. */
  private async child(task: Task, most: number, original: Program): Promise<MutateData> {
    try {
      const data = trustedAnswer(await this.search.runTask(task), original);
      this.account.settle(task.id, data.tokens);
      await this.learn(data, task);
      return data;
    } catch (caught) {
      const error = PeagenError.from(caught);
      if (this.search.signal.aborted && this.questions.unaccounted(task.id)) {
        this.account.forfeit(task.id);
        return { kind: 'rejected', reason: 'its worker does not answer', tokens: { prompt: most, completion: 0 } };
      }
      // A mutator throws only where it has spent nothing. What a worker spent before it died is not known.
      if (error.code === 'internal') this.account.forfeit(task.id);
      else this.account.release(task.id);
      this.failuresInARow++;
      if (!isPassing(error) || (this.isHopeless(error) && !(await this.goesOnWithout()))) throw error;
      return { kind: 'rejected', reason: error.message, tokens: { prompt: 0, completion: 0 } };
    }
  }

  /** Throws when going on is hopeless though what has been made can be recorded: models that take questions, and never answer. */
  throwIfHopeless(): void {
    if (this.hopeless !== undefined) throw this.hopeless;
  }

  /** A question that was charged for and came to no answer is a failure too. */
  private async learn(data: MutateData, task: Task): Promise<void> {
    const unanswered = data.kind === 'rejected' && data.answer === undefined && data.tokens.prompt > 0;
    if (!unanswered || data.tokens.completion > 0) {
      this.failuresInARow = 0;
      this.answered ||= task.requires.includes('llm');
      return;
    }
    this.failuresInARow++;
    const many = this.deps.state.spec.population * (this.answered ? 2 : 1);
    if (this.failuresInARow >= many && !(await this.goesOnWithout()))
      this.hopeless = new PeagenError('backend_failed', data.reason);
  }

  /** No model has ever answered, or nothing has for long. */
  private isHopeless({ code }: PeagenError): boolean {
    if (code === 'backend_failed' && !this.answered) return true;
    return this.failuresInARow > this.deps.state.spec.population * 2;
  }

  /** Some of the run's mutators ask no model, and there is something that they can change. */
  private async goesOnWithout(): Promise<boolean> {
    const { state, mutateRequires } = this.deps;
    if (state.failing !== undefined) return false;
    for (const arm of state.spec.mutators ?? []) if (!(await mutateRequires(mutatorOf(arm).mutator)).includes('llm')) return true;
    return false;
  }

  /** The task with its share of the budget, once there is one, and the most tokens that it can cost. */
  private async paidFor(task: Task, payload: MutatePayload): Promise<{ task: Task; most: number }> {
    if (!task.requires.includes('llm')) return { task, most: 0 };
    const allowance = await this.account.grant(task.id, this.search.signal);
    if (allowance === undefined) return { task, most: this.deps.attemptCost.most };
    if (allowance === 'exhausted') return this.search.outOfBudget(this.account.scarce);
    return { task: { ...task, payload: { ...payload, allowance } }, most: allowance };
  }
}

/** The parent, and the program that a crossover took from. The tree crossover draws among several by itself. */
export function parentsOf({ parent, inspirations }: EventOf<'selected'>, mutator: string): Sha256[] {
  const crossed = mutator === 'crossover' || (mutator === 'crossover-tree' && inspirations.length === 1);
  return crossed ? [parent, ...inspirations.slice(0, 1)] : [parent];
}
