import assert from 'node:assert/strict';
import { Collector, StoreUnreachable } from '../../../daemon/fabric/collector.ts';
import type { ResultBackend } from '../../../daemon/fabric/results.ts';
import { sampleDepth } from '../../../daemon/fabric/sampler.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { metrics, metricsRegistry } from '../../../daemon/telemetry/metrics.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Result } from '../../../shared/task.ts';
import { okResult, task } from '../../conformance/queue/queue-setup.ts';

const log = createLog({ level: 'silent' });

/** A store in memory that is away for its first `failures` reads and writes. */
class MemoryStore implements ResultBackend {
  readonly kept = new Map<string, Result>();
  failures: number;

  constructor(failures = 0) {
    this.failures = failures;
  }

  async put(result: Result): Promise<boolean> {
    if (this.failures-- > 0) throw new PeagenError('storage_failed', 'The disk is full.');
    if (typeof result.data === 'function') throw new PeagenError('invalid_input', 'A function cannot be stored.');
    if (this.kept.has(result.task_id)) return false;
    this.kept.set(result.task_id, result);
    return true;
  }

  async get(id: string): Promise<Result | undefined> {
    if (this.failures-- > 0) throw new PeagenError('storage_failed', 'The folder is away.');
    return this.kept.get(id);
  }

  async close(): Promise<void> {
    this.kept.clear();
  }
}

