import assert from 'node:assert/strict';
import { TurnBatch } from '../../../daemon/fabric/redis/batch.ts';

describe('steps sent together', () => {
  let sent: [key: string, items: readonly number[]][];
  let together: TurnBatch<number>;
  beforeEach(() => {
    sent = [];
    together = new TurnBatch(async (key, items) => {
      sent.push([key, items]);
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * 10);
    });
  });

  it('sends what comes in one turn as one step, and gives each caller its own answer', async () => {
    assert.deepEqual(await Promise.all([1, 2, 3].map((item) => together.add('a', item))), [10, 20, 30]);
    assert.deepEqual(sent, [['a', [1, 2, 3]]]);
  });

  it('sends what comes in another turn, or with another key, apart', async () => {
    await Promise.all([together.add('a', 1), together.add('b', 2)]);
    await together.add('a', 3);
    assert.deepEqual(sent, [
      ['a', [1]],
      ['b', [2]],
      ['a', [3]],
    ]);
  });

  it('sends many, or large ones, in several steps at once', async () => {
    const many = Array.from({ length: 40 }, (_, i) => i + 20);
    assert.deepEqual(
      await Promise.all(many.map((item) => together.add('a', item))),
      many.map((item) => item * 10),
    );
    assert.deepEqual(
      sent.map(([, items]) => items.length),
      [25, 15],
    );
    sent.length = 0;
    await Promise.all([1, 2, 3].map((item) => together.add('a', item, 2 ** 20)));
    assert.equal(sent.length, 3);
  });

  it('lets the one fail that fails, and no other', async () => {
    const settled = await Promise.allSettled([1, 13, 3].map((item) => together.add('a', item)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await assert.rejects(together.add('a', 13), /unlucky/);
  });
});
