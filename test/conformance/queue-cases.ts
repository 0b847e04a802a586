/** The conformance suite of task queues: every adapter passes all of it. `open` gives a queue on an empty workspace. */
import assert from 'node:assert/strict';
import * as z from 'zod';
import type { Claim, QueueOptions, TaskQueue, WorkerIdentity } from '../../daemon/fabric/queue.ts';
import { newTaskId, type TaskId } from '../../shared/ids.ts';
import type { Result, Task } from '../../shared/task.ts';

export interface Opened {
  readonly queue: TaskQueue;
  /** Another connection to the same workspace; the same object when the adapter lives in one process. */
  readonly second: TaskQueue;
  /** Lets at least `ms` of the queue's time pass. */
  readonly pass: (ms: number) => Promise<void>;
}

export type Open = (options: Partial<QueueOptions>) => Promise<Opened>;

export function task(over: Partial<Task> = {}): Task {
  return {
    kind: 'execute',
    id: newTaskId(),
    payload: { n: 1 },
    requires: ['cpu'],
    attempts: 0,
    created_at: '2026-01-31T14:25:01.000Z',
    schema_v: 1,
    ...over,
  };
}

export function okResult(id: TaskId, data: unknown = { done: true }): Result {
  return { task_id: id, status: 'ok', data, created_at: '2026-01-31T14:25:02.000Z', attempts: 0, worker_id: 'w' };
}

/** The message of an error result. */
function messageOf(result: Result | undefined): string {
  return z.object({ message: z.string() }).parse(result?.data).message;
}

const worker = (id: string, ...caps: string[]): WorkerIdentity => ({ id, caps: new Set(caps.length === 0 ? ['cpu'] : caps) });
const now = { waitMs: 0 };
const LEASE = 400;
const RETRY = 20;

