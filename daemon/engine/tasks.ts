/** Makes the engine's tasks, under ids derived from what they are part of: the same work never enters the queue twice. */

import type { RunId, TaskId } from '../../shared/ids.ts';
import type { EvaluatePayload, ExecutePayload, MutatePayload } from '../../shared/payloads.ts';
import type { Slot } from '../../shared/run.ts';
import type { RunSpec } from '../../shared/run-spec.ts';
import { type CapTag, TASK_SCHEMA_V, type Task, type TaskKind } from '../../shared/task.ts';
import { derivedTaskId, followUp, followUpId } from '../handlers/follow-up.ts';
import type { GeneratePayload } from '../render/task.ts';

/** The scope of tasks: their names are unique in it. */
export interface Scope {
  readonly key: string;
  /** For logs and traces. */
  readonly run?: RunId;
}

/**
 * A run compared with the original that it has after that number of rebases: what was judged against another one is not
 * reused.
 */
export function runScope(run: RunId, rebases: number): Scope {
  return { key: rebases === 0 ? run : `${run}/${rebases}`, run };
}

export function mutateTask(scope: Scope, slot: Slot, payload: MutatePayload, requires: readonly CapTag[]): Task {
  return task('mutate', slotId(scope, slot), payload, ['cpu', ...requires], traceOf(scope, slot));
}

/** The execute task that follows the mutate task of a slot; the same as the mutate handler's own follow-up. */
export function slotExecuteTask(scope: Scope, slot: Slot, payload: ExecutePayload, requires: readonly CapTag[]): Task {
  return task('execute', slotExecuteId(scope, slot), payload, ['cpu', ...requires], traceOf(scope, slot));
}

export function slotExecuteId(scope: Scope, slot: Slot): TaskId {
  return followUpId(slotId(scope, slot), 'execute');
}

/** Scores what the execute task found, when that did not. */
export function evaluateTask(execute: Task, payload: EvaluatePayload): Task {
  return followUp(execute, 'evaluate', payload, ['cpu']);
}

/** An execution outside any slot: the baseline, or a confirmation. `name` distinguishes them. */
export function namedExecuteTask(scope: Scope, name: string, payload: ExecutePayload, requires: readonly CapTag[]): Task {
  return task('execute', derivedTaskId(scope.key, name), payload, ['cpu', ...requires], traceOf(scope));
}

/** The seed of an evaluation, where scores are said to vary. `index`: how often the program was evaluated before. */
export function seedOf({ repeats = 1, seeds }: Pick<RunSpec, 'repeats' | 'seeds'>, index: number): Pick<ExecutePayload, 'seed'> {
  if (repeats === 1 && seeds === undefined) return {};
  return { seed: seeds?.[index % seeds.length] ?? index };
}

/** Stage 0 of a run, when it has one. */
export function checkOf({ check, target }: Pick<RunSpec, 'check' | 'target'>): Pick<ExecutePayload, 'check'> {
  return check === undefined ? {} : { check: { command: check, root: target.root } };
}

/** Asks a model what the attempts until this generation teach. */
export function reflectTask(scope: Scope, generation: number, payload: GeneratePayload): Task {
  return task('render', derivedTaskId(scope.key, 'reflect', generation), payload, ['cpu', 'llm'], traceOf(scope));
}

/** A patch round without a run. */
export function soleMutateTask(id: TaskId, payload: MutatePayload, requires: readonly CapTag[]): Task {
  return task('mutate', id, payload, ['cpu', ...requires], {});
}

function slotId({ key }: Scope, { index, attempt }: Slot): TaskId {
  return derivedTaskId(key, 'slot', index, attempt);
}

function traceOf({ run }: Scope, slot?: Slot): NonNullable<Task['trace']> {
  return { ...(run === undefined ? {} : { run }), ...(slot === undefined ? {} : { candidate: slot.index }) };
}

function task(
  kind: TaskKind,
  id: TaskId,
  payload: unknown,
  requires: readonly CapTag[],
  trace: NonNullable<Task['trace']>,
): Task {
  return {
    kind,
    id,
    payload,
    requires: [...new Set(requires)].sort(),
    attempts: 0,
    created_at: new Date().toISOString(),
    schema_v: TASK_SCHEMA_V,
    trace,
  };
}
