/** What is believed of a runner's claims, at its limits. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Account, floorsOf, spent } from '../../daemon/handlers/evaluators/account.ts';
import { overclaims } from '../../daemon/handlers/evaluators/honesty.ts';
import { ratioOf } from '../../daemon/sandbox/measure.ts';

const account = (floor: number, more: Partial<Account> = {}): Account => ({
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
  it('changes nothing about what did no more beside its clock than the original', () => {
    fc.assert(
      fc.property(ms, fc.double({ min: 0, max: 0.8, noNaN: true }), (floor, sight) => {
        assert.deepEqual(floorsOf([account(floor, { sight })], original, true).worked, [floor]);
      }),
    );
  });

  it('charges work that was moved to before or behind the clock, or that a clock left out, to within a tenth', () => {
    for (const side of ['sight', 'later', 'last'] as const) {
      fc.assert(
        fc.property(fc.double({ min: 1, max: 1000, noNaN: true }), fc.double({ min: 2, max: 100, noNaN: true }), (work, gain) => {
          const honest = [account(work), account(work), account(work)];
          const usual = account(work)[side] ?? 0;
          const cheat = account(work / gain, { [side]: usual + work - work / gain });
          const [believed = 0] = floorsOf([cheat], honest, true).worked;
          // What the original needs itself is no measure of less than half a millisecond.
          assert.ok(believed <= work && believed >= work * 0.95 - usual * 0.25 - 0.15 - 1e-9, `${believed} of ${work}`);
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

  it('spares what one process of several that claim the same had to pay for a busy core', () => {
    const busy = account(10, { first: 19, sight: 8 });
    const slow = account(20, { first: 38, sight: 4 });
    const { worked, believed } = floorsOf([busy, slow, account(10.3), busy], [account(25), account(26), account(25)], false);
    assert.deepEqual(worked, [10, 20, 10.3, 10]);
    assert.deepEqual(believed, [10, 20, 10.3, 10]);
    const [alone] = floorsOf([busy], [account(25), account(26), account(25)], false).believed;
    assert.ok((alone ?? 0) > 12, `${alone}`);
  });

  it('gives a tenth at most to what cheats in some processes, whatever it claims in each', () => {
    const truth = 100;
    const claim = fc.record({ floor: fc.double({ min: 0.1, max: truth, noNaN: true }), onFirst: fc.boolean() });
    fc.assert(
      fc.property(fc.array(claim, { minLength: 2, maxLength: 12 }), (claims) => {
        const honest = [account(truth), account(truth), account(truth)];
        const usual = { sight: 0.8, first: truth * 0.1 };
        const accounts = claims.map(({ floor, onFirst }) => {
          const moved = truth - floor;
          return account(floor, onFirst ? { first: truth + usual.first } : { first: floor, sight: usual.sight + moved });
        });
        // Of the original's pass a twentieth is noise, and what it needs itself is no measure of less.
        const least = truth * 0.9 - truth * 0.05 - usual.first * 0.25 - 0.5;
        assert.ok(Math.min(...floorsOf(accounts, honest, false).believed) >= least);
      }),
    );
  });

  it('charges results that were remembered, but not where code is compiled as it runs', () => {
    const remembers = account(0.1, { first: 10 });
    assert.ok((floorsOf([remembers], original, false).believed[0] ?? 0) > 7);
    assert.equal(floorsOf([remembers], original, true).believed[0], 0.1);
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
    const same = from([9, 9.1, 9, 9.2]);
    assert.match(overclaims(claimed, same, same)?.reason ?? '', /done elsewhere/);
    assert.match(overclaims(claimed, claimed, same)?.reason ?? '', /remembers results/);
    assert.equal(overclaims(claimed, from([0.15, 0.15, 0.16, 0.15]), from([0.15, 0.15, 0.16, 0.15])), undefined);
  });

  it('is not sure to be while the account leaves a gain', () => {
    const [same, less] = [from([9, 9.1, 9, 9.2]), from([0.5, 0.52, 0.5, 0.51])];
    assert.deepEqual([overclaims(claimed, same, same)?.sure, overclaims(claimed, claimed, same)?.sure], [true, true]);
    assert.deepEqual([overclaims(claimed, less, less)?.sure, overclaims(claimed, claimed, less)?.sure], [false, false]);
  });

  it('is nobody’s concern below a fifth', () => {
    const small = from([8.5, 8.6, 8.5, 8.6]);
    assert.equal(overclaims(small, from([10, 10, 10, 10]), from([10, 10, 10, 10])), undefined);
  });
});
