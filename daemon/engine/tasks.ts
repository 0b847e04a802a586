/** Makes the tasks of a run, under ids derived from the run and the slot: the same work never enters the queue twice. */

import type { RunId, TaskId } from '../../shared/ids.ts';
import type { EvaluatePayload, ExecutePayload, MutatePayload } from '../../shared/payloads.ts';
import type { Slot } from '../../shared/run.ts';
import { type CapTag, TASK_SCHEMA_V, type Task, type TaskKind } from '../../shared/task.ts';
import { derivedTaskId, followUp, followUpId } from '../handlers/follow-up.ts';

export function mutateTask(run: RunId, slot: Slot, payload: MutatePayload, requires: readonly CapTag[]): Task {
  const id = derivedTaskId(run, 'slot', slot.index, slot.attempt);
  return task('mutate', id, payload, ['cpu', ...requires], { run, candidate: slot.index });
}

/** The execute task that follows the mutate task of a slot; the same as the mutate handler's own follow-up. */
export function slotExecuteTask(run: RunId, slot: Slot, payload: ExecutePayload, requires: readonly CapTag[]): Task {
  const id = followUpId(derivedTaskId(run, 'slot', slot.index, slot.attempt), 'execute');
  return task('execute', id, payload, ['cpu', ...requires], { run, candidate: slot.index });
}

/** The evaluate task that follows an execute task; the same as the execute handler's own follow-up. */
export function evaluateTask(execute: Task, payload: EvaluatePayload): Task {
  return followUp(execute, 'evaluate', payload, ['cpu']);
}

/** An execution outside any slot: the baseline, or a confirmation. `name` tells them apart. */
export function namedExecuteTask(run: RunId, name: string, payload: ExecutePayload, requires: readonly CapTag[]): Task {
  return task('execute', derivedTaskId(run, name), payload, ['cpu', ...requires], { run });
}

/** A patch round without a run. */
export function soleMutateTask(id: TaskId, payload: MutatePayload, requires: readonly CapTag[]): Task {
  return task('mutate', id, payload, ['cpu', ...requires], {});
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
