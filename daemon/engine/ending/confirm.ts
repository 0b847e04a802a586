/** Measures a program against the original with care: before a best is announced, and in a replay. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { type EvaluatorSpec, type Execution, isCorrect, type Metrics, type Outcome } from '../../../shared/judging.ts';
import type { Elite } from '../../../shared/niche.ts';
import { type Basis, ExecuteData, type ExecutePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best } from '../../../shared/run.ts';
import type { Task } from '../../../shared/task.ts';
import type { Evaluator } from '../../judging/evaluator.ts';
import type { TaskClient } from '../task-client.ts';
import { namedExecuteTask, type Scope } from '../tasks.ts';
import type { AnnounceDeadline } from './deadline.ts';

export interface Confirmer {
  readonly scope: Scope;
  readonly taskClient: Pick<TaskClient, 'run'>;
  readonly evaluator: Evaluator;
  readonly basis: Basis;
  /** Stage 0. */
  readonly check?: ExecutePayload['check'];
  readonly signal: AbortSignal;
}

/** A client that can withdraw its tasks. */
export interface Withdrawing extends Confirmer {
  readonly taskClient: Pick<TaskClient, 'run' | 'cancel'>;
}

export interface Executed {
  readonly task: Task;
  readonly execution: Execution;
  /** Present after an execution in mode `basis`. */
  readonly basis?: Basis | undefined;
}

/** `name` distinguishes one execution of a run from another. */
export async function execute(
  confirmer: Confirmer,
  name: string,
  program: Program,
  how: Pick<ExecutePayload, 'deterministic' | 'effort'> & Partial<Pick<ExecutePayload, 'mode' | 'within_ms' | 'pairs' | 'role'>>,
): Promise<Executed> {
  const { scope, taskClient, evaluator, basis, check, signal } = confirmer;
  const payload: ExecutePayload = { mode: 'candidate', program, basis, ...(check === undefined ? {} : { check }), ...how };
  const task = namedExecuteTask(scope, name, payload, evaluator.requires(program.language));
  return { task, ...ExecuteData.parse(await taskClient.run(task, signal)) };
}

/**
 * Measures by time, also in a deterministic run. `once`: measures a single time, since the goal is not the speed. `withinMs`:
 * infinite where the measurement has no limit.
 */
export function measure(
  confirmer: Confirmer,
  name: string,
  program: Program,
  effort: 'once' | 'compare' | 'final',
  withinMs = Number.POSITIVE_INFINITY,
): Promise<Executed> {
  if (effort === 'once') return execute(confirmer, name, program, { deterministic: false, effort: 'quick', pairs: 1 });
  const bound = withinMs === Number.POSITIVE_INFINITY ? {} : { within_ms: Math.max(1, Math.round(withinMs)) };
  return execute(confirmer, name, program, { deterministic: false, effort, ...bound });
}

/**
 * Judges programs on inputs that the search never saw. The basis is made when it is first needed, from the original;
 * without held-out inputs every program passes.
 */
export class HeldOut {
  private readonly spec: EvaluatorSpec | undefined;
  private readonly name: string;
  private basis: Basis | undefined;

  /** `name` distinguishes its executions from others of the run. */
  constructor(spec: EvaluatorSpec | undefined, name = 'heldout') {
    this.spec = spec;
    this.name = name;
  }

  /** Throws `original_fails` when the original fails on them. */
  async prepare(confirmer: Confirmer): Promise<void> {
    if (this.spec !== undefined) await this.basisOf(confirmer, this.spec);
  }

  /** Returns undefined when there is no time left for it. */
  async passes(
    deadline: AnnounceDeadline,
    confirmer: Withdrawing,
    sha256: Sha256,
    program: Program,
  ): Promise<boolean | undefined> {
    if (this.spec === undefined) return true;
    const judged = await deadline.inTime(deadline.leftMs, confirmer, (bounded) => this.outcome(bounded, sha256, program));
    return judged === undefined ? undefined : isCorrect(judged.outcome);
  }

