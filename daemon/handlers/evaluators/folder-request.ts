/** A folder of OpenEvolve or ShinkaEvolve shape as the target of a run: program, evaluator and settings come from it. */
import type { Config } from '../../../shared/config.ts';
import type { FeatureAxis } from '../../../shared/niche.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import type { IslandSpec } from '../../../shared/run.ts';
import { presetAt } from '../../llm/presets.ts';
import { type FolderConfig, readEvaluatorFolder } from './folder-config.ts';

export interface FolderRequest {
  readonly request: Pick<RunRequest, 'target' | 'evaluator'> & Partial<RunRequest>;
  readonly warnings: readonly string[];
}

/** Keys of its config.yaml that shape a run here; what the evaluator takes is in its own options. */
const honoured = [
  'max_iterations',
  'random_seed',
  'language',
  'file_suffix',
  'diff_based_evolution',
  'prompt.system_message',
  'evaluator.timeout',
  'evaluator.cascade_evaluation',
  'evaluator.cascade_thresholds',
  'evaluator.parallel_evaluations',
  'database.feature_dimensions',
  'database.feature_bins',
  'database.num_islands',
  'database.migration_interval',
  'database.migration_rate',
];
/** And those that a command line takes when no model is configured (`folderModels`). */
const ofModels = ['api_base', 'models', 'primary_model', 'temperature', 'max_tokens', 'timeout'].map((key) => `llm.${key}`);

/** Undefined when the folder has no such evaluator. `takesModels`: its own models are asked. */
export async function folderRequest(
  root: string,
  config: Config,
  how: { population?: number | undefined; takesModels?: boolean } = {},
): Promise<FolderRequest | undefined> {
  const folder = await readEvaluatorFolder(root);
  if (folder === undefined) return undefined;
  const { config: own, initial, evaluator } = folder;
  const population = how.population ?? own.evaluator?.parallel_evaluations;
  const { max_iterations: iterations, random_seed: seed, diff_based_evolution: diffs } = own;
  const taken = how.takesModels === true ? [...honoured, ...ofModels] : honoured;
  const ignored = keysOf(own).filter((key) => !taken.includes(key));
  const axes = axesOf(own);
  const islands = islandsOf(own);
  const perGeneration = population ?? config.evolve.population;
  return {
    request: {
      target: { root, path: initial },
      evaluator,
      ...(seed === undefined ? {} : { seed }),
      ...(population === undefined ? {} : { population }),
      // Without a model there is nothing to choose between.
      ...(diffs === undefined || config.llm.backends.length === 0 ? {} : { mutator: diffs ? 'patch' : 'rewrite' }),
      ...(own.prompt?.system_message === undefined ? {} : { instructions: own.prompt.system_message }),
      ...(axes === undefined ? {} : { axes }),
      ...(islands === undefined ? {} : { islands }),
      ...(iterations === undefined ? {} : { stop: { max_generations: Math.max(1, Math.ceil(iterations / perGeneration)) } }),
    },
    warnings: [
      ...folder.warnings,
      ...(ignored.length === 0
        ? []
        : [`config.yaml has settings that a run here takes from .peagen.toml instead: ${ignored.join(', ')}.`]),
    ],
  };
}

/**
 * Its models as flags of a configuration that has none; undefined when it names none. A folder may come from anywhere: a key
 * goes only to the endpoint that it belongs to, and another address than a known one is asked without.
 */
export function folderModels({ llm }: FolderConfig): { llm: object; mutate: object } | undefined {
  const models = llm?.models ?? (llm?.primary_model === undefined ? [] : [{ name: llm.primary_model, weight: 1 }]);
  if (llm === undefined || models.length === 0) return undefined;
  const preset = llm.api_base === undefined ? 'openai' : presetAt(llm.api_base);
  const backends = models.map(({ name, weight }) => ({
    name,
    model: name,
    weight,
    ...(preset === undefined ? { base_url: llm.api_base } : { preset }),
    ...(llm.timeout === undefined ? {} : { timeout_ms: llm.timeout * 1000 }),
  }));
  return {
    llm: { backends, ...(models.length > 1 ? { default_backend: 'weighted' } : {}) },
    mutate: {
      ...(llm.temperature === undefined ? {} : { temperature: llm.temperature }),
      ...(llm.max_tokens === undefined ? {} : { max_tokens: llm.max_tokens }),
    },
  };
}

/** What is called otherwise there; everything else is a feature of ours or one of the evaluator's metrics. */
const features: Readonly<Record<string, string>> = { complexity: 'size', score: 'combined_score' };
const USUAL_BINS = 10;

/** So many bins as it asks for, with borders that follow the values seen. */
function axesOf({ database }: FolderConfig): FeatureAxis[] | undefined {
  const { feature_dimensions: names, feature_bins: bins } = database ?? {};
  if (names === undefined || names.length === 0) return undefined;
  return names.map((name) => {
    const wanted = typeof bins === 'number' ? bins : (bins?.[name] ?? USUAL_BINS);
    return {
      name: features[name] ?? name,
      bin: Math.min(256, Math.max(2, Math.round(wanted))),
      unit: '',
      scale: 'quantile' as const,
    };
  });
}

/** One island is a plain archive. */
function islandsOf({ database }: FolderConfig): IslandSpec | undefined {
  const count = Math.min(64, Math.round(database?.num_islands ?? 1));
  if (count < 2) return undefined;
  const each = (database?.archive_size ?? 100) / count;
  return {
    count,
    interval: Math.max(1, Math.round(database?.migration_interval ?? 5)),
    migrants: Math.max(1, Math.round((database?.migration_rate ?? 0) * each)),
  };
}

/** Dotted names of all that is set, two levels deep. */
function keysOf(config: FolderConfig): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );
}
