/** A folder of OpenEvolve or ShinkaEvolve shape as the target of a run: program, evaluator and settings come from it. */
import type * as z from 'zod';
import type { Asking } from '../../../shared/asking.ts';
import type { Config, LlmBackendConfig } from '../../../shared/config.ts';
import type { EvaluatorSpec } from '../../../shared/judging.ts';
import type { FeatureAxis } from '../../../shared/niche.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import type { IslandSpec } from '../../../shared/run-spec.ts';
import { presetAt } from '../../llm/presets.ts';
import { readEvaluatorFolder } from './folder-config.ts';
import type { FolderConfig } from './folder-schema.ts';
import { readTemplates } from './folder-templates.ts';

export interface FolderRequest {
  readonly request: RunRequest & { readonly evaluator: EvaluatorSpec };
  readonly warnings: readonly string[];
}

/** Keys that say which models are asked, and how they are reached. */
const ofModels = [
  ...['api_base', 'models', 'primary_model', 'primary_model_weight', 'secondary_model', 'secondary_model_weight'],
  ...['timeout', 'retries', 'retry_delay', 'reasoning_effort'],
].map((key) => `llm.${key}`);

/** Undefined when the folder has no such evaluator, and when the configuration names the program of one that has none itself. */
export async function folderRequest(
  root: string,
  config: Config,
  how: { population?: number | undefined } = {},
): Promise<FolderRequest | undefined> {
  const folder = await readEvaluatorFolder(root, config.mutate.target_file !== undefined);
  if (folder === undefined) return undefined;
  const { config: own, initial, evaluator } = folder;
  const population = how.population ?? own.evaluator?.parallel_evaluations;
  const { max_iterations: iterations, early_stopping_patience: patience, max_code_length } = own;
  const seed = own.random_seed ?? own.database?.random_seed;
  const models = asksOwnModels(own, config) ? [] : keysOf(own).filter((key) => ofModels.includes(key));
  const inGenerations = (candidates: number) => Math.max(1, Math.ceil(candidates / (population ?? config.evolve.population)));
  const { questions, warnings } = await readTemplates(root, own);
  return {
    request: {
      target: { root, path: initial },
      evaluator,
      ...(seed === undefined ? {} : { seed }),
      ...(population === undefined ? {} : { population }),
      // Without a model there is no choice.
      ...(config.llm.backends.length === 0 ? {} : mutatorOf(own)),
      ...(max_code_length === undefined ? {} : { max_code_length: Math.ceil(max_code_length) }),
      ...selectionOf(own),
      ...examplesOf(own),
      asking: { ...askingOf(own), ...questions },
      ...axesOf(own),
      ...islandsOf(own),
      ...(iterations === undefined && patience === undefined
        ? {}
        : {
            stop: {
              ...(iterations === undefined ? {} : { max_generations: inGenerations(iterations) }),
              ...(patience === undefined ? {} : { no_improve: inGenerations(patience) }),
            },
          }),
    },
    warnings: [
      ...folder.warnings,
      ...warnings,
      ...(models.length === 0
        ? []
        : [`The models of the configuration are asked, not those of the folder: ${models.join(', ')} have no effect.`]),
    ],
  };
}

/** Does the same for a folder that may have no evaluator or no program. */
export async function modelsOfFolder(root: string): Promise<ReturnType<typeof folderModels>> {
  const folder = await readEvaluatorFolder(root, true);
  return folder === undefined ? undefined : folderModels(folder.config);
}

/** Whether the configuration has the folder's own models, since it names none itself. */
function asksOwnModels(own: FolderConfig, { llm }: Config): boolean {
  const wanted = folderModels(own)?.llm.backends ?? [];
  return wanted.every(({ name, model }) => llm.backends.some((backend) => backend.name === name && backend.model === model));
}

/**
 * Its models as flags of a configuration that has none; undefined when it names none. A folder may come from anywhere: a key
 * goes only to the endpoint that it belongs to, and another address than a known one is asked without.
 */
export function folderModels({ llm }: FolderConfig): { llm: { backends: Backend[]; default_backend?: string } } | undefined {
  if (llm === undefined) return undefined;
  const named = (name: string | undefined, weight = 1) => (name === undefined ? [] : [{ name, weight }]);
  const models: NonNullable<typeof llm.models> = llm.models ?? [
    ...named(llm.primary_model, llm.primary_model_weight),
    ...named(llm.secondary_model, llm.secondary_model_weight),
  ];
  const asked = models.filter(({ weight }) => weight > 0);
  if (asked.length === 0) return undefined;
  const backends = asked.map(({ name, weight, ...over }, i): Backend => {
    const { api_base: base, timeout, retries, retry_delay, reasoning_effort } = { ...llm, ...over };
    const preset = base === undefined ? 'openai' : presetAt(base);
    return {
      name: asked.findIndex((other) => other.name === name) === i ? name : `${name} (${i + 1})`,
      model: name,
      weight,
      ...(preset === undefined ? { base_url: base } : { preset }),
      ...(timeout === undefined ? {} : { timeout_ms: timeout * 1000 }),
      ...(retries === undefined ? {} : { retries: Math.round(retries) }),
      ...(retry_delay === undefined || retry_delay <= 0 ? {} : { retry_delay_ms: retry_delay * 1000 }),
      ...(reasoning_effort === undefined ? {} : { reasoning_effort }),
      // What is the same for all models is a matter of the run.
      ...(over.temperature === undefined ? {} : { temperature: over.temperature }),
      ...(over.top_p === undefined ? {} : { top_p: over.top_p }),
    };
  });
  return { llm: { backends, ...(backends.length > 1 ? { default_backend: 'weighted' } : {}) } };
}

