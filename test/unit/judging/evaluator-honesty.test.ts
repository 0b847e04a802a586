import assert from 'node:assert/strict';
import fc from 'fast-check';
import { disbelief, type Profile, tampering } from '../../../daemon/judging/forgery/honesty.ts';
import { twinsOf } from '../../../daemon/judging/forgery/twins.ts';
import { againstItself } from '../../../daemon/judging/function/correctness.ts';
import { createRandom } from '../../../daemon/random.ts';
import type { Execution, OutcomeKind } from '../../../shared/judging.ts';

const profile = (floor: number, more: Partial<Record<keyof Profile, number>> = {}): Profile => {
  const all = { floors: floor, firsts: floor * 1.1, before: 0.5, around: 0.2, after: 0.4, ...more };
  const four = (value: number) => [value, value * 1.01, value * 1.02, value * 1.03];
  return {
    floors: four(all.floors),
    firsts: four(all.firsts),
    before: four(all.before),
    around: four(all.around),
    after: four(all.after),
  };
};
const interpreted = { compiles: false, accounted: false };
const compiled = { compiles: true, accounted: false };
const programOf = (text: string) => ({
  language: 'python',
  files: [{ path: 'a.py', text }],
  spans: [{ path: 'a.py', start: 0, end: 0 }],
});

describe('belief in a claimed speed', () => {
  it('is given to an honest improvement of any size', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 100, noNaN: true }),
        fc.double({ min: 1, max: 1000, noNaN: true }),
        (floor, gain) => {
          assert.equal(disbelief(profile(floor), profile(floor / gain), interpreted), undefined);
        },
      ),
    );
  });

  it('is refused when a pass of the original went by outside of the clock', () => {
    for (const phase of ['before', 'around', 'after'] as const) {
      assert.match(disbelief(profile(10), profile(0.01, { [phase]: 10.3 }), interpreted)?.reason ?? '', /done elsewhere/, phase);
    }
  });

  it('leaves what is done outside the clock to the account where there is one, but not sleep that the clock leaves out', () => {
    const accounted = { compiles: false, accounted: true };
    assert.equal(disbelief(profile(10), profile(0.01, { before: 10.3, after: 10.3 }), accounted), undefined);
    assert.match(disbelief(profile(10), profile(0.01, { around: 10.3 }), accounted)?.reason ?? '', /done elsewhere/);
  });

  it('is refused when only what was seen before is fast', () => {
    assert.match(disbelief(profile(10), profile(0.1, { firsts: 10 }), interpreted)?.reason ?? '', /remembers results/);
  });

  it('is given to a huge gain whose first pass took a moment longer', () => {
    assert.equal(disbelief(profile(10), profile(0.02, { firsts: 0.15 }), interpreted), undefined);
  });

  it('is given to code that had to warm up, and not to what does all the work on first sight', () => {
    const warms = profile(5, { firsts: 19 });
    const baseline = profile(35, { firsts: 40 });
    assert.equal(disbelief(baseline, warms, compiled), undefined);
    assert.equal(disbelief(baseline, warms, interpreted), undefined);
    assert.match(disbelief(baseline, profile(1, { firsts: 39 }), interpreted)?.reason ?? '', /remembers results/);
  });

  it('is refused with reservations while noise leaves it open that results are remembered', () => {
    const baseline = { ...profile(10), firsts: [20, 10, 20, 21] };
    assert.deepEqual([disbelief(baseline, { ...profile(0.1), firsts: [20, 21, 20, 10] }, interpreted)?.sure], [false]);
    assert.deepEqual([disbelief(profile(10), profile(0.1, { firsts: 10 }), interpreted)?.sure], [true]);
  });

  it('is not refused for noise: twice the usual, or a wide interval', () => {
    assert.equal(disbelief(profile(10), profile(5, { before: 1, around: 0.4, after: 0.8 }), interpreted), undefined);
    const noisy = { ...profile(10), floors: [10, 5, 21, 11], firsts: [10, 22, 11, 12] };
    assert.equal(disbelief(noisy, noisy, interpreted), undefined);
  });
});

describe('reaching into the runner', () => {
  it('is found when the original does not do it, and allowed when it does', () => {
    const tracing = programOf('import sys\nsys.settrace(None)\n');
    assert.match(tampering(programOf('x = 1\n'), tracing) ?? '', /tracing \(settrace\)/);
    assert.equal(tampering(tracing, tracing), undefined);
    assert.equal(tampering(programOf(''), programOf('def settraces(): return frame\n')), undefined);
  });
});

describe('the original next to itself', () => {
  const execution = (kind: OutcomeKind): Execution => ({ outcome: { kind, detail: '' }, metrics: {}, artifacts: {} });
  const inTurn = (kinds: OutcomeKind[]) => async () => execution(kinds.shift() ?? 'forged');

  it('is measured again while it seems to forge its times', async () => {
    assert.deepEqual(await againstItself(inTurn(['forged', 'forged', 'correct'])), execution('correct'));
    assert.deepEqual(await againstItself(inTurn(['wrong', 'correct'])), execution('wrong'));
  });

  it('is said to be impossible to measure when that does not end', async () => {
    await assert.rejects(againstItself(inTurn([])), { code: 'unavailable', message: /differ too much from run to run/ });
  });
});

describe('fresh inputs like those of a timed pass', () => {
  const short = { args: [[12, 450, 71, 3300, 90, 8]], kwargs: {} };
  const long = { args: [Array.from({ length: 40 }, (_, index) => index * 7)], kwargs: {} };
  const twins = twinsOf([...Array.from({ length: 58 }, () => short), long], 10, createRandom('twins'), 'node');
  const ofLength = (length: number) => twins.filter(({ args: [list] }) => Array.isArray(list) && list.length === length).length;

  it('come as often for a call that the pass has once as for one that it repeats', () => {
    // One of a call in each round, unless what came out was known.
    for (const length of [6, 40]) assert.ok(ofLength(length) > 5 && ofLength(length) <= 10, `${ofLength(length)} of ${length}`);
  });

  it('are all different, and none is a call of the pass', () => {
    const texts = [short, long, ...twins].map((call) => JSON.stringify(call));
    assert.equal(new Set(texts).size, texts.length);
  });
});
