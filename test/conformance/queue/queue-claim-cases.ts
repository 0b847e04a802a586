/** Part of the queue's conformance suite: claiming: which task goes to which worker, and for how long. */
import assert from 'node:assert/strict';
import { FIRST_TAG } from '../../../shared/task.ts';
import { type Fresh, LEASE, lose, now, okResult, take, task, until, worker } from './queue-setup.ts';

export function claimCases(fresh: Fresh): void {
  describe('enqueue and claim', () => {
    it('gives a task to a worker as it was enqueued', async () => {
      const { queue } = await fresh();
      const sent = task({
        payload: { text: 'ü\u0000', list: [1, 2.5, -3, null, true], nested: { a: {} }, bytes: new Uint8Array([0, 255]) },
        trace: { run: 'r1', candidate: 7, traceparent: '00-ab-cd-01' },
      });
      await queue.enqueue([sent]);
      const claim = await take(queue, worker('a'));
      const { payload } = claim.task;
      assert.deepEqual({ ...claim.task, payload: 0 }, { ...sent, payload: 0 });
      assert.deepEqual({ ...(payload as object), bytes: undefined }, { ...(sent.payload as object), bytes: undefined });
      assert.deepEqual([...(payload as { bytes: Uint8Array }).bytes], [0, 255]);
      assert.equal(claim.worker, 'a');
    });

    it('never gives a worker what it cannot run', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task({ requires: ['gpu', 'cpu'] })]);
      assert.equal(await queue.claim(worker('a', 'cpu', 'llm'), { waitMs: 50 }), undefined);
      assert.equal((await take(queue, worker('b', 'gpu', 'cpu', 'llm'))).worker, 'b');
    });

    it('serves common lanes past a lane that nobody serves', async () => {
      const { queue } = await fresh();
      await queue.enqueue(Array.from({ length: 50 }, () => task({ requires: ['cpu', 'rare'] })));
      const wanted = task();
      await queue.enqueue([wanted]);
      assert.equal((await take(queue, worker('a'))).task.id, wanted.id);
    });

    it('gives a task that requires nothing to a worker without tags', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task({ requires: [] })]);
      assert.ok(await queue.claim({ id: 'a', caps: new Set() }, now));
    });

    it('holds one task per worker, and gives the same one again when asked again', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task(), task()]);
      const first = await take(queue, worker('a'));
      const again = await take(queue, worker('a'));
      assert.equal(again.task.id, first.task.id);
      assert.equal(again.attempt, first.attempt);
      assert.equal((await queue.depth()).claimed, 1);
    });

    it('gives each task to one worker only', async () => {
      const { queue, second } = await fresh();
      await queue.enqueue(Array.from({ length: 40 }, () => task()));
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, i) => (i % 2 ? queue : second).claim(worker(`w${i}`), now)),
      );
      const ids = claims.flatMap((claim) => claim?.task.id ?? []);
      assert.equal(ids.length, 40);
      assert.equal(new Set(ids).size, 40);
    });

    it('treats an id that it knows as already enqueued: waiting, claimed and done', async () => {
      const { queue } = await fresh();
      const one = task();
      await queue.enqueue([one, one]);
      await queue.enqueue([one]);
      const claim = await take(queue, worker('a'));
      await queue.enqueue([one]);
      assert.equal((await queue.depth()).pending, 0);
      await queue.complete(claim, okResult(one.id), []);
      await queue.enqueue([one]);
      assert.equal((await queue.depth()).pending, 0);
    });

    it('keeps the order within a lane', async () => {
      const { queue } = await fresh();
      const tasks = Array.from({ length: 20 }, () => task());
      await queue.enqueue(tasks);
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push((await take(queue, worker(`w${i}`))).task.id);
      assert.deepEqual(
        ids,
        tasks.map((each) => each.id),
      );
    });

    it('drains the most specific tags and the latest stages first, and still reaches every lane', async () => {
      const { queue } = await fresh();
      await queue.enqueue(Array.from({ length: 20 }, () => task({ kind: 'evaluate', requires: ['cpu'] })));
      await queue.enqueue(Array.from({ length: 20 }, () => task({ kind: 'render', requires: ['cpu'] })));
      const kinds: string[] = [];
      for (let i = 0; i < 16; i++) kinds.push((await take(queue, worker(`w${i}`))).task.kind);
      assert.equal(kinds.filter((kind) => kind === 'evaluate').length, 14);
      assert.equal(kinds.filter((kind) => kind === 'render').length, 2);
    });

    it('gives what is marked as first before all else', async () => {
      const { queue } = await fresh();
      const first = task({ requires: ['cpu', FIRST_TAG] });
      await queue.enqueue([task({ kind: 'evaluate' }), task({ requires: ['cpu', 'python', 'node'] }), first]);
      assert.equal((await take(queue, worker('a', 'cpu', 'python', 'node'))).task.id, first.id);
    });

    it('wakes a waiting worker, also by a lane that is new', async () => {
      const { queue, second } = await fresh();
      const waiting = queue.claim(worker('a', 'cpu', 'new'), { waitMs: 25_000 });
      const began = performance.now();
      await second.enqueue([task({ requires: ['cpu', 'new'] })]);
      assert.ok(await waiting);
      assert.ok(performance.now() - began < 15_000, 'woken late');
    });

    it('wakes as many workers as there are tasks', async () => {
      const { queue, second } = await fresh();
      const waiting = Array.from({ length: 8 }, (_, i) => (i % 2 ? queue : second).claim(worker(`w${i}`), { waitMs: 25_000 }));
      const began = performance.now();
      await second.enqueue(Array.from({ length: 8 }, () => task()));
      assert.equal((await Promise.all(waiting)).filter((claim) => claim !== undefined).length, 8);
      assert.ok(performance.now() - began < 15_000, 'woken late');
    });

    it('answers undefined after waitMs', async () => {
      const { queue } = await fresh();
      const began = performance.now();
      assert.equal(await queue.claim(worker('a'), { waitMs: 120 }), undefined);
      const took = performance.now() - began;
      assert.ok(took >= 110 && took < 15_000, `took ${took} ms`);
    });

    it('rejects a cancelled wait, and loses no task to it', async () => {
      const { queue } = await fresh();
      const stop = new AbortController();
      const waiting = queue.claim(worker('a'), { waitMs: 10_000, signal: stop.signal });
      stop.abort();
      await assert.rejects(waiting, { code: 'cancelled' });
      await assert.rejects(queue.claim(worker('a'), { waitMs: 10, signal: stop.signal }), { code: 'cancelled' });
      await queue.enqueue([task()]);
      assert.ok(await queue.claim(worker('b'), { waitMs: 2000 }));
    });

    for (const size of [0, 1, 32 * 1024, 32 * 1024 + 1, 1024 * 1024, 3 * 1024 * 1024]) {
      it(`carries a payload and a result of ${size} bytes`, async () => {
        const { queue, second } = await fresh();
        const text = 'x'.repeat(size);
        const one = task({ payload: text });
        await queue.enqueue([one]);
        const claim = await take(second, worker('a'));
        assert.equal(claim.task.payload, text);
        const waiting = queue.waitResult(one.id, { timeoutMs: 20_000 });
        await second.complete(claim, okResult(one.id, text), []);
        assert.equal((await waiting)?.data, text);
      });
    }
  });

  describe('lease', () => {
    it('gives an unacknowledged task to another worker after the lease', async () => {
      const { lost, newer: claim } = await lose(fresh);
      assert.equal(claim.task.id, lost.task.id);
      assert.equal(claim.task.attempts, 1);
      assert.notEqual(claim.attempt, lost.attempt);
    });

    it('keeps a task whose worker extends its lease', async () => {
      const it = await fresh({ leaseMs: LEASE });
      await it.queue.enqueue([task()]);
      const claim = await take(it.queue, worker('a'));
      for (let i = 0; i < 6; i++) {
        await it.pass(LEASE / 4);
        assert.equal(await it.queue.extend(claim), true);
        await it.queue.sweep();
      }
      assert.equal((await it.queue.depth()).claimed, 1);
    });

    it('refuses to extend or fail a claim that was lost, and changes nothing', async () => {
      const { it, lost, newer } = await lose(fresh);
      assert.equal(await it.queue.extend(lost), false);
      assert.equal(await it.queue.fail(lost, { reason: 'late', code: 'internal', retryable: false }), 'stale');
      await it.queue.release(lost);
      assert.equal(await it.queue.extend(newer), true);
      assert.equal((await it.queue.depth()).claimed, 1);
    });

    it('takes a late result while the task is open, and turns the newer run away', async () => {
      const { it, lost: late, newer } = await lose(fresh);
      assert.equal(await it.queue.complete(late, okResult(late.task.id, 'late'), []), 'stored');
      assert.equal(await it.queue.extend(newer), false);
      assert.equal(await it.queue.complete(newer, okResult(late.task.id, 'newer'), []), 'duplicate');
      assert.equal((await it.queue.waitResult(late.task.id, { timeoutMs: 20_000 }))?.data, 'late');
      assert.equal((await it.queue.depth()).claimed, 0);
      await it.queue.enqueue([task()]);
      assert.notEqual((await take(it.queue, worker('b'))).task.id, late.task.id);
    });

    it('makes a dead letter of a task whose workers keep dying', async () => {
      const it = await fresh({ maxRetry: 1, leaseMs: 60 });
      const one = task();
      await it.queue.enqueue([one]);
      await take(it.queue, worker('a'));
      await until(it, async () => (await it.queue.depth()).pending === 1);
      await take(it.queue, worker('b'));
      await until(it, async () => (await it.queue.depth()).dead === 1);
      const letter = await it.queue.deadLetters.inspect(one.id);
      assert.match(letter?.reason ?? '', /lease/);
      assert.equal((await it.queue.depth()).claimed, 0);
    });
  });
}
