import assert from 'node:assert/strict';
import { progressLine } from '../../../daemon/cli/progress.ts';
import { lensesFor } from '../../../daemon/server/lsp/actions.ts';
import { asAnnounced, baselineOf, gainOf, plainWorth } from '../../../shared/gain.ts';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import type { Best, RunInfo } from '../../../shared/run.ts';

const info: RunInfo = {
  run: RunId.parse('r'),
  state: 'running',
  target: { root: '/w', path: 'a.py' },
  started_at: '2026-01-31T14:25:01.000Z',
  generation: 3,
  max_generations: 10,
  candidates: 9,
  evaluated: 8,
  correct: 7,
  best: null,
  stats: { coverage: 2, qd_score: 3, best: null },
  axes: [],
  tokens: { prompt: 0, completion: 0 },
};
const times = baselineOf(1, { speedup: 1, speedup_low: 1, speedup_high: 1 });
const score = baselineOf(0.5, { speedup: 1, speedup_low: 1, speedup_high: 1, combined_score: 0.5 });
const announced: Best = {
  sha256: Sha256.parse('a'.repeat(64)),
  niche: '0',
  generation: 2,
  ...{ speedup: 1.5, speedup_low: 1.4, speedup_high: 1.6, speed_ms: 2, baseline_ms: 3, peak_kb: 0 },
};
const ending = (best: Best | null) => ({ best, overfitted: [], unconfirmed: [] });
const line = (more: Partial<RunInfo>) => progressLine({ ...info, ...more }, 200);

describe('the gain of a run', () => {
  it('is what is better than what it began with, in times as fast or in a score of the evaluator’s own', () => {
    assert.deepEqual(gainOf({ best: 1.2, baseline: times }), { kind: 'faster', speedup: 1.2 });
    assert.deepEqual(gainOf({ best: 0.7, baseline: score }), { kind: 'score', score: 0.7 });
    // A score of exactly 1 is not a speed-up.
    assert.equal(baselineOf(1, { speedup: 1, speedup_low: 1, combined_score: 1 }).is_speedup, false);
    for (const rule of [{ metric: 'accuracy' }, { objectives: { combine: 'weighted' as const, of: [] } }])
      assert.equal(baselineOf(1, { speedup: 1, accuracy: 1 }, { rule }).is_speedup, false);
    for (const [best, baseline] of [
      [1, times],
      [0.64, times],
      [0.5, score],
    ] as const) {
      assert.deepEqual(gainOf({ best, baseline }), { kind: 'none' });
    }
    assert.deepEqual(gainOf({ best: null, baseline: undefined }), { kind: 'unknown' });
  });

  it('is shown with as many digits as it needs', () => {
    assert.equal(
      plainWorth({ goal: { metric: 'accuracy', direction: 'max' }, baseline: baselineOf(0.999875, {}) }, 1),
      'accuracy 1.00000 (higher is better)',
    );
    assert.equal(plainWorth({ baseline: score }, 0.75), 'score 0.7500');
  });

  it('is at the end what was measured with care, whatever the search has seen', () => {
    assert.deepEqual(gainOf({ best: 1.8, baseline: times, ending: ending(announced) }), { kind: 'faster', speedup: 1.5 });
    assert.deepEqual(gainOf({ best: 1.8, baseline: times, ending: ending(null) }), { kind: 'none' });
    assert.deepEqual(gainOf({ best: 1, baseline: baselineOf(1, {}, { mended: true }) }), { kind: 'fixed' });
    const mended = { ...ending(announced), mended: announced.sha256 };
    assert.deepEqual(gainOf({ best: 1, baseline: times, ending: mended }), { kind: 'fixed' });
  });

  it('is of the announced elite what was announced, and of any other what the search has measured', () => {
    const elite = { sha256: announced.sha256, metrics: { speedup: 1.9, speedup_low: 1.8, speedup_high: 2, size: 7 } };
    const other = { ...elite, sha256: Sha256.parse('b'.repeat(64)) };
    const ended = { best: 1.8, baseline: times, ending: ending(announced) };
    const { speedup, speedup_low, size } = asAnnounced(elite, ended).metrics;
    assert.deepEqual({ speedup, speedup_low, size }, { speedup: 1.5, speedup_low: 1.4, size: 7 });
    assert.equal(asAnnounced(other, ended), other);
    for (const info of [
      { best: 1.8, baseline: times },
      { ...ended, ending: ending(null) },
      { ...ended, ending: { ...ending(announced), mended: announced.sha256 } },
      { best: 0.7, baseline: score, ending: ending(announced) },
    ]) {
      assert.equal(asAnnounced(elite, info), elite);
    }
  });

  it('is worded as a user would', () => {
    assert.match(line({ best: 1.4321, baseline: times }), / best 1\.43× {2}.* left {2}8 evaluated /);
    assert.match(line({ best: 0.64, baseline: times }), / no improvement yet {2}/);
    assert.match(line({ best: 1, baseline: times }), / no improvement yet {2}/);
    assert.match(line({ best: 0.64, baseline: score }), / best score 0\.6400 {2}/);
    const goal = { metric: 'peak_kb', direction: 'min' } as const;
    assert.match(
      line({ best: -950, baseline: baselineOf(-1100, { speedup: 1 }), goal }),
      / best peak_kb 950\.0 \(lower is better\) {2}/,
    );
    assert.match(line({ correct: 0 }), / nothing correct yet {2}/);
    assert.match(line({ best: 1.2 }), / being judged again {2}/);
    assert.match(line({ best: 1, baseline: baselineOf(1, {}, { mended: true }) }), / fixed {2}/);
  });

  it('is offered above the function as long as there is one', () => {
    const fn = { name: 'f', start: 0, end: 9, start_line: 0, end_line: 3, params: [] };
    const titles = (more: Partial<RunInfo>) =>
      lensesFor('file:///w/a.py', [fn], new Map([['f', { ...info, ...more }]])).map(({ command }) => command?.title);
    assert.deepEqual(titles({ best: 1.4, baseline: times }), ['Evolve', 'Apply best: 1.40×', 'Stop']);
    assert.deepEqual(titles({ best: 1, baseline: times }), ['Evolve', 'Stop']);
    const ended = { state: 'finished', best: 1.8, baseline: times } as const;
    assert.deepEqual(titles({ ...ended, ending: ending(announced) }), ['Evolve', 'Apply best: 1.50×']);
    assert.deepEqual(titles({ ...ended, ending: ending(null) }), ['Evolve']);
  });
});
