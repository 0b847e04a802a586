import assert from 'node:assert/strict';
import { handOver } from '../../../daemon/fabric/hand-over.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { okResult, task } from '../../conformance/queue-setup.ts';

describe('handing over from one queue to another', () => {
  const options = { leaseMs: 60_000, maxRetry: 3, retryDelayMs: 60_000 };
  let [from, to] = [new StubQueue(options), new StubQueue(options)];
  beforeEach(() => {
    [from, to] = [new StubQueue(options), new StubQueue(options)];
    from.collect(async () => undefined);
  });
  afterEach(async () => {
    await from.close();
    await to.close();
  });
  const worker = { id: 'a', caps: new Set(['cpu']) };

  it('moves waiting and delayed tasks, each once', async () => {
    await from.enqueue([task()]);
    const claim = await from.claim(worker, { waitMs: 0 });
    assert.ok(claim);
    await from.fail(claim, { reason: 'later', code: 'internal', retryable: true });
    await from.enqueue(Array.from({ length: 1200 }, () => task()));
    assert.deepEqual(await handOver(from, to, { graceMs: 1000 }), { moved: 1201, left: 0 });
    assert.equal((await to.depth()).pending, 1201);
    const { pending, delayed, claimed } = await from.depth();
    assert.deepEqual([pending, delayed, claimed], [0, 0, 0]);
  });

  it('waits for work in flight, and takes over what it leaves behind', async () => {
    const [one, next] = [task({ kind: 'mutate' }), task()];
    await from.enqueue([one]);
    const claim = await from.claim(worker, { waitMs: 0 });
    assert.ok(claim);
    const handing = handOver(from, to, { graceMs: 5000 });
    assert.equal(await from.complete(claim, okResult(one.id), [next]), 'stored');
    assert.deepEqual(await handing, { moved: 1, left: 0 });
    assert.deepEqual(
      (await to.unstarted(10)).map((each) => each.id),
      [next.id],
    );
  });

  it('moves a claim that is handed back', async () => {
    const one = task();
    await from.enqueue([one]);
    const claim = await from.claim(worker, { waitMs: 0 });
    assert.ok(claim);
    const handing = handOver(from, to, { graceMs: 5000 });
    await from.release(claim);
    assert.equal((await handing).moved, 1);
    assert.equal((await to.claim(worker, { waitMs: 0 }))?.task.id, one.id);
  });

  it('waits until every outcome is collected, also a dead letter', async () => {
    const collecting = new StubQueue(options);
    const stored: string[] = [];
    const store = Promise.withResolvers<void>();
    collecting.collect(async (outcomes) => {
      await store.promise;
      for (const { result } of outcomes) stored.push(result.status);
    });
    await collecting.enqueue([task(), task()]);
    const first = await collecting.claim(worker, { waitMs: 0 });
    assert.ok(first);
    await collecting.complete(first, okResult(first.task.id), []);
    const second = await collecting.claim(worker, { waitMs: 0 });
    assert.ok(second);
    await collecting.fail(second, { reason: 'bad', code: 'invalid_input', retryable: false });
    assert.equal(collecting.outstanding, 2);
    const handing = handOver(collecting, to, { graceMs: 5000 });
    store.resolve();
    assert.deepEqual(await handing, { moved: 0, left: 0 });
    assert.deepEqual(stored, ['ok', 'error']);
    await collecting.close();
  });

  it('puts a task back when the new queue does not take it', async () => {
    await from.enqueue([task()]);
    const refusing = {
      enqueue: async () => {
        throw new PeagenError('unavailable', 'The new queue is away.');
      },
    };
    await assert.rejects(handOver(from, refusing, { graceMs: 1000 }), { code: 'unavailable' });
    assert.equal((await from.depth()).pending, 1);
  });

  it('says what is still to come when the grace is over', async () => {
    await from.enqueue([task()]);
    await from.claim(worker, { waitMs: 0 });
    assert.deepEqual(await handOver(from, to, { graceMs: 20 }), { moved: 0, left: 1 });
  });
});