  /** Without held-out inputs, every program counts as correct. */
  async outcome(confirmer: Confirmer, sha256: Sha256, program: Program): Promise<{ readonly outcome: Outcome }> {
    if (this.spec === undefined) return { outcome: { kind: 'correct', detail: '' } };
    const basis = await this.basisOf(confirmer, this.spec);
    return (await judgeAlone(confirmer, `${this.name}/${sha256}`, { mode: 'candidate', program, basis })).execution;
  }

  private async basisOf(confirmer: Confirmer, evaluator: EvaluatorSpec): Promise<Basis> {
    if (this.basis !== undefined) return this.basis;
    const { original } = confirmer.basis;
    const what = { mode: 'basis', program: original, basis: { evaluator, original, data: null } } as const;
    this.basis = (await judgeAlone(confirmer, this.name, what)).basis;
    if (this.basis === undefined) throw new PeagenError('internal', 'The evaluator made no basis of the held-out inputs.');
    return this.basis;
  }
}

/** Only correctness is checked here, so that nothing is timed. */
async function judgeAlone(
  { scope, taskClient, evaluator, signal }: Confirmer,
  name: string,
  what: Pick<ExecutePayload, 'mode' | 'program' | 'basis'>,
): Promise<ExecuteData> {
  const payload: ExecutePayload = { ...what, deterministic: true, effort: 'quick' };
  return ExecuteData.parse(
    await taskClient.run(namedExecuteTask(scope, name, payload, evaluator.requires(what.program.language)), signal),
  );
}

/** The goal of a run, where that is not the speed-up over the original. */
export interface ScoreGoal {
  fitness(metrics: Metrics): number;
  /** Returns in words which limit of an objective is not met. */
  beyond(metrics: Metrics): string | undefined;
  /** Fitness of the original. */
  readonly original: number;
}

/**
 * The elite as a best, when the measurement shows that it is correct and better than the original by what the run is about:
 * clearly faster unless there is another goal.
 */
export function confirmedBest(
  elite: Pick<Elite, 'sha256' | 'generation' | 'niche'>,
  { outcome, metrics }: Execution,
  goal?: ScoreGoal,
): Best | null {
  if (!isCorrect(outcome) || goal?.beyond(metrics) !== undefined) return null;
  const score = goal === undefined ? undefined : { fitness: goal.fitness(metrics), original: goal.original };
  if (
    score === undefined
      ? outcome.kind !== 'correct' || requireMetric(metrics, 'speedup_low') <= 1
      : score.fitness <= score.original
  ) {
    return null;
  }
  const metric = (name: string, otherwise: number): number =>
    score === undefined ? requireMetric(metrics, name) : (metrics[name] ?? otherwise);
  return {
    sha256: elite.sha256,
    speedup: metric('speedup', 1),
    speedup_low: metric('speedup_low', 1),
    speedup_high: metric('speedup_high', 1),
    speed_ms: metric('speed_ms', 0),
    baseline_ms: metric('baseline_ms', 0),
    peak_kb: metrics['peak_kb'] ?? 0,
    ...operationsIn(metrics),
    ...(score === undefined ? {} : { score }),
    ...(metrics['unverified'] === 1 ? { unverified: true } : {}),
    generation: elite.generation,
    niche: elite.niche,
  };
}

/** The operations of the program and of the original: both, or none. */
export function operationsIn({ cost, baseline_cost }: Metrics): Pick<Best, 'cost' | 'baseline_cost'> {
  return cost === undefined || baseline_cost === undefined || baseline_cost === 0 ? {} : { cost, baseline_cost };
}

export function requireMetric(metrics: Execution['metrics'], name: string): number {
  const value = metrics[name];
  if (value === undefined) throw new PeagenError('internal', `The evaluator measured no "${name}".`);
  return value;
}
