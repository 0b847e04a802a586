/** Operators over values: they keep kinds, stay small, and are the same for a seed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { Candidates } from '../../../daemon/judging/inputs/candidates.ts';
import { withRepeats } from '../../../daemon/judging/inputs/select.ts';
import { type Draft, keyOf, kindOf, readCall, writeCall } from '../../../daemon/judging/inputs/values/data.ts';
import { type Constants, Grower, multipleNear } from '../../../daemon/judging/inputs/values/grow.ts';
import { intVariants, vary } from '../../../daemon/judging/inputs/values/operators.ts';
import { type Shape, shapeOf } from '../../../daemon/judging/inputs/values/shape.ts';
import { smallerCalls } from '../../../daemon/judging/inputs/values/shrink.ts';
import { retokened } from '../../../daemon/judging/inputs/values/strings.ts';
import { createRandom } from '../../../daemon/random.ts';

const none = { ints: [], floats: [], strs: [], nulls: false, nests: [] };
const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: 1, max: 400 }).map((number) => number + 0.5),
    fc.string({ maxLength: 12 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => ({ tuple: items })),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('value'), { maxKeys: 4 })
      .map((fields) => ({ dict: Object.entries(fields) })),
  ),
})).value;

/** Kinds of a value and of all in it, by depth. */
function kinds(item: Value, depth = 0, found = new Set<string>()): Set<string> {
  found.add(`${depth} ${kindOf(item)}`);
  const inner = Array.isArray(item) ? item : typeof item === 'object' && item !== null ? item['tuple'] : undefined;
  if (Array.isArray(inner)) for (const each of inner) kinds(each, depth + 1, found);
  return found;
}

const grower = (seed: number): Grower => new Grower(createRandom(seed), 'python', none);
const calls = (...lists: Value[][]): Draft[] => lists.map((args) => ({ args, kwargs: {} }));
const all = (drafts: readonly Draft[], seed = 1): Draft[] => {
  const candidates = new Candidates(drafts, createRandom(seed), 'python', none);
  return [...candidates.systematic(200), ...candidates.around(drafts, 300)];
};

