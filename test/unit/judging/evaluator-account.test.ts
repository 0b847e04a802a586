/** What is believed of a runner's claims, at its limits. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { overclaims } from '../../../daemon/judging/forgery/honesty.ts';
import { type CpuAccount, floorsOf, spent } from '../../../daemon/judging/timing/cpu-account.ts';
import { ratioOf } from '../../../daemon/judging/timing/statistics/measure.ts';
import { chargedFloors } from '../../../daemon/judging/timing/timing.ts';

const account = (floor: number, more: Partial<CpuAccount> = {}): CpuAccount => ({
  floor,
  first: floor * 1.1,
  sight: 0.8,
  later: 0.1,
  last: 0.5,
  ...more,
});
const original = [account(10), account(10.2, { sight: 2 }), account(10.1)];
const ms = fc.double({ min: 0.02, max: 100, noNaN: true });

describe('the account of a runner', () => {
  it('changes nothing about what did no more outside its clock than the original', () => {
    fc.assert(
      fc.property(ms, fc.double({ min: 0, max: 0.8, noNaN: true }), (floor, sight) => {
        assert.deepEqual(floorsOf([account(floor, { sight })], original, true).worked, [floor]);
      }),
    );
  });

  it('charges work that was moved to before or behind the clock, or that a clock left out, to within a tenth', () => {
    const sides = ['sight', 'later', 'last'] as const;
    for (const [side, compiles] of sides.flatMap((one) => [[one, false] as const, [one, true] as const])) {
      // A compiler or a collector may do as much again in what is seen once.
      const spare = compiles && side !== 'later' ? 1 : 0.25;
      fc.assert(
        fc.property(fc.double({ min: 1, max: 1000, noNaN: true }), fc.double({ min: 2, max: 100, noNaN: true }), (work, gain) => {
          const honest = [account(work), account(work), account(work)];
          const usual = account(work)[side] ?? 0;
          const cheat = account(work / gain, { [side]: usual + work - work / gain });
          const [believed = 0] = floorsOf([cheat], honest, compiles).worked;
          // What the original needs itself is not a measure of less than half a millisecond.
          assert.ok(believed <= work && believed >= work * 0.95 - usual * spare - 0.15 - 1e-9, `${believed} of ${work}`);
        }),
      );
    }
  });

  it('is kept for each runner: what cheats in some of them gains nothing in those', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 3, maxLength: 12 }), (lies) => {
        const accounts = lies.map((lying) => (lying ? account(0.01, { sight: 10.8 }) : account(10)));
        const { believed } = floorsOf(accounts, original, false);
        assert.ok(Math.min(...believed) > 9, `${believed}`);
      }),
    );
  });

  it('charges results that were remembered, but not where code is compiled as it runs', () => {
    const remembers = account(0.1, { first: 10 });
    assert.ok((floorsOf([remembers], original, false).believed[0] ?? 0) > 7);
    assert.equal(floorsOf([remembers], original, true).believed[0], 0.1);
  });

  it('charges one that claims no gain while searching nothing for a first pass that was compiled for longer', () => {
    // Passes of less than a microsecond, of which a single pair would be said to be 10 times as slow.
    const fresh = (sight: number) => account(0.0006, { first: 0.2, sight, later: 0.005, last: 0.06 });
    const [own, usual] = [[fresh(2.229)], [fresh(0.935)]];
    const floors = floorsOf(own, usual, true);
    const claimed = ratioOf([0.0006], [0.0006]);
    assert.ok((floors.believed[0] ?? 0) > 0.006);
    assert.deepEqual(chargedFloors('quick', claimed, floors), []);
    assert.deepEqual(chargedFloors('final', claimed, floors), floors.believed);
    assert.deepEqual(chargedFloors('quick', ratioOf([0.0012], [0.0006]), floors), floors.believed);
  });

  it('charges them also where most first passes of the original met a busy core', () => {
    const busy = [account(10, { first: 17 }), account(10.2, { first: 10.4 }), account(10.1, { first: 19 })];
    assert.ok((floorsOf([account(0.1, { first: 10 })], busy, false).believed[0] ?? 0) > 8.5);
    assert.equal(floorsOf([account(5, { first: 5.4 })], busy, false).believed[0], 5);
  });

  it('asks only those runners of the original that the host did not delay', () => {
    const delayed = { sight: -7, later: -2, last: -1 };
    const mixed = [account(10, delayed), account(10), account(10, delayed)];
    assert.deepEqual(floorsOf([account(1, { sight: 0.9 })], mixed, true).worked, [1]);
    assert.deepEqual(floorsOf([account(1, { sight: 5 })], [account(10, delayed)], true).worked, [1]);
    assert.ok((floorsOf([account(1, { sight: 9 })], mixed, true).worked[0] ?? 0) > 7);
  });

  it('does not exist where nobody counts, and then charges nothing', () => {
    const nobody = { sight: undefined, later: undefined, last: undefined };
    const uncounted = [account(10, nobody), account(10, nobody)];
    assert.deepEqual(floorsOf([account(1, nobody)], uncounted, true).worked, [1]);
    assert.deepEqual(floorsOf([account(1)], uncounted, true).worked, [1]);
    assert.equal(spent({ cpuMs: undefined, wallMs: 0 }, { cpuMs: 1, wallMs: 1 }), undefined);
  });

  it('counts what several processors did at once no longer than it took', () => {
    assert.equal(spent({ cpuMs: 10, wallMs: 100 }, { cpuMs: 50, wallMs: 112 }), 12);
    assert.equal(spent({ cpuMs: 10, wallMs: 100 }, { cpuMs: 12, wallMs: 200 }), 2);
  });
});

describe('a claim beyond the account', () => {
  const from = (floors: readonly number[]) => ratioOf([10, 10.1, 10.2, 10], floors);
  const claimed = from([0.1, 0.1, 0.11, 0.1]);

  it('is called forged when the account bears out less than half of the gain', () => {
    assert.match(overclaims(claimed, from([9, 9.1, 9, 9.2]), from([9, 9.1, 9, 9.2]))?.reason ?? '', /done elsewhere/);
    assert.match(overclaims(claimed, claimed, from([9, 9.1, 9, 9.2]))?.reason ?? '', /remembers results/);
    assert.equal(overclaims(claimed, from([0.15, 0.15, 0.16, 0.15]), from([0.15, 0.15, 0.16, 0.15])), undefined);
  });

  it('is surely forged when half a pass of the original is hidden, whatever is left of the gain', () => {
    const left = (ratio: number) => ({ ratio, low: ratio * 0.95, high: ratio * 1.05 });
    const sure = (gain: number, worked: number, believed = worked) => overclaims(left(gain), left(worked), left(believed))?.sure;
    assert.equal(sure(50, 1.29), true);
    assert.equal(sure(96, 5), false);
    assert.equal(sure(3, 1.1), true);
    assert.equal(sure(1.8, 1.2), false);
    // What is done once may be an import.
    assert.deepEqual([sure(50, 50, 1.1), sure(50, 50, 1.6)], [true, false]);
    // Where the intervals leave it open.
    assert.equal(overclaims(left(50), { ratio: 1.3, low: 0.9, high: 3 }, left(1.3))?.sure, false);
  });

  it('is nobody’s concern below a fifth', () => {
    const small = from([8.5, 8.6, 8.5, 8.6]);
    assert.equal(overclaims(small, from([10, 10, 10, 10]), from([10, 10, 10, 10])), undefined);
  });
});
