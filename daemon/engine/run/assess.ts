/** Has the programs of a run judged through the queue. A candidate that ends its worker has failed. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { type Evaluation, type Execution, isCorrect } from '../../../shared/judging.ts';
import {
  type Basis,
  EvaluateData,
  type EvaluatePayload,
  ExecuteData,
  type ExecutePayload,
  type Scoring,
} from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Slot } from '../../../shared/run.ts';
import { type CapTag, FIRST_TAG, type Task } from '../../../shared/task.ts';
import { fitnessOf } from '../../evolution/objectives.ts';
import { MATCH_PAIRS } from '../../judging/timing/statistics/race.ts';
import { isCandidatesFault } from '../faults.ts';
import { checkOf, evaluateTask, namedExecuteTask, seedOf, slotExecuteTask } from '../tasks.ts';
import type { Scorer } from './scorer.ts';
import type { RunState } from './state/run-state.ts';

interface AssessDeps {
  readonly state: RunState;
  readonly basis: Basis;
  readonly scorer: Scorer;
  readonly executeRequires: readonly CapTag[];
}

/** The payload of an execution without the program. */
type Scored = Omit<ExecutePayload, 'program'> & { readonly scoring: Scoring };

/** What came out of an execution: the task that scored it, if not the execution's own, is run here. */
export async function evaluationOf(
  execute: Task,
  { execution, score }: ExecuteData,
  { program, scoring }: Pick<EvaluatePayload, 'program' | 'scoring'>,
  runTask: (task: Task) => Promise<unknown>,
): Promise<Evaluation> {
  // The execution has its score, so that nothing is left to evaluate.
  if (!isCorrect(execution.outcome)) return { ...execution, fitness: null, features: [] };
  const evaluation =
    score === undefined
      ? EvaluateData.parse(await runTask(evaluateTask(execute, { execution, program, scoring })))
      : { ...execution, ...score };
  requireScore(evaluation, scoring);
  return evaluation;
}

/** Throws for a score that its own metrics do not give, which a worker of this project never sends. */
function requireScore({ fitness, features, metrics }: Evaluation, scoring: Scoring): void {
  if (fitness === null) return;
  const asked = scoring.objectives?.of.map(({ metric }) => metric) ?? [scoring.metric];
  if (features.length === scoring.axes.length && asked.every((name) => metrics[name] !== undefined)) {
    const expected = fitnessOf(scoring, metrics);
    if (Math.abs(fitness - expected) <= 1e-9 * Math.abs(expected)) return;
  }
  throw new PeagenError('internal', 'The result of its worker is refused: its score is not that of its metrics.');
}

export class Assessor {
  private readonly deps: AssessDeps;
  private readonly runTask: (task: Task) => Promise<unknown>;

  constructor(deps: AssessDeps, runTask: (task: Task) => Promise<unknown>) {
    this.deps = deps;
    this.runTask = runTask;
  }

  /** How the candidate of a slot will be executed; also what the mutate task enqueues as its follow-up. */
  async payload(slot: Slot, neighbours: readonly Sha256[]): Promise<Scored> {
    const { state, scorer } = this.deps;
    const common = await this.common(slot.generation, neighbours);
    if (!scorer.isSpeedup || state.spec.deterministic) return common;
    const parent = state.open.get(slot.index)?.selected.parent;
    const best = state.archive.best()?.metrics['speedup'];
    const toBeat = (parent === undefined ? undefined : state.known.get(parent)?.metrics['speedup']) ?? best;
    return { ...common, role: 'newcomer', ...(toBeat === undefined ? {} : { toBeat }), ...(best === undefined ? {} : { best }) };
  }

  async slot(slot: Slot, program: Program, neighbours: readonly Sha256[]): Promise<Evaluation> {
    const payload = { ...(await this.payload(slot, neighbours)), program };
    return this.judge(slotExecuteTask(this.deps.state.scope, slot, payload, this.deps.executeRequires), payload);
  }

  /** Measures a program once more in fresh processes, because of the challenge of a slot. */
  async again(slot: Slot, sha256: Sha256, program: Program): Promise<Execution> {
    const { scorer, state } = this.deps;
    const { scope, archive, open, readings } = state;
    const best = archive.best()?.metrics['speedup'];
    const { check, ...common } = await this.common(slot.generation, [], readings.scores(sha256).length);
    const peak_kb = state.known.get(sha256)?.metrics['peak_kb'];
    const payload: Scored & Pick<ExecutePayload, 'program'> = {
      ...common,
      ...(scorer.isTimed
        ? { pairs: MATCH_PAIRS, role: open.get(slot.index)?.evaluated?.sha256 === sha256 ? 'challenger' : 'holder' }
        : { pairs: 1, check }),
      ...(peak_kb === undefined ? {} : { peak_kb }),
      ...(best === undefined ? {} : { best }),
      program,
    };
    const times = (open.get(slot.index)?.matched ?? []).filter((one) => one === sha256).length;
    const name = `match/${slot.index}/${sha256}/${times}`;
    // Its slot waits for it, and newcomers would race against a title that may not stand.
    return this.judge(namedExecuteTask(scope, name, payload, [...this.deps.executeRequires, FIRST_TAG]), payload);
  }

  /** A program that no slot made is measured whatever it is worth: a user waits for the number. */
  async submitted(sha256: Sha256, program: Program, generation: number): Promise<Evaluation> {
    const { scope, population } = this.deps.state;
    const payload = { ...(await this.common(generation, population.neighbours())), program };
    return this.judge(namedExecuteTask(scope, `submitted/${sha256}`, payload, this.deps.executeRequires), payload);
  }

  /** `evaluated`: how often the program was evaluated before. */
  private async common(generation: number, neighbours: readonly Sha256[], evaluated = 0): Promise<Scored> {
    const { state, basis, scorer } = this.deps;
    return {
      mode: state.failing === undefined ? 'candidate' : 'alone',
      basis,
      deterministic: state.spec.deterministic,
      effort: 'quick',
      // Where a score decides, the time of an evaluation does not matter.
      ...(scorer.isTimed ? {} : { pairs: 1 }),
      ...(state.readings.sd === undefined ? {} : { noise: state.readings.sd }),
      ...seedOf(state.spec, evaluated),
      ...checkOf(state.spec),
      scoring: await scorer.scoring(generation, neighbours),
    };
  }

  private async judge(execute: Task, { program, scoring }: Scored & Pick<ExecutePayload, 'program'>): Promise<Evaluation> {
    try {
      const data = ExecuteData.parse(await this.runTask(execute));
      return await evaluationOf(execute, data, { program, scoring }, this.runTask);
    } catch (caught) {
      const error = PeagenError.from(caught);
      if (!isCandidatesFault(error)) throw error;
      const outcome = { kind: 'crashed' as const, detail: error.message };
      return { outcome, metrics: {}, artifacts: {}, fitness: null, features: [] };
    }
  }
}