describe('operators over values', () => {
  it('make no kind that does not occur in that place', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), fc.nat(), (values, seed) => {
        const shape: Shape = shapeOf(values);
        for (const one of values) {
          const kind = kindOf(vary(one, shape, grower(seed)));
          assert.ok(shape.kinds.has(kind), `${JSON.stringify(one)} became a ${kind}`);
        }
      }),
    );
  });

  it('invent no unhashable items, no None and no floats', () => {
    const given = calls([[3, 1, 2], 'ab'], [[5], 'c d']);
    const seen = new Set(all(given).flatMap(({ args }) => args.flatMap((arg) => [...kinds(arg)])));
    assert.deepEqual([...seen].sort(), ['0 list', '0 str', '1 int']);
  });

  it('keep a record a record', () => {
    const given = calls([[{ tuple: ['a', 1] }, { tuple: ['b', 2] }]], [[{ tuple: ['c', 3] }]]);
    for (const { args } of all(given)) {
      for (const item of Array.isArray(args[0]) ? args[0] : []) {
        const pair = typeof item === 'object' && item !== null && !Array.isArray(item) ? item['tuple'] : undefined;
        assert.ok(Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'number', JSON.stringify(item));
      }
    }
  });

  it('keep integers that may be sizes within twice the largest one that occurs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 8 }), fc.nat(), (numbers, seed) => {
        const most = Math.max(3, ...numbers) * 2 + 1;
        for (const { args } of all(calls([numbers], [numbers.length === 0 ? 0 : (numbers[0] ?? 0)]), seed).slice(0, 80)) {
          const found = JSON.stringify(args).match(/-?\d+/g) ?? [];
          for (const number of found) assert.ok(Math.abs(Number(number)) <= most, `${number} of at most ${most}`);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keep lists within twice the longest one, or twice nine where all are shorter', () => {
    const twelve = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    const cases: [list: number[], most: number][] = [
      [twelve, 24],
      [[1, 2], 18],
    ];
    for (const [list, most] of cases) {
      const sizes = all(calls([list])).map(({ args }) => (Array.isArray(args[0]) ? args[0].length : 0));
      assert.ok(Math.max(...sizes) <= most, `${Math.max(...sizes)}`);
    }
  });

  it('draw numbers next to those that are larger than what 32 bits hold', () => {
    const constants = { ...none, fractions: true };
    const candidates = new Candidates(calls([1_700_000_000_000]), createRandom(1), 'node', constants);
    const made = candidates.around(calls([1_700_000_000_000]), 300);
    assert.ok(made.some(({ args }) => kindOf(args[0] ?? null) === 'float'));
  });

  it('put what is equal and of another kind where kinds are compared, and nowhere else', () => {
    const given = calls([
      [1, 2],
      [1, 2],
    ]);
    const twinsIn = (twins: boolean, language: 'python' | 'node'): Set<string> => {
      const candidates = new Candidates(given, createRandom(1), language, { ...none, twins });
      return new Set(candidates.around(given, 400).flatMap(({ args }) => JSON.stringify(args).match(/true|"\d"|"1\.0"/g) ?? []));
    };
    assert.deepEqual([...twinsIn(true, 'python')].sort(), ['"1.0"', 'true']);
    assert.ok(twinsIn(true, 'node').has('"1"'));
    assert.equal(twinsIn(false, 'python').size, 0);
  });

  it('give an argument to another place, unchanged or with its keys in another order', () => {
    const given = calls([
      {
        dict: [
          ['a', 1],
          ['b', 2],
        ],
      },
      {
        dict: [
          ['c', 3],
          ['d', 4],
        ],
      },
    ]);
    const made = new Candidates(given, createRandom(1), 'node', none).around(given, 600);
    const first = JSON.stringify(given[0]?.args[0]);
    assert.ok(made.some(({ args }) => JSON.stringify(args[1]) === first && JSON.stringify(args[0]) === first));
    assert.ok(made.some(({ args }) => JSON.stringify(args[1]) === '{"dict":[["b",2],["a",1]]}'));
  });

  it('put no list of records in the place of one of names', () => {
    const records = ['ben', 'eva', 'ida'].map((name) => ({ dict: [['name', name]] }) satisfies Value);
    const made = new Candidates(calls([records, ['ben', 'eva']]), createRandom(1), 'python', none).around(
      calls([records, ['ben', 'eva']]),
      600,
    );
    assert.ok(made.length > 100);
    for (const { args } of made) assert.ok(!JSON.stringify(args[1]).includes('dict'), JSON.stringify(args));
  });

  it('put texts that decide something into several places at once', () => {
    const record = (name: string): Value => ({
      dict: [
        ['name', name],
        ['place', 'here'],
      ],
    });
    const given = calls([Array.from({ length: 40 }, (_, at) => record(`name ${at}`))]);
    const share = (decisiveTexts: readonly string[]): number => {
      const made = [1, 2, 3, 4].flatMap((seed) =>
        new Candidates(given, createRandom(seed), 'python', { ...none, decisiveTexts }).around(given, 300),
      );
      return made.filter(({ args }) => (JSON.stringify(args[0]).match(/,""\]/g) ?? []).length > 1).length;
    };
    assert.ok(share(['']) > 1.5 * share([]), `${share([])}, ${share([''])}`);
  });

  it('exchange two arguments of one kind', () => {
    const given = calls([
      [1, 2, 3],
      [4, 5],
    ]);
    const made = new Candidates(given, createRandom(1), 'python', none).around(given, 600);
    assert.ok(made.some(({ args }) => JSON.stringify(args) === '[[4,5],[1,2,3]]'));
  });

  it('make the blanks of a text longer more often where the source takes them away', () => {
    const given = calls(['a b c\nd e']);
    const share = (spaces: boolean): number => {
      const made = new Candidates(given, createRandom(1), 'python', { ...none, spaces }).around(given, 300);
      return made.filter(({ args }) => /^a[ \t]+b[ \t]+c\nd[ \t]+e$/.test(String(args[0]))).length;
    };
    assert.ok(share(false) > 0 && share(true) > 2 * share(false), `${share(false)}, ${share(true)}`);
  });

  it('move dates by days, months and years', () => {
    const given = calls([{ date: '2024-03-01' }]);
    const made = new Candidates(given, createRandom(1), 'python', none).around(given, 100);
    const seen = new Set(made.map(({ args }) => JSON.stringify(args[0])));
    for (const wanted of ['2024-02-29', '2024-03-31', '2023-03-02']) assert.ok(seen.has(`{"date":"${wanted}"}`), wanted);
  });

  it('make what a tester would try: nothing, one, neighbours, repetitions and the reverse', () => {
    const made = new Set(all(calls([[3, 1, 2]])).map(({ args }) => JSON.stringify(args[0])));
    for (const wanted of ['[]', '[3]', '[2]', '[3,1]', '[1,2]', '[2,1,3]', '[1,2,3]', '[3,1,2,3,1,2]'])
      assert.ok(made.has(wanted), wanted);
    const ints = intVariants(5, shapeOf([5]));
    for (const wanted of [0, 1, 4, 6, 10, -1]) assert.ok(ints.includes(wanted), String(wanted));
  });

  it('make whole numbers larger that are too large for a size, as far as JavaScript can count', () => {
    assert.ok(intVariants(123_456, shapeOf([123_456])).includes(123_456_000));
    for (const one of [5000, 2 ** 50])
      assert.ok(
        intVariants(one, shapeOf([one])).every((made) => made <= one * 2 + 1),
        `${one}`,
      );
  });

  it('are the same for a seed, and others for another', () => {
    const given = calls([[3, 1, 2], 'a b'], [[], '']);
    assert.deepEqual(all(given, 5), all(given, 5));
    assert.notDeepEqual(all(given, 5), all(given, 6));
  });
});