type Backend = z.input<typeof LlmBackendConfig>;

const mutators: Readonly<Record<string, string>> = { diff: 'patch', full: 'rewrite', cross: 'crossover' };

function mutatorOf({ diff_based_evolution: diffs, patch_types: types = [] }: FolderConfig): { mutator?: string } {
  const [first, ...others] = types.flatMap((type) => mutators[type] ?? []);
  if (first !== undefined) return { mutator: others.length === 0 ? first : 'auto' };
  return diffs === undefined ? {} : { mutator: diffs ? 'patch' : 'rewrite' };
}

/** How parents are chosen, when it says anything about that, and how many champions are kept. */
function selectionOf({ database = {} }: FolderConfig): Pick<RunRequest, 'selector' | 'selector_options' | 'capacity'> {
  const { population_size: size, archive_size: archive, exploration_ratio, exploitation_ratio, elite_selection_ratio } = database;
  const given = [archive, exploration_ratio, exploitation_ratio, elite_selection_ratio].some((value) => value !== undefined);
  const options = {
    ...(archive === undefined ? {} : { archive: Math.max(1, Math.round(archive)) }),
    ...(exploration_ratio === undefined ? {} : { exploration: exploration_ratio }),
    ...(exploitation_ratio === undefined ? {} : { exploitation: exploitation_ratio }),
    ...(elite_selection_ratio === undefined ? {} : { elites: elite_selection_ratio }),
  };
  return {
    ...(given ? { selector: 'ratios', selector_options: options } : {}),
    ...(size === undefined ? {} : { capacity: Math.max(1, Math.round(size)) }),
  };
}

/** Where only one of the two is set, the other is what OpenEvolve shows. */
function examplesOf({ prompt }: FolderConfig): Pick<RunRequest, 'examples'> {
  const { num_top_programs: best, num_diverse_programs: others } = prompt ?? {};
  if (best === undefined && others === undefined) return {};
  const whole = (value: number) => Math.min(64, Math.max(0, Math.round(value)));
  return { examples: { best: whole(best ?? 3), others: whole(others ?? 2) } };
}

/** Characters of an evaluation's output that are shown, unless the folder says how many. */
const USUAL_ARTIFACTS = 4_000;

function askingOf({ llm = {}, prompt = {}, evaluator = {} }: FolderConfig): Asking {
  const { temperature, top_p, max_tokens } = llm;
  const { system_message: system, use_template_stochasticity: varied = true, template_variations: variations } = prompt;
  const shows = prompt.include_artifacts !== false && evaluator.enable_artifacts !== false;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(max_tokens === undefined ? {} : { max_tokens: Math.max(1, Math.round(max_tokens)) }),
    ...(system === undefined ? {} : { system }),
    // Without variation, each prompt is always the same.
    ...(variations === undefined ? {} : { variations: varied ? variations : firsts(variations) }),
    artifact_chars: shows ? Math.max(0, Math.round(prompt.max_artifact_bytes ?? USUAL_ARTIFACTS)) : 0,
  };
}

function firsts(variations: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(variations).map(([name, texts]) => [name, texts.slice(0, 1)]));
}

/** Features with another name there; every other name is a feature of Peagen or a metric of the evaluator. */
const features: Readonly<Record<string, string>> = { complexity: 'size', score: 'combined_score' };
const USUAL_BINS = 10;

/** As many bins as it asks for, with borders that follow the values seen. */
function axesOf({ database }: FolderConfig): { axes?: FeatureAxis[] } {
  const { feature_dimensions: names, feature_bins: bins } = database ?? {};
  if (names === undefined || names.length === 0) return {};
  const axes = names.map((name) => {
    const wanted = typeof bins === 'number' ? bins : (bins?.[name] ?? USUAL_BINS);
    return {
      name: features[name] ?? name,
      bin: Math.min(256, Math.max(2, Math.round(wanted))),
      unit: '',
      scale: 'quantile' as const,
    };
  });
  return { axes };
}

/** One island is a plain archive. */
function islandsOf({ database }: FolderConfig): { islands?: IslandSpec } {
  const count = Math.min(64, Math.round(database?.num_islands ?? 1));
  if (count < 2) return {};
  const each = (database?.archive_size ?? 100) / count;
  return {
    islands: {
      count,
      interval: Math.max(1, Math.round(database?.migration_interval ?? 5)),
      migrants: Math.max(1, Math.round((database?.migration_rate ?? 0) * each)),
    },
  };
}

/** Dotted names of all that is set, two levels deep. */
function keysOf(config: FolderConfig): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );
}
