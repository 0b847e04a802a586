import assert from 'node:assert/strict';
import { controlText, differenceOf } from '../../../daemon/cli/control.ts';
import { RunSummary } from '../../../shared/run.ts';

describe('the difference of two estimates', () => {
  it('is that of the paper where its example is computed again', () => {
    // Altman and Bland: relative risks 0.67 (0.46 to 0.98) and 0.88 (0.71 to 1.08) give z = -1.24 and P = 0.2.
    const { p, isSignificant } = differenceOf(
      { value: 0.67, low: 0.46, high: 0.98 },
      { value: 0.88, low: 0.71, high: 1.08 },
      true,
    );
    assert.equal(p.toFixed(1), '0.2');
    assert.equal(isSignificant, false);
  });

  it('is 1.96 standard errors at five percent', () => {
    const exact = { value: 0 };
    const at = (value: number) => differenceOf(exact, { value, low: value - 1.96, high: value + 1.96 }, false).p;
    assert.equal(at(1.96).toFixed(4), '0.0500');
    assert.equal(at(2.5758).toFixed(4), '0.0100');
    assert.equal(at(0).toFixed(4), '1.0000');
  });

  it('is certain between exact values, which are equal or are not', () => {
    assert.deepEqual(differenceOf({ value: 2 }, { value: 3 }, true), { p: 0, isSignificant: true });
    assert.deepEqual(differenceOf({ value: 2 }, { value: 2 }, true), { p: 1, isSignificant: false });
  });

  it('does not depend on the order, and turns with the ratios', () => {
    const [a, b] = [
      { value: 2, low: 1.8, high: 2.2 },
      { value: 2.4, low: 2.3, high: 2.5 },
    ];
    assert.equal(differenceOf(a, b, true).p, differenceOf(b, a, true).p);
  });
});

/** What a run has announced: measured, and with its operations counted. */
const announced = (speedup: number, low: number, high: number, sha256 = 'a'.repeat(64)): RunSummary => {
  const best = { sha256, cost: 14, baseline_cost: 45, speedup, speedup_low: low, speedup_high: high };
  return RunSummary.parse({
    ...{ run: '20261124-000031-43cb5a', seed: 1, generations: 2, candidates: 4, evaluated: 4, correct: 4, overfit: 0 },
    best: { ...best, speed_ms: 1, baseline_ms: speedup, peak_kb: 1, generation: 1, niche: '0/0' },
    ...{ overfitted: [], unconfirmed: [], coverage: 2, qd_score: 2, candidates_digest: sha256 },
    ...{ tokens: { prompt: 2800, completion: 800 }, stopped: 'max_generations', wall_s: 4, output: null },
  });
};

describe('the report of a control', () => {
  const other = 'b'.repeat(64);

  it('compares two measured gains by their intervals, also where operations were counted', () => {
    const near = controlText(announced(1.38, 1.26, 1.5, other), announced(1.54, 1.4, 1.7), 'greedy');
    assert.match(near, /search over control: 0\.90×[\s\S]*is not significant \(p = 0\.\d{3}, /);
    const far = controlText(announced(3, 2.9, 3.1, other), announced(1.5, 1.4, 1.6), 'random');
    assert.match(far, /2\.00×[\s\S]*is significant \(p < 0\.001, /);
  });

  it('finds no difference between two measurements of one program', () => {
    const text = controlText(announced(351, 330, 372), announced(276, 270, 282), 'random');
    assert.match(text, /; both end with the same program$/);
  });
});
