/** Part of the queue's conformance suite: completing: result, acknowledgement and follow-ups in one step. */
import assert from 'node:assert/strict';
import { newTaskId } from '../../../shared/ids.ts';
import { type Fresh, lose, now, okResult, take, task, worker } from './queue-setup.ts';

export function completeCases(fresh: Fresh): void {
  describe('complete', () => {
    it('stores the result, acknowledges and adds the follow-ups in one step', async () => {
      const { queue, second } = await fresh();
      const [one, next] = [task({ kind: 'mutate' }), task()];
      await queue.enqueue([one]);
      const claim = await take(second, worker('a'));
      assert.equal(await second.complete(claim, okResult(one.id), [next]), 'stored');
      assert.equal((await queue.waitResult(one.id, { timeoutMs: 20_000 }))?.status, 'ok');
      const depth = await queue.depth();
      assert.deepEqual([depth.pending, depth.claimed], [1, 0]);
      assert.equal((await take(queue, worker('b'))).task.id, next.id);
    });

    it('answers a repeated complete as the first time, and adds the follow-ups once', async () => {
      const { queue } = await fresh();
      const [one, next] = [task(), task()];
      await queue.enqueue([one]);
      const claim = await take(queue, worker('a'));
      assert.equal(await queue.complete(claim, okResult(one.id), [next]), 'stored');
      assert.equal(await queue.complete(claim, okResult(one.id), [next]), 'stored');
      assert.equal((await queue.depth()).pending, 1);
      assert.equal(await queue.complete({ ...claim, worker: 'b' }, okResult(one.id), [task()]), 'duplicate');
      assert.equal((await queue.depth()).pending, 1);
    });

    it('answers duplicate for a task it does not know', async () => {
      const { queue } = await fresh();
      const one = task();
      assert.equal(await queue.complete({ task: one, worker: 'a', attempt: 1 }, okResult(one.id), []), 'duplicate');
    });

    it('refuses a result of another task', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task()]);
      const claim = await take(queue, worker('a'));
      await assert.rejects(queue.complete(claim, okResult(newTaskId()), []), { code: 'invalid_input' });
    });

    it('gives a warm worker its next task with the acknowledgement of the last', async () => {
      const { queue } = await fresh();
      const [one, next] = [task({ kind: 'mutate' }), task()];
      await queue.enqueue([one]);
      const claim = await take(queue, worker('a'));
      const caps = new Set(['cpu']);
      const step = await queue.completeAndClaim(claim, okResult(one.id), [next], caps);
      assert.deepEqual([step.outcome, step.next?.task.id, step.next?.worker], ['stored', next.id, 'a']);
      assert.ok(step.next);
      const last = await queue.completeAndClaim(step.next, okResult(next.id), [], caps);
      assert.deepEqual(last, { outcome: 'stored', next: undefined });
      assert.equal((await queue.depth()).claimed, 0);
      const again = await queue.completeAndClaim(claim, okResult(one.id), [task()], caps);
      assert.deepEqual(again, { outcome: 'stored', next: undefined });
    });

    it('gives the same next task again when the answer was lost', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task(), task(), task()]);
      const claim = await take(queue, worker('a'));
      const caps = new Set(['cpu']);
      const step = await queue.completeAndClaim(claim, okResult(claim.task.id), [], caps);
      const again = await queue.completeAndClaim(claim, okResult(claim.task.id), [], caps);
      assert.equal(again.outcome, 'stored');
      assert.deepEqual([again.next?.task.id, again.next?.attempt], [step.next?.task.id, step.next?.attempt]);
      assert.deepEqual([(await queue.depth()).pending, (await queue.depth()).claimed], [1, 1]);
    });

    it('gives a worker that completes late what it holds by now', async () => {
      const { it, lost: late, newer } = await lose(fresh);
      await it.queue.enqueue([task(), task()]);
      const held = await take(it.queue, worker('a'));
      const step = await it.queue.completeAndClaim(late, okResult(late.task.id), [], new Set(['cpu']));
      assert.deepEqual([step.outcome, step.next?.task.id, step.next?.attempt], ['stored', held.task.id, held.attempt]);
      assert.deepEqual([(await it.queue.depth()).pending, (await it.queue.depth()).claimed], [1, 1]);
      assert.equal(await it.queue.extend(newer), false);
    });

    it('serves many workers of one turn as it serves each alone', async () => {
      const { queue } = await fresh();
      const heard: string[] = [];
      queue.collect(async (outcomes) => {
        heard.push(...outcomes.map(({ result }) => result.task_id));
      });
      const kinds = ['execute', 'render'] as const;
      const tasks = Array.from({ length: 60 }, (_, i) => task({ kind: kinds[i % 2] ?? 'render' }));
      await queue.enqueue(tasks);
      const workers = Array.from({ length: 40 }, (_, i) => worker(`w${i}`));
      const claims = await Promise.all(workers.map((each) => take(queue, each)));
      assert.equal(new Set(claims.map(({ task }) => task.id)).size, 40);
      const following = claims.map(() => task({ kind: 'evaluate' }));
      const steps = await Promise.all(
        claims.map((claim, i) =>
          queue.completeAndClaim(claim, okResult(claim.task.id), following.slice(i, i + 1), workers[i]?.caps ?? new Set()),
        ),
      );
      assert.ok(steps.every(({ outcome }) => outcome === 'stored'));
      const next = steps.flatMap(({ next }) => next ?? []);
      for (const [i, step] of steps.entries()) if (step.next !== undefined) assert.equal(step.next.worker, workers[i]?.id);
      assert.equal(new Set([...claims, ...next].map(({ task }) => task.id)).size, 40 + next.length);
      for (const each of workers) {
        for (;;) {
          const claim = await queue.claim(each, now);
          if (claim === undefined) break;
          await queue.complete(claim, okResult(claim.task.id), []);
        }
      }
      const wanted = [...tasks, ...following].map(({ id }) => id).sort();
      while (heard.length < wanted.length) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(heard.sort(), wanted);
    });

    it('takes the same step twice in one turn as once', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task(), task(), task()]);
      const [one, same] = await Promise.all([take(queue, worker('a')), take(queue, worker('a'))]);
      assert.equal(one.task.id, same.task.id);
      const [result, caps] = [okResult(one.task.id), new Set(['cpu'])];
      const follow = [task({ kind: 'evaluate' })];
      const late = { ...one, worker: 'late' };
      const [first, again, other] = await Promise.all([
        queue.completeAndClaim(one, result, follow, caps),
        queue.completeAndClaim(one, result, follow, caps),
        queue.completeAndClaim(late, result, follow, caps),
      ]);
      assert.deepEqual([first.outcome, again.outcome, other.outcome], ['stored', 'stored', 'duplicate']);
      assert.ok(first.next !== undefined && first.next.task.id === again.next?.task.id);
      assert.ok(other.next !== undefined && other.next.task.id !== first.next.task.id);
      assert.deepEqual([(await queue.depth()).claimed, (await queue.depth()).pending], [2, 1]);
    });

    it('leaves the worker free for its next task', async () => {
      const { queue } = await fresh();
      await queue.enqueue([task(), task()]);
      const first = await take(queue, worker('a'));
      await queue.complete(first, okResult(first.task.id), []);
      assert.notEqual((await take(queue, worker('a'))).task.id, first.task.id);
    });
  });
}
