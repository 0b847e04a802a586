import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlSpec } from '../../../daemon/engine/run/live-runs.ts';
import { resolveRequest } from '../../../daemon/engine/target/resolve.ts';
import { Config } from '../../../shared/config.ts';
import type { StopReason } from '../../../shared/run.ts';
import { openScene, registry, request, summaryOf } from './scene.ts';

describe('the control of a run', () => {
  const controlled = async (stopped: StopReason, evaluated: number) => {
    const asked = request({ population: 4, stop: { max_generations: 10, no_improve: 3, budget_tokens: 5000, target_ms: 1 } });
    const { spec } = await resolveRequest(asked, Config.parse({}), registry);
    return controlSpec(spec, 'best-of-n', { stopped, evaluated });
  };

  it('has the limits of its search, where one of them has ended it', async () => {
    for (const stopped of ['max_generations', 'budget_tokens', 'run_timeout'] as const) {
      const { strategy, stop } = await controlled(stopped, 7);
      assert.equal(strategy, 'best-of-n');
      assert.deepEqual([stop.max_generations, stop.no_improve, stop.budget_tokens], [10, 10, 5000]);
    }
  });

  it('makes as many candidates as a search has judged that ended before', async () => {
    for (const stopped of ['no_improve', 'target_ms', 'user', 'exhausted'] as const) {
      const { stop } = await controlled(stopped, 7);
      assert.deepEqual([stop.max_generations, stop.no_improve, stop.budget_tokens], [2, 2, 5000]);
    }
    assert.equal((await controlled('user', 0)).stop.max_generations, 1);
  });

  it('takes its parents from the best so far when it is greedy, and from all champions when it is random', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'peagen-control-'));
    try {
      for (const strategy of ['greedy', 'random'] as const) {
        const asked = request({ mutator: 'scripted', strategy, population: 1, stop: { max_generations: 30 } });
        const scene = await openScene(folder, asked, 2);
        await summaryOf(scene);
        let best: { sha256: string; fitness: number } | undefined;
        let others = 0;
        for (const event of scene.events) {
          if (event.type === 'baseline') best = { sha256: scene.run.state.original.sha256, fitness: event.fitness };
          if (event.type === 'evaluated' && (event.fitness ?? 0) > (best?.fitness ?? 0))
            best = { sha256: event.sha256, fitness: event.fitness ?? 0 };
          if (event.type !== 'selected') continue;
          if (event.parent !== best?.sha256) others++;
          if (strategy === 'greedy') assert.deepEqual(event.inspirations, []);
        }
        assert.equal(others > 0, strategy === 'random', `${strategy}: ${others}`);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
