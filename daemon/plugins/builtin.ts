/** Registers the built-in parts. Each room owns its lines; a loader imports only what it needs. */
import { resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import { queueOptions } from '../fabric/options.ts';
import type { Ask } from '../handlers/mutate.ts';
import { backendConfig, presetNames } from '../llm/presets.ts';
import { Registry } from '../registry.ts';

/** Where candidates run: in the configured sandbox, or for tasks of a pool in containers, with GPUs or without. */
const places = [
  { name: 'execute', tags: [], tier: undefined },
  { name: 'execute-docker', tags: ['docker'], tier: 'docker' },
  { name: 'execute-gpu', tags: ['docker', 'gpu'], tier: 'docker-gpu' },
  ...[11, 12, 13].map((major) => ({ name: `execute-cuda${major}`, tags: ['docker', 'gpu', `cuda${major}`], tier: 'docker-gpu' })),
];

/** One handler for each place and interpreter, since a worker must have all that its handler provides. */
const executeHandlers = places.flatMap(({ name, tags, tier }) => [
  { name, provides: tags, tier },
  ...['python', 'node'].map((runtime) => ({ name: `${name}-${runtime}`, provides: [...tags, runtime], tier })),
]);

export function builtinRegistry(): Registry {
  const registry = new Registry();
  registry.register('queue', 'stub', async () => {
    const { StubQueue } = await import('../fabric/stub/stub-queue.ts');
    return async (config) => new StubQueue(queueOptions(config));
  });
  registry.register('queue', 'redis', async () => {
    const { openRedisQueue } = await import('../fabric/redis/open.ts');
    return openRedisQueue;
  });
  registry.register('results', 's3', async () => {
    const { openS3ResultStore } = await import('../fabric/results/s3.ts');
    return async (config, workspace) => openS3ResultStore(config, workspace, process.env);
  });
  registry.register('results', 'fs', async () => {
    const { FsResultStore } = await import('../fabric/results/fs.ts');
    return async ({ result_backend: { root, compress } }, workspace) => new FsResultStore(resolve(workspace, root), { compress });
  });
  registry.register('mutator', 'structural', async () => {
    const { structural } = await import('../evolution/mutators/structural.ts');
    return () => structural;
  });
  registry.register('mutator', 'crossover-tree', async () => {
    const { crossoverTree } = await import('../evolution/mutators/crossover-tree.ts');
    return () => crossoverTree;
  });
  for (const preset of presetNames) {
    registry.register('backend', preset, async () => {
      const { compatibleBackend } = await import('../llm/backends/compatible.ts');
      return (config, name, env) => compatibleBackend(backendConfig(config, name), env);
    });
  }
  registry.register('backend', 'command', async () => {
    const { commandBackend } = await import('../llm/backends/command.ts');
    return (config, name, env) => commandBackend(backendConfig(config, name), env);
  });
  registry.register('backend', 'replay', async () => {
    const { replayBackend } = await import('../evolution/answers/recorded.ts');
    return (config, name) => replayBackend(backendConfig(config, name));
  });
  registry.register('backend', 'editor', async () => {
    const { editorBackend } = await import('../llm/backends/editor.ts');
    return (config, name) => editorBackend(backendConfig(config, name));
  });
  for (const name of ['patch', 'rewrite', 'crossover', 'fix'] as const) {
    registry.register('mutator', name, async () => {
      const { modelMutator } = await import('../evolution/mutators/patch.ts');
      return (config) => modelMutator(name, config);
    });
  }
  registry.register('selector', 'epsilon', async () => {
    const { EpsilonSelector } = await import('../evolution/selectors/epsilon.ts');
    return (config) => new EpsilonSelector(config);
  });
  registry.register('selector', 'tournament', async () => {
    const { TournamentSelector } = await import('../evolution/selectors/tournament.ts');
    return (config) => new TournamentSelector(config);
  });
  registry.register('selector', 'rank', async () => {
    const { RankSelector } = await import('../evolution/selectors/rank.ts');
    return (config) => new RankSelector(config);
  });
  registry.register('selector', 'ratios', async () => {
    const { RatiosSelector } = await import('../evolution/selectors/ratios.ts');
    return (config) => new RatiosSelector(config);
  });
  registry.register('selector', 'ucb', async () => {
    const { UcbSelector } = await import('../evolution/selectors/ucb.ts');
    return (config) => new UcbSelector(config);
  });
  registry.register('selector', 'thompson', async () => {
    const { ThompsonSelector } = await import('../evolution/selectors/thompson.ts');
    return (config) => new ThompsonSelector(config);
  });
  registry.register('selector', 'age', async () => {
    const { AgeSelector } = await import('../evolution/selectors/age.ts');
    return (config) => new AgeSelector(config);
  });
  registry.register('selector', 'lexicase', async () => {
    const { LexicaseSelector } = await import('../evolution/selectors/lexicase.ts');
    return (config) => new LexicaseSelector(config);
  });
  registry.register('selector', 'island', async () => {
    const { IslandSelector } = await import('../evolution/selectors/island.ts');
    return (config) => new IslandSelector(config);
  });
  for (const name of ['speed', 'memory', 'size', 'age', 'diversity'] as const) {
    registry.register('feature', name, async () => (await import('../evolution/features.ts'))[name]);
  }
  registry.register('feature', 'approach', async () => (await import('../evolution/syntax/approach.ts')).loadApproach());
  registry.register('feature', 'complexity', async () => (await import('../evolution/syntax/complexity.ts')).loadComplexity());
  const made = new Set<Sha256>();
  registry.register('handler', 'mutate', async () => {
    const { MutateHandler } = await import('../handlers/mutate.ts');
    return () => new MutateHandler('mutate', ['cpu', 'llm'], askModels, made);
  });
  registry.register('handler', 'mutate-offline', async () => {
    const { MutateHandler } = await import('../handlers/mutate.ts');
    return () => new MutateHandler('mutate-offline', ['cpu'], askNobody);
  });
  registry.register('handler', 'render', async () => {
    const { RenderHandler } = await import('../handlers/render.ts');
    return () => new RenderHandler();
  });
  registry.register('handler', 'render-llm', async () => {
    const [{ GenerateHandler }, { askModels }] = await Promise.all([import('../handlers/generate.ts'), import('../llm/ask.ts')]);
    return () => new GenerateHandler(askModels);
  });
  registry.register('handler', 'evaluate', async () => {
    const { EvaluateHandler } = await import('../handlers/evaluate.ts');
    return () => new EvaluateHandler();
  });
  registry.register('executor', 'bubblewrap', async () => {
    const { createBubblewrapTier } = await import('../executors/bubblewrap/bubblewrap.ts');
    return () => createBubblewrapTier();
  });
  registry.register('executor', 'seatbelt', async () => {
    const { createSeatbeltTier } = await import('../executors/seatbelt/seatbelt.ts');
    return () => createSeatbeltTier();
  });
  registry.register('executor', 'docker', async () => {
    const { createDockerTier } = await import('../executors/docker/docker.ts');
    return () => createDockerTier();
  });
  registry.register('executor', 'docker-gpu', async () => {
    const [{ createDockerTier }, { default: Docker }] = await Promise.all([
      import('../executors/docker/docker.ts'),
      import('dockerode'),
    ]);
    return () => createDockerTier(new Docker(), { gpus: true });
  });
  registry.register('executor', 'plain', async () => {
    const { createPlainTier } = await import('../executors/plain.ts');
    return () => createPlainTier();
  });
  for (const kind of ['openevolve', 'shinka'] as const) {
    registry.register('evaluator', kind, async () => {
      const { createFolderEvaluator } = await import('../judging/folder/folder.ts');
      return () => createFolderEvaluator(kind);
    });
  }
  registry.register('evaluator', 'command', async () => {
    const { createCommandEvaluator } = await import('../judging/command/command.ts');
    return () => createCommandEvaluator();
  });
  registry.register('evaluator', 'function', async () => {
    const { createFunctionEvaluator } = await import('../judging/function/function.ts');
    return ({ evaluate: { instructions } }) => createFunctionEvaluator({ instructions });
  });
  for (const { name, provides, tier } of executeHandlers) {
    registry.register('handler', name, async () => {
      const { createExecuteHandler } = await import('../handlers/execute.ts');
      return () => createExecuteHandler(name, provides, tier);
    });
  }
  registry.register('launcher', 'docker', async () => {
    const [{ DockerLauncher }, { packageNames }] = await Promise.all([
      import('../fabric/launchers/docker.ts'),
      import('./copy.ts'),
    ]);
    return (config, workspace) => {
      const packages = packageNames(config.plugins.packages, workspace, process.env);
      const plugins = Object.assign({}, config.plugins, { packages });
      return new DockerLauncher({ config: { ...config, plugins }, workspace });
    };
  });
  registry.register('launcher', 'process', async () => {
    const { ProcessLauncher } = await import('../fabric/launchers/process.ts');
    return (config, workspace) => new ProcessLauncher({ config, workspace });
  });
  return registry;
}

/** Imported with the first question: a worker looks at this handler also to learn that it has no models. */
const askModels: Ask = async (request, context) => (await import('../llm/ask.ts')).askModels(request, context);

async function askNobody(): Promise<never> {
  throw new PeagenError('unavailable', 'No language model is configured.', {
    hint: 'Add [[llm.backends]] with a name, a model and a preset or base_url to .peagen.toml, or use the mutator "structural".',
    retryable: false,
  });
}
