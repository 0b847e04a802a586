/** A folder of OpenEvolve or ShinkaEvolve shape as the target of a run: program, evaluator and settings come from it. */
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import { type FolderConfig, readEvaluatorFolder } from './folder-config.ts';

export interface FolderRequest {
  readonly request: Pick<RunRequest, 'target' | 'evaluator'> & Partial<RunRequest>;
  readonly warnings: readonly string[];
}

/** Keys of its config.yaml that shape a run here; what the evaluator takes is in its own options. */
const honoured = [
  'max_iterations',
  'random_seed',
  'file_suffix',
  'evaluator.timeout',
  'evaluator.cascade_evaluation',
  'evaluator.cascade_thresholds',
  'database.feature_dimensions',
];

/** Undefined when the folder has no such evaluator. `population`: candidates per generation. */
export async function folderRequest(root: string, population: number): Promise<FolderRequest | undefined> {
  const folder = await readEvaluatorFolder(root);
  if (folder === undefined) return undefined;
  const { config, initial, evaluator } = folder;
  const { max_iterations: iterations, random_seed: seed } = config;
  const ignored = keysOf(config).filter((key) => !honoured.includes(key));
  return {
    request: {
      target: { root, path: initial },
      evaluator,
      ...(seed === undefined ? {} : { seed }),
      ...(iterations === undefined ? {} : { stop: { max_generations: Math.max(1, Math.ceil(iterations / population)) } }),
    },
    warnings: [
      ...folder.warnings,
      ...(ignored.length === 0
        ? []
        : [`config.yaml has settings that a run here takes from .peagen.toml instead: ${ignored.join(', ')}.`]),
    ],
  };
}

/** Dotted names of all that is set, two levels deep. */
function keysOf(config: FolderConfig): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
  );
}
