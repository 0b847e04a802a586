/** Follow-up tasks: enqueued by the completion of the task they follow, under an id derived from it, so that a second run of the first task adds nothing. */
import { hash } from 'node:crypto';
import { TaskId } from '../../shared/ids.ts';
import { type CapTag, TASK_SCHEMA_V, type Task, type TaskKind } from '../../shared/task.ts';

/** A task id from whatever identifies the work: the same parts, the same id. */
export function derivedTaskId(...parts: (string | number)[]): TaskId {
  return TaskId.parse(hash('sha256', parts.join('\0')).slice(0, 32));
}

/** The id of the task of `kind` that follows `parent`. */
export function followUpId(parent: TaskId, kind: TaskKind): TaskId {
  return derivedTaskId(parent, kind);
}

export function followUp(parent: Task, kind: TaskKind, payload: unknown, requires: readonly CapTag[]): Task {
  return {
    kind,
    id: followUpId(parent.id, kind),
    payload,
    requires: [...requires],
    attempts: 0,
    created_at: new Date().toISOString(),
    schema_v: TASK_SCHEMA_V,
    ...(parent.trace === undefined ? {} : { trace: parent.trace }),
  };
}
