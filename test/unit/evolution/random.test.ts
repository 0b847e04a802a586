import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRandom, Xoshiro } from '../../../daemon/random.ts';

describe('random', () => {
  it('is xoshiro128** 1.1: from the state 1, 2, 3, 4, the words of the published C code', () => {
    const generator = new Xoshiro(Uint32Array.of(1, 2, 3, 4));
    const words = Array.from({ length: 10 }, () => generator.word());
    const reference = [
      11_520, 0, 5_927_040, 70_819_200, 2_031_721_883, 1_637_235_492, 1_287_239_034, 3_734_860_849, 3_729_100_597, 4_258_142_804,
    ];
    assert.deepEqual(words, reference);
  });

  it('repeats its sequence for the same parts', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.string())), (parts) => {
        const [one, two] = [createRandom(...parts), createRandom(...parts)];
        for (let i = 0; i < 20; i++) assert.equal(one.next(), two.next());
      }),
    );
  });

  it('gives this sequence on every machine', () => {
    const random = createRandom(1, 'run');
    const drawn = Array.from({ length: 6 }, () => random.int(1_000_000));
    assert.deepEqual(drawn, [26_063, 960_422, 896_631, 992_625, 837_168, 100_635]);
  });

  it('distinguishes parts by their borders and their types', () => {
    const first = (...parts: (number | string)[]) => createRandom(...parts).next();
    const values = [first('a', 'b'), first('ab'), first('b', 'a'), first(1), first('1'), first(), first(''), first(Number.NaN)];
    assert.equal(new Set(values).size, values.length);
  });

  it('draws integers in range and uniformly', () => {
    const random = createRandom('uniform');
    const n = 7;
    const counts = new Array<number>(n).fill(0);
    const draws = 70_000;
    for (let i = 0; i < draws; i++) {
      const value = random.int(n);
      counts[value] = (counts[value] ?? Number.NaN) + 1;
    }
    const expected = draws / n;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 6 degrees of freedom: exceeded once in 1,000 by a fair generator.
    assert.ok(chiSquare < 22.46, `chi-square ${chiSquare}`);
  });

  it('keeps next() in [0, 1) with the mean and variance of the uniform distribution', () => {
    const random = createRandom('moments');
    const draws = Array.from({ length: 50_000 }, () => random.next());
    assert.ok(draws.every((x) => x >= 0 && x < 1));
    const mean = draws.reduce((a, b) => a + b) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    assert.ok(Math.abs(mean - 0.5) < 0.005, `mean ${mean}`);
    assert.ok(Math.abs(variance - 1 / 12) < 0.002, `variance ${variance}`);
  });

  it('shuffles into each order equally often and leaves its input alone', () => {
    const random = createRandom('shuffle');
    const items = ['a', 'b', 'c'];
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.shuffle(items).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    assert.deepEqual(items, ['a', 'b', 'c']);
    assert.equal(counts.size, 6);
    for (const [order, count] of counts) assert.ok(Math.abs(count - 1000) < 130, `${order}: ${count}`);
  });

  it('refuses an empty choice and a range that is none', () => {
    const random = createRandom(0);
    assert.throws(() => random.pick([]), RangeError);
    for (const n of [0, -1, 1.5, Number.NaN, 2 ** 33]) assert.throws(() => random.int(n), RangeError);
  });
});
