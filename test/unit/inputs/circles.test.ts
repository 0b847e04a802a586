import assert from 'node:assert/strict';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { readCall, writeCall } from '../../../daemon/judging/inputs/values/data.ts';
import { hasNames, withCircle } from '../../../daemon/judging/inputs/values/related.ts';
import { createRandom } from '../../../daemon/random.ts';

const draftOf = (...args: Value[]) => readCall({ args, kwargs: {} });

/** Which names are met by following the first name in each item from one of them. */
function followed(next: (name: string) => string | undefined, from: string): string[] {
  const seen: string[] = [];
  for (let name: string | undefined = from; name !== undefined && !seen.includes(name); name = next(name)) seen.push(name);
  return seen;
}

describe('a circle of items that name each other', () => {
  it('is made of entries of a dictionary, and nothing else changes', () => {
    const parts = { a: { price: 1, of: [{ part: 'b', n: 2 }] }, b: { price: 2, of: [] }, c: { price: 3, of: [] } };
    const draft = draftOf(parts, ['a']);
    assert.ok(hasNames(draft));
    const lengths = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const { args } = writeCall(withCircle(draft, createRandom('circle', seed)));
      const made = args[0] as typeof parts;
      assert.deepEqual(Object.keys(made), ['a', 'b', 'c']);
      assert.deepEqual(args[1], ['a']);
      const next = (name: string) => made[name as 'a'].of[0]?.part;
      const circles = Object.keys(made).filter((name) => next(followed(next, name).at(-1) ?? '') === name);
      lengths.add(circles.length);
    }
    assert.deepEqual([...lengths].sort(), [2, 3]);
  });

  it('is made of records with names of their own, of which one that names none gets what another has', () => {
    const tasks = [
      { name: 'x', after: [], days: 1 },
      { name: 'y', after: ['x'], days: 2 },
    ];
    assert.deepEqual(writeCall(withCircle(draftOf(tasks), createRandom('circle', 1))).args, [
      [
        { name: 'x', after: ['y'], days: 2 },
        { name: 'y', after: ['x'], days: 2 },
      ],
    ]);
  });

  it('is not made where nothing names another', () => {
    const draft = draftOf({ a: 1, b: 2 }, ['a', 'b'], [{ name: 'x' }, { name: 'y' }]);
    assert.equal(hasNames(draft), false);
    assert.equal(withCircle(draft, createRandom('circle', 1)), draft);
  });
});
