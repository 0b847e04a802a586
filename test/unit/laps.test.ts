import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LapPlan } from '../../daemon/handlers/evaluators/laps.ts';

/** A reading whose laps took so long. */
const reading = (...laps: number[]) => ({
  ...{ claimedMs: 9, runningMs: 9, before: 0, around: 0, checked: undefined },
  laps: laps.map((ms) => ({ claimedMs: ms, runningMs: ms })),
});

describe('the laps of a pass', () => {
  it('end where neighbouring calls add up to a millisecond, as the first process finds out', () => {
    const plan = new LapPlan(6, true);
    assert.deepEqual(plan.endsFor(1), [1, 2, 3, 4, 5, 6]);
    assert.equal(plan.learn(reading(0.1, 2, 0.6, 0.6, 3, 0.2)), true);
    assert.deepEqual(plan.endsFor(1), [2, 4, 6]);
    assert.equal(plan.divides, true);
    assert.equal(plan.learn(reading(2, 1, 3)), false);
  });

  it('do not exist of one call, of a pass that is repeated within a reading, or where every pass has a process of its own', () => {
    for (const plan of [new LapPlan(1, true), new LapPlan(9, false)]) {
      assert.equal(plan.endsFor(1), undefined);
      assert.equal(plan.divides, false);
    }
    const short = new LapPlan(9, true);
    assert.equal(short.endsFor(40), undefined);
    assert.equal(short.learn(reading()), false);
    short.settle();
    assert.equal(short.endsFor(1), undefined);
  });

  it('are none when one would hold all that takes time', () => {
    const plan = new LapPlan(3, true);
    assert.equal(plan.learn(reading(0.1, 5, 0.1)), true);
    assert.equal(plan.endsFor(1), undefined);
  });

  it('cover every call once, and are not many, however many calls there are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5000 }),
        fc.array(fc.double({ min: 0.001, max: 9, noNaN: true }), { minLength: 32 }),
        (calls, ms) => {
          const plan = new LapPlan(calls, true);
          const finest = plan.endsFor(1) ?? [];
          assert.ok(finest.length <= 32 && finest.at(-1) === calls);
          plan.learn(reading(...finest.map((_, index) => ms[index] ?? 1)));
          const ends = plan.endsFor(1) ?? [calls];
          assert.equal(ends.at(-1), calls);
          for (const [index, end] of ends.entries()) assert.ok(end > (ends[index - 1] ?? 0));
        },
      ),
    );
  });
});