describe('the collector', () => {
  const worker = { id: 'a', caps: new Set(['cpu']) };
  let queue = new StubQueue({ leaseMs: 60_000, maxRetry: 0, retryDelayMs: 10 });
  let collector: Collector | undefined;
  beforeEach(() => {
    queue = new StubQueue({ leaseMs: 60_000, maxRetry: 0, retryDelayMs: 10 });
  });
  afterEach(async () => {
    await collector?.close();
    await queue.close();
  });
  const finish = async (data: unknown = 'done') => {
    const one = task();
    await queue.enqueue([one]);
    const claim = await queue.claim(worker, { waitMs: 0 });
    assert.ok(claim);
    await queue.complete(claim, okResult(one.id, data), []);
    return one.id;
  };

  it('stores a result before it notifies anybody', async () => {
    const store = new MemoryStore();
    collector = new Collector(queue, store, log);
    const stored = Promise.withResolvers<boolean>();
    collector.on((result) => stored.resolve(store.kept.has(result.task_id)));
    const id = await finish();
    assert.equal((await collector.wait(id, { timeoutMs: 2000 })).data, 'done');
    assert.equal(await stored.promise, true);
  });

  it('tries a store that fails again, counts it, and loses nothing', async () => {
    const before = (await metrics.resultBackendFail.get()).values[0]?.value ?? 0;
    const store = new MemoryStore(2);
    collector = new Collector(queue, store, log);
    const id = await finish();
    assert.equal((await collector.wait(id, { timeoutMs: 5000 })).status, 'ok');
    assert.equal(((await metrics.resultBackendFail.get()).values[0]?.value ?? 0) - before, 2);
    assert.equal(store.kept.size, 1);
  });

  it('reads a store that is away again, and says so meanwhile', async () => {
    const store = new MemoryStore();
    collector = new Collector(queue, store, log);
    const { id } = task();
    await store.put(okResult(id, 'from before'));
    store.failures = 1;
    const found = collector.stored(id, AbortSignal.timeout(5000));
    while (collector.trouble === undefined) await new Promise(setImmediate);
    assert.match(collector.trouble, /The folder is away/);
    assert.equal((await found)?.data, 'from before');
    assert.equal(collector.trouble, undefined);
  });

  it('gives who waits an error when the store stays away, and the result when it is back', async () => {
    const store = new MemoryStore(Number.POSITIVE_INFINITY);
    collector = new Collector(queue, store, log, { mostTries: 1 });
    const { id } = task();
    await assert.rejects(collector.stored(id, AbortSignal.timeout(5000)), (error) => error instanceof StoreUnreachable);
    const done = await finish();
    await assert.rejects(
      collector.wait(done, { timeoutMs: 5000 }),
      (error) => error instanceof StoreUnreachable && error.retryable && error.code === 'storage_failed',
    );
    store.failures = 0;
    assert.equal((await collector.wait(done, { timeoutMs: 5000 })).data, 'done');
    assert.ok(store.kept.has(done));
  });

  it('leaves what it could not store in the queue', async () => {
    collector = new Collector(queue, new MemoryStore(Number.POSITIVE_INFINITY), log);
    const id = await finish();
    await collector.close();
    const store = new MemoryStore();
    collector = new Collector(queue, store, log);
    assert.equal((await collector.wait(id, { timeoutMs: 2000 })).task_id, id);
    assert.ok(store.kept.has(id));
  });

  it('stores what somebody else records only when it ends before that', async () => {
    const store = new MemoryStore();
    collector = new Collector(queue, store, log);
    const [recorded, left] = [task(), task()];
    const over = collector.pass(recorded.id);
    collector.pass(left.id);
    await queue.enqueue([recorded, left]);
    for (const one of [recorded, left]) {
      const claim = await queue.claim(worker, { waitMs: 0 });
      assert.ok(claim);
      await queue.complete(claim, okResult(one.id, 'done'), []);
      assert.equal((await collector.wait(one.id, { timeoutMs: 2000, fresh: true })).data, 'done');
    }
    assert.equal(store.kept.size, 0);
    over();
    await collector.close();
    assert.deepEqual([...store.kept.keys()], [left.id]);
  });

  it('makes an error of a result that can never be stored', async () => {
    collector = new Collector(queue, new MemoryStore(), log);
    const id = await finish(() => 1);
    assert.equal((await collector.wait(id, { timeoutMs: 5000 })).status, 'error');
  });

  it('reports what the store had first, not a second result', async () => {
    const store = new MemoryStore();
    const one = task();
    await store.put(okResult(one.id, 'first'));
    collector = new Collector(queue, store, log);
    const heard = Promise.withResolvers<unknown>();
    collector.on((result) => heard.resolve(result.data));
    await queue.enqueue([one]);
    const claim = await queue.claim(worker, { waitMs: 0 });
    assert.ok(claim);
    await queue.complete(claim, okResult(one.id, 'second'), []);
    assert.equal(await heard.promise, 'first');
  });

  it('reports a dead letter as an error and does not store it', async () => {
    const store = new MemoryStore();
    collector = new Collector(queue, store, log);
    const one = task();
    await queue.enqueue([one]);
    const claim = await queue.claim(worker, { waitMs: 0 });
    assert.ok(claim);
    const waiting = collector.wait(one.id, { timeoutMs: 2000 });
    await queue.fail(claim, { reason: 'broken', code: 'internal', retryable: true });
    assert.equal((await waiting).status, 'error');
    assert.equal(store.kept.size, 0);
  });

  it('rejects a wait at its time-out and at its signal', async () => {
    collector = new Collector(queue, new MemoryStore(), log);
    await assert.rejects(collector.wait(newTaskId(), { timeoutMs: 20 }), { code: 'timeout' });
    const stop = AbortSignal.timeout(10);
    await assert.rejects(collector.wait(newTaskId(), { timeoutMs: 60_000, signal: stop }), { code: 'cancelled' });
  });

  it('is mirrored by the gauges of the sampler', async () => {
    await queue.enqueue([task({ kind: 'render' }), task({ kind: 'render' })]);
    const stop = sampleDepth(queue, log, 10);
    const shown = async () =>
      (await metricsRegistry.metrics()).includes('queue_pending_total{stream="render/cpu",kind="render"} 2');
    while (!(await shown())) await new Promise(setImmediate);
    stop();
  });
});
