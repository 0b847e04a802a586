import assert from 'node:assert/strict';
import { verdictDocument, verdictLine } from '../../../extension/change/verdict.ts';
import { measuredOf } from '../../../extension/review/facts.ts';
import { Confidence } from '../../../shared/confidence.ts';
import { Verdict } from '../../../shared/protocol/targets.ts';
import { EliteDetail } from '../../../shared/run.ts';

const mutants = { hit: 48, of: 50 };
const lines = { hit: 50, of: 50 };
const confidence = (given: number, attacked = 0) =>
  Confidence.parse({ given, derived: 40, heldout: 40, attacked, lines, mutants, limits: ['It opens a socket.'] });
const measured = { speed_ms: 1, peak_kb: null, size: 10 };
const verdict = (more: Partial<Verdict>) =>
  Verdict.parse({
    outcome: { kind: 'correct' },
    speedup: { ratio: 1.32, low: 1.2, high: 1.45 },
    before: measured,
    after: measured,
    metrics: {},
    diff: '',
    ...more,
  });
const counterexample = { call: { args: ['some text', [1]], kwargs: {} }, expected: '[1]', actual: '[]' };

describe('the words of a verdict', () => {
  it('call a match verified above the level only, and correct where a command judges', () => {
    assert.equal(verdictLine(verdict({})), '1.32× faster (1.20 to 1.45); correct');
    assert.equal(verdictLine(verdict({ confidence: confidence(3, 400) })), '1.32× faster (1.20 to 1.45); verified');
    assert.equal(
      verdictLine(verdict({ confidence: confidence(3) })),
      '1.32× faster (1.20 to 1.45); matches on the calls we have; add inputs',
    );
    const doubt = 'no call runs line 7, where it differs from the original';
    assert.equal(verdictLine(verdict({ doubt })), `1.32× faster (1.20 to 1.45); correct, but ${doubt}`);
  });

  it('show the call that differs, and say that it was none of the given ones', () => {
    const call = '("some text", [1]) gives [], the original [1]';
    const wrong = { kind: 'wrong', detail: 'long', counterexample } as const;
    assert.equal(verdictLine(verdict({ outcome: wrong, speedup: null })), `wrong: ${call}`);
    const overfit = `right on the given calls, wrong on others: ${call}`;
    assert.equal(verdictLine(verdict({ outcome: { ...wrong, kind: 'overfit' }, speedup: null })), overfit);
    assert.equal(verdictLine(verdict({ heldout: wrong })), overfit);
  });

  it('say in the document what the verdict rests on, and what it cannot promise', () => {
    const text = verdictDocument('f', 'the last commit', 'inputs made for you', verdict({ confidence: confidence(3) }));
    assert.match(
      text,
      /^- Confidence: matches the original on 3 given and 80 derived calls; 100 % of its lines ran; 48 of 50 planted bugs caught/m,
    );
    assert.match(text, /^- It opens a socket\.$/m);
  });

  it('are in the facts of a review', () => {
    const made = { parents: [], mutator: 'structural', summary: '' };
    const elite = { sha256: 'a'.repeat(64), niche: '3', fitness: 2, features: [], generation: 2, index: 7, ...made };
    const detail = EliteDetail.parse({
      run: '20261121-080000-0123456789ab',
      elite: { ...elite, metrics: { speedup: 2 } },
      changes: [],
      origin: made,
      outcome: { kind: 'correct' },
      confidence: confidence(3),
    });
    assert.match(
      measuredOf(detail, { best: 2 }),
      /matches on the calls we have; add inputs: matches the original on 3 given and 80 derived calls/,
    );
  });
});
