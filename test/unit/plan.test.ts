import assert from 'node:assert/strict';
import fc from 'fast-check';
import { passesOf, planOf, replanned } from '../../daemon/handlers/evaluators/plan.ts';

describe('the plan of a side of a contest', () => {
  it('comes to the same number of passes, a power of two, for nearly the same time of a pass', () => {
    assert.deepEqual([passesOf(0.26, 6), passesOf(0.22, 6), passesOf(0.3, 6)], [32, 32, 32]);
    assert.deepEqual([passesOf(0, 6), passesOf(1e-9, 6), passesOf(50, 6)], [512, 512, 1]);
  });

  it('reads a short pass several times, and a long one twice', () => {
    const of = (passMs: number) => planOf(passMs, { reading: 2, process: 15 }).readings;
    assert.deepEqual([of(1), of(20), of(400)], [8, 3, 2]);
  });

  it('reads more often in the processes that follow one that was slow when it planned', () => {
    const lengths = { reading: 3, process: 60 };
    const slow = planOf(60, lengths);
    assert.equal(slow.readings, 2);
    assert.deepEqual(replanned(slow, 10, lengths), { ...slow, passMs: 10, readings: 6 });
    assert.equal(replanned(slow, 61, lengths), slow);
  });

  it('covers the time of a process, unless that takes more readings than are worth it', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 100, noNaN: true }), (passMs) => {
        const { passes, readings } = planOf(passMs, { reading: 6, process: 120 });
        assert.ok(readings >= 2 && readings <= 60);
        assert.ok(passes * readings * passMs >= 120 || passes === 512);
      }),
    );
  });
});