export function queueConformance(name: string, open: Open): void {
  describe(`${name}: the queue contract`, function () {
    this.timeout(20_000);
    const opened: TaskQueue[] = [];
    const fresh = async (options: Partial<QueueOptions> = {}) => {
      const result = await open({ leaseMs: LEASE, retryDelayMs: RETRY, maxRetry: 3, ...options });
      opened.push(result.queue, result.second);
      return result;
    };
    afterEach(async () => {
      for (const queue of opened.splice(0)) await queue.close();
    });
    /** Claims, which must succeed. */
    const take = async (queue: TaskQueue, who: WorkerIdentity, waitMs = 3000) => {
      const claim = await queue.claim(who, { waitMs });
      assert.ok(claim !== undefined, `${who.id} got no task`);
      return claim;
    };
    /** Passes time and sweeps until `done`. */
    const until = async ({ queue, pass }: Opened, done: () => Promise<boolean>) => {
      for (let i = 0; i < 200; i++) {
        if (await done()) return;
        await pass(20);
        await queue.sweep();
      }
      assert.fail('the condition never came true');
    };

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

      it('wakes a waiting worker, also by a lane that is new', async () => {
        const { queue, second } = await fresh();
        const waiting = queue.claim(worker('a', 'cpu', 'new'), { waitMs: 10_000 });
        const began = performance.now();
        await second.enqueue([task({ requires: ['cpu', 'new'] })]);
        assert.ok(await waiting);
        assert.ok(performance.now() - began < 1500, 'woken late');
      });

      it('wakes as many workers as there are tasks', async () => {
        const { queue, second } = await fresh();
        const waiting = Array.from({ length: 8 }, (_, i) => (i % 2 ? queue : second).claim(worker(`w${i}`), { waitMs: 10_000 }));
        const began = performance.now();
        await second.enqueue(Array.from({ length: 8 }, () => task()));
        assert.equal((await Promise.all(waiting)).filter((claim) => claim !== undefined).length, 8);
        assert.ok(performance.now() - began < 1500, 'woken late');
      });

      it('answers undefined after waitMs', async () => {
        const { queue } = await fresh();
        const began = performance.now();
        assert.equal(await queue.claim(worker('a'), { waitMs: 120 }), undefined);
        const took = performance.now() - began;
        assert.ok(took >= 110 && took < 1000, `took ${took} ms`);
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
          const waiting = queue.waitResult(one.id, { timeoutMs: 5000 });
          await second.complete(claim, okResult(one.id, text), []);
          assert.equal((await waiting)?.data, text);
        });
      }
    });

    describe('lease', () => {
      it('gives an unacknowledged task to another worker after the lease', async () => {
        const it = await fresh();
        await it.queue.enqueue([task()]);
        const lost = await take(it.queue, worker('a'));
        await it.pass(LEASE + 10);
        await until(it, async () => (await it.queue.depth()).pending === 1);
        const claim = await take(it.queue, worker('b'));
        assert.equal(claim.task.id, lost.task.id);
        assert.equal(claim.task.attempts, 1);
        assert.notEqual(claim.attempt, lost.attempt);
      });

      it('keeps a task whose worker extends its lease', async () => {
        const it = await fresh();
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
        const it = await fresh();
        await it.queue.enqueue([task()]);
        const lost = await take(it.queue, worker('a'));
        await it.pass(LEASE + 10);
        await until(it, async () => (await it.queue.depth()).pending === 1);
        const newer = await take(it.queue, worker('b'));
        assert.equal(await it.queue.extend(lost), false);
        assert.equal(await it.queue.fail(lost, { reason: 'late', code: 'internal', retryable: false }), 'stale');
        await it.queue.release(lost);
        assert.equal(await it.queue.extend(newer), true);
        assert.equal((await it.queue.depth()).claimed, 1);
      });

      it('takes a late result while the task is open, and turns the newer run away', async () => {
        const it = await fresh();
        await it.queue.enqueue([task()]);
        const late = await take(it.queue, worker('a'));
        await it.pass(LEASE + 10);
        await until(it, async () => (await it.queue.depth()).pending === 1);
        const newer = await take(it.queue, worker('b'));
        assert.equal(await it.queue.complete(late, okResult(late.task.id, 'late'), []), 'stored');
        assert.equal(await it.queue.extend(newer), false);
        assert.equal(await it.queue.complete(newer, okResult(late.task.id, 'newer'), []), 'duplicate');
        assert.equal((await it.queue.waitResult(late.task.id, { timeoutMs: 2000 }))?.data, 'late');
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

    describe('complete', () => {
      it('stores the result, acknowledges and adds the follow-ups in one step', async () => {
        const { queue, second } = await fresh();
        const [one, next] = [task({ kind: 'mutate' }), task()];
        await queue.enqueue([one]);
        const claim = await take(second, worker('a'));
        assert.equal(await second.complete(claim, okResult(one.id), [next]), 'stored');
        assert.equal((await queue.waitResult(one.id, { timeoutMs: 2000 }))?.status, 'ok');
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
        const it = await fresh();
        await it.queue.enqueue([task()]);
        const late = await take(it.queue, worker('a'));
        await it.pass(LEASE + 10);
        await until(it, async () => (await it.queue.depth()).pending === 1);
        const newer = await take(it.queue, worker('b'));
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
          await until(it, async () => (await it.queue.depth()).pending === 1);
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

      it('tells a dead letter as an error, and gives the answer of a repeated fail as stale', async () => {
        const { queue } = await fresh();
        const one = task();
        await queue.enqueue([one]);
        const claim = await take(queue, worker('a'));
        const heard = queue.waitResult(one.id, { timeoutMs: 5000 });
        assert.equal(await queue.fail(claim, { reason: 'no Python', code: 'missing_program', retryable: false }), 'dead');
        const result = await heard;
        assert.equal(result?.status, 'error');
        const error = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).parse(result?.data);
        assert.deepEqual(error, { code: 'missing_program', message: 'no Python', retryable: false });
        assert.equal((await queue.deadLetters.inspect(one.id))?.code, 'missing_program');
        assert.equal((await queue.waitResult(one.id, { timeoutMs: 2000 }))?.status, 'error');
        assert.equal(await queue.fail(claim, { reason: 'again', code: 'internal', retryable: false }), 'stale');
        assert.equal((await queue.deadLetters.list()).length, 1);
      });

      it('tells no wait that it was cancelled when only a handler says so', async () => {
        const { queue } = await fresh();
        const one = task();
        await queue.enqueue([one]);
        const claim = await take(queue, worker('a'));
        await queue.fail(claim, { reason: 'gave up', code: 'cancelled', retryable: false });
        const result = await queue.waitResult(one.id, { timeoutMs: 2000 });
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
          const result = await queue.waitResult(each.id, { timeoutMs: 2000 });
          assert.deepEqual([result?.status, result?.data], ['skip', 'the run was stopped']);
        }
        assert.equal(await queue.extend(held), false);
        assert.equal(await queue.complete(held, okResult(held.task.id), []), 'duplicate');
        const depth = await queue.depth();
        assert.deepEqual([depth.pending, depth.claimed, depth.delayed], [0, 0, 0]);
        assert.equal(await queue.claim(worker('b'), now), undefined);
      });

      it('withdraws: who holds a task hears of it, and may still say what it has come to', async () => {
        const { queue } = await fresh();
        const [held, waiting] = [task(), task()];
        await queue.enqueue([held]);
        const claim = await take(queue, worker('a'));
        await queue.enqueue([waiting]);
        await queue.withdraw([held.id, waiting.id, task().id], 'not wanted any more');
        const skipped = await queue.waitResult(waiting.id, { timeoutMs: 2000 });
        assert.deepEqual([skipped?.status, skipped?.data], ['skip', 'not wanted any more']);
        assert.equal(await queue.extend(claim), false);
        assert.equal(await queue.claim(worker('b'), now), undefined);
        assert.equal(await queue.complete(claim, okResult(held.id), []), 'stored');
        assert.equal((await queue.waitResult(held.id, { timeoutMs: 2000 }))?.status, 'ok');
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
          const result = await queue.waitResult(claim.task.id, { timeoutMs: 2000 });
          assert.deepEqual([result?.status, result?.data], ['skip', 'not wanted any more']);
          assert.equal(await queue.claim(worker('b'), now), undefined);
        }
      });

      it('answers a task of a newer schema with an error, and goes on', async () => {
        const { queue } = await fresh();
        const [future, present] = [task({ schema_v: 99 }), task()];
        await queue.enqueue([future, present]);
        assert.equal((await take(queue, worker('a'))).task.id, present.id);
        const result = await queue.waitResult(future.id, { timeoutMs: 2000 });
        assert.equal(result?.status, 'error');
        assert.match(messageOf(result), /schema_v 99/);
      });
    });

    describe('results', () => {
      it('answers a wait that comes before the result, and one that comes after', async () => {
        const { queue, second } = await fresh();
        const one = task();
        await queue.enqueue([one]);
        const early = queue.waitResult(one.id, { timeoutMs: 5000 });
        await second.complete(await take(second, worker('a')), okResult(one.id), []);
        assert.equal((await early)?.task_id, one.id);
        assert.equal((await second.waitResult(one.id, { timeoutMs: 2000 }))?.task_id, one.id);
      });

      it('ends a wait at its time-out and at its signal', async () => {
        const { queue } = await fresh();
        assert.equal(await queue.waitResult(newTaskId(), { timeoutMs: 30 }), undefined);
        const stop = new AbortController();
        const waiting = queue.waitResult(newTaskId(), { timeoutMs: 60_000, signal: stop.signal });
        stop.abort();
        await assert.rejects(waiting, { code: 'cancelled' });
      });

      it('tells every subscriber each result once, until it leaves', async () => {
        const { queue } = await fresh();
        const heard: string[][] = [[], []];
        const leave = queue.subscribe((result) => heard[0]?.push(result.task_id));
        queue.subscribe((result) => heard[1]?.push(result.task_id));
        const finish = async () => {
          const one = task();
          await queue.enqueue([one]);
          const waiting = queue.waitResult(one.id, { timeoutMs: 5000 });
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
        const waiting = queue.waitResult(one, { timeoutMs: 5000 });
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

    describe('handing over and closing', () => {
      it('names what nobody has started, and forgets it on request without a result', async () => {
        const opened = await fresh();
        const { queue } = opened;
        queue.collect(async () => undefined);
        const tasks = [task(), task(), task()] as const;
        await queue.enqueue(tasks);
        const held = await take(queue, worker('a'));
        const rest = tasks.slice(1).map((each) => each.id);
        assert.deepEqual(
          (await queue.unstarted(10)).map((each) => each.id),
          rest,
        );
        assert.equal((await queue.unstarted(1)).length, 1);
        assert.equal(queue.outstanding, 3);
        assert.deepEqual(await queue.forget(tasks.map((each) => each.id)), rest);
        assert.equal(queue.outstanding, 1);
        assert.deepEqual([(await queue.depth()).pending, (await queue.depth()).claimed], [0, 1]);
        assert.equal(await queue.extend(held), true);
        assert.deepEqual(await queue.unstarted(10), []);
        const heard = queue.waitResult(held.task.id, { timeoutMs: 5000 });
        await queue.complete(held, okResult(held.task.id), []);
        await heard;
        await until(opened, async () => queue.outstanding === 0);
      });

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
  });
}
