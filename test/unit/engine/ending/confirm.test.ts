import assert from 'node:assert/strict';
import fc from 'fast-check';
import { confirmedBest } from '../../../../daemon/engine/ending/confirm.ts';
import { reasonOf } from '../../../../daemon/engine/ending/leaders.ts';
import { settledSpeedup } from '../../../../daemon/engine/ending/settled-speedup.ts';
import { runScope } from '../../../../daemon/engine/tasks.ts';
import { programSha } from '../../../../daemon/evolution/hash.ts';
import { beyondLimit, fitnessOf } from '../../../../daemon/evolution/objectives.ts';
import { newRunId } from '../../../../shared/ids.ts';
import type { Metrics } from '../../../../shared/judging.ts';
import type { Program } from '../../../../shared/program.ts';
import { shortness } from '../scene.ts';

const program: Program = { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [] };
const basis = { evaluator: { name: 'shortness', options: {} }, original: program, data: null };

/** Measured one after another; the last stands for all that follow. */
function measuring(...all: Metrics[]) {
  let asked = 0;
  const taskClient = {
    run: async () => {
      const metrics = all[Math.min(asked++, all.length - 1)];
      return { execution: { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {} } };
    },
  };
  const confirmer = {
    scope: runScope(newRunId(0), 0),
    taskClient,
    evaluator: shortness,
    basis,
    signal: new AbortController().signal,
  };
  return { speedup: async () => (await settledSpeedup(confirmer, program)).speedup, asked: () => asked };
}

const found = (speedup: number, within = 0.02) => ({
  baseline_ms: 100 * speedup,
  speed_ms: 100,
  speedup,
  speedup_low: speedup * (1 - within),
  speedup_high: speedup * (1 + within),
});

describe('a best that is measured again', () => {
  it('is one that meets the limits of the objectives then, too', () => {
    const rule = {
      metric: '',
      objectives: { combine: 'weighted' as const, of: [{ metric: 'passes', direction: 'max' as const, limit: 5 }] },
    };
    const goal = {
      fitness: (metrics: Metrics) => fitnessOf(rule, metrics),
      beyond: (metrics: Metrics) => beyondLimit(rule, metrics),
      original: 1,
    };
    const elite = { sha256: programSha(program), generation: 1, niche: '0' };
    const measured = (passes: number) => ({
      outcome: { kind: 'correct' as const, detail: '' },
      metrics: { passes },
      artifacts: {},
    });
    assert.equal(confirmedBest(elite, measured(6), goal)?.score?.fitness, 6);
    assert.equal(confirmedBest(elite, measured(4), goal), null);
    assert.match(reasonOf(elite.sha256, measured(4), goal).why, /^passes is 4, below 5, .*measured again$/);
  });

  it('is measured once where that was exact', async () => {
    const { speedup, asked } = measuring(found(2, 0.004), found(3));
    assert.equal(await speedup(), 2);
    assert.equal(asked(), 1);
  });

  it('is measured until the middle three agree, and is worth the one in the middle', async () => {
    const { speedup, asked } = measuring(found(2.1), found(1.9), found(2), found(2.004), found(1.996), found(5));
    assert.equal(await speedup(), 2);
    assert.equal(asked(), 5);
  });

  it('comes out right however wrong less than half of the measurements are', async () => {
    const off = fc.double({ min: 0.5, max: 9, noNaN: true });
    await fc.assert(
      fc.asyncProperty(off, off, async (a, b) => {
        const { speedup } = measuring(found(a), found(b), found(2), found(2.001), found(1.999), found(2));
        assert.ok(Math.abs((await speedup()) / 2 - 1) <= 0.006);
      }),
    );
  });

  it('is measured once when its speed-up is not a ratio of times', async () => {
    const { speedup, asked } = measuring({ speedup: 3 }, { speedup: 4 });
    assert.equal(await speedup(), 3);
    assert.equal(asked(), 1);
  });

  it('is not measured for ever on a machine that never settles', async () => {
    const { speedup, asked } = measuring(...Array.from({ length: 20 }, (_, i) => found(2 + i)));
    assert.equal(await speedup(), 4);
    assert.equal(asked(), 5);
  });
});
