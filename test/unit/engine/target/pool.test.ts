/** `[evaluate] pool`: which workers a run's candidates go to, and which handler of theirs runs them. */
import assert from 'node:assert/strict';
import { loadEvaluator, poolTags } from '../../../../daemon/engine/target/pool.ts';
import { findHandler } from '../../../../daemon/fabric/worker/find-handler.ts';
import { builtinRegistry } from '../../../../daemon/plugins/builtin.ts';
import { Config } from '../../../../shared/config.ts';
import { newTaskId } from '../../../../shared/ids.ts';
import type { Task } from '../../../../shared/task.ts';

const registry = builtinRegistry();
const config = Config.parse({});
const gpuCaps = ['cpu', 'python', 'node', 'docker', 'gpu', 'cuda11', 'cuda12'];

async function handlerOf(requires: string[], caps: readonly string[]): Promise<string> {
  const created_at = new Date().toISOString();
  const task: Task = { kind: 'execute', id: newTaskId(), payload: null, requires, attempts: 0, created_at, schema_v: 1 };
  return (await findHandler(task, { registry, config, caps: new Set(caps), allowed: undefined })).name;
}

describe('the pool of a run', () => {
  it('adds its tags to what the evaluator needs; a GPU means a container', async () => {
    const requires = async (pool: string) => {
      const evaluator = await loadEvaluator('function', Config.parse({ evaluate: { pool } }), registry);
      return evaluator.requires('python');
    };
    assert.deepEqual(await requires('gpu+cuda12'), ['python', 'gpu', 'cuda12', 'docker']);
    assert.deepEqual(await requires('docker'), ['python', 'docker']);
    assert.deepEqual(poolTags(undefined), []);
  });

  it('is refused when it is not a tags', () => {
    assert.throws(() => poolTags('GPU box'), { code: 'invalid_config', message: /evaluate\.pool.*GPU box/ });
  });

  it('is served by workers that have its tags only', async () => {
    assert.equal(await handlerOf(['cpu', 'python'], gpuCaps), 'execute-python');
    assert.equal(await handlerOf(['cpu', 'docker', 'gpu', 'python'], gpuCaps), 'execute-gpu-python');
    assert.equal(await handlerOf(['cpu', 'docker', 'gpu', 'cuda12', 'python'], gpuCaps), 'execute-cuda12-python');
    assert.equal(await handlerOf(['cpu', 'docker', 'node'], ['cpu', 'node', 'docker']), 'execute-docker-node');
    await assert.rejects(handlerOf(['cpu', 'docker', 'gpu', 'python'], ['cpu', 'python', 'docker']), { code: 'unsupported' });
    await assert.rejects(handlerOf(['cpu', 'docker', 'gpu', 'cuda13', 'python'], gpuCaps), { code: 'unsupported' });
  });
});
