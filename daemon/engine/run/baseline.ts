/**
 * Judges what a run's candidates are to be compared with: the original or, where that fails by itself and what is right
 * can be told without it, the first candidate that does not.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { EvaluatorSpec, Outcome } from '../../../shared/judging.ts';
import { type Basis, ExecuteData, type ExecutePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import type { CapTag, Task } from '../../../shared/task.ts';
import { programSha } from '../../evolution/hash.ts';
import { type Confirmer, HeldOut } from '../ending/confirm.ts';
import { keptArtifacts } from '../mutate/mutate-payload.ts';
import { checkOf, namedExecuteTask, type Scope, seedOf } from '../tasks.ts';
import { evaluationOf } from './assess.ts';
import type { Scorer } from './scorer.ts';
import type { RunState } from './state/run-state.ts';
import type { EventOf } from './state/slots.ts';

export interface Prepared {
  readonly basis: Basis;
  readonly baseline: Pick<EventOf<'baseline'>, 'metrics' | 'features' | 'fitness' | 'artifacts' | 'readings'>;
}

/** How a program fails by itself. */
export interface Failing {
  readonly outcome: Outcome;
}

interface BaselineDeps {
  readonly spec: RunSpec;
  readonly scorer: Scorer;
  /** Capability tags of the task, in addition to `cpu`. */
  readonly requires: readonly CapTag[];
  runTask(task: Task): Promise<unknown>;
  putText(text: string): Promise<Sha256>;
}

/** This holds while every known program fails. */
export function noBasis({ evaluator }: RunSpec, original: Program): Basis {
  return { evaluator, original, data: null };
}

/** Throws `original_fails` when the program fails and is the oracle, or when no model is asked that could fix it. */
export async function prepare(program: Program, scope: Scope, deps: BaselineDeps): Promise<Prepared | Failing> {
  const { spec, scorer, requires } = deps;
  const scoring = await scorer.scoring(0, []);
  const payload: ExecutePayload = {
    mode: spec.fix === true ? 'alone' : 'basis',
    program,
    basis: noBasis(spec, program),
    deterministic: spec.deterministic,
    effort: 'quick',
    ...checkOf(spec),
    ...seedOf(spec, 0),
    scoring,
  };
  // Each of several edits in a row has a task of its own.
  const name = scope.key === scope.run ? 'basis' : `basis/${programSha(program)}`;
  const execute = namedExecuteTask(scope, name, payload, requires);
  const data = ExecuteData.parse(await deps.runTask(execute));
  const judged = await evaluationOf(execute, data, { program, scoring }, (task) => deps.runTask(task));
  const { outcome, metrics, features, fitness, readings } = judged;
  if (fitness === null) return { outcome };
  if (data.basis === undefined) throw new PeagenError('internal', 'The evaluator made no basis of the original.');
  const artifacts = await keptArtifacts(judged, spec, (text) => deps.putText(text));
  const measured = readings === undefined ? {} : { readings };
  return { basis: data.basis, baseline: { metrics, features, fitness, ...measured, ...artifacts } };
}

export function isFailing(prepared: Prepared | Failing): prepared is Failing {
  return 'outcome' in prepared;
}

/** The error for an original that nothing fixes. */
export function originalFails({ outcome: { detail } }: Failing): PeagenError {
  return new PeagenError('original_fails', `The original fails by itself: ${detail}`);
}

/** What is wrong with a program that is right on all that the search sees; nothing that it does not see is reported. */
export async function heldOutFault(confirmer: Confirmer, heldout: EvaluatorSpec | undefined): Promise<Outcome | undefined> {
  try {
    await new HeldOut(heldout).prepare(confirmer);
    return undefined;
  } catch (caught) {
    if (PeagenError.from(caught).code !== 'original_fails') throw caught;
    return { kind: 'wrong', detail: 'it fails on inputs that are held out' };
  }
}

/** The program that fixed the original: a gain even when nothing is faster. Null where the original is right. */
export function mendedBest({ mended, archive, baseline }: RunState): Best | null {
  const elite = mended === undefined ? undefined : archive.find(mended);
  if (elite === undefined) return null;
  const ms = baseline['speed_ms'] ?? 0;
  return {
    sha256: elite.sha256,
    speedup: 1,
    speedup_low: 1,
    speedup_high: 1,
    speed_ms: ms,
    baseline_ms: ms,
    peak_kb: baseline['peak_kb'] ?? 0,
    generation: elite.generation,
    niche: elite.niche,
  };
}
