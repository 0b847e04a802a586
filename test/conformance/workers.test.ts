/** What runs tasks on a machine: a host in this process and one-shot worker processes pass the same suite. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapTier } from '../../daemon/executors/bubblewrap/bubblewrap.ts';
import { workerClasses } from '../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../daemon/fabric/stub/stub-queue.ts';
import { openWorkers, type Workers } from '../../daemon/fabric/workers.ts';
import { openRegistry } from '../../daemon/plugins/packages.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { metricsRegistry } from '../../daemon/telemetry/metrics.ts';
import { Config } from '../../shared/config.ts';
import { newTaskId } from '../../shared/ids.ts';
import type { Result, Task } from '../../shared/task.ts';
import { handlersPackage, pidAt, until } from '../integration/fabric/worker-fabric.ts';
import { requireTier } from '../sandboxes.ts';
import { assertNoContamination } from './contamination.ts';
import { evaluateTask } from './launchers/launcher.ts';

for (const isolation of ['sandbox', 'process'] as const) {
  describe(`workers with isolation "${isolation}"`, function () {
    this.timeout(90_000);
    let folder: string;
    let queue: StubQueue;
    let workers: Workers;
    const open = async (defaults: Readonly<Record<string, unknown>> = {}, parallel = 2, caps = ['cpu']) => {
      folder = await mkdtemp(join(tmpdir(), 'peagen-workers-'));
      const config = Config.parse({
        plugins: { packages: [handlersPackage] },
        worker: { defaults: { isolation, warm_pool: 0, plugins: ['evaluate', 'render-test'], ...defaults } },
      });
      queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 20 });
      const [log, registry] = [createLog({ level: 'silent' }), await openRegistry(config, folder)];
      workers = await openWorkers({
        ...{ queue, config, registry, log, workspace: folder },
        classes: workerClasses(caps, config, parallel),
      });
      workers.start();
    };
    const enqueue = async (task: Task): Promise<Task> => {
      await queue.enqueue([task]);
      workers.wake();
      return task;
    };
    const plugin = (payload: unknown): Task => ({ ...evaluateTask(), kind: 'render', payload });
    const run = async (task: Task): Promise<Result> => {
      await enqueue(task);
      const result = await queue.waitResult(task.id, { timeoutMs: 60_000 });
      assert.ok(result !== undefined, JSON.stringify(workers.stats()));
      return result;
    };
    const textOf = (result: Result) => JSON.stringify(result.data);
    afterEach(async () => {
      await workers.close({ drainMs: 0 });
      await queue.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('complete a task, say who did it and count it', async () => {
      await open();
      const handled = async () => {
        const { values } = (await metricsRegistry.getSingleMetric('worker_task_total')?.get()) ?? { values: [] };
        return values.find(({ labels }) => labels['handler'] === 'evaluate' && labels['status'] === 'ok')?.value ?? 0;
      };
      const before = await handled();
      const result = await run(evaluateTask());
      assert.deepEqual([result.status, result.handler, result.handler_version], ['ok', 'evaluate', '1']);
      assert.match(result.worker_id ?? '', /^[wh]-/);
      assert.equal(await handled(), before + 1);
    });

    it('run a handler of a plugin in a process of its own', async () => {
      await open();
      const pids = await Promise.all([0, 1, 2].map(async () => (await run(plugin({ do: 'inspect' }))).data));
      const found = new Set(pids.map((data) => (data as { pid: number }).pid));
      assert.equal(found.size, 3);
      assert.ok(!found.has(process.pid));
    });

    it('hand in follow-ups together with the result', async () => {
      await open();
      let done = 0;
      queue.subscribe(() => {
        done += 1;
      });
      await enqueue(plugin({ do: 'follow', times: 2 }));
      await until('three results', () => done === 3);
    });

    it('fail a malformed payload at once and say what is wrong', async () => {
      await open();
      const result = await run({ ...evaluateTask(), payload: { program: 1 } });
      assert.deepEqual([result.status, result.attempts], ['error', 1]);
      assert.match(textOf(result), /payload of evaluate task .* is malformed/);
    });

    it('survive a plugin that leaves an error behind, which ends its own task alone', async () => {
      await open();
      const other = enqueue(plugin({ do: 'spin', mark: join(folder, 'mark'), ms: 300 }));
      const result = await run(plugin({ do: 'throw', message: 'a stray error' }));
      assert.match(textOf(result), /a stray error/);
      const spun = await queue.waitResult((await other).id, { timeoutMs: 60_000 });
      assert.equal(spun?.data, 'spun');
      assert.equal((await run(evaluateTask())).status, 'ok');
    });

    it('end a task that is withdrawn', async () => {
      await open();
      const task = await enqueue(plugin({ do: 'hang', mark: join(folder, 'mark') }));
      await pidAt(join(folder, 'mark'));
      await queue.withdraw([task.id], 'not wanted');
      assert.equal((await queue.waitResult(task.id, { timeoutMs: 60_000 }))?.status, 'skip');
    });

    it('give a task in hand back uncounted when they are closed', async () => {
      await open();
      await enqueue(plugin({ do: 'hang', mark: join(folder, 'mark') }));
      await pidAt(join(folder, 'mark'));
      await workers.close({ drainMs: 0 });
      const { pending, claimed, delayed } = await queue.depth();
      assert.deepEqual([pending, claimed, delayed], [1, 0, 0]);
    });

    it('hold no more tasks at a time than their class allows', async () => {
      await open();
      for (const mark of ['a', 'b', 'c']) await enqueue(plugin({ do: 'hang', mark: join(folder, mark) }));
      await until('two are in hand', async () => (await queue.depth()).claimed === 2);
      assert.equal((await queue.depth()).pending, 1);
      assert.equal(workers.stats().byCaps['cpu']?.busy, 2);
    });

    it('show no task a trace of another', async function () {
      await requireTier(createBubblewrapTier(), this);
      await open({ plugins: ['execute-python'] }, 2, ['cpu', 'python']);
      await assertNoContamination(run, 6);
    });

    it('say when no class has the tags of a waiting task', async () => {
      await open();
      await enqueue({ ...plugin({ do: 'echo' }), requires: ['gpu'] });
      await until('it is said', () => /render\/gpu.*it has cpu/.test(workers.stats().problem ?? ''));
    });

    it('say why tasks are given back unrun, and do not take them again at once', async () => {
      await open({}, 1);
      const task = await enqueue(plugin({ do: 'skip' }));
      await until('it is said', () => /unrun/.test(workers.stats().problem ?? ''));
      await queue.cancel([task.id], 'enough');
    });
  });
}

describe('a host', function () {
  this.timeout(90_000);

  it('ends a plugin that does not end by itself after its time, and names it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'peagen-workers-'));
    const config = Config.parse({
      plugins: { packages: [handlersPackage] },
      worker: { defaults: { plugins: ['render-test'], plugin_timeout: '2s' } },
    });
    const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 20 });
    const log = createLog({ level: 'silent' });
    const workers = await openWorkers({
      ...{ queue, config, registry: await openRegistry(config, folder), log, workspace: folder },
      classes: workerClasses(['cpu'], config, 1),
    });
    workers.start();
    const task: Task = { ...evaluateTask(), id: newTaskId(), kind: 'render', payload: { do: 'deaf' } };
    await queue.enqueue([task]);
    const result = await queue.waitResult(task.id, { timeoutMs: 60_000 });
    assert.match(JSON.stringify(result?.data), /plugin's handler for render tasks did not end within 2 s/);
    assert.equal((await queue.deadLetters.list())[0]?.attempts, 1);
    await workers.close();
    await queue.close();
    await rm(folder, { recursive: true, force: true });
  });
});
