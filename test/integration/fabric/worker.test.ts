/** One-shot workers as real processes behind broker, launcher and spawner. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { metricsRegistry } from '../../../daemon/telemetry/metrics.ts';
import type { Result } from '../../../shared/task.ts';
import { type FabricSettings, TestFabric, until } from './worker-fabric.ts';

describe('one-shot workers', () => {
  let fabric: TestFabric;
  const open = async (settings: FabricSettings = {}) => {
    fabric = await TestFabric.open(settings);
    return fabric;
  };
  afterEach(() => fabric.close());

  const reasonOf = (result: Result) => JSON.stringify(result.data);

  it('run each task in a process of its own', async () => {
    const { run } = bound(await open());
    const pids = await Promise.all(Array.from({ length: 8 }, () => run({ do: 'inspect' })));
    assert.equal(new Set(pids.map(({ data }) => (data as { pid: number }).pid)).size, 8);
  });

  it('say who computed a result', async () => {
    const { run } = bound(await open());
    const result = await run({ do: 'echo', value: 7 });
    assert.equal(result.data, 7);
    assert.equal(result.handler, 'render-test');
    assert.equal(result.handler_version, '1');
    assert.match(result.worker_id ?? '', /^w-\d+-[0-9a-f]{12}$/);
  });

  it('carry binary data both ways', async () => {
    const { run } = bound(await open());
    const bytes = new Uint8Array([0, 255, 128]);
    assert.deepEqual(new Uint8Array((await run({ do: 'echo', value: bytes })).data as Uint8Array), bytes);
  });

  it('enqueue follow-ups together with the result, which are run without another wake', async () => {
    const { enqueue } = bound(await open());
    let done = 0;
    fabric.queue.subscribe(() => {
      done += 1;
    });
    await enqueue({ do: 'follow', times: 4 });
    await until('five results', () => done === 5);
  });

  it('fail a malformed payload at once, with what is wrong', async () => {
    const { run } = bound(await open());
    const result = await run({ do: 'echo-wrong' });
    assert.equal(result.status, 'error');
    assert.equal(result.attempts, 1);
    assert.match(reasonOf(result), /payload of the render task is malformed: do:/);
  });

  it('answer a task of a newer schema with an error', async () => {
    const { run } = bound(await open());
    assert.match(reasonOf(await run({ do: 'echo' }, { schema_v: 2 })), /schema_v 2/);
  });

  it('retry what may pass, with a limit, and keep the reason', async () => {
    const { run } = bound(await open());
    const result = await run({ do: 'refuse', retryable: true });
    assert.match(reasonOf(result), /The part is not there\. Bring it\./);
    const [letter] = await fabric.queue.deadLetters.list();
    assert.equal(letter?.attempts, 4);
  });

  it('do not retry what will not pass', async () => {
    const { run } = bound(await open());
    await run({ do: 'refuse', retryable: false });
    assert.equal((await fabric.queue.deadLetters.list())[0]?.attempts, 1);
  });

  it('report to the caller that waits what kind of error it was', async () => {
    const { run } = bound(await open());
    const codeOf = async (payload: unknown) => (await run(payload)).data as { code: string };
    assert.equal((await codeOf({ do: 'refuse', retryable: false })).code, 'unavailable');
    assert.equal((await codeOf({ do: 'echo-wrong' })).code, 'invalid_input');
    assert.equal((await codeOf({ do: 'exit', code: 7 })).code, 'internal');
  });

  it('that crash end their task in the dead-letter queue, not in a loop', async () => {
    const { run } = bound(await open());
    assert.match(reasonOf(await run({ do: 'exit', code: 7 })), /exited with status 7/);
    assert.match(reasonOf(await run({ do: 'throw', message: 'a stray error' })), /a stray error/);
    assert.match(reasonOf(await run({ do: 'echo', value: 'next' })), /next/);
  });

  it('that skip give the task back unrun, and are launched ever more slowly', async () => {
    const { enqueue } = bound(await open({ worker: { warm_pool: 0 } }));
    const task = await enqueue({ do: 'skip' });
    await until('the problem is reported', () => /unrun/.test(fabric.spawner.stats().problem ?? ''));
    await fabric.queue.cancel([task.id], 'enough');
    assert.equal((await fabric.result(task)).status, 'skip');
  });

  it('see of the environment only what they need, and no key without the llm tag', async () => {
    const llm = { backends: [{ name: 'a', model: 'm', base_url: 'http://127.0.0.1:9/v1', api_key_env: 'TEST_KEY' }] };
    const env = { ...process.env, TEST_KEY: 'hush', AWS_SECRET_ACCESS_KEY: 'hush', HTTPS_PROXY: 'http://proxy' };
    const { run } = bound(await open({ caps: ['cpu', 'llm'], llm, env }));
    const plain = (await run({ do: 'inspect' })).data as { env: Record<string, string>; cwd: string };
    assert.equal(plain.env['TEST_KEY'], undefined);
    assert.equal(plain.env['HTTPS_PROXY'], undefined);
    assert.ok(!JSON.stringify(plain).includes('hush'));
    const model = (await run({ do: 'inspect' }, { requires: ['cpu', 'llm'] })).data as { env: Record<string, string> };
    assert.equal(model.env['TEST_KEY'], 'hush');
    assert.equal(model.env['AWS_SECRET_ACCESS_KEY'], undefined);
  });

  it('carry their counters to the process that is scraped', async () => {
    const { run } = bound(await open());
    metricsRegistry.resetMetrics();
    await run({ do: 'count' });
    await until('the worker is counted', async () =>
      /worker_exit_reason_total\{reason="done"\} 1/.test(await metricsRegistry.metrics()),
    );
    const text = await metricsRegistry.metrics();
    assert.match(text, /llm_tokens_total\{handler="render-test",backend="test"\} 41/);
    assert.match(text, /llm_latency_seconds_sum\{backend="test"\} 2/);
    assert.match(text, /worker_task_total\{handler="render-test",status="ok"\} 1/);
  });

  it('end when idle, and leave no process and no timer', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name === 'ProcessWrap').length;
    const { run } = bound(await open({ worker: { idle_timeout: '300ms' } }));
    await run({ do: 'echo', value: 1 });
    await until('all are gone', () => fabric.spawner.stats().live === 0);
    await until('nothing is left', () => {
      const left = process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name === 'ProcessWrap');
      // One timer is this loop's own.
      return left.length <= before + 1;
    });
    assert.match(reasonOf(await run({ do: 'echo', value: 'again' })), /again/);
  });

  it('reach their maximum uptime: the task is aborted and tried again', async () => {
    const { enqueue } = bound(await open({ worker: { max_uptime: '1500ms' } }));
    const task = await enqueue({ do: 'hangOnce', mark: fabric.file('mark') });
    const result = await fabric.result(task);
    assert.deepEqual(result.data, { attempts: 1 });
  });

  it('reach their maximum uptime also with a handler that does not listen', async () => {
    const { enqueue } = bound(await open({ worker: { max_uptime: '800ms' } }));
    const task = await enqueue({ do: 'deaf' });
    await until(
      'the attempt has failed',
      async () => (await fabric.queue.depth()).delayed + (fabric.spawner.stats().exits['max-uptime'] ?? 0) > 0,
    );
    await fabric.queue.cancel([task.id], 'enough');
  });

  it('inherit no descriptor that their parent was started with', async () => {
    if (process.platform !== 'linux') return;
    const { run } = bound(await open());
    const { files } = (await run({ do: 'inspect' })).data as { files: string[] };
    assert.ok(files.length > 3);
    const script = join(import.meta.dirname, '..', '..', 'chaos', 'worker-parent.ts');
    // 25: far enough from the others that Node does not mark it.
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      'exec 25</etc/hostname; exec "$@"',
      'bash',
      ...[process.execPath, script, fabric.folder, fabric.file('unused'), 'inspect'],
    ]);
    assert.match(stdout, /"files":\[.*\]/);
    assert.ok(!stdout.includes('/etc/hostname'), stdout);
  });

  it('abort a task that was cancelled, whose result stays the cancellation', async () => {
    const { enqueue } = bound(await open({ leaseMs: 600 }));
    const task = await enqueue({ do: 'hang', mark: fabric.file('mark') });
    await until('a worker has it', () => (fabric.spawner.stats().byCaps['cpu']?.busy ?? 0) === 1);
    await fabric.queue.cancel([task.id], 'not wanted');
    await until('it is let go', () => (fabric.spawner.stats().byCaps['cpu']?.busy ?? 1) === 0);
    assert.equal((await fabric.result(task)).status, 'skip');
  });

  it('hold no more tasks at a time than the class allows', async () => {
    const { enqueue } = bound(await open({ parallel: 2, worker: { warm_pool: 3 } }));
    const tasks = await Promise.all([0, 1, 2, 3].map((i) => enqueue({ do: 'hang', mark: fabric.file(`mark${i}`) })));
    await until('warm workers stand by', () => fabric.spawner.stats().idle === 3);
    assert.equal(fabric.spawner.stats().byCaps['cpu']?.busy, 2);
    assert.equal((await fabric.queue.depth()).claimed, 2);
    await fabric.queue.cancel(
      tasks.map(({ id }) => id),
      'enough',
    );
  });

  it('with a broken plugin cost no task an attempt, and the problem is reported', async () => {
    const { enqueue } = bound(await open({ plugins: ['nonexistent'], worker: { warm_pool: 0 } }));
    const task = await enqueue({ do: 'echo', value: 1 });
    await until('the problem is reported', () => /nonexistent/.test(fabric.spawner.stats().problem ?? ''));
    await fabric.queue.cancel([task.id], 'enough');
    const result = await fabric.result(task);
    assert.deepEqual([result.status, result.attempts], ['skip', 0]);
  });

  it('say when no worker has the tags of a waiting task', async () => {
    const { enqueue } = bound(await open());
    await enqueue({ do: 'echo' }, { requires: ['gpu'] });
    await until('it is reported', () => /render\/gpu.*it has cpu/.test(fabric.spawner.stats().problem ?? ''));
    assert.equal(fabric.spawner.stats().live, 0);
  });
});

function bound(fabric: TestFabric) {
  return { run: fabric.run.bind(fabric), enqueue: fabric.enqueue.bind(fabric) };
}
