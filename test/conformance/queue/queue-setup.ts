/** What the cases of the queue's conformance suite share: tasks, workers, and a queue on an empty workspace for each case. */
import assert from 'node:assert/strict';
import type { Claim, QueueOptions, TaskQueue, WorkerIdentity } from '../../../daemon/fabric/queue.ts';
import { newTaskId, type TaskId } from '../../../shared/ids.ts';
import type { Result, Task } from '../../../shared/task.ts';

export interface Opened {
  readonly queue: TaskQueue;
  /** Another connection to the same workspace; the same object when the adapter lives in one process. */
  readonly second: TaskQueue;
  /** Lets at least `ms` of the queue's time pass. */
  readonly pass: (ms: number) => Promise<void>;
}

export type Open = (options: Partial<QueueOptions>) => Promise<Opened>;

/** A queue that is closed after the case. */
export type Fresh = (options?: Partial<QueueOptions>) => Promise<Opened>;

/** The lease of the cases in which one ends; the others have a minute, so that no slow machine takes a task from them. */
export const LEASE = 1200;
export const RETRY = 20;
export const now = { waitMs: 0 };

export function task(over: Partial<Task> = {}): Task {
  return {
    kind: 'execute',
    id: newTaskId(),
    payload: { n: 1 },
    requires: ['cpu'],
    attempts: 0,
    created_at: '2026-01-31T14:25:01.000Z',
    schema_v: 1,
    ...over,
  };
}

export function okResult(id: TaskId, data: unknown = { done: true }): Result {
  return { task_id: id, status: 'ok', data, created_at: '2026-01-31T14:25:02.000Z', attempts: 0, worker_id: 'w' };
}

export function worker(id: string, ...caps: string[]): WorkerIdentity {
  return { id, caps: new Set(caps.length === 0 ? ['cpu'] : caps) };
}

/** Claims, which must succeed. */
export async function take(queue: TaskQueue, who: WorkerIdentity, waitMs = 3000): Promise<Claim> {
  const claim = await queue.claim(who, { waitMs });
  assert.ok(claim !== undefined, `${who.id} got no task`);
  return claim;
}

/** A task that worker `a` held until its lease ended, and that worker `b` holds now. */
export async function lose(fresh: Fresh): Promise<{ it: Opened; lost: Claim; newer: Claim }> {
  const it = await fresh({ leaseMs: LEASE });
  await it.queue.enqueue([task()]);
  const lost = await take(it.queue, worker('a'));
  await it.pass(LEASE + 10);
  await until(it, async () => (await it.queue.depth()).pending === 1);
  return { it, lost, newer: await take(it.queue, worker('b')) };
}

/** Passes time and sweeps until `done`. */
export async function until({ queue, pass }: Opened, done: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await done()) return;
    await pass(20);
    await queue.sweep();
  }
  assert.fail('the condition never came true');
}
