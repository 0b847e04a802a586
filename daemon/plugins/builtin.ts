/** Registers the built-in parts. Each room owns its lines; a loader imports only what it needs. */
import { resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { queueOptions } from '../fabric/options.ts';
import { Registry } from './registry.ts';

export function builtinRegistry(): Registry {
  const registry = new Registry();
  registry.register('queue', 'stub', async () => {
    const { StubQueue } = await import('../fabric/stub/stub-queue.ts');
    return async (config) => new StubQueue(queueOptions(config));
  });
  registry.register('results', 'fs', async () => {
    const { FsResultStore } = await import('../fabric/results/fs.ts');
    return async ({ result_backend: { root, compress } }, workspace) => new FsResultStore(resolve(workspace, root), { compress });
  });
  registry.register('mutator', 'structural', async () => {
    const { structural } = await import('../evolution/mutators/structural.ts');
    return () => structural;
  });
  registry.register('selector', 'epsilon', async () => {
    const { EpsilonSelector } = await import('../evolution/selectors/epsilon.ts');
    return (config) => new EpsilonSelector(config);
  });
  for (const name of ['speed', 'memory', 'size', 'age'] as const) {
    registry.register('feature', name, async () => (await import('../evolution/features.ts'))[name]);
  }
  registry.register('handler', 'mutate', async () => {
    const { MutateHandler } = await import('../handlers/mutate.ts');
    return () => new MutateHandler('mutate', ['cpu', 'llm'], askNobody);
  });
  registry.register('handler', 'mutate-offline', async () => {
    const { MutateHandler } = await import('../handlers/mutate.ts');
    return () => new MutateHandler('mutate-offline', ['cpu'], askNobody);
  });
  registry.register('handler', 'evaluate', async () => {
    const { EvaluateHandler } = await import('../handlers/evaluate.ts');
    return () => new EvaluateHandler();
  });
  registry.register('sandbox', 'bubblewrap', async () => {
    const { createBubblewrapTier } = await import('../sandbox/bubblewrap.ts');
    return () => createBubblewrapTier();
  });
  registry.register('sandbox', 'plain', async () => {
    const { createPlainTier } = await import('../sandbox/plain.ts');
    return () => createPlainTier();
  });
  registry.register('evaluator', 'function', async () => {
    const { createFunctionEvaluator } = await import('../handlers/evaluators/function.ts');
    return () => createFunctionEvaluator();
  });
  for (const [name, provides] of [
    ['execute', []],
    ['execute-python', ['python']],
    ['execute-node', ['node']],
  ] as const) {
    registry.register('handler', name, async () => {
      const { createExecuteHandler } = await import('../handlers/execute.ts');
      return () => createExecuteHandler(name, provides);
    });
  }
  return registry;
}

async function askNobody(): Promise<never> {
  throw new PeagenError('unavailable', 'No language model is configured.', {
    hint: 'Add [[llm.backends]] with a name, a model and a preset or base_url to .peagen.toml, or use the mutator "structural".',
    retryable: false,
  });
}
