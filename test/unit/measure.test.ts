import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decide,
  type Effort,
  efforts,
  floorOf,
  hastened,
  lapFloorOf,
  lapRatioOf,
  ratioOf,
  speedupOf,
  type Verdict,
} from '../../daemon/sandbox/measure.ts';

const samples = fc.array(fc.double({ min: 0.01, max: 1000, noNaN: true }), { minLength: 1, maxLength: 60 });

const judged = (
  baseline: number[],
  candidate: number[],
  ...[spentMs, effort, toBeat]: [number, Effort, number | undefined]
): Verdict => decide(Math.min(baseline.length, candidate.length), ratioOf(baseline, candidate), spentMs, effort, toBeat);

describe('the statistics of measuring', () => {
  it('takes the least sample as the floor, whatever the order', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const floor = floorOf(list);
        assert.equal(floor.floor, Math.min(...list));
        assert.deepEqual(floorOf([...list].reverse()), floor);
        assert.ok(floor.p10 >= floor.floor);
        assert.equal(floor.n, list.length);
      }),
    );
  });

  it('refuses to say anything about no samples', () => {
    assert.throws(() => floorOf([]), RangeError);
  });

  it('answers an interval around the ratio of floors, the same for the same samples', () => {
    fc.assert(
      fc.property(samples, samples, (baseline, candidate) => {
        const answer = ratioOf(baseline, candidate);
        assert.equal(answer.ratio, Math.min(...baseline) / Math.min(...candidate));
        assert.ok(answer.low <= answer.ratio && answer.ratio <= answer.high);
        assert.deepEqual(ratioOf(baseline, candidate), answer);
      }),
    );
  });

  it('turns over when the two sides are swapped', () => {
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        assert.ok(Math.abs(ratioOf(a, b).ratio * ratioOf(b, a).ratio - 1) < 1e-9);
      }),
    );
  });

  it('narrows the interval as samples near the floor come in', () => {
    const noisy = (n: number, step: number) => Array.from({ length: n }, (_, index) => 10 * (1 + ((index * step) % 100) / 500));
    const width = (n: number) => {
      const { low, high } = ratioOf(noisy(n, 37), noisy(n, 53));
      return high - low;
    };
    assert.ok(width(100) < width(5) / 2, `${width(100)} against ${width(5)}`);
  });

  it('spans what each pair says alone when there are three, and nothing of a load that both sides of a pair met', () => {
    const { ratio, low, high } = ratioOf([58, 16, 20], [10, 7, 5]);
    assert.deepEqual([ratio, low, high], [16 / 5, 16 / 7, 5.8]);
    const loaded = [10, 17, 30];
    assert.equal(
      ratioOf(
        loaded,
        loaded.map((ms) => ms / 2),
      ).low,
      2,
    );
  });

  it('contains the true ratio for noise that only adds', () => {
    let state = 42;
    const random = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state / 0x7fffffff;
    };
    let hits = 0;
    for (let trial = 0; trial < 100; trial++) {
      const draw = (floor: number) => Array.from({ length: 30 }, () => floor * (1 + 0.1 * random() ** 3));
      const { low, high } = ratioOf(draw(20), draw(10));
      if (low * 0.995 <= 2 && 2 <= high * 1.005) hits++;
    }
    assert.ok(hits >= 95, `${hits} of 100`);
  });

  it('adds up the laps of a pass, each by its least time in any process', () => {
    const laps = [
      [1, 8],
      [2, 7],
      [3, 6],
      [4, 5],
      [9, 9],
    ];
    assert.equal(lapFloorOf(laps), 1 + 5);
    assert.throws(() => lapFloorOf([]), RangeError);
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        const whole = (list: number[]) => list.map((one) => [one]);
        assert.deepEqual(lapRatioOf(whole(a), whole(b)), ratioOf(a, b));
      }),
    );
  });

  it('repeats better by the floors of laps than by the floor of passes when most passes are disturbed', () => {
    let state = 7;
    const random = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state / 0x7fffffff;
    };
    const lap = (ms: number) => ms * (1 + 0.01 * random()) * (random() < 0.3 ? 1.4 : 1);
    const pass = (ms: number) => Array.from({ length: 16 }, () => lap(ms));
    const total = (laps: number[]) => laps.reduce((sum, ms) => sum + ms, 0);
    const spread = { laps: [] as number[], passes: [] as number[] };
    for (let trial = 0; trial < 60; trial++) {
      const [slow, fast] = [2, 1].map((ms) => Array.from({ length: 12 }, () => pass(ms)));
      assert.ok(slow !== undefined && fast !== undefined);
      spread.laps.push(Math.abs(lapRatioOf(slow, fast).ratio / 2 - 1));
      spread.passes.push(Math.abs(ratioOf(slow.map(total), fast.map(total)).ratio / 2 - 1));
    }
    assert.ok(Math.max(...spread.laps) < 0.005, `${Math.max(...spread.laps)}`);
    assert.ok(Math.max(...spread.laps) < Math.max(...spread.passes) / 4);
  });

  it('is not led astray by processes that have a busy neighbour for their whole life, though they are most', () => {
    const side = (ms: number, calm: (index: number) => boolean) =>
      Array.from({ length: 20 }, (_, index) => [ms, 2 * ms].map((lap) => lap * (calm(index) ? 1 : 2) * (1 + index / 5000)));
    const { ratio, low } = lapRatioOf(
      side(5, (index) => index % 2 === 0),
      side(2, (index) => index % 7 === 3),
    );
    assert.ok(Math.abs(ratio / 2.5 - 1) < 0.01, `${ratio}`);
    assert.ok(low > 1);
  });

  describe('on a host that runs most processes at half speed for their whole life', () => {
    const trials = (processes: number, calm: number) => {
      let state = 11;
      const random = () => {
        state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
        return state / 0x7fffffff;
      };
      const process = (ms: number) => {
        const speed = (random() < calm ? 1 : 2) * (1 + 0.02 * random());
        return Array.from({ length: 6 }, () => (ms / 6) * speed * (1 + 0.01 * random()));
      };
      return Array.from({ length: 16 }, () => {
        const [slow, fast] = [20, 10].map((ms) => Array.from({ length: processes }, () => process(ms)));
        assert.ok(slow !== undefined && fast !== undefined);
        return { pairs: speedupOf(slow, fast), floors: lapRatioOf(slow, fast) };
      });
    };
    const near = (ratios: readonly { ratio: number }[]) => ratios.filter(({ ratio }) => Math.abs(ratio / 2 - 1) < 0.03).length;
    const narrow = (ratios: readonly { low: number; high: number }[]) =>
      ratios.filter(({ low, high }) => high - low < 0.15).length;

    it('is clear by the pairs where few processes come near the floor, and the floors say next to nothing', () => {
      const found = trials(30, 0.1);
      const [pairs, floors] = [found.map((one) => one.pairs), found.map((one) => one.floors)];
      assert.ok(narrow(pairs) >= 13 && narrow(floors) <= 8, `${narrow(pairs)}, ${narrow(floors)}`);
      assert.ok(near(pairs) >= 14, `${near(pairs)}`);
    });

    it('keeps to the floors where enough do, with an interval that mostly holds the truth in any case', () => {
      let held = 0;
      for (const calm of [0, 0.15, 0.3, 0.5, 1]) {
        const pairs = trials(40, calm).map((one) => one.pairs);
        if (calm >= 0.5) assert.equal(near(pairs), pairs.length);
        held += pairs.filter(({ low, high }) => low * 0.995 <= 2 && 2 <= high * 1.005).length;
      }
      assert.ok(held >= 76, `${held} of 80`);
    });
  });

  it('gives up early only what is clearly slower than what it must beat', () => {
    const same = (value: number, n: number) => Array.from({ length: n }, () => value);
    assert.equal(judged(same(10, 2), same(10, 2), 0, efforts.quick, 2), 'hopeless');
    assert.equal(judged(same(10, 2), same(10, 2), 0, efforts.quick, 1.15), 'more');
    assert.equal(judged(same(10, 3), same(10, 3), 0, efforts.quick, 1.15), 'hopeless');
    assert.equal(judged(same(10, 3), same(10, 3), 0, efforts.quick, 1.05), 'more');
    assert.equal(judged(same(10, 1), same(1000, 1), 0, efforts.quick, 2), 'more');
  });

  it('ends when the budget is used, the interval is narrow, or there have been enough rounds', () => {
    const same = (n: number) => Array.from({ length: n }, () => 10);
    const wide = (n: number) => Array.from({ length: n }, (_, index) => 10 + (index === 0 ? 0 : 5 + index));
    assert.equal(judged(same(3), same(3), 1e6, efforts.quick, undefined), 'enough');
    assert.equal(judged(same(3), same(3), efforts.quick.leastMs, efforts.quick, undefined), 'enough');
    assert.equal(judged(same(3), same(3), efforts.quick.leastMs - 1, efforts.quick, undefined), 'more');
    assert.equal(judged(wide(4), [...wide(4)].reverse(), efforts.quick.leastMs, efforts.quick, undefined), 'more');
    // A busy machine used the budget before the interval said anything.
    assert.equal(judged(wide(4), [...wide(4)].reverse(), 1e6, efforts.quick, undefined), 'more');
    assert.equal(judged(wide(6), [...wide(6)].reverse(), 1e6, efforts.quick, undefined), 'enough');
    assert.equal(judged(same(12), same(12), 0, efforts.final, undefined), 'enough');
    assert.equal(judged(wide(12), [...wide(12)].reverse(), 0, efforts.final, undefined), 'more');
    assert.equal(judged(wide(100), wide(100), 0, efforts.final, undefined), 'enough');
  });

  it('looks as often as a comparison for a person who waits, and ends when their time is over', () => {
    const wide = (n: number) => Array.from({ length: n }, (_, index) => 10 + index * 0.1);
    const says = (n: number, spentMs: number) =>
      judged(wide(n), [...wide(n)].reverse(), spentMs, hastened(efforts.final, 3000), undefined);
    assert.equal(says(efforts.compare.minRounds - 1, 1e6), 'more');
    assert.equal(says(efforts.compare.minRounds, 2999), 'more');
    assert.equal(says(efforts.compare.minRounds, 3000), 'enough');
    assert.deepEqual(hastened(efforts.compare, 60_000), efforts.compare);
  });
});
