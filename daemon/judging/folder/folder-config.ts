/**
 * Reads an evaluator folder: its program, its evaluator, its `config.yaml` (or ShinkaEvolve's `shinka.yaml`). A key that
 * means nothing here is named once in a warning, with the reason, never dropped silently.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { EvaluatorSpec } from '../../../shared/judging.ts';
import { folderEvaluator } from './folder.ts';
import { FolderConfig, inert } from './folder-schema.ts';
import { fromShinka, inertOfShinka } from './folder-shinka.ts';

interface EvaluatorFolder {
  /** The program to start from, relative to the folder. */
  readonly initial: string;
  readonly evaluator: EvaluatorSpec;
  readonly config: FolderConfig;
  readonly warnings: readonly string[];
}

/**
 * Undefined when the folder brings no evaluator or, where the program is `named` elsewhere, none to begin with. Throws
 * `not_found` (no initial program), `invalid_config`.
 */
export async function readEvaluatorFolder(root: string, named = false): Promise<EvaluatorFolder | undefined> {
  const spec = folderEvaluator(root);
  if (spec === undefined) return undefined;
  const names = await readdir(root);
  const stem = spec.name === 'shinka' ? /^initial\.[^.]+$/ : /^initial_program\.[^.]+$/;
  const programs = names.filter((name) => stem.test(name));
  // The other files of such a folder are not looked at.
  if (named && programs.length === 0) return undefined;
  const { file, others } = configIn(names);
  const { config, warnings } =
    file === undefined ? { config: {}, warnings: [] } : parseFolderConfig(await readFile(join(root, file), 'utf8'), file);
  const initial = programs.find((name) => config.file_suffix === undefined || name.endsWith(config.file_suffix));
  if (initial === undefined) {
    throw new PeagenError('not_found', `${root} has an evaluator, but no program to start from.`, {
      hint: spec.name === 'shinka' ? 'It is named initial.py.' : 'It is named initial_program.py, or with another suffix.',
    });
  }
  const { evaluator, database } = config;
  const options = {
    ...spec.options,
    ...(evaluator?.timeout === undefined ? {} : { timeout: evaluator.timeout }),
    ...(evaluator?.memory_limit_mb === undefined ? {} : { memory_mb: evaluator.memory_limit_mb }),
    ...(evaluator?.cascade_evaluation === undefined ? {} : { cascade: evaluator.cascade_evaluation }),
    ...(evaluator?.cascade_thresholds === undefined ? {} : { cascade_thresholds: evaluator.cascade_thresholds }),
    ...(database?.feature_dimensions === undefined ? {} : { feature_dimensions: database.feature_dimensions }),
  };
  const chosen =
    others.length === 0 ? [] : [`${file} is read, and not ${others.join(', ')}. Rename the one to read to config.yaml.`];
  return { initial, evaluator: { name: spec.name, options }, config, warnings: [...chosen, ...warnings] };
}

/** The first of several for phases of a search, where none has the usual name. */
function configIn(names: readonly string[]): { file: string | undefined; others: readonly string[] } {
  const usual = names.find((name) => /^shinka\.ya?ml$/.test(name)) ?? names.find((name) => /^config\.ya?ml$/.test(name));
  if (usual !== undefined) return { file: usual, others: [] };
  const [file, ...others] = names.filter((name) => /^config_\w+\.ya?ml$/.test(name)).sort();
  return { file, others };
}

/** `name` is the file's, for messages. */
export function parseFolderConfig(text: string, name: string): { config: FolderConfig; warnings: string[] } {
  let raw: unknown;
  try {
    // The warnings of the parser about a foreign file do not go to the log.
    raw = withoutNulls(parse(text, { logLevel: 'error' }) ?? {});
  } catch (cause) {
    throw new PeagenError(
      'invalid_config',
      `${name} is not YAML: ${cause instanceof Error ? cause.message.split('\n')[0] : ''}`,
      {
        cause,
      },
    );
  }
  const theirs = Theirs.safeParse(raw).data;
  const { config: own, left } = theirs === undefined ? { config: raw, left: [] } : fromShinka(theirs);
  const parsed = FolderConfig.safeParse(own);
  if (!parsed.success) {
    throw new PeagenError('invalid_config', `${name}: ${z.prettifyError(parsed.error)}`);
  }
  const unknown = theirs === undefined ? unknownKeys(raw, FolderConfig.shape) : left;
  return { config: parsed.data, warnings: withoutEffect(name, [...new Set(unknown)]) };
}

/** The settings of ShinkaEvolve. */
const Theirs = z
  .record(z.string(), z.unknown())
  .refine((tree) => typeof tree['evo_config'] === 'object' || typeof tree['db_config'] === 'object');

/** `null` says that a key is not set. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
  );
}

function withoutEffect(name: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const reasons = new Map<string, string[]>();
  for (const key of keys) {
    const reason = inert[key] ?? inertOfShinka[key] ?? (key.includes(': ') ? 'no endpoint is known for it' : 'not known');
    reasons.set(reason, [...(reasons.get(reason) ?? []), key]);
  }
  const parts = [...reasons].map(([reason, of]) => `${of.join(', ')} (${reason})`);
  return [`${name} has keys that have no effect here: ${parts.join('; ')}.`];
}

function unknownKeys(raw: unknown, shape: Readonly<Record<string, z.ZodType>>, prefix = ''): string[] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const known = shape[key];
    if (known === undefined) return [prefix + key];
    const inner = known instanceof z.ZodOptional ? known.unwrap() : known;
    if (inner instanceof z.ZodObject) return unknownKeys(value, inner.shape, `${prefix}${key}.`);
    const each = inner instanceof z.ZodArray ? inner.element : undefined;
    if (!(each instanceof z.ZodObject) || !Array.isArray(value)) return [];
    return value.flatMap((one) => unknownKeys(one, each.shape, `${prefix}${key}.`));
  });
}
