import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decide,
  type Effort,
  efforts,
  floorOf,
  hastened,
  medianOf,
  middleOf,
  type RoundDecision,
  ratioOf,
} from '../../../daemon/judging/timing/statistics/measure.ts';

/** Ends after few rounds. */
const brief: Effort = { minRounds: 3, maxRounds: 10, narrow: 0.05, leastMs: 400, mostMs: 800 };

const samples = fc.array(fc.double({ min: 0.01, max: 1000, noNaN: true }), { minLength: 1, maxLength: 60 });

const judged = (baseline: number[], candidate: number[], ...[spentMs, effort]: [number, Effort]): RoundDecision =>
  decide(Math.min(baseline.length, candidate.length), ratioOf(baseline, candidate), spentMs, effort);

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
    assert.throws(() => ratioOf([], [1]), RangeError);
  });

  it('answers an interval around the middle of the ratios of pairs, the same for the same samples', () => {
    fc.assert(
      fc.property(samples, samples, (baseline, candidate) => {
        const answer = ratioOf(baseline, candidate);
        const ratios = baseline.slice(0, candidate.length).map((ms, index) => ms / (candidate[index] ?? 0));
        assert.deepEqual(answer, middleOf(ratios));
        assert.ok(Math.min(...ratios) <= answer.low && answer.low <= answer.ratio);
        assert.ok(answer.ratio <= answer.high && answer.high <= Math.max(...ratios));
        const above = ratios.filter((ratio) => ratio > answer.ratio * (1 + 1e-9)).length;
        const below = ratios.filter((ratio) => ratio < answer.ratio * (1 - 1e-9)).length;
        assert.ok(above <= ratios.length / 2 && below <= ratios.length / 2);
      }),
    );
    assert.equal(medianOf([1, 4]), 2);
  });

  it('turns over when the two sides are swapped', () => {
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        assert.ok(Math.abs(ratioOf(a, b).ratio * ratioOf(b, a).ratio - 1) < 1e-9);
      }),
    );
  });

  it('narrows the interval as samples come in', () => {
    const noisy = (n: number, step: number) => Array.from({ length: n }, (_, index) => 10 * (1 + ((index * step) % 100) / 500));
    const width = (n: number) => {
      const { low, high } = ratioOf(noisy(n, 37), noisy(n, 53));
      return high - low;
    };
    assert.ok(width(100) < width(5) / 2, `${width(100)} against ${width(5)}`);
  });

  it('spans what each pair says alone when there are three, and nothing of a load that both sides of a pair met', () => {
    const { ratio, low, high } = ratioOf([58, 16, 20], [10, 7, 5]);
    assert.deepEqual([ratio, low, high], [4, 16 / 7, 5.8]);
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

  describe('on a host whose processors change their speed', () => {
    const draws = (seed: number) => {
      let state = seed;
      return () => {
        state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
        return state / 0x7fffffff;
      };
    };
    /** Pairs of 20 and 10 ms, of which `unlucky` processes are slower for their whole life. */
    const trial = (pairs: number, random: () => number, unlucky: number) => {
      let speed = 1;
      const [slow, fast]: [number[], number[]] = [[], []];
      for (let pair = 0; pair < pairs; pair++) {
        if (random() < 0.1) speed = 1 + random();
        const one = (ms: number) => ms * speed * (1 + 0.02 * random()) * (random() < unlucky ? 1.16 : 1);
        slow.push(one(20));
        fast.push(one(10));
      }
      return ratioOf(slow, fast);
    };

    it('is within a percent after thirty pairs, however many different speeds they met', () => {
      const random = draws(11);
      const found = Array.from({ length: 100 }, () => trial(30, random, 0));
      assert.ok(found.every(({ ratio }) => Math.abs(ratio / 2 - 1) < 0.01));
      assert.ok(found.every(({ low, high }) => (high - low) / 2 < 0.02));
    });

    it('is not led astray by the process in eight that is slower for its whole life, with an interval that holds the truth', () => {
      const random = draws(7);
      const found = Array.from({ length: 100 }, () => trial(60, random, 1 / 8));
      const near = found.filter(({ ratio }) => Math.abs(ratio / 2 - 1) < 0.015).length;
      const held = found.filter(({ low, high }) => low <= 2 && 2 <= high).length;
      assert.ok(near >= 95 && held >= 88, `${near} near, ${held} held`);
    });
  });

  it('ends when the budget is used, the interval is narrow, or there have been enough rounds', () => {
    const same = (n: number) => Array.from({ length: n }, () => 10);
    const wide = (n: number) => Array.from({ length: n }, (_, index) => 10 + (index === 0 ? 0 : 5 + index));
    assert.equal(judged(same(3), same(3), 1e6, brief), 'enough');
    assert.equal(judged(same(3), same(3), brief.leastMs, brief), 'enough');
    assert.equal(judged(same(3), same(3), brief.leastMs - 1, brief), 'more');
    assert.equal(judged(wide(4), [...wide(4)].reverse(), brief.leastMs, brief), 'more');
    // A busy machine used the budget: the interval is wide, and says so.
    assert.equal(judged(wide(4), [...wide(4)].reverse(), 1e6, brief), 'enough');
    assert.equal(judged(same(40), same(40), 0, efforts.final), 'more');
    assert.equal(judged(same(40), same(40), efforts.final.leastMs, efforts.final), 'enough');
    assert.equal(judged(wide(12), [...wide(12)].reverse(), 0, efforts.final), 'more');
    assert.equal(judged(wide(100), wide(100), 0, efforts.final), 'enough');
  });

  it('does not trust what few rounds agree on before an announcement', () => {
    const { final } = efforts;
    const same = (rounds: number) => Array.from({ length: rounds }, () => 10);
    const says = (rounds: number, spentMs: number) => judged(same(rounds), same(rounds), spentMs, final);
    assert.equal(says(final.minRounds, final.leastMs - 1), 'more');
    assert.equal(says(final.minRounds, final.leastMs), 'enough');
  });

  it('looks as often as a comparison where time is short, and ends when it is over, however few pairs there are', () => {
    const wide = (n: number) => Array.from({ length: n }, (_, index) => 10 + index * 0.1);
    const says = (n: number, spentMs: number) => judged(wide(n), [...wide(n)].reverse(), spentMs, hastened(efforts.final, 3000));
    assert.equal(says(efforts.compare.minRounds - 1, 2999), 'more');
    assert.equal(says(1, 3000), 'enough');
    assert.equal(says(efforts.compare.minRounds, 2999), 'more');
    assert.equal(says(efforts.compare.minRounds, 3000), 'enough');
    assert.deepEqual(hastened(efforts.compare, 60_000), { ...efforts.compare, withinMs: 60_000 });
  });
});
