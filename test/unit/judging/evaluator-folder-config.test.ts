import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFolderConfig, readEvaluatorFolder } from '../../../daemon/judging/folder/folder-config.ts';
import { folderModels, folderRequest, modelsOfFolder } from '../../../daemon/judging/folder/folder-request.ts';
import { endpointOf } from '../../../daemon/llm/presets.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';

const yaml = `
max_iterations: 40
random_seed: 7
llm:
  models: [{ name: a, weight: 0.8 }, { name: b }]
  api_key: null
  evaluator_models: [{ name: judge }]
database:
  feature_dimensions: [score, spread]
evaluator:
  timeout: 30
  cascade_thresholds: [0.2]
checkpoint_interval: 10
no_such_key: 1
`;

describe('the configuration of an evaluator folder', () => {
  it('is read, and what has no effect is named once', () => {
    const { config, warnings } = parseFolderConfig(yaml, 'config.yaml');
    assert.deepEqual([config.max_iterations, config.random_seed, config.llm?.models?.[1]], [40, 7, { name: 'b', weight: 1 }]);
    assert.deepEqual(warnings, [
      'config.yaml has keys that have no effect here: llm.evaluator_models (candidates are judged by the evaluator alone, so that a score can be repeated); checkpoint_interval (every step is kept in .peagen); no_such_key (not known).',
    ]);
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
      writeFileSync(join(root, 'config.yaml'), 'of: [something else');
      assert.equal(await readEvaluatorFolder(root, true), undefined);
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

  it('reads the first of several phases where no configuration has the usual name, and names the others', async () => {
    await inFolder('max_iterations: 1', async (root) => {
      writeFileSync(join(root, 'config_phase_2.yaml'), 'max_iterations: 3');
      assert.deepEqual((await readEvaluatorFolder(root))?.warnings, []);
      renameSync(join(root, 'config.yaml'), join(root, 'config_phase_1.yaml'));
      const folder = await readEvaluatorFolder(root);
      assert.equal(folder?.config.max_iterations, 1);
      assert.deepEqual(folder?.warnings, [
        'config_phase_1.yaml is read, and not config_phase_2.yaml. Rename the one to read to config.yaml.',
      ]);
    });
  });

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
        max_code_length: 9000,
        selector: 'ratios',
        selector_options: { archive: 60 },
        examples: { best: 3, others: 2 },
        asking: { temperature: 0.2, system: 'You pack circles.', artifact_chars: 4000 },
        axes: [
          { name: 'size', bin: 6, unit: '', scale: 'quantile' },
          { name: 'spread', bin: 6, unit: '', scale: 'quantile' },
        ],
        islands: { count: 3, interval: 7, migrants: 2 },
        stop: { max_generations: 10 },
      });
      assert.deepEqual(warnings, [
        'The models of the configuration are asked, not those of the folder: llm.api_base, llm.timeout, llm.models have no effect.',
      ]);
      const taken = await folderRequest(root, Config.parse({ ...(await modelsOfFolder(root)) }), { population: 8 });
      assert.deepEqual([taken?.request.population, taken?.request.stop?.max_generations], [8, 5]);
      assert.deepEqual(taken?.warnings, []);
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
    assert.equal(config.llm.default_backend, 'weighted');
    assert.equal(folderModels(parseFolderConfig('llm: { temperature: 1 }', 'config.yaml').config), undefined);
  });

  it('says of each model how it is asked and reached, over what is said of all', () => {
    const { config } = parseFolderConfig(
      `llm: { api_base: "http://127.0.0.1:1/v1", retries: 3, retry_delay: 5, models: [{ name: a, retries: 0, top_p: 0.5, reasoning_effort: low }, { name: b, weight: 0 }, { name: c, api_base: "https://openrouter.ai/api/v1", timeout: 7 }] }`,
      'config.yaml',
    );
    assert.deepEqual(folderModels(config)?.llm.backends, [
      {
        name: 'a',
        model: 'a',
        weight: 1,
        base_url: 'http://127.0.0.1:1/v1',
        retries: 0,
        retry_delay_ms: 5000,
        reasoning_effort: 'low',
        top_p: 0.5,
      },
      { name: 'c', model: 'c', weight: 1, preset: 'openrouter', timeout_ms: 7000, retries: 3, retry_delay_ms: 5000 },
    ]);
  });

  it('has the older form of two models', () => {
    const { config } = parseFolderConfig(
      'llm: { primary_model: a, primary_model_weight: 0.8, secondary_model: b, secondary_model_weight: 0.2 }',
      'config.yaml',
    );
    const models = folderModels(config)?.llm.backends ?? [];
    assert.deepEqual(
      models.map(({ name, weight }) => [name, weight]),
      [
        ['a', 0.8],
        ['b', 0.2],
      ],
    );
  });

  it('takes models of ShinkaEvolve that an endpoint is known for, and names the others', () => {
    const { config, warnings } = parseFolderConfig(
      'evo_config: { llm_models: [gpt-4.1, "local/qwen@http://127.0.0.1:1/v1", bedrock/x], patch_type_probs: [0.5, 0.5], job_type: local }',
      'shinka.yaml',
    );
    assert.deepEqual(
      config.llm?.models?.map(({ name, api_base }) => [name, api_base]),
      [
        ['gpt-4.1', undefined],
        ['qwen', 'http://127.0.0.1:1/v1'],
      ],
    );
    assert.match(
      warnings.join(),
      /patch_type_probs \(shares follow what pays\).*llm_models: bedrock\/x \(no endpoint is known for it\)/,
    );
  });

  it('stops when nothing better has come for a number of iterations', async () => {
    await inFolder('early_stopping_patience: 20\nevaluator: { parallel_evaluations: 8 }', async (root) => {
      assert.deepEqual((await folderRequest(root, Config.parse({})))?.request.stop, { no_improve: 3 });
    });
  });

  it('brings templates of its own, from inside the folder only', async () => {
    await inFolder('prompt: { template_dir: templates, system_message: mine }', async (root) => {
      mkdirSync(join(root, 'templates'));
      writeFileSync(join(root, 'templates/diff_user.txt'), 'Improve {current_program}');
      writeFileSync(join(root, 'templates/mine.txt'), 'You pack.');
      writeFileSync(join(root, 'templates/evaluation.txt'), 'Judge.');
      symlinkSync('/etc/hostname', join(root, 'templates/full_rewrite_user.txt'));
      const found = await folderRequest(root, Config.parse({}));
      assert.deepEqual(found?.request.asking?.questions, { patch: 'Improve {current_program}' });
      assert.equal(found?.request.asking?.system, 'You pack.');
      assert.deepEqual(found?.warnings, [
        'prompt.template_dir has files that are not used: evaluation.txt, full_rewrite_user.txt.',
      ]);
    });
    await inFolder('prompt: { template_dir: ../.. }', async (root) => {
      const found = await folderRequest(root, Config.parse({}));
      assert.match(found?.warnings.join() ?? '', /outside of the folder/);
    });
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
