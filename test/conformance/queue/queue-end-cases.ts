/**
 * Part of the queue's conformance suite: the other ways a claim ends: fail, release, cancel, withdraw; and a schema that is
 * too new.
 */
import assert from 'node:assert/strict';
import * as z from 'zod';
import type { Claim } from '../../../daemon/fabric/queue.ts';
import type { Result } from '../../../shared/task.ts';
import { type Fresh, now, okResult, take, task, until, worker } from './queue-setup.ts';

/** The message of an error result. */
function messageOf(result: Result | undefined): string {
  return z.object({ message: z.string() }).parse(result?.data).message;
}

export function endCases(fresh: Fresh): void {
  describe('fail, release, cancel', () => {
    it('retries after a delay that doubles, counting attempts, until the dead letter', async () => {
      const it = await fresh({ maxRetry: 2, leaseMs: 60_000 });
      const one = task();
      await it.queue.enqueue([one]);
      for (const attempts of [0, 1]) {
        const claim = await take(it.queue, worker('a'));
        assert.equal(claim.task.attempts, attempts);
        assert.equal(await it.queue.fail(claim, { reason: 'flaky', code: 'internal', retryable: true }), 'retry');
        assert.equal((await it.queue.depth()).delayed, 1);
        assert.equal((await it.queue.depth()).claimed, 0);
        assert.deepEqual((await it.queue.waiting?.(10)) ?? [], []);
        await until(it, async () => (await it.queue.depth()).pending === 1);
        const again = { ...one, attempts: attempts + 1 };
        assert.deepEqual((await it.queue.waiting?.(10)) ?? [again], [again]);
      }
      const claim = await take(it.queue, worker('b'));
      assert.equal(await it.queue.fail(claim, { reason: 'flaky to the end', code: 'internal', retryable: true }), 'dead');
      const letters = await it.queue.deadLetters.list();
      assert.deepEqual(
        letters.map((letter) => [letter.id, letter.reason, letter.lane, letter.attempts]),
        [[one.id, 'flaky to the end', 'execute/cpu', 3]],
      );
    });

    it('does not promote a delayed task before its time', async () => {
      const { queue, pass } = await fresh({ retryDelayMs: 5000 });
      await queue.enqueue([task()]);
      await queue.fail(await take(queue, worker('a')), { reason: 'later', code: 'internal', retryable: true });
      await pass(50);
      assert.equal((await queue.sweep()).promoted, 0);
      assert.equal(await queue.claim(worker('a'), now), undefined);
    });

    it('reports a dead letter as an error, and gives the answer of a repeated fail as stale', async () => {
      const { queue } = await fresh();
      const one = task();
      await queue.enqueue([one]);
      const claim = await take(queue, worker('a'));
      const heard = queue.waitResult(one.id, { timeoutMs: 20_000 });
      assert.equal(await queue.fail(claim, { reason: 'no Python', code: 'missing_program', retryable: false }), 'dead');
      const result = await heard;
      assert.equal(result?.status, 'error');
      const error = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).parse(result?.data);
      assert.deepEqual(error, { code: 'missing_program', message: 'no Python', retryable: false });
      assert.equal((await queue.deadLetters.inspect(one.id))?.code, 'missing_program');
      assert.equal((await queue.waitResult(one.id, { timeoutMs: 20_000 }))?.status, 'error');
      assert.equal(await queue.fail(claim, { reason: 'again', code: 'internal', retryable: false }), 'stale');
      assert.equal((await queue.deadLetters.list()).length, 1);
    });

    it('reports no wait as cancelled when only a handler says so', async () => {
      const { queue } = await fresh();
      const one = task();
      await queue.enqueue([one]);
      const claim = await take(queue, worker('a'));
      await queue.fail(claim, { reason: 'gave up', code: 'cancelled', retryable: false });
      const result = await queue.waitResult(one.id, { timeoutMs: 20_000 });
      assert.equal(z.object({ code: z.string() }).parse(result?.data).code, 'internal');
    });

    it('gives a released task to others at once, without counting an attempt', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task()]);
      const skipped = await take(queue, worker('a'));
      await queue.release(skipped);
      const claim = await take(queue, worker('b'));
      assert.equal(claim.task.id, skipped.task.id);
      assert.equal(claim.task.attempts, 0);
      await queue.release(skipped);
      assert.equal(await queue.extend(claim), true);
    });

    it('cancels waiting, delayed and claimed tasks with a skip result', async () => {
      const { queue } = await fresh({ retryDelayMs: 60_000 });
      const tasks = [task({ kind: 'render' }), task(), task({ kind: 'evaluate' })] as const;
      await queue.enqueue([tasks[0]]);
      await queue.fail(await take(queue, worker('a')), { reason: 'later', code: 'internal', retryable: true });
      await queue.enqueue([tasks[1]]);
      const held = await take(queue, worker('a'));
      await queue.enqueue([tasks[2]]);
      await queue.cancel(
        tasks.map((each) => each.id),
        'the run was stopped',
      );
      for (const each of tasks) {
        const result = await queue.waitResult(each.id, { timeoutMs: 20_000 });
        assert.deepEqual([result?.status, result?.data], ['skip', 'the run was stopped']);
      }
      assert.equal(await queue.extend(held), false);
      assert.equal(await queue.complete(held, okResult(held.task.id), []), 'duplicate');
      const depth = await queue.depth();
      assert.deepEqual([depth.pending, depth.claimed, depth.delayed], [0, 0, 0]);
      assert.equal(await queue.claim(worker('b'), now), undefined);
    });

    it('withdraws: the holder of a task learns of it, and may still report what it has come to', async () => {
      const { queue } = await fresh();
      const [held, waiting] = [task(), task()];
      await queue.enqueue([held]);
      const claim = await take(queue, worker('a'));
      await queue.enqueue([waiting]);
      await queue.withdraw([held.id, waiting.id, task().id], 'not wanted any more');
      const skipped = await queue.waitResult(waiting.id, { timeoutMs: 20_000 });
      assert.deepEqual([skipped?.status, skipped?.data], ['skip', 'not wanted any more']);
      assert.equal(await queue.extend(claim), false);
      assert.equal(await queue.claim(worker('b'), now), undefined);
      assert.equal(await queue.complete(claim, okResult(held.id), []), 'stored');
      assert.equal((await queue.waitResult(held.id, { timeoutMs: 20_000 }))?.status, 'ok');
    });

    it('gives a withdrawn task to nobody else, whether it is released, fails, or is cancelled in the end', async () => {
      const { queue } = await fresh({ retryDelayMs: 1 });
      const ends = [
        (claim: Claim) => queue.release(claim),
        (claim: Claim) => queue.fail(claim, { reason: 'a crash', code: 'internal', retryable: true }),
        (claim: Claim) => queue.cancel([claim.task.id], 'not wanted any more'),
      ];
      for (const end of ends) {
        await queue.enqueue([task()]);
        const claim = await take(queue, worker('a'));
        await queue.withdraw([claim.task.id], 'not wanted any more');
        await end(claim);
        const result = await queue.waitResult(claim.task.id, { timeoutMs: 20_000 });
        assert.deepEqual([result?.status, result?.data], ['skip', 'not wanted any more']);
        assert.equal(await queue.claim(worker('b'), now), undefined);
      }
    });

    it('answers a task of a newer schema with an error, and goes on', async () => {
      const { queue } = await fresh();
      const [future, present] = [task({ schema_v: 99 }), task()];
      await queue.enqueue([future, present]);
      assert.equal((await take(queue, worker('a'))).task.id, present.id);
      const result = await queue.waitResult(future.id, { timeoutMs: 20_000 });
      assert.equal(result?.status, 'error');
      assert.match(messageOf(result), /schema_v 99/);
    });
  });
}
