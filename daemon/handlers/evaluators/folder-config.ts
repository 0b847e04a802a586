/**
 * The `config.yaml` of an evaluator folder, mapped to what a run here understands. A key that means nothing here is named
 * once in a warning, never dropped silently.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { EvaluatorSpec } from '../../../shared/judging.ts';
import { folderEvaluator } from './folder.ts';

const number = z.number().optional();
const FolderConfig = z.object({
  max_iterations: number,
  random_seed: number,
  language: z.string().optional(),
  file_suffix: z.string().optional(),
  diff_based_evolution: z.boolean().optional(),
  max_code_length: number,
  llm: z
    .object({
      api_base: z.string().optional(),
      models: z.array(z.object({ name: z.string(), weight: z.number().default(1) })).optional(),
      primary_model: z.string().optional(),
      temperature: number,
      max_tokens: number,
      timeout: number,
    })
    .optional(),
  prompt: z
    .object({
      system_message: z.string().optional(),
      num_top_programs: number,
      num_diverse_programs: number,
      include_artifacts: z.boolean().optional(),
      max_artifact_bytes: number,
    })
    .optional(),
  database: z
    .object({
      population_size: number,
      archive_size: number,
      num_islands: number,
      feature_dimensions: z.union([z.array(z.string()), z.number().transform((): string[] => [])]).optional(),
      feature_bins: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
      migration_interval: number,
      migration_rate: number,
      exploration_ratio: number,
      exploitation_ratio: number,
    })
    .optional(),
  evaluator: z
    .object({
      timeout: number,
      cascade_evaluation: z.boolean().optional(),
      cascade_thresholds: z.array(z.number()).optional(),
      parallel_evaluations: number,
    })
    .optional(),
});
export type FolderConfig = z.infer<typeof FolderConfig>;

export interface EvaluatorFolder {
  /** The program to start from, relative to the folder. */
  readonly initial: string;
  readonly evaluator: EvaluatorSpec;
  readonly config: FolderConfig;
  readonly warnings: readonly string[];
}

/** Undefined when the folder brings no evaluator. Throws `not_found` (no initial program), `invalid_config`. */
export async function readEvaluatorFolder(root: string): Promise<EvaluatorFolder | undefined> {
  const spec = folderEvaluator(root);
  if (spec === undefined) return undefined;
  const names = await readdir(root);
  const file = names.find((name) => /^config\.ya?ml$/.test(name));
  const { config, warnings } =
    file === undefined ? { config: {}, warnings: [] } : parseFolderConfig(await readFile(join(root, file), 'utf8'), file);
  const stem = spec.name === 'shinka' ? /^initial\.[^.]+$/ : /^initial_program\.[^.]+$/;
  const initial = names.find(
    (name) => stem.test(name) && (config.file_suffix === undefined || name.endsWith(config.file_suffix)),
  );
  if (initial === undefined) {
    throw new PeagenError('not_found', `${root} has an evaluator, but no program to start from.`, {
      hint: spec.name === 'shinka' ? 'It is named initial.py.' : 'It is named initial_program.py, or with another suffix.',
    });
  }
  const { evaluator, database } = config;
  const options = {
    ...spec.options,
    ...(evaluator?.timeout === undefined ? {} : { timeout: evaluator.timeout }),
    ...(evaluator?.cascade_evaluation === undefined ? {} : { cascade: evaluator.cascade_evaluation }),
    ...(evaluator?.cascade_thresholds === undefined ? {} : { cascade_thresholds: evaluator.cascade_thresholds }),
    ...(database?.feature_dimensions === undefined ? {} : { feature_dimensions: database.feature_dimensions }),
  };
  return { initial, evaluator: { name: spec.name, options }, config, warnings };
}

/** `name` is the file's, for messages. */
export function parseFolderConfig(text: string, name: string): { config: FolderConfig; warnings: string[] } {
  let raw: unknown;
  try {
    raw = parse(text) ?? {};
  } catch (cause) {
    throw new PeagenError('invalid_config', `${name} is no YAML: ${cause instanceof Error ? cause.message.split('\n')[0] : ''}`, {
      cause,
    });
  }
  const parsed = FolderConfig.safeParse(raw);
  if (!parsed.success) {
    throw new PeagenError('invalid_config', `${name}: ${z.prettifyError(parsed.error)}`);
  }
  const unknown = unknownKeys(raw, FolderConfig.shape);
  return {
    config: parsed.data,
    warnings: unknown.length === 0 ? [] : [`${name} has keys that have no effect here: ${unknown.join(', ')}.`],
  };
}

function unknownKeys(raw: unknown, shape: Readonly<Record<string, z.ZodType>>, prefix = ''): string[] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const known = shape[key];
    if (known === undefined) return [prefix + key];
    const inner = known instanceof z.ZodOptional ? known.unwrap() : known;
    return inner instanceof z.ZodObject ? unknownKeys(value, inner.shape, `${prefix}${key}.`) : [];
  });
}
