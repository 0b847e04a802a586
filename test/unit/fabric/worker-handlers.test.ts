/** Which handler runs a task, and what becomes of what it does. */
import assert from 'node:assert/strict';
import { findHandler } from '../../../daemon/fabric/worker/find-handler.ts';
import { runTask } from '../../../daemon/fabric/worker/run-task.ts';
import type { Handled, TaskHandler } from '../../../daemon/handlers/handler.ts';
import { Registry } from '../../../daemon/registry.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { CapTag, Task } from '../../../shared/task.ts';

const config = Config.parse({});

function task(over: Partial<Task> = {}): Task {
  const at = '2026-01-31T14:25:01.000Z';
  return { kind: 'execute', id: newTaskId(), payload: {}, requires: ['cpu'], attempts: 0, created_at: at, schema_v: 1, ...over };
}

function handler(name: string, provides: CapTag[], over: Partial<TaskHandler> = {}): TaskHandler {
  const handle = async (): Promise<Handled> => ({ status: 'ok', data: name });
  return { kind: 'execute', name, version: '1', provides, accepts: () => true, handle, ...over };
}

/** A registry of these handlers, which also says whose code was asked for. */
function search(handlers: TaskHandler[], caps: CapTag[], allowed?: string[]) {
  const registry = new Registry();
  const loaded: string[] = [];
  for (const each of handlers) {
    registry.register('handler', each.name, async () => {
      loaded.push(each.name);
      return () => each;
    });
  }
  return { registry, config, caps: new Set(caps), allowed, loaded };
}

describe('the handler of a task', () => {
  it('provides what the task requires, and needs only what the worker has', async () => {
    const among = search([handler('execute-gpu', ['cpu', 'gpu']), handler('execute', ['cpu'])], ['cpu', 'python']);
    assert.equal((await findHandler(task(), among)).name, 'execute');
  });

  it('needs no processor where it asks a model', async () => {
    const among = search([handler('mutate', ['cpu', 'llm'], { kind: 'mutate' }), handler('execute', ['cpu'])], ['llm']);
    assert.equal((await findHandler(task({ kind: 'mutate', requires: ['cpu', 'llm'] }), among)).name, 'mutate');
    await assert.rejects(findHandler(task(), among), { hint: /execute needs cpu, which this worker does not have/ });
  });

  it('is found by the name of its kind, so that others are not imported', async () => {
    const among = search(
      [handler('evaluate', ['cpu'], { kind: 'evaluate' }), handler('execute', ['cpu']), handler('z', ['cpu'])],
      ['cpu'],
    );
    await findHandler(task(), among);
    assert.deepEqual(among.loaded, ['execute']);
  });

  it('may have any name when a package brings it', async () => {
    const among = search([handler('execute', ['cpu']), handler('rusty', ['cpu', 'rust'])], ['cpu', 'rust']);
    assert.equal((await findHandler(task({ requires: ['rust'] }), among)).name, 'rusty');
  });

  it('is one of those that the worker may use', async () => {
    const among = search([handler('execute', ['cpu']), handler('execute-b', ['cpu'])], ['cpu'], ['execute-b']);
    assert.equal((await findHandler(task(), among)).name, 'execute-b');
  });

  it('that declines leaves the task to the next', async () => {
    const among = search([handler('execute', ['cpu'], { accepts: () => false }), handler('execute-b', ['cpu'])], ['cpu']);
    assert.equal((await findHandler(task(), among)).name, 'execute-b');
  });

  it('that is missing is an error that another worker may not have, and says what was looked at', async () => {
    const among = search([handler('execute-gpu', ['gpu'])], ['cpu']);
    await assert.rejects(findHandler(task(), among), (error: PeagenError) => {
      assert.equal(error.retryable, true);
      return /execute tasks that require cpu.*execute-gpu needs gpu/.test(error.line);
    });
  });
});

describe('running a task', () => {
  const log = createLog({ level: 'silent' });
  const run = (handle: TaskHandler['handle'], over: Partial<Task> = {}) => {
    const given = task(over);
    const among = search([handler('execute', ['cpu'], { handle })], ['cpu']);
    const signal = new AbortController().signal;
    return runTask({ task: given, worker: 'w', attempt: 1 }, { ...among, workerId: 'w', image: undefined, signal, log });
  };
  const failing = (error: unknown) => run(() => Promise.reject(error));

  it('gives a result with who made it', async () => {
    const outcome = await run(async () => ({ status: 'ok', data: 5 }), { attempts: 2 });
    assert.ok(outcome.kind === 'ok');
    const { data, attempts, handler: name, worker_id } = outcome.result;
    assert.deepEqual([data, attempts, name, worker_id], [5, 2, 'execute', 'w']);
  });

  it('fails as the error says', async () => {
    const outcome = await failing(new PeagenError('backend_failed', 'No answer.', { retryable: false }));
    assert.deepEqual(
      { ...outcome, ms: 0 },
      { kind: 'fail', reason: 'No answer.', retryable: false, code: 'backend_failed', handler: 'execute', ms: 0 },
    );
  });

  it('tries again after an error that nobody gave a code, since a full disk may pass', async () => {
    const outcome = await failing(new Error('ENOSPC: no space left on device'));
    assert.ok(outcome.kind === 'fail' && outcome.retryable && /ENOSPC/.test(outcome.reason));
  });

  it('never tries a task again that is not a task', async () => {
    const outcome = await run(async () => ({ status: 'ok', data: 1 }), { kind: 'execute', attempts: -1 });
    assert.ok(outcome.kind === 'fail' && !outcome.retryable && /malformed: attempts/.test(outcome.reason));
  });
});
