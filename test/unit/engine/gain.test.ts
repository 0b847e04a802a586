/** What a child gains over its parent. */
import assert from 'node:assert/strict';
import { gainOf } from '../../../daemon/engine/run/entering.ts';

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
