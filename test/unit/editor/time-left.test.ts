import assert from 'node:assert/strict';
import { secondsLeft } from '../../../shared/words/time-left.ts';

const started_at = '2026-11-21T08:00:00.000Z';
const later = (seconds: number) => Date.parse(started_at) + seconds * 1000;

describe('the time that a run can still take', () => {
  it('is what its limit leaves, before a generation is complete', () => {
    assert.equal(secondsLeft({ started_at, generation: 0, max_generations: 200, run_timeout: 300 }, later(60)), 240);
  });

  it('is what its generations take at the present pace, where that is less', () => {
    assert.equal(secondsLeft({ started_at, generation: 10, max_generations: 20, run_timeout: 300 }, later(60)), 60);
  });

  it('is unknown without a limit and without a generation, and never negative', () => {
    assert.equal(secondsLeft({ started_at, generation: 0, max_generations: 200 }, later(60)), undefined);
    assert.equal(secondsLeft({ started_at, generation: 1, max_generations: 200, run_timeout: 30 }, later(60)), 0);
  });
});
