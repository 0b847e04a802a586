/** Runs one claimed task to its outcome. It reports nothing to the queue and never throws: what happened is its answer. */
import * as z from 'zod';
import { type ErrorCode, PeagenError } from '../../../shared/errors.ts';
import { type Result, TASK_SCHEMA_V, Task } from '../../../shared/task.ts';
import type { HandlerContext, TaskHandler } from '../../handlers/handler.ts';
import type { PureWork } from '../../handlers/threads.ts';
import type { Log } from '../../telemetry/log.ts';
import { traced } from '../../telemetry/trace.ts';
import { withBasis } from '../basis.ts';
import type { Claim } from '../queue.ts';
import { findHandler, type HandlerSearch } from './find-handler.ts';

export type HandlerOutcome = { readonly handler: string | undefined; readonly ms: number } & (
  | { readonly kind: 'ok'; readonly result: Result; readonly followUps: readonly Task[] }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string; readonly retryable: boolean; readonly code: ErrorCode }
);

export interface TaskRun extends HandlerSearch {
  readonly workerId: string;
  readonly image: string | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly threads?: PureWork;
  readonly workspace?: string | undefined;
  readonly folders?: HandlerContext['folders'];
}

export async function runTask(claim: Claim, run: TaskRun): Promise<HandlerOutcome> {
  const started = performance.now();
  let handler: TaskHandler | undefined;
  const timing = () => ({ handler: handler?.name, ms: performance.now() - started });
  try {
    const task = readable(claim.task);
    const found = await findHandler(task, run);
    handler = found;
    const log = run.log.child({ task: task.id, run: task.trace?.run, candidate: task.trace?.candidate, handler: handler.name });
    const { workerId, signal, config, registry, threads, workspace, folders } = run;
    const attributes = { 'peagen.task': task.id, 'peagen.handler': handler.name, 'peagen.worker': workerId };
    const span = { kind: 'consumer' as const, parent: task.trace?.traceparent, attributes };
    const { payload, referring } = await withBasis(task.payload, folders);
    const handled = await traced(`handle ${task.kind}`, span, () =>
      found.handle({ ...task, payload }, { workerId, signal, log, config, registry, threads, workspace, folders }),
    );
    if (handled.status === 'skip') return { kind: 'skip', reason: handled.reason, ...timing() };
    const result: Result = {
      task_id: task.id,
      status: 'ok',
      data: handled.data,
      created_at: new Date().toISOString(),
      attempts: task.attempts,
      handler: handler.name,
      handler_version: handler.version,
      worker_id: workerId,
      ...(run.image === undefined ? {} : { image: run.image }),
    };
    return { kind: 'ok', result, followUps: (handled.followUps ?? []).map(referring), ...timing() };
  } catch (caught) {
    return { kind: 'fail', ...failureOf(caught, claim.task), ...timing() };
  }
}

/** Throws `unsupported` or `invalid_input`, neither of which a retry can help. */
function readable(task: Task): Task {
  const parsed = Task.safeParse(task);
  if (!parsed.success) throw new PeagenError('invalid_input', `The task is malformed: ${issueOf(parsed.error)}.`);
  if (parsed.data.schema_v > TASK_SCHEMA_V) {
    throw new PeagenError(
      'unsupported',
      `The task has schema_v ${parsed.data.schema_v}; this worker reads up to ${TASK_SCHEMA_V}.`,
      {
        hint: 'Update the workers, then retry it from the dead-letter queue.',
      },
    );
  }
  return parsed.data;
}

/**
 * A payload that does not parse will not parse later either. An error that nobody gave a code (a full disk, a bug) may
 * pass, and the queue's retry limit ends it when it does not.
 */
function failureOf(caught: unknown, task: Task): { reason: string; retryable: boolean; code: ErrorCode } {
  if (caught instanceof z.ZodError) {
    return {
      reason: `The payload of the ${task.kind} task is malformed: ${issueOf(caught)}.`,
      retryable: false,
      code: 'invalid_input',
    };
  }
  const error = PeagenError.from(caught);
  const coded = caught instanceof PeagenError || error.code !== 'internal';
  return { reason: error.line, retryable: coded ? error.retryable : true, code: error.code };
}

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'unknown' : `${issue.path.join('.') || 'the whole'}: ${issue.message}`;
}
