import assert from 'node:assert/strict';
import { fittingGoal, goalLabel, printedAs, withGoal } from '../../../extension/dialogue/goal.ts';
import { gainText, speedIn } from '../../../extension/words.ts';
import { Sha256 } from '../../../shared/ids.ts';
import type { RunInfo } from '../../../shared/run.ts';

describe('what a run is to improve', () => {
  const memory = { metric: 'peak_kb', direction: 'min' } as const;
  const latency = { metric: 'latency_ms', direction: 'min' } as const;
  const command = { kind: 'command', command: 'make bench' } as const;

  it('is shown in words, and goes into the request of a run', () => {
    assert.equal(goalLabel({ kind: 'made' }, undefined), 'run faster');
    assert.equal(goalLabel({ kind: 'made' }, memory), 'use less memory');
    assert.equal(goalLabel(command, latency), 'lower latency_ms');
    assert.deepEqual(withGoal({ name: 'function', options: {} }, undefined), { evaluator: { name: 'function', options: {} } });
    const { evaluator, objectives } = withGoal({ name: 'command', options: { command: 'make bench' } }, latency);
    assert.deepEqual(objectives, { combine: 'weighted', of: [latency] });
    assert.deepEqual(evaluator.options['metrics'], [printedAs('latency_ms')]);
  });

  it('is dropped where another way to check does not measure it', () => {
    assert.equal(fittingGoal({ kind: 'made' }, memory), memory);
    assert.equal(fittingGoal(command, memory), undefined);
    assert.equal(fittingGoal({ kind: 'made' }, latency), undefined);
  });

  it('finds the number that a command prints last', () => {
    const { pattern } = printedAs('latency_ms') as { pattern: string };
    const found = (text: string) => [...text.matchAll(new RegExp(pattern, 'g'))].at(-1)?.[1];
    assert.equal(found('latency_ms: 12.5\nlatency_ms=11'), '11');
    assert.equal(found('{"latency_ms": 1e-3, "other": 2}'), '1e-3');
    assert.equal(found('max_latency_ms: 3'), undefined);
  });

  it('is shown by its value, with the change from the original', () => {
    const about: Pick<RunInfo, 'goal' | 'best' | 'baseline' | 'ending' | 'state' | 'stopped'> = {
      goal: memory,
      best: -950,
      baseline: { fitness: -1100, is_speedup: false },
      state: 'running',
    };
    assert.equal(gainText(about), 'best 950 KB, 14 % less');
    const elite = { sha256: Sha256.parse('a'.repeat(64)), metrics: { speedup: 3, peak_kb: 1210 }, fitness: -1210 };
    assert.equal(speedIn(about, elite), '1210 KB, 10 % more');
  });
});
