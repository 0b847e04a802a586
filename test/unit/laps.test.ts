import assert from 'node:assert/strict';
import fc from 'fast-check';
import { finest, passesOf, planOf, replanned } from '../../daemon/handlers/evaluators/laps.ts';

const laps = (...ms: number[]) => ms.map((one) => ({ claimedMs: one, runningMs: one }));
const lengths = { reading: 6, process: 120 };

describe('the plan of a side of a contest', () => {
  it('ends a lap where neighbouring calls of a long pass add up to a millisecond', () => {
    assert.deepEqual(finest(6), [1, 2, 3, 4, 5, 6]);
    const { passes, ends } = planOf(6, 6.5, laps(0.1, 2, 0.6, 0.6, 3, 0.2), lengths);
    assert.deepEqual([passes, ends], [1, [2, 4, 6]]);
  });

  it('leaves a pass whole of which one call takes all the time, or that has only one', () => {
    assert.deepEqual(planOf(3, 6.2, laps(0.1, 6, 0.1), lengths).ends, [3]);
    assert.deepEqual(planOf(1, 50, laps(50), lengths).ends, [1]);
  });

  it('puts so many short passes into a lap that it lasts a millisecond, and so many laps into a reading that it is long enough', () => {
    const { passes, ends, readings } = planOf(20, 0.3, [], lengths);
    assert.equal(passes, 32);
    assert.deepEqual(ends, [80, 160, 240, 320, 400, 480, 560, 640]);
    assert.equal(readings, Math.ceil(120 / (32 * 0.3)));
  });

  it('comes to the same number of passes, a power of two, for nearly the same time of a pass', () => {
    assert.deepEqual([passesOf(0.26, 6), passesOf(0.22, 6), passesOf(0.3, 6)], [32, 32, 32]);
    assert.deepEqual([passesOf(0, 6), passesOf(1e-9, 6), passesOf(50, 6)], [512, 512, 1]);
  });

  it('reads a short pass several times, and a long one twice', () => {
    const of = (passMs: number) => planOf(1, passMs, laps(passMs), { reading: 2, process: 15 }).readings;
    assert.deepEqual([of(1), of(20), of(400)], [8, 3, 2]);
  });

  it('reads more often in the processes that follow one that was slow when it planned', () => {
    const lengths = { reading: 3, process: 60 };
    const slow = planOf(4, 60, laps(60), lengths);
    assert.equal(slow.readings, 2);
    assert.deepEqual(replanned(slow, 10, lengths), { ...slow, passMs: 10, readings: 6 });
    assert.equal(replanned(slow, 61, lengths), slow);
  });

  it('covers every call of a reading once, in not many laps, however many calls there are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 1e-6, max: 100, noNaN: true }),
        fc.array(fc.double({ min: 0.001, max: 9, noNaN: true }), { minLength: 32 }),
        (calls, passMs, ms) => {
          const finer = finest(calls);
          assert.ok(finer.length <= 32 && finer.at(-1) === calls);
          const { passes, ends, readings } = planOf(calls, passMs, laps(...finer.map((_, index) => ms[index] ?? 1)), lengths);
          assert.ok(readings >= 1 && readings <= 60 && ends.length <= 32);
          assert.equal(ends.at(-1), passes * calls);
          for (const [index, end] of ends.entries()) assert.ok(end > (ends[index - 1] ?? 0));
        },
      ),
    );
  });
});
