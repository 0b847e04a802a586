/** What a child gains over its parent. */
import assert from 'node:assert/strict';
import { gainOf } from '../../../daemon/engine/run/entering.ts';
import { KnownPrograms } from '../../../daemon/engine/run/state/known.ts';
import { Sha256 } from '../../../shared/ids.ts';

const measured = (speedup: number, low = speedup) => ({
  fitness: low,
  metrics: { speedup, speedup_low: low, speedup_high: 2 * speedup - low },
});
const scored = (fitness: number | null) => ({ fitness, metrics: {} });

describe('the gain of a child', () => {
  it('is the same for the same ratio, however fast the parent is', () => {
    assert.ok(Math.abs(gainOf(measured(2), measured(1)) - gainOf(measured(100), measured(50))) < 1e-12);
    assert.ok(gainOf(measured(110), measured(100)) < gainOf(measured(2), measured(1)));
  });

  it('is nothing while the interval still holds what the parent reaches', () => {
    assert.equal(gainOf(measured(1.3, 0.9), measured(1)), 0);
    assert.ok(gainOf(measured(1.3, 1.1), measured(1)) > 0);
  });

  it('is a difference for scores of 0 and below, and nothing for what is wrong or worse', () => {
    assert.equal(gainOf(scored(-1), scored(-3)), 2);
    assert.equal(gainOf(scored(4), scored(0)), 4);
    assert.equal(gainOf(scored(null), scored(1)), 0);
    assert.equal(gainOf(scored(1), scored(2)), 0);
  });
});

describe('the step that gained most', () => {
  const sha = (digit: string) => Sha256.parse(digit.repeat(64));

  /** Programs a, b, c, …, each made from the one before, with these fitnesses. */
  function line(...fitnesses: (number | null)[]): KnownPrograms {
    const known = new KnownPrograms();
    for (const [i, fitness] of fitnesses.entries()) {
      const name = 'abcdef'.charAt(i);
      const origin = { parents: i === 0 ? [] : [sha('abcdef'.charAt(i - 1))], mutator: 'structural', summary: `step ${name}` };
      const outcome = { kind: 'correct', detail: '' } as const;
      known.set(sha(name), { object: sha(name), outcome, metrics: {}, fitness, origin, generation: i });
    }
    return known;
  }

  it('is reported where a later step gained less, by ratios of speed-ups', () => {
    const known = line(1, 11.5, 40, 41);
    assert.equal(known.gainedBy(sha('d')), 'step b');
    assert.equal(known.entry(sha('d'), 3, 0, []).gained, 'step b');
  });

  it('is by differences where the metric can be negative', () => {
    assert.equal(line(-300, -280, -100, -99).gainedBy(sha('d')), 'step c');
  });

  it('is not told of a program whose own step gained most, nor of the original', () => {
    const known = line(1, 1.2, 9);
    assert.equal(known.gainedBy(sha('c')), undefined);
    assert.equal(known.entry(sha('c'), 2, 0, []).gained, undefined);
    assert.equal(known.gainedBy(sha('a')), undefined);
  });
});
