import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFolderConfig, readEvaluatorFolder } from '../../daemon/handlers/evaluators/folder-config.ts';
import { folderModels, folderRequest } from '../../daemon/handlers/evaluators/folder-request.ts';
import { endpointOf } from '../../daemon/llm/presets.ts';
import { Config } from '../../shared/config.ts';
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

  const inFolder = async <T>(config: string, work: (root: string) => Promise<T>): Promise<T> => {
    const root = mkdtempSync(join(tmpdir(), 'peagen-config-'));
    try {
      writeFileSync(join(root, 'evaluator.py'), '');
      writeFileSync(join(root, 'initial_program.py'), '');
      writeFileSync(join(root, 'config.yaml'), config);
      return await work(root);
    } finally {
      rmSync(root, { recursive: true });
    }
  };

  const full = `
max_iterations: 40
random_seed: 7
language: python
diff_based_evolution: false
max_code_length: 9000
prompt: { system_message: "You pack circles.", num_top_programs: 3 }
llm: { api_base: "http://127.0.0.1:1/v1", models: [{ name: a, weight: 0.8 }, { name: b }], temperature: 0.2, timeout: 9 }
database: { num_islands: 3, migration_interval: 7, migration_rate: 0.1, archive_size: 60, feature_dimensions: [complexity, spread], feature_bins: 6 }
evaluator: { parallel_evaluations: 4 }
`;

  it('shapes the run: islands, axes, width, seed, mutator, guidance; the rest is named once', async () => {
    await inFolder(full, async (root) => {
      const config = Config.parse({ llm: { backends: [{ name: 'x', model: 'm' }] } });
      const { request, warnings } = (await folderRequest(root, config)) ?? assert.fail('no folder');
      const { target: _target, evaluator: _evaluator, ...shape } = request;
      assert.deepEqual(shape, {
        seed: 7,
        population: 4,
        mutator: 'rewrite',
        instructions: 'You pack circles.',
        axes: [
          { name: 'size', bin: 6, unit: '', scale: 'quantile' },
          { name: 'spread', bin: 6, unit: '', scale: 'quantile' },
        ],
        islands: { count: 3, interval: 7, migrants: 2 },
        stop: { max_generations: 10 },
      });
      assert.equal(warnings.length, 1);
      const named = warnings[0]
        ?.replace(/^[^:]*: /, '')
        .replace(/\.$/, '')
        .split(', ');
      assert.deepEqual(named, [
        'max_code_length',
        'llm.api_base',
        'llm.models',
        'llm.temperature',
        'llm.timeout',
        'prompt.num_top_programs',
        'database.archive_size',
      ]);
      const taken = await folderRequest(root, config, { population: 8, takesModels: true });
      assert.deepEqual([taken?.request.population, taken?.request.stop?.max_generations], [8, 5]);
      assert.match(taken?.warnings[0] ?? '', /instead: max_code_length, prompt\.num_top_programs, database\.archive_size\.$/);
      assert.equal((await folderRequest(root, Config.parse({})))?.request.mutator, undefined);
    });
  });

  it('brings its models', () => {
    const models = folderModels(parseFolderConfig(full, 'config.yaml').config);
    const config = Config.parse({ ...models });
    assert.deepEqual(
      config.llm.backends.map(({ name, weight, base_url, timeout_ms }) => [name, weight, base_url, timeout_ms]),
      [
        ['a', 0.8, 'http://127.0.0.1:1/v1', 9000],
        ['b', 1, 'http://127.0.0.1:1/v1', 9000],
      ],
    );
    assert.deepEqual([config.llm.default_backend, config.mutate.temperature], ['weighted', 0.2]);
    assert.equal(folderModels(parseFolderConfig('llm: { temperature: 1 }', 'config.yaml').config), undefined);
  });

  it('gets a key for the endpoint that the key belongs to, and for no other address', () => {
    const keyAt = (base: string) => {
      const { config } = parseFolderConfig(`llm: { ${base} primary_model: m }`, 'config.yaml');
      const [backend = assert.fail('no back end')] = Config.parse({ ...folderModels(config) }).llm.backends;
      return endpointOf(backend).keyEnv;
    };
    assert.equal(keyAt(''), 'OPENAI_API_KEY');
    assert.equal(keyAt('api_base: "https://api.openai.com/v1/",'), 'OPENAI_API_KEY');
    assert.equal(keyAt('api_base: "https://openrouter.ai/api/v1",'), 'OPENROUTER_API_KEY');
    assert.equal(keyAt('api_base: "https://api.openai.com.example/v1",'), undefined);
  });
});
