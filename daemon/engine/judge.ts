/** Judges a person's change of a target against its original without a run, through the same tasks as any candidate. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { newTaskId, type TaskId } from '../../shared/ids.ts';
import { type Execution, isCorrect } from '../../shared/judging.ts';
import { unifiedDiff } from '../../shared/patch/unified.ts';
import type { Program } from '../../shared/program.ts';
import type { JudgeRequest, Verdict } from '../../shared/protocol/targets.ts';
import type { Task } from '../../shared/task.ts';
import { programSha } from '../evolution/hash.ts';
import { loadTarget } from '../evolution/target.ts';
import type { Registry } from '../plugins/registry.ts';
import { changesOf } from './changes.ts';
import { type Confirmer, execute, HeldOut, measure } from './confirm.ts';
import type { Desk } from './desk.ts';
import { resolveJudging } from './resolve.ts';
import { checkOf } from './tasks.ts';

export interface JudgeDeps {
  readonly config: Config;
  readonly registry: Registry;
  readonly desk: Desk;
}

type Asking = Omit<JudgeDeps, 'desk'> & Pick<Confirmer, 'desk'>;

/** Throws `original_fails` when there is nothing to compare with, and what makes either text no target. A signal withdraws its tasks. */
export async function judgeChange(request: JudgeRequest, deps: JudgeDeps, signal: AbortSignal): Promise<Verdict> {
  const asked: TaskId[] = [];
  const desk = {
    run: (task: Task, until: AbortSignal) => {
      asked.push(task.id);
      return deps.desk.run(task, until);
    },
  };
  try {
    return await judge(request, { ...deps, desk }, signal);
  } finally {
    if (signal.aborted) await deps.desk.cancel(asked, 'the request was withdrawn');
  }
}

async function judge(request: JudgeRequest, deps: Asking, signal: AbortSignal): Promise<Verdict> {
  const { config, registry, desk } = deps;
  const { program: original, evaluator, spec, heldout } = await resolveJudging(request, config, registry);
  const { program: changed } = await loadTarget({ ...request.target, text: request.text });
  // Of its own for each request: a measurement is never an old one.
  const scope = { key: newTaskId() };
  const { check } = config.evaluate;
  const confirmer: Confirmer = {
    scope,
    desk,
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
  const correct = isCorrect(execution.outcome);
  const also = correct ? await new HeldOut(against, heldout).outcome(programSha(changed), changed) : undefined;
  return {
    outcome: execution.outcome,
    ...(also === undefined ? {} : { heldout: also }),
    speedup: correct ? speedupOf(execution) : null,
    before: { speed_ms: positive(execution, 'baseline_ms'), peak_kb: positive(before, 'peak_kb'), size: sizeOf(original) },
    after: { speed_ms: positive(execution, 'speed_ms'), peak_kb: positive(execution, 'peak_kb'), size: sizeOf(changed) },
    metrics: execution.metrics,
    diff: unifiedDiff(changesOf(original, changed)),
  };
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
