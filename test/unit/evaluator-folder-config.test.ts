import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFolderConfig, readEvaluatorFolder } from '../../daemon/handlers/evaluators/folder-config.ts';
import { PeagenError } from '../../shared/errors.ts';

const yaml = `
max_iterations: 40
random_seed: 7
llm:
  models: [{ name: a, weight: 0.8 }, { name: b }]
  top_p: 0.9
database:
  feature_dimensions: [score, spread]
evaluator:
  timeout: 30
  cascade_thresholds: [0.2]
checkpoint_interval: 10
`;

describe('the configuration of an evaluator folder', () => {
  it('is read, and what has no effect is named once', () => {
    const { config, warnings } = parseFolderConfig(yaml, 'config.yaml');
    assert.deepEqual([config.max_iterations, config.random_seed, config.llm?.models?.[1]], [40, 7, { name: 'b', weight: 1 }]);
    assert.deepEqual(warnings, ['config.yaml has keys that have no effect here: llm.top_p, checkpoint_interval.']);
  });

  it('may be empty, but not broken', () => {
    assert.deepEqual(parseFolderConfig('', 'config.yaml'), { config: {}, warnings: [] });
    for (const text of ['a: [', 'max_iterations: many']) {
      assert.throws(
        () => parseFolderConfig(text, 'config.yaml'),
        (error) => error instanceof PeagenError && error.code === 'invalid_config',
      );
    }
  });

  it('gives the evaluator its options and finds the program to start from', async () => {
    const root = mkdtempSync(join(tmpdir(), 'peagen-config-'));
    try {
      assert.equal(await readEvaluatorFolder(root), undefined);
      writeFileSync(join(root, 'evaluator.py'), '');
      await assert.rejects(readEvaluatorFolder(root), /no program to start from/);
      writeFileSync(join(root, 'initial_program.py'), '');
      writeFileSync(join(root, 'config.yaml'), yaml);
      const folder = await readEvaluatorFolder(root);
      assert.equal(folder?.initial, 'initial_program.py');
      assert.deepEqual(folder?.evaluator, {
        name: 'openevolve',
        options: { root, file: 'evaluator.py', timeout: 30, cascade_thresholds: [0.2], feature_dimensions: ['score', 'spread'] },
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
