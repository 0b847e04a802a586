import assert from 'node:assert/strict';
import fc from 'fast-check';
import { matched, passesOf, planOf, replanned } from '../../../daemon/judging/timing/plan.ts';

describe('the plan of a side of a contest', () => {
  it('comes to the same number of passes, a power of two, for nearly the same time of a pass', () => {
    assert.deepEqual([passesOf(0.26, 6), passesOf(0.22, 6), passesOf(0.3, 6)], [32, 32, 32]);
    assert.deepEqual([passesOf(0, 6), passesOf(1e-9, 6), passesOf(50, 6)], [128, 128, 1]);
  });

  it('reads a short pass several times, and one of 20 ms or more twice', () => {
    const of = (passMs: number) => planOf(passMs, { reading: 2, process: 15 }).readings;
    assert.deepEqual([of(1), of(20), of(400)], [8, 2, 2]);
  });

  it('reads more often in the processes that follow one that was slow when it planned', () => {
    const lengths = { reading: 3, process: 60 };
    const slow = planOf(60, lengths);
    assert.equal(slow.readings, 2);
    assert.deepEqual(replanned(slow, 10, lengths), { ...slow, passMs: 10, readings: 6 });
    assert.equal(replanned(slow, 61, lengths), slow);
  });

  it('has readings as long as those of the other side, whatever either seemed to take at first', () => {
    const lengths = { reading: 2, process: 40 };
    const original = planOf(0.36, lengths);
    assert.equal(original.passes, 8);
    for (const seemed of [0.2, 0.36, 0.7]) {
      const passes = (faster: number) => matched(planOf(seemed, lengths), original, faster, lengths).passes;
      assert.deepEqual([passes(1.02), passes(0.97)], [8, 8], `${seemed}`);
    }
    const fast = planOf(0.03, lengths);
    assert.equal(matched(fast, original, 12, lengths).passes, 128);
    assert.ok(matched(fast, original, 12, lengths).readings * 128 * 0.03 >= lengths.process);
    // A long pass of the original asks for no long readings of a fast candidate.
    assert.equal(matched(planOf(0.1, lengths), planOf(900, lengths), 9000, lengths).passes, 64);
    assert.equal(matched(planOf(5, lengths), original, 0.07, lengths).passes, 1);
  });

  it('covers the time of a process, unless that takes more passes or readings than are worth it', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 100, noNaN: true }), (passMs) => {
        const { passes, readings } = planOf(passMs, { reading: 6, process: 120 });
        assert.ok(readings >= 2 && readings <= 16);
        assert.ok(passes * readings * passMs >= 120 || passes === 128 || readings === 16);
      }),
    );
  });
});
