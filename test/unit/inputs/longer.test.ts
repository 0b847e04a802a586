/** Longer calls keep what holds between the values of the known one. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { type Draft, readCall, writeCall } from '../../../daemon/judging/inputs/values/data.ts';
import { enlarged, leavesIn, manners } from '../../../daemon/judging/inputs/values/enlarge.ts';
import { createRandom } from '../../../daemon/random.ts';

const draftOf = (...args: Value[]): Draft => readCall({ args: args as never, kwargs: {} });
const TIMES = 8;

/** In every manner, as plain JSON. */
function longer(draft: Draft, words: readonly string[] = [], known: readonly Draft[] = []): Value[][] {
  return manners.flatMap((manner) => {
    const made = enlarged(draft, TIMES, manner, { known, words, language: 'node' }, createRandom(manner));
    return made === undefined ? [] : [writeCall(made).args as Value[]];
  });
}

const isRising = (items: readonly unknown[]): boolean =>
  items.every((one, at) => at === 0 || Number(items[at - 1]) <= Number(one));

describe('a longer call', () => {
  it('has lists of one length where the known one has', () => {
    const items = fc.array(fc.tuple(fc.integer(), fc.string()), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(items, (pairs) => {
        const draft = draftOf(
          pairs.map(([one]) => one),
          pairs.map(([, other]) => other),
        );
        for (const [one, other] of longer(draft)) {
          assert.ok(Array.isArray(one) && Array.isArray(other));
          assert.equal(one.length, pairs.length * TIMES);
          assert.equal(other.length, one.length);
        }
      }),
    );
  });

  it('keeps sorted what is sorted, and a number that is a length', () => {
    for (const [items, n] of longer(draftOf([1, 4, 4, 9], 4))) {
      assert.ok(Array.isArray(items) && isRising(items), JSON.stringify(items));
      assert.equal(n, 4 * TIMES);
    }
    for (const [pairs] of longer(
      draftOf([
        [1, 3],
        [2, 6],
        [8, 10],
      ]),
    )) {
      assert.ok(Array.isArray(pairs) && isRising(pairs.map((pair) => (Array.isArray(pair) ? pair[0] : 0))));
    }
  });

  it('refers to entries that there are, and calls nodes by numbers below their count', () => {
    const users = [{ id: 'ann' }, { id: 'bob' }];
    const orders = [
      { user: 'bob', total: 3 },
      { user: 'ann', total: 4 },
      { user: 'bob', total: 1 },
    ];
    for (const [people, bought] of longer(draftOf(...(readCall({ args: [users, orders], kwargs: {} }).args as Value[])))) {
      const ids = new Set((people as { id: string }[]).map(({ id }) => id));
      assert.ok((bought as { user: string }[]).every(({ user }) => ids.has(user)));
    }
    for (const [count, edges] of longer(
      draftOf(4, [
        [0, 1],
        [1, 2],
        [2, 3],
      ]),
    )) {
      assert.ok(
        (edges as number[][]).flat().every((node) => node >= 0 && node < Number(count)),
        JSON.stringify([count, edges]),
      );
    }
  });

  it('leaves the words of the source and the fields of records as they are', () => {
    const draft = readCall({
      args: [
        {
          kind: 'sum',
          rows: [
            { state: 'open', n: 1 },
            { state: 'done', n: 2 },
          ],
        },
      ],
      kwargs: {},
    });
    const known = [draft, readCall({ args: [{ kind: 'sum', rows: [] }], kwargs: {} })];
    for (const [report] of longer(draft, ['open', 'done'], known)) {
      const { kind, rows } = report as { kind: string; rows: { state: string }[] };
      assert.equal(kind, 'sum');
      assert.equal(rows.length, 2 * TIMES);
      assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(['open', 'done']));
    }
  });

  it('holds as many times the values, of texts and of dictionaries too', () => {
    for (const value of ['to be or not to be', { a: ['b'], b: [] }] as Value[]) {
      const [draft] = [readCall({ args: [value as never], kwargs: {} })];
      const made = longer(draft);
      assert.ok(made.length > 0);
      for (const [grown] of made) assert.ok(JSON.stringify(grown).length > 5 * JSON.stringify(value).length);
    }
    assert.deepEqual(longer(draftOf(true, null)), []);
    assert.equal(leavesIn([1, [2, 'three']]), 3);
  });
});
