/** The execute handler: from a task to its scored result, in real sandboxes. */
import assert from 'node:assert/strict';
import { createExecuteHandler } from '../../../daemon/handlers/execute.ts';
import type { HandlerContext } from '../../../daemon/handlers/handler.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { TaskId } from '../../../shared/ids.ts';
import { ExecuteData } from '../../../shared/payloads.ts';
import type { Task } from '../../../shared/task.ts';
import { programOf } from '../judging/judging.ts';

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

describe('the execute handler', () => {
  const judged = async (source: string, payload: object) => {
    const made = await handler.handle(basisTask, contextOf());
    const { basis } = ExecuteData.parse(made.status === 'ok' ? made.data : undefined);
    const program = programOf('python', source);
    // What travels is plain data.
    const whole = JSON.parse(JSON.stringify({ mode: 'candidate', program, basis, deterministic: true, ...payload }));
    const run = await handler.handle(taskOf(whole), contextOf());
    assert.ok(run.status === 'ok');
    assert.equal(run.followUps, undefined);
    return ExecuteData.parse(run.data);
  };

  it('makes the basis, then judges against it, and scores what it finds', async () => {
    const { execution, score } = await judged('def f(n):\n    return n * (n - 1) // 2\n', { scoring });
    assert.equal(execution.outcome.kind, 'correct');
    assert.deepEqual(score, { fitness: execution.metrics['speedup'], features: [execution.metrics['speed_ms']] });
  });

  it('gives a candidate that is not correct neither fitness nor a place', async () => {
    const { execution, score } = await judged('def f(n):\n    return -1\n', { scoring });
    assert.deepEqual([execution.outcome.kind, score], ['wrong', { fitness: null, features: [] }]);
  });

  it('calls a candidate crashed whose evaluation lacks the number that fitness is made of', async () => {
    const { execution, score } = await judged('def f(n):\n    return sum(range(n))\n', {
      scoring: { ...scoring, metric: 'beauty' },
    });
    assert.deepEqual([execution.outcome.kind, score?.fitness], ['crashed', null]);
    assert.match(execution.outcome.detail, /no "beauty"/);
  });

  it('scores nothing where no score is asked for', async () => {
    assert.equal((await judged('def f(n):\n    return sum(range(n))\n', {})).score, undefined);
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
    assert.ok(performance.now() - start < 20_000);
  });
});
