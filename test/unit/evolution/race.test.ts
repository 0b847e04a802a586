import assert from 'node:assert/strict';
import fc from 'fast-check';
import { estimate, pooledNoise } from '../../../daemon/judging/timing/statistics/posterior.ts';
import { race } from '../../../daemon/judging/timing/statistics/race.ts';
import { createRandom, type Random } from '../../../daemon/random.ts';
import { announced, coverage, defended, keeping, searching, summary } from '../../bench/race.ts';

const readings = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 12 });
const noise = fc.double({ min: 0.01, max: 0.5, noNaN: true });

describe('the race of a candidate', () => {
  it('takes one pair for a clear loser, whatever it has to beat', () => {
    assert.equal(race([Math.log(0.8)], 0.05, { mustBeat: 1, best: 2 }), 'lost');
    assert.equal(race([Math.log(1.5)], 0.05, { mustBeat: 2, best: 2 }), 'lost');
  });

  it('takes two pairs for an even match, and no more', () => {
    const goal = { mustBeat: 1.5, best: 1.5 };
    const even = Array.from({ length: 2 }, () => Math.log(1.5));
    assert.equal(race(even.slice(0, 1), 0.05, goal), 'more');
    assert.equal(race(even, 0.05, goal), 'even');
  });

  it('ends a clear winner after one pair, who may challenge the champion then', () => {
    const goal = { mustBeat: 1, best: 1 };
    assert.equal(race([Math.log(1.5)], 0.05, goal), 'won');
    assert.equal(race([0.01, 0.01], 0.05, goal), 'even');
  });

  it('ends after two pairs, whatever they show', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 2, maxLength: 2 }), noise, (two, sd) => {
        assert.notEqual(race(two, sd, { mustBeat: 1, best: 1 }), 'more');
      }),
    );
  });

  it('gives an interval around the middle that does not depend on the order and turns over with the ratios', () => {
    fc.assert(
      fc.property(readings, noise, (list, sd) => {
        const { ratio, low, high } = estimate(list, sd);
        assert.ok(low < ratio && ratio < high);
        assert.deepEqual(estimate([...list].reverse(), sd), { ratio, low, high });
        const turned = estimate(
          list.map((each) => -each),
          sd,
        );
        assert.ok(Math.abs(Math.log(turned.ratio) + Math.log(ratio)) < 1e-9);
      }),
    );
  });

  it('throws on no readings', () => {
    assert.throws(() => estimate([], 0.1), RangeError);
  });
});

describe('the pooled noise of a run', () => {
  it('is the prior before anything is known, and finite for any readings', () => {
    assert.ok(Math.abs(pooledNoise([]) - 0.08) < 1e-9);
    fc.assert(
      fc.property(fc.array(readings, { maxLength: 10 }), (programs) => {
        const sd = pooledNoise(programs);
        assert.ok(Number.isFinite(sd) && sd >= 0.005, String(sd));
      }),
    );
  });

  it('comes near the truth, and one wild reading moves it little', () => {
    const random = createRandom(1, 'noise');
    const programs = Array.from({ length: 30 }, () => Array.from({ length: 3 }, () => normal(random) * 0.05));
    const sd = pooledNoise(programs);
    assert.ok(Math.abs(sd / 0.05 - 1) < 0.2, String(sd));
    assert.ok(pooledNoise([...programs, [0, 0, 5]]) < sd * 1.2);
  });
});

describe('a search with the noise that was recorded', () => {
  it('ends with a champion that is worth more than 2 times the original and is not overstated, for two pairs a candidate', () => {
    // With fresh processes of the original, and with those that serve several pairs.
    for (const rule of [defended, keeping()]) {
      const { truth, bias, pairs } = summary(rule, 21);
      assert.ok(truth > 2, `${truth}`);
      assert.ok(Math.abs(bias) < 0.05, `${bias}`);
      assert.ok(pairs < 2.5, `${pairs}`);
    }
  });

  it('has intervals that hold the truth in nine of ten, from two pairs on and in what is announced', () => {
    for (const count of [2, 3, 6, 12]) {
      const share = coverage(searching, count, 400);
      assert.ok(share >= 0.9, `${count}: ${share}`);
    }
    for (const count of [6, 9, 12, 40]) {
      const share = coverage(announced, count, 400);
      assert.ok(share >= 0.9, `${count}: ${share}`);
    }
  });
});

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
