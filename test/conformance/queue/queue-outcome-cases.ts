/**
 * Part of the queue's conformance suite: what is heard and seen of tasks: results, depth, dead letters, handing over,
 * closing.
 */
import assert from 'node:assert/strict';
import type { TaskQueue } from '../../../daemon/fabric/queue.ts';
import { newTaskId, type TaskId } from '../../../shared/ids.ts';
import { type Fresh, okResult, take, task, worker } from './queue-setup.ts';

export function outcomeCases(fresh: Fresh): void {
  describe('results', () => {
    it('answers a wait that comes before the result, and one that comes after', async () => {
      const { queue, second } = await fresh();
      const one = task();
      await queue.enqueue([one]);
      const early = queue.waitResult(one.id, { timeoutMs: 20_000 });
      await second.complete(await take(second, worker('a')), okResult(one.id), []);
      assert.equal((await early)?.task_id, one.id);
      assert.equal((await second.waitResult(one.id, { timeoutMs: 20_000 }))?.task_id, one.id);
    });

    it('ends a wait at its time-out and at its signal', async () => {
      const { queue } = await fresh();
      assert.equal(await queue.waitResult(newTaskId(), { timeoutMs: 30 }), undefined);
      const stop = new AbortController();
      const waiting = queue.waitResult(newTaskId(), { timeoutMs: 60_000, signal: stop.signal });
      stop.abort();
      await assert.rejects(waiting, { code: 'cancelled' });
    });

    it('sends every subscriber each result once, until it leaves', async () => {
      const { queue } = await fresh();
      const heard: string[][] = [[], []];
      const leave = queue.subscribe((result) => heard[0]?.push(result.task_id));
      queue.subscribe((result) => heard[1]?.push(result.task_id));
      const finish = async () => {
        const one = task();
        await queue.enqueue([one]);
        const waiting = queue.waitResult(one.id, { timeoutMs: 20_000 });
        await queue.complete(await take(queue, worker('a')), okResult(one.id), []);
        await waiting;
        return one.id;
      };
      const first = await finish();
      leave();
      const second = await finish();
      assert.deepEqual(heard, [[first], [first, second]]);
    });

    it('offers a collector every outcome, also older ones, and again when it could not take them', async () => {
      const { queue } = await fresh();
      const [one, two] = [task(), task()];
      await queue.enqueue([one]);
      await queue.complete(await take(queue, worker('a')), okResult(one.id), []);
      const taken: [string, boolean][] = [];
      let refusals = 0;
      const heard = Promise.withResolvers<void>();
      const stop = queue.collect(async (outcomes) => {
        if (refusals++ === 0) throw new Error('the store is away');
        for (const { result, dead } of outcomes) taken.push([result.task_id, dead]);
        if (taken.length === 2) heard.resolve();
      });
      assert.throws(() => queue.collect(async () => undefined), { code: 'conflict' });
      await queue.enqueue([two]);
      await queue.fail(await take(queue, worker('a')), { reason: 'no', code: 'internal', retryable: false });
      await heard.promise;
      await stop();
      assert.deepEqual(taken, [
        [one.id, false],
        [two.id, true],
      ]);
    });
  });

  describe('depth', () => {
    it('counts by state, kind and lane, and knows the age of the oldest', async () => {
      const it = await fresh({ retryDelayMs: 60_000 });
      await it.queue.enqueue([
        task({ kind: 'mutate', requires: ['llm', 'cpu'] }),
        task({ kind: 'mutate' }),
        task(),
        task(),
        task(),
      ]);
      await take(it.queue, worker('a'));
      await it.queue.fail(await take(it.queue, worker('b')), { reason: 'later', code: 'internal', retryable: true });
      await it.pass(60);
      const depth = await it.second.depth();
      assert.deepEqual([depth.pending, depth.claimed, depth.delayed, depth.dead], [3, 1, 1, 0]);
      assert.equal((depth.byKind.execute ?? 0) + (depth.byKind.mutate ?? 0), 3);
      assert.equal(depth.byLane['mutate/cpu+llm'], 1);
      assert.ok(depth.oldestMs >= 50 && depth.oldestMs < 20_000, `${depth.oldestMs} ms`);
      const { oldestByLane } = depth;
      if (oldestByLane !== undefined) {
        const waiting = Object.keys(depth.byLane).filter((lane) => (depth.byLane[lane] ?? 0) > 0);
        assert.deepEqual(Object.keys(oldestByLane).sort(), waiting.sort());
        assert.ok(Object.values(oldestByLane).every((ms) => ms >= 50 && ms <= depth.oldestMs));
      }
      assert.equal(
        Object.values(depth.byLane).reduce((a, b) => a + b, 0),
        3,
      );
    });
  });

  describe('dead letters', () => {
    const kill = async (queue: TaskQueue, count: number) => {
      const ids: TaskId[] = [];
      for (let i = 0; i < count; i++) {
        const one = task({ payload: { n: i } });
        await queue.enqueue([one]);
        await queue.fail(await take(queue, worker('a')), { reason: `reason ${i}`, code: 'internal', retryable: false });
        ids.push(one.id);
      }
      return ids;
    };

    it('lists them oldest first, in pages, with the task', async () => {
      const { queue, second } = await fresh();
      const ids = await kill(queue, 5);
      const page = await second.deadLetters.list({ offset: 1, limit: 2 });
      assert.deepEqual(
        page.map((letter) => [letter.id, letter.reason, letter.task?.payload]),
        [
          [ids[1], 'reason 1', { n: 1 }],
          [ids[2], 'reason 2', { n: 2 }],
        ],
      );
      assert.equal((await queue.deadLetters.list()).length, 5);
      assert.ok(Number.isFinite(Date.parse(page[0]?.died_at ?? '')));
      assert.equal(await queue.deadLetters.inspect(newTaskId()), undefined);
    });

    it('puts them back with attempts 0; their next result is heard', async () => {
      const { queue } = await fresh();
      const [one = newTaskId()] = await kill(queue, 2);
      assert.equal(await queue.deadLetters.retry([one, one, newTaskId()]), 1);
      assert.equal((await queue.depth()).dead, 1);
      const waiting = queue.waitResult(one, { timeoutMs: 20_000 });
      const claim = await take(queue, worker('b'));
      assert.equal(claim.task.id, one);
      assert.equal(claim.task.attempts, 0);
      assert.equal(await queue.complete(claim, okResult(one), []), 'stored');
      assert.equal((await waiting)?.status, 'ok');
      assert.equal(await queue.deadLetters.retry(), 1);
      assert.equal((await queue.depth()).pending, 1);
    });

    it('purges them, and enqueuing a purged id again is a no-op', async () => {
      const { queue } = await fresh();
      const ids = await kill(queue, 3);
      assert.equal(await queue.deadLetters.purge(ids.slice(0, 1)), 1);
      assert.equal(await queue.deadLetters.purge(), 2);
      assert.deepEqual(await queue.deadLetters.list(), []);
      await queue.enqueue(ids.map((id) => task({ id })));
      assert.equal((await queue.depth()).pending, 0);
    });
  });

  describe('closing', () => {
    it('ends every wait when it is closed', async () => {
      const { queue } = await fresh();
      const claim = queue.claim(worker('a'), { waitMs: 60_000 });
      const result = queue.waitResult(newTaskId(), { timeoutMs: 60_000 });
      const both = Promise.all([assert.rejects(claim, { code: 'cancelled' }), assert.rejects(result, { code: 'cancelled' })]);
      await queue.close();
      await both;
      await queue.close();
    });
  });
}