describe('calls in tagged form', () => {
  it('are read and written as the same', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), (args) => {
        const draft = { args, kwargs: {} };
        assert.equal(keyOf(readCall(writeCall(draft))), keyOf(draft));
      }),
    );
  });

  it('are plain JSON where JSON can hold them', () => {
    const plain = { args: [[1, { a: [1.5, null] }], 'x'], kwargs: { limit: 3 } };
    assert.deepEqual(writeCall(readCall(plain)), plain);
    const typed = { args: [{ tuple: [1] }], kwargs: {}, typed: true as const };
    assert.deepEqual(writeCall(readCall(typed)), typed);
  });
});

describe('shrinking', () => {
  it('makes smaller calls of the same kinds, and comes to an end', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 2 }), (args) => {
        let draft: Draft = { args, kwargs: {} };
        for (let round = 0; round < 500; round++) {
          const [next] = smallerCalls(draft, 'python');
          if (next === undefined) return;
          assert.deepEqual(next.args.map(kindOf), draft.args.map(kindOf));
          draft = next;
        }
        assert.fail(`no end at ${JSON.stringify(draft)}`);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the fields that all known records have, and the items of a pair', () => {
    const known = readCall({ args: [[{ n: 5, on: true }, { n: 7 }], [[1, 'a']]], kwargs: {} });
    const shapes = known.args.map((arg) => shapeOf([arg]));
    const shrunk = smallerCalls(known, 'python', ({ at }) => shapes[Number(at)] ?? shapeOf([]));
    const rows = shrunk.flatMap(({ args: [first] }) => (Array.isArray(first) ? first : []));
    assert.ok(rows.length > 0 && rows.every((row) => JSON.stringify(row).includes('["n",')), JSON.stringify(rows));
    assert.ok(shrunk.some(({ args }) => !JSON.stringify(args[0]).includes('"on"')));
    for (const { args } of shrunk)
      assert.ok(Array.isArray(args[1]) && args[1].every((pair) => Array.isArray(pair) && pair.length === 2));
  });
});

