/** Judges a user's change of a target against its original without a run, through the same tasks as any candidate. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { newTaskId } from '../../shared/ids.ts';
import {
  type Counterexample,
  describeCounterexample,
  type EvaluatorSpec,
  type Execution,
  isCorrect,
  type Outcome,
  type OutcomeKind,
} from '../../shared/judging.ts';
import { unifiedDiff } from '../../shared/patch/unified.ts';
import { Entry, type Program } from '../../shared/program.ts';
import type { JudgeRequest, Verdict } from '../../shared/protocol/targets.ts';
import { programSha } from '../evolution/hash.ts';
import { loadTarget } from '../evolution/target.ts';
import { createRandom } from '../random.ts';
import type { Registry } from '../registry.ts';
import { ATTACK, attack, canAttack, doubtOf, withAttack } from './ending/attack.ts';
import { type Confirmer, execute, HeldOut, measure } from './ending/confirm.ts';
import { givenAlone } from './ending/given-alone.ts';
import { changesOf } from './target/changes.ts';
import type { Derivations } from './target/derive.ts';
import { resolveJudging } from './target/resolve.ts';
import { type TaskClient, whileWanted } from './task-client.ts';
import { checkOf } from './tasks.ts';

interface JudgeDeps {
  readonly config: Config;
  readonly registry: Registry;
  readonly taskClient: TaskClient;
  readonly derivations: Derivations;
}

/** Outcomes of which a smaller call may be found; the others ended the search for one themselves. */
const shrinkable: readonly OutcomeKind[] = ['wrong', 'crashed', 'overfit'];

type Asking = Omit<JudgeDeps, 'taskClient'> & Pick<Confirmer, 'taskClient'>;

/**
 * Throws `original_fails` when there is nothing to compare with, and what makes either text no target. A signal withdraws its
 * tasks.
 */
export async function judgeChange(request: JudgeRequest, deps: JudgeDeps, signal: AbortSignal): Promise<Verdict> {
  return await whileWanted(deps.taskClient, signal, (taskClient) => judge(request, { ...deps, taskClient }, signal));
}

async function judge(request: JudgeRequest, deps: Asking, signal: AbortSignal): Promise<Verdict> {
  const { config, registry, taskClient, derivations } = deps;
  // First, since calls for the original take seconds to make.
  const { program: changed } = await loadTarget({ ...request.target, text: request.text });
  const judged = await resolveJudging(request, config, registry, derivations.until(signal));
  const { program: original, evaluator, spec, heldout, confidence } = judged;
  signal.throwIfAborted();
  // Each request has a scope of its own: a measurement is never an old one.
  const scope = { key: newTaskId() };
  const { check } = config.evaluate;
  const confirmer: Confirmer = {
    scope,
    taskClient,
    evaluator,
    basis: { evaluator: spec, original, data: null },
    ...checkOf({ target: request.target, ...(check === undefined ? {} : { check }) }),
    signal,
  };
  const prepare = { mode: 'basis', deterministic: false, effort: 'quick' } as const;
  const { execution: before, basis } = await execute(confirmer, 'basis', original, prepare);
  if (basis === undefined) throw new PeagenError('internal', 'The evaluator made no basis of the original.');
  if (!isCorrect(before.outcome)) {
    throw new PeagenError('original_fails', `The original fails by itself: ${before.outcome.detail}`);
  }
  const against = { ...confirmer, basis };
  const { execution } = await measure(against, 'change', changed, 'final');
  const { outcome, calls: attacked } = await attackedOutcome(against, changed, execution.outcome, spec.options['entry']);
  const correct = isCorrect(outcome);
  const also = correct ? await heldOutcome(against, changed, heldout, request.heldout ?? config.evaluate.heldout) : undefined;
  const doubt = correct && confidence !== undefined ? doubtOf(confidence, original, changed) : undefined;
  return {
    outcome,
    ...(doubt === undefined ? {} : { doubt }),
    ...(also === undefined ? {} : { heldout: also }),
    ...(confidence === undefined ? {} : { confidence: withAttack(confidence, attacked) }),
    speedup: correct ? speedupOf(execution) : null,
    ...(correct ? await givenAlone(against, 'change', changed) : {}),
    before: { speed_ms: positive(execution, 'baseline_ms'), peak_kb: positive(before, 'peak_kb'), size: sizeOf(original) },
    after: { speed_ms: positive(execution, 'speed_ms'), peak_kb: positive(execution, 'peak_kb'), size: sizeOf(changed) },
    metrics: execution.metrics,
    diff: unifiedDiff(changesOf(original, changed)),
  };
}

/**
 * Looks for a fresh call on which the change differs, and where one is known, for a smaller one. A user's change has seen no
 * call, so that there is nothing that it could be fitted to: it is wrong.
 */
async function attackedOutcome(
  against: Confirmer,
  changed: Program,
  outcome: Outcome,
  entry: unknown,
): Promise<{ outcome: Outcome; calls: number }> {
  const { success, data } = Entry.safeParse(entry);
  const plain: Outcome = outcome.kind === 'overfit' ? { ...outcome, kind: 'wrong' } : outcome;
  if (!canAttack(against) || !(isCorrect(outcome) || shrinkable.includes(outcome.kind))) return { outcome: plain, calls: 0 };
  const seed = createRandom('judge', programSha(changed)).int(2 ** 32);
  const { calls, counterexample } = await attack(against, 'attack', changed, { seed, ...ATTACK, deterministic: false });
  if (counterexample === undefined) return { outcome: plain, calls };
  const known = outcome.counterexample;
  if (known !== undefined && sizeOfCall(known) <= sizeOfCall(counterexample)) return { outcome: plain, calls };
  const detail = describeCounterexample(counterexample, success ? data.fn : '');
  return { outcome: { kind: isCorrect(outcome) ? 'wrong' : plain.kind, counterexample, detail }, calls };
}

function sizeOfCall({ call }: Counterexample): number {
  return JSON.stringify(call).length;
}

/** A function's held-out inputs are among the calls that it was right on. */
async function heldOutcome(
  against: Confirmer,
  changed: Program,
  command: EvaluatorSpec | undefined,
  given: string | undefined,
): Promise<Outcome | undefined> {
  if (command !== undefined) return (await new HeldOut(command).outcome(against, programSha(changed), changed)).outcome;
  return given === undefined ? undefined : { kind: 'correct', detail: '' };
}

function speedupOf({ metrics: { speedup: ratio, speedup_low: low, speedup_high: high } }: Execution): Verdict['speedup'] {
  return ratio === undefined || low === undefined || high === undefined ? null : { ratio, low, high };
}

/** An evaluator that does not look at memory says 0. */
function positive({ metrics }: Execution, name: string): number | null {
  const value = metrics[name] ?? 0;
  return value > 0 ? value : null;
}

function sizeOf(program: Program): number {
  return program.spans.reduce((sum, span) => sum + span.end - span.start, 0);
}
