import assert from 'node:assert/strict';
import { type RunProgress, stopReason } from '../../../daemon/engine/run/stop.ts';
import type { StopSpec } from '../../../shared/run-spec.ts';

const at = (progress: Partial<RunProgress>): RunProgress => ({
  generationsDone: 0,
  improvedAt: 0,
  bestSpeedMs: undefined,
  tokens: 0,
  dollars: 0,
  elapsedMs: 0,
  barrenGenerations: 0,
  ...progress,
});
const stop: StopSpec = { max_generations: 10, target_ms: 5, no_improve: 4, budget_tokens: 100, run_timeout: 60 };

describe('stop conditions', () => {
  it('lets a run go on while none holds', () => {
    assert.equal(
      stopReason(stop, at({ generationsDone: 9, improvedAt: 6, bestSpeedMs: 5.1, tokens: 99, elapsedMs: 59_999 })),
      undefined,
    );
  });

  it('stops at the last generation', () => {
    assert.equal(stopReason({ max_generations: 10 }, at({ generationsDone: 10, improvedAt: 10 })), 'max_generations');
  });

  it('stops when one pass is fast enough', () => {
    assert.equal(stopReason(stop, at({ bestSpeedMs: 5 })), 'target_ms');
  });

  it('stops after this number of generations without a better best', () => {
    assert.equal(stopReason(stop, at({ generationsDone: 6, improvedAt: 2 })), 'no_improve');
  });

  it('stops when the tokens are spent', () => {
    assert.equal(stopReason(stop, at({ tokens: 100 })), 'budget_tokens');
  });

  it('stops when its time is up', () => {
    assert.equal(stopReason(stop, at({ elapsedMs: 60_000 })), 'run_timeout');
  });

  it('stops when the mutator has found nothing new for three generations', () => {
    assert.equal(stopReason({ max_generations: 10 }, at({ barrenGenerations: 2 })), undefined);
    assert.equal(stopReason({ max_generations: 10 }, at({ barrenGenerations: 3 })), 'exhausted');
  });
});
