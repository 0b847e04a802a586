/** Places inside of the arguments of a call, and what is exchanged there. */
import assert from 'node:assert/strict';
import { entrySource } from '../../../daemon/judging/inputs/source.ts';
import { exchangedAt, placesOf } from '../../../daemon/judging/inputs/values/call-slots.ts';
import { readCall, writeCall } from '../../../daemon/judging/inputs/values/data.ts';

const draft = readCall({ args: [[{ id: 1, tags: ['a'] }, { id: 2 }], 'x'], kwargs: {} });
const placeOf = (values: readonly unknown[]) => {
  const found = placesOf(draft).filter((place) => JSON.stringify(place.values) === JSON.stringify(values));
  assert.ok(found.length > 0, JSON.stringify(values));
  return found[0] ?? { slot: { of: 'call' as const, at: 0 }, path: [] };
};

describe('the places of a call', () => {
  it('hold a field of all records at once', () => {
    let number = 6;
    assert.deepEqual(writeCall(exchangedAt(draft, placeOf([1, 2]), () => ++number)).args, [
      [{ id: 7, tags: ['a'] }, { id: 8 }],
      'x',
    ]);
  });

  it('hold the items of lists inside of records', () => {
    assert.deepEqual(writeCall(exchangedAt(draft, placeOf(['a']), () => null)).args, [[{ id: 1, tags: [null] }, { id: 2 }], 'x']);
    assert.deepEqual(writeCall(exchangedAt(draft, placeOf(['a']), () => [1])).args, [[{ id: 1, tags: [[1]] }, { id: 2 }], 'x']);
  });

  it('lose a field, and get one that is missing', () => {
    assert.deepEqual(writeCall(exchangedAt(draft, placeOf([1, 2]), () => undefined)).args, [[{ tags: ['a'] }, {}], 'x']);
    const records = placesOf(draft).find(({ path }) => path.length === 1);
    assert.ok(records !== undefined);
    const added = exchangedAt(draft, { ...records, path: [...records.path, { key: 'more', isNew: true }] }, () => true);
    assert.deepEqual(writeCall(added).args, [
      [
        { id: 1, tags: ['a'], more: true },
        { id: 2, more: true },
      ],
      'x',
    ]);
  });

  it('keep an argument that nothing else replaces', () => {
    assert.deepEqual(
      exchangedAt(draft, { slot: { of: 'call', at: 1 }, path: [] }, () => undefined),
      draft,
    );
  });
});

describe('constants of a source', () => {
  it('have what is quoted in documentation and comments, and words in the other case where that is changed', async () => {
    const text = `def f(size):
    """Reads a size such as "12 KB"; "unit" is a name."""
    # a sign as in '-5s' is kept
    return size.lower() == "free"
`;
    const strs = (await entrySource('python', text, 'f'))?.constants.strs ?? [];
    assert.deepEqual(
      ['12 KB', '-5s', 'FREE', 'unit'].map((one) => strs.includes(one)),
      [true, true, true, false],
    );
  });

  it('have the type of a default in TypeScript alone', async () => {
    const typeOf = async (language: string) =>
      (await entrySource(language, 'function f(sign = ",") {\n  return sign;\n}\n', 'f'))?.parameters[0]?.implied;
    assert.deepEqual([await typeOf('typescript'), await typeOf('javascript')], ['string', undefined]);
  });
});
