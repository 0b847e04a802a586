/** Calls in which some values are equal and those next to them differ: an order, a cursor or a pattern decides only there. */
import assert from 'node:assert/strict';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { constantsOf } from '../../../daemon/judging/inputs/attack/differing.ts';
import { Candidates } from '../../../daemon/judging/inputs/candidates.ts';
import { entrySource } from '../../../daemon/judging/inputs/source.ts';
import { itemsOf, kindOf, NAN, pairsOf, readCall, writeCall } from '../../../daemon/judging/inputs/values/data.ts';
import { type Constants, Grower } from '../../../daemon/judging/inputs/values/grow.ts';
import { variants } from '../../../daemon/judging/inputs/values/operators.ts';
import { withOtherEverywhere, withTwin } from '../../../daemon/judging/inputs/values/related.ts';
import { lacksField, shapeOf } from '../../../daemon/judging/inputs/values/shape.ts';
import { respelled } from '../../../daemon/judging/inputs/values/vocabulary.ts';
import { createRandom } from '../../../daemon/random.ts';

const none: Constants = { ints: [], floats: [], strs: [], nulls: false, nests: [] };
const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const draftOf = (...args: Value[]) => readCall({ args, kwargs: {} });
const tagged = (value: Value): Value => draftOf(value).args[0] ?? null;
const field = (record: Value, name: string): Value | undefined => pairsOf(record).find(([key]) => key === name)?.[1];

describe('the items of a list', () => {
  const events = tagged([
    { id: 'p', at: 1705 },
    { id: 'q', at: 2304 },
    { id: 'r', at: 5170 },
  ]);
  const rowsOf = (value: Value, grower: Grower): (readonly Value[])[] =>
    variants(value, shapeOf([value]), grower)
      .map((made) => itemsOf(made))
      .filter(({ length }) => length === 3);

  it('tie in one field of a record, or exchange what they have there, and differ in the others', () => {
    const found = seeds.flatMap((seed) => rowsOf(events, new Grower(createRandom(seed), 'node', none)));
    const ids = found.filter((rows) => rows.map((row) => field(row, 'id')).join('') === 'pqr');
    const times = ids.map((rows) => rows.map((row) => Number(field(row, 'at'))));
    assert.ok(times.some(([first, second]) => first === 2304 && second === 2304));
    assert.ok(times.some(([first, second]) => first === 2304 && second === 1705));
  });

  it('tie in one place of a row, and keep what rises', () => {
    const ranges: Value = [
      [1, 40],
      [7, 50],
      [30, 90],
    ];
    const found = seeds
      .flatMap((seed) => rowsOf(ranges, new Grower(createRandom(seed), 'node', none)))
      .map((rows) => rows.map(itemsOf));
    assert.ok(found.some((rows) => JSON.stringify(rows) === '[[7,40],[1,50],[30,90]]'));
    assert.ok(found.flat().every(([low, high]) => Number(low) <= Number(high)));
  });

  it('come again with one change', () => {
    const all = tagged(Array.from({ length: 9 }, (_, at) => ({ id: `p${at}`, at: 1705 * at + 13, kind: 'uvwxyz'.repeat(at) })));
    const one = itemsOf(all).slice(4, 5);
    const pairs = seeds
      .flatMap((seed) => variants(one, shapeOf([all]), new Grower(createRandom(seed), 'node', none)))
      .map(itemsOf);
    const near = pairs.filter(([a = null, b = null, more]) => {
      const equal = pairsOf(a).filter(([key, item]) => JSON.stringify(field(b, String(key))) === JSON.stringify(item));
      return more === undefined && equal.length === 2 && pairsOf(b).length === 3;
    });
    assert.ok(near.length >= 15, `${near.length}`);
  });
});

describe('texts of one call', () => {
  const trips = tagged(
    Array.from({ length: 8 }, (_, at) => ({ to: `S${at}`, leaves: `0${at}:1${at}`, arrives: `0${at + 1}:2${at}` })),
  );

  it('that have a format are often some of the few that stand in their place', () => {
    const known = itemsOf(trips).map((trip) => field(trip, 'leaves'));
    const calls = seeds.map((seed) => {
      const grower = new Grower(createRandom(seed), 'node', none);
      return itemsOf(respelled(trips, shapeOf([trips]), ['S1', 'S2', 'a', 'b'], [], grower)).map((trip) => field(trip, 'leaves'));
    });
    const few = calls.filter((times) => times.every((time) => known.includes(time ?? null)) && new Set(times).size <= 4);
    assert.ok(few.length >= 10, `${few.length} of ${calls.length}`);
  });

  it('that have several parts come again, and with another sign between them', () => {
    const list: Value = Array.from({ length: 12 }, (_, at) => `w${at}`);
    const calls = seeds.map((seed) => {
      const grower = new Grower(createRandom(seed), 'node', { ...none, strs: ['.', '+'] });
      return itemsOf(respelled(list, shapeOf([list]), ['ann', 'bob', 'cy', 'di', 'ed', 'flo'], [], grower)).map(String);
    });
    const joined = calls.map((texts) => texts.filter((text) => /[.+]/.test(text)));
    assert.ok(joined.filter((texts) => new Set(texts).size < texts.length).length >= 12);
    const bare = (texts: string[]): number => new Set(texts.map((text) => text.replace(/[.+]/g, ''))).size;
    assert.ok(joined.filter((texts) => bare(texts) < new Set(texts).size).length >= 1);
  });
});

