/** The execute handler: from a task to its result and its follow-up, in real sandboxes. */
import assert from 'node:assert/strict';
import { createExecuteHandler } from '../../daemon/handlers/execute.ts';
import type { HandlerContext } from '../../daemon/handlers/handler.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { TaskId } from '../../shared/ids.ts';
import { EvaluatePayload, ExecuteData } from '../../shared/payloads.ts';
import type { Task } from '../../shared/task.ts';
import { programOf } from './judging.ts';

const handler = createExecuteHandler('execute-python', ['python']);
const taskOf = (payload: unknown): Task => ({
  kind: 'execute',
  id: TaskId.parse('0123456789abcdef0123456789abcdef'),
  payload,
  requires: ['cpu', 'python'],
  attempts: 0,
  created_at: new Date().toISOString(),
  schema_v: 1,
  trace: { run: 'r', candidate: 3 },
});
const contextOf = (config = Config.parse({})): HandlerContext => ({
  workerId: 'test',
  signal: new AbortController().signal,
  log: createLog({ level: 'silent' }),
  config,
  registry: builtinRegistry(),
});
const original = programOf('python', 'def f(n):\n    return sum(range(n))\n');
const evaluator = { name: 'function', options: { entry: { path: 'target.py', fn: 'f' }, calls: [{ args: [100] }] } };
const scoring = { axes: [{ name: 'speed', bin: 5 }], metric: 'speedup', generation: 1 };
const basisTask = taskOf({ mode: 'basis', program: original, basis: { evaluator, original, data: null }, deterministic: true });

describe('the execute handler', function () {
  this.timeout(120_000);

  it('makes the basis, then judges against it; a re-run enqueues the same follow-up', async () => {
    const made = await handler.handle(basisTask, contextOf());
    assert.equal(made.status, 'ok');
    const { basis } = ExecuteData.parse(made.status === 'ok' ? made.data : undefined);
    // What travels is plain data.
    const payload = JSON.parse(JSON.stringify({ mode: 'candidate', program: original, basis, deterministic: true, scoring }));
    const runs = [await handler.handle(taskOf(payload), contextOf()), await handler.handle(taskOf(payload), contextOf())];
    const follow = runs.map((run) => (run.status === 'ok' ? (run.followUps ?? []) : []));
    assert.equal(follow[0]?.length, 1);
    assert.equal(follow[0]?.[0]?.id, follow[1]?.[0]?.id);
    assert.deepEqual(
      [follow[0]?.[0]?.kind, follow[0]?.[0]?.requires, follow[0]?.[0]?.trace],
      ['evaluate', ['cpu'], { run: 'r', candidate: 3 }],
    );
    assert.equal(EvaluatePayload.parse(follow[0]?.[0]?.payload).execution.outcome.kind, 'correct');
  });

  it('enqueues nothing more for a candidate that is not correct', async () => {
    const made = await handler.handle(basisTask, contextOf());
    const { basis } = ExecuteData.parse(made.status === 'ok' ? made.data : undefined);
    const program = programOf('python', 'def f(n):\n    return -1\n');
    const run = await handler.handle(taskOf({ mode: 'candidate', program, basis, deterministic: true, scoring }), contextOf());
    const { execution } = ExecuteData.parse(run.status === 'ok' ? run.data : undefined);
    assert.equal(execution.outcome.kind, 'wrong');
    assert.deepEqual(run.status === 'ok' ? run.followUps : undefined, []);
  });

  it('refuses a malformed payload, an unknown evaluator and an unknown tier, for good', async () => {
    const refuses = async (task: Task, code: string, context = contextOf()) =>
      await assert.rejects(
        handler.handle(task, context),
        (error: unknown) => error instanceof PeagenError && error.code === code && !error.retryable,
      );
    await refuses(taskOf({ mode: 'sideways' }), 'invalid_input');
    const unknown = { evaluator: { name: 'functon', options: {} }, original, data: null };
    await refuses(taskOf({ mode: 'basis', program: original, basis: unknown, deterministic: true }), 'not_found');
    await refuses(basisTask, 'not_found', contextOf(Config.parse({ evaluate: { sandbox: 'bubblewarp' } })));
  });

  it('ends its sandboxes when it is cancelled', async () => {
    const endless = programOf('python', 'def f(n):\n    while True: pass\n');
    const basis = ExecuteData.parse(
      await handler.handle(basisTask, contextOf()).then((made) => (made.status === 'ok' ? made.data : null)),
    ).basis;
    const stop = new AbortController();
    const context = { ...contextOf(), signal: stop.signal };
    const judged = handler.handle(taskOf({ mode: 'candidate', program: endless, basis, deterministic: false }), context);
    setTimeout(() => stop.abort(), 300);
    const start = performance.now();
    await judged.then(
      (handled) =>
        assert.notEqual(ExecuteData.parse(handled.status === 'ok' ? handled.data : null).execution.outcome.kind, 'correct'),
      () => undefined,
    );
    assert.ok(performance.now() - start < 5000);
  });
});
