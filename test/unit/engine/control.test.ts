import assert from 'node:assert/strict';
import { controlSpec } from '../../../daemon/engine/run/control.ts';
import { resolveRequest } from '../../../daemon/engine/target/resolve.ts';
import { Config } from '../../../shared/config.ts';
import type { StopReason } from '../../../shared/run.ts';
import { registry, request } from './scene.ts';

describe('the control of a run', () => {
  const controlled = async (stopped: StopReason, evaluated: number) => {
    const asked = request({ population: 4, stop: { max_generations: 10, no_improve: 3, budget_tokens: 5000, target_ms: 1 } });
    const { spec } = await resolveRequest(asked, Config.parse({}), registry);
    return controlSpec(spec, { stopped, evaluated });
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
});