describe('a value of a call', () => {
  it('that is the result stands in a field of the same call next', () => {
    const draft = draftOf([1], { limit: 30, cursor: '5_a' });
    const candidates = new Candidates([draft], createRandom(1), 'node', none);
    candidates.feedBack(draft, [7, '3_b']);
    const made = candidates.around([draft], 60).map((call) => JSON.stringify(writeCall(call).args[1]));
    assert.ok(made.includes('{"limit":30,"cursor":"3_b"}') && made.includes('{"limit":7,"cursor":"5_a"}'), made.join('\n'));
  });

  it('is exchanged in all places that hold it', () => {
    const draft = draftOf({ ann: 'ann' }, ['ann', 'ann']);
    for (const seed of seeds) {
      const { args } = withOtherEverywhere(draft, new Grower(createRandom(seed), 'node', none));
      const [first = null, second = null] = args;
      const all = [...pairsOf(first).flat(), ...itemsOf(second)];
      assert.equal(new Set(all.map((one) => JSON.stringify(one))).size, 1);
    }
  });

  it('may be a tuple in Python and an object in JavaScript with the items of a list', () => {
    const made = (language: 'python' | 'node') =>
      seeds.map((seed) => withTwin(draftOf([1, [2]]), createRandom(seed), language).args[0] ?? null);
    assert.ok(made('python').some((value) => kindOf(value) === 'tuple'));
    assert.ok(made('node').some((value) => JSON.stringify(value) === '{"dict":[["0",1],["1",[2]]]}'));
  });

  it('is NaN, in several places, where the source asks whether a parameter is', async () => {
    const constants = async (text: string) => (await entrySource('javascript', text, 'f'))?.constants ?? assert.fail();
    const asks = await constants('function f(a, b) { return Number.isNaN(a) || a === b; }');
    const known = [draftOf(3, 3), draftOf(4, 5)];
    const made = new Candidates(known, createRandom(1), 'node', asks).around(known, 300);
    assert.ok(made.some(({ args }) => args.every((one) => JSON.stringify(one) === JSON.stringify(NAN))));
    assert.equal((await constants('function f(a, b) { return Number.isNaN(Date.parse(a)); }')).mayBeNaN, false);
  });
});

describe('the constants of two programs', () => {
  it('are half of them numbers that only one of the two has', async () => {
    const text = (more: string) => `function f(x) { return x === 34 ${more}|| x > 12 || x === 51 || x < 5; }`;
    const [mine, theirs] = await Promise.all(
      [text('|| x === 37 '), text('')].map((each) => entrySource('javascript', each, 'f')),
    );
    const { ints } = constantsOf(mine, theirs);
    assert.ok(ints.filter((one) => one === 37).length * 2 >= ints.length, ints.join());
    assert.equal(constantsOf(mine, mine).ints.filter((one) => one === 37).length, 1);
  });

  it('are texts that a regular expression matches which only one of the two has', async () => {
    const text = (more: string) => `function f(x) { return new RegExp(x${more}).test('a'); }`;
    const [mine, theirs] = await Promise.all(
      [text('.replace(/[()]/g, "-")'), text('')].map((each) => entrySource('javascript', each, 'f')),
    );
    const { decisiveTexts = [] } = constantsOf(mine, theirs);
    assert.ok(decisiveTexts.includes('(') && decisiveTexts.includes(')'), decisiveTexts.join());
    assert.deepEqual(constantsOf(mine, mine).decisiveTexts, []);
  });
});

describe('a dictionary', () => {
  it('is a record of options where calls give a few of them each, of different kinds', () => {
    const given = [
      { limit: 10, kinds: ['a'] },
      { limit: 30, cursor: 'x' },
    ];
    assert.equal(shapeOf(given.map(tagged)).dict?.record, true);
    assert.equal(
      shapeOf(
        [
          { ann: 1, bob: 2 },
          { cy: 1, di: 4 },
          { ann: 5, flo: 1 },
        ].map(tagged),
      ).dict?.record,
      false,
    );
  });

  it('lacks a field that is demanded where all known records of its place have it', () => {
    const shape = shapeOf([
      tagged([
        { sku: 'a', n: 1, note: 'x' },
        { sku: 'b', n: 2, note: 'y' },
      ]),
    ]);
    const names = new Set(['sku', 'n']);
    assert.equal(lacksField(tagged([{ sku: 'a', n: 1 }]), shape, names), false);
    assert.equal(
      lacksField(
        tagged([
          { sku: 'a', n: 1 },
          { sku: 'a', note: 'x' },
        ]),
        shape,
        names,
      ),
      true,
    );
  });
});
