/** What runs tasks on a machine: a host in this process, one-shot worker processes and containers pass the same suite. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapTier } from '../../daemon/executors/bubblewrap/bubblewrap.ts';
import type { TaskQueue } from '../../daemon/fabric/queue.ts';
import { openRedisQueue } from '../../daemon/fabric/redis/open.ts';
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
import { assertContained, assertNoContamination, TOGETHER } from './contamination.ts';
import { Containers, handlersName } from './launchers/containers.ts';
import { evaluateTask } from './launchers/launcher.ts';

for (const isolation of ['sandbox', 'process', 'container'] as const) {
  describe(`workers with isolation "${isolation}"`, function () {
    this.timeout(600_000);
    let folder: string;
    let queue: TaskQueue;
    let containers: Containers | undefined;
    if (isolation === 'container') {
      before(async function () {
        containers = await Containers.start(this);
      });
      after(() => containers?.stop());
    }
    let workers: Workers;
    const open = async (defaults: Readonly<Record<string, unknown>> = {}, parallel = 2, caps = ['cpu']) => {
      folder = await mkdtemp(join(tmpdir(), 'peagen-workers-'));
      const config = Config.parse({
        plugins: { packages: [containers === undefined ? handlersPackage : handlersName] },
        task_queue: containers?.task_queue ?? {},
        worker: { defaults: { isolation, warm_pool: 0, plugins: ['evaluate', 'render-test'], ...defaults } },
      });
      const [log, registry] = [createLog({ level: 'silent' }), await openRegistry(config, folder)];
      queue =
        containers === undefined
          ? new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 20 })
          : await openRedisQueue(config, folder);
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
    /** A path that the handler can write where it runs, and which this process sees unless that is a container. */
    const markOf = (name: string) => join(containers === undefined ? folder : '/tmp', name);
    const inHand = (count: number) => until(`${count} in hand`, async () => (await queue.depth()).claimed === count);
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
      assert.match(result.worker_id ?? '', containers === undefined ? /^[wh]-/ : /-[0-9a-f]{8}$/);
      // A worker in a container counts for itself.
      assert.equal(await handled(), before + (containers === undefined ? 1 : 0));
    });

    it('run a handler of a plugin in a process of its own', async () => {
      await open();
      const results = await Promise.all([0, 1, 2].map(() => run(plugin({ do: 'inspect' }))));
      const pids = results.map(({ data }) => (data as { pid: number }).pid);
      // Those of containers are numbered in each.
      assert.equal(new Set<unknown>(containers === undefined ? pids : results.map((result) => result.worker_id)).size, 3);
      assert.ok(!pids.includes(process.pid));
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
      const other = enqueue(plugin({ do: 'spin', mark: markOf('mark'), ms: 300 }));
      const broken = await enqueue(plugin({ do: 'throw', message: 'a stray error' }));
      // The end of a container is noticed when the lease of its task is over.
      const result = containers === undefined ? await queue.waitResult(broken.id, { timeoutMs: 60_000 }) : undefined;
      if (containers === undefined) assert.match(JSON.stringify(result?.data), /a stray error/);
      const spun = await queue.waitResult((await other).id, { timeoutMs: 60_000 });
      assert.equal(spun?.data, 'spun');
      assert.equal((await run(evaluateTask())).status, 'ok');
    });

    it('lose nothing when what runs a task is killed: another completes it', async () => {
      await open();
      const task = await enqueue(plugin({ do: 'hangOnce', mark: markOf('mark') }));
      await inHand(1);
      if (containers === undefined) process.kill(await pidAt(markOf('mark')), 'SIGKILL');
      else await containers.kill();
      const result = await queue.waitResult(task.id, { timeoutMs: 60_000 });
      assert.deepEqual(result?.data, { attempts: 1 });
    });

    it('end a task that is withdrawn', async () => {
      await open();
      const task = await enqueue(plugin({ do: 'hang', mark: markOf('mark') }));
      await inHand(1);
      await queue.withdraw([task.id], 'not wanted');
      assert.equal((await queue.waitResult(task.id, { timeoutMs: 60_000 }))?.status, 'skip');
    });

    it('give a task in hand back uncounted when they are closed', async () => {
      await open();
      await enqueue(plugin({ do: 'hang', mark: markOf('mark') }));
      await inHand(1);
      await workers.close({ drainMs: 0 });
      const { pending, claimed, delayed } = await queue.depth();
      // A container that has no time to end cannot say so: the queue takes its task back with the lease.
      assert.deepEqual([pending, claimed, delayed], containers === undefined ? [1, 0, 0] : [0, 1, 0]);
    });

    it('hold no more tasks at a time than their class allows', async () => {
      await open();
      for (const mark of ['a', 'b', 'c']) await enqueue(plugin({ do: 'hang', mark: markOf(mark) }));
      await inHand(2);
      assert.equal((await queue.depth()).pending, 1);
      assert.equal(workers.stats().live, 2);
    });

    it('show no task a trace of another', async function () {
      await requireTier(createBubblewrapTier(), this);
      await open({ plugins: ['execute-python'] }, 2, ['cpu', 'python']);
      await assertNoContamination(run, 6);
    });

    it('contain hostile programs', async function () {
      await requireTier(createBubblewrapTier(), this);
      await open({ plugins: ['execute-python'] }, 2, ['cpu', 'python']);
      const said = await assertContained(run);
      // A sandbox may end those in it before they have an answer: the escape suite shows what stops each of them.
      assert.ok(said.length >= 25 && said.filter((one) => one !== '').length >= said.length - TOGETHER, said.join('\n'));
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

describe('a host', () => {
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