describe('values that a source asks for', () => {
  const random = () => createRandom('source', 1);
  const grower = (constants: Partial<Constants>) => new Grower(random(), 'python', { ...none, ...constants });

  it('lie around the numbers that it compares with, and at multiples of those', () => {
    const around = intVariants(5, shapeOf([5, 20]), [50]);
    for (const wanted of [49, 50, 51]) assert.ok(around.includes(wanted), String(wanted));
    assert.equal(multipleNear(2023, 100, createRandom('multiple', 1)) % 100, 0);
    assert.equal(multipleNear(5, 1, createRandom('multiple', 1)), 5);
  });

  it('nest lists deeper than the known calls where items are lists and others', () => {
    const shape = shapeOf([[1, [2, 3]], [4]]);
    const depth = (one: Value): number => (Array.isArray(one) ? 1 + Math.max(0, ...one.map(depth)) : 0);
    const one = grower({});
    const deepest = Math.max(...Array.from({ length: 200 }, () => depth(one.grow(shape))));
    assert.ok(deepest > 2 && deepest < 9, String(deepest));
    const flat = grower({});
    assert.ok(Array.from({ length: 200 }, () => depth(flat.grow(shapeOf([[1, 2]])))).every((each) => each === 1));
  });

  it('are texts with other tokens in them, of the text and of the source', () => {
    const one = grower({ strs: ['-'] });
    const made = new Set(Array.from({ length: 400 }, () => retokened('1-3, 5', one)));
    assert.ok([...made].some((text) => /--|^-/.test(text)) && [...made].some((text) => /\d0/.test(text)));
    assert.ok([...made].every((text) => !/[a-z]/.test(text)));
  });

  it('are texts in which a key comes again with another value', () => {
    const one = grower({});
    const made = Array.from({ length: 1500 }, () => retokened('<a href="x">', one));
    assert.ok(made.some((text) => /href="x"[^>]* href="(?!x")\w+"/.test(text)));
  });

  it('are fractions and numbers beyond 32 bits only where the source asks for them', () => {
    const base = readCall({ args: [7], kwargs: {} });
    const made = (more: Partial<Constants>): number[] => {
      const candidates = new Candidates([base], random(), 'node', { ...none, ...more });
      return [...candidates.systematic(60), ...candidates.around([base], 100)].map(({ args }) => Number(args[0]));
    };
    const has = (numbers: readonly number[]) => [
      numbers.some((one) => one % 1 !== 0),
      numbers.some((one) => Math.abs(one) >= 2 ** 31),
    ];
    assert.deepEqual(has(made({})), [false, false]);
    assert.deepEqual(has(made({ fractions: true })), [true, false]);
    assert.deepEqual(has(made({ wide: true })), [false, true]);
  });

  it('hold in one place what is in another, as a text and as a number where both may stand', () => {
    const bases = [
      ['2', 1],
      [3, 'a'],
    ].map(([one = 0, other = 0]) => readCall({ args: [[one, other, 4], one], kwargs: {} }));
    const found = new Candidates(bases, random(), 'node', none).around(bases, 2000);
    const isSpelled = ({ args: [list, one] }: Draft): boolean =>
      Array.isArray(list) && !list.includes(one ?? null) && list.some((item) => String(item) === String(one));
    assert.ok(found.some(isSpelled));
  });

  it('come twice in a row where that is asked for', () => {
    const all = Array.from({ length: 40 }, (_, at) => ({ args: [at], kwargs: {} }));
    const made = withRepeats(all, createRandom(1));
    assert.deepEqual(
      [...new Set(made.map(({ args: [at] }) => at))],
      all.map(({ args: [at] }) => at),
    );
    assert.ok(made.length > 42 && made.length < 60);
  });

  it('are intruders only where those are asked for', () => {
    const base = readCall({ args: [[1, 2, 7]], kwargs: {} });
    const candidates = new Candidates([base], random(), 'node', none);
    const fraction = ({ args: [list] }: Draft): boolean => Array.isArray(list) && list.some((item) => Number(item) % 1 !== 0);
    assert.ok(candidates.intruders([base], 60).some(fraction));
    assert.ok(!candidates.around([base], 200).some(fraction));
  });

  it('fill every optional parameter at once', () => {
    const base = readCall({ args: [[1]], kwargs: {} });
    const optional = [1, 2].map((index) => ({ of: 'call' as const, index, name: undefined, examples: [3, 4], needed: false }));
    const candidates = new Candidates([base], random(), 'node', none, optional);
    assert.ok(candidates.systematic(60).some(({ args }) => args.length === 3));
  });
});
