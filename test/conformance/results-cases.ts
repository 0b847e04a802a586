/** The conformance suite of result stores: every adapter passes all of it. `open` gives a store on the same place each time. */
import assert from 'node:assert/strict';
import type { ResultBackend } from '../../daemon/fabric/results.ts';
import { newTaskId } from '../../shared/ids.ts';
import { okResult } from './queue/queue-setup.ts';

export function resultsConformance(name: string, open: () => Promise<ResultBackend>): void {
  describe(`${name}: the result store contract`, () => {
    const stores: ResultBackend[] = [];
    const fresh = async () => {
      const store = await open();
      stores.push(store);
      return store;
    };
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
    });

    it('gives back what was put, every field of it', async () => {
      const store = await fresh();
      const result = {
        ...okResult(newTaskId(), { text: 'ü\u0000', list: [1, -2.5, null, true], deep: { a: { b: [] } } }),
        handler: 'execute',
        handler_version: '1',
        image: 'none',
      };
      assert.equal(await store.put(result), true);
      assert.deepEqual(await store.get(result.task_id), result);
    });

    it('knows nothing of a task without a result', async () => {
      assert.equal(await (await fresh()).get(newTaskId()), undefined);
    });

    it('keeps the first result of a task, whatever its date', async () => {
      const store = await fresh();
      const first = okResult(newTaskId(), 'first');
      assert.equal(await store.put(first), true);
      assert.equal(await store.put({ ...first, data: 'second' }), false);
      assert.equal(await store.put({ ...first, data: 'third', created_at: '2031-05-06T07:08:09.000Z' }), false);
      assert.deepEqual(await store.get(first.task_id), first);
    });

    it('lets one of many writers at once be the first', async () => {
      const [one, two] = [await fresh(), await fresh()];
      for (let round = 0; round < 5; round++) {
        const id = newTaskId();
        const put = (i: number) => {
          const created_at = `2026-0${1 + (i % 3)}-01T00:00:00.000Z`;
          return (i % 2 ? one : two).put({ ...okResult(id, i), created_at });
        };
        const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => put(i)));
        const firsts = answers.flatMap((first, i) => (first ? [i] : []));
        assert.equal(firsts.length, 1);
        assert.equal((await one.get(id))?.data, firsts[0]);
      }
    });

    it('is there for another process', async () => {
      const result = okResult(newTaskId());
      await (await fresh()).put(result);
      assert.deepEqual(await (await fresh()).get(result.task_id), result);
    });

    it('carries 5 MB', async () => {
      const store = await fresh();
      const result = okResult(newTaskId(), 'x'.repeat(5_000_000));
      await store.put(result);
      assert.equal((await store.get(result.task_id))?.data, result.data);
    });
  });
}
