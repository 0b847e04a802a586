import assert from 'node:assert/strict';
import fc from 'fast-check';
import { settledSpeedup } from '../../../daemon/engine/settle.ts';
import { runScope } from '../../../daemon/engine/tasks.ts';
import { newRunId } from '../../../shared/ids.ts';
import type { Metrics } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import { shortness } from './scene.ts';

const program: Program = { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [] };
const basis = { evaluator: { name: 'shortness', options: {} }, original: program, data: null };

/** Measured one after another; the last stands for all that follow. */
function measuring(...all: Metrics[]) {
  let asked = 0;
  const desk = {
    run: async () => {
      const metrics = all[Math.min(asked++, all.length - 1)];
      return { execution: { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {} } };
    },
  };
  const confirmer = { scope: runScope(newRunId(0), 0), desk, evaluator: shortness, basis, signal: new AbortController().signal };
  return { speedup: () => settledSpeedup(confirmer, program), asked: () => asked };
}

const floors = (baseline_ms: number, speed_ms: number) => ({ baseline_ms, speed_ms, speedup: baseline_ms / speed_ms });

describe('a best that is measured again', () => {
  it('is measured until neither floor gets lower, and is worth the ratio of the least of each', async () => {
    const { speedup, asked } = measuring(floors(104, 50), floors(100, 53), floors(101, 50), floors(90, 40));
    assert.equal(await speedup(), 2);
    assert.equal(asked(), 3);
  });

  it('comes out right whatever is added to the times, when one measurement of each side was undisturbed', async () => {
    const noise = fc.array(fc.tuple(fc.double({ min: 0, max: 9, noNaN: true }), fc.double({ min: 0, max: 9, noNaN: true })), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(noise, async (before) => {
        // Each one is lower than the one before by enough to go on.
        const falling = before.map(([a, b], i) => floors(100 + a + 30 * (5 - i), 50 + b + 30 * (5 - i)));
        assert.equal(await measuring(...falling, floors(100, 50)).speedup(), 2);
      }),
    );
  });

  it('is measured once when its speed-up is no ratio of times', async () => {
    const { speedup, asked } = measuring({ speedup: 3 }, { speedup: 4 });
    assert.equal(await speedup(), 3);
    assert.equal(asked(), 1);
  });

  it('is not measured for ever on a machine that never settles', async () => {
    const { speedup, asked } = measuring(...Array.from({ length: 20 }, (_, i) => floors(200 - i, 100 - i)));
    await speedup();
    assert.equal(asked(), 6);
  });
});
