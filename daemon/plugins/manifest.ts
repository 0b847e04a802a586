/** What a plugin package declares in its package.json, under `peagen`. Reading it runs none of its code. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { nearest, PeagenError } from '../../shared/errors.ts';
import type { PluginKind } from '../registry.ts';

/** Raised when a plugin that was written for the version before would not work any more. */
export const API_VERSION = 1;

/** The keys of a manifest, and what they bring. */
const kinds = {
  selectors: 'selector',
  mutators: 'mutator',
  features: 'feature',
  evaluators: 'evaluator',
  handlers: 'handler',
  executors: 'executor',
  backends: 'backend',
  queues: 'queue',
  results: 'results',
  launchers: 'launcher',
} as const satisfies Record<string, PluginKind>;
type Key = keyof typeof kinds;
const keys = Object.keys(kinds) as Key[];
const isKey = (name: string): name is Key => name in kinds;

const PackageJson = z.object({
  name: z.string(),
  version: z.string().default('0.0.0'),
  dependencies: z.record(z.string(), z.string()).default({}),
  peagen: z.record(z.string(), z.unknown()).optional(),
});
const Modules = z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/), z.string());

export interface ManifestPart {
  readonly kind: PluginKind;
  readonly name: string;
  /** Absolute path of its module. */
  readonly file: string;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Absolute folder of the package. */
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly parts: readonly ManifestPart[];
}

/** Throws `invalid_input` that names the package, the key and the fix. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json');
  const { name, version, dependencies, peagen } = parse(path);
  const source = `${name}@${version}`;
  if (peagen === undefined) {
    throw new PeagenError('invalid_input', `The package ${source} has no "peagen" in its package.json, so it is not a plugin.`, {
      hint: `Add "peagen": { "api": ${API_VERSION}, "mutators": { "NAME": "./FILE.js" } }, or run "peagen plugin new mutator NAME".`,
    });
  }
  const { api, ...rest } = peagen;
  if (api !== API_VERSION) {
    throw new PeagenError(
      'invalid_input',
      `The plugin ${source} was written for version ${JSON.stringify(api)} of the plugin API.`,
      {
        hint: `This Peagen has version ${API_VERSION}: ask for a release of the plugin for it.`,
      },
    );
  }
  const parts = Object.entries(rest).flatMap(([key, modules]) => partsOf({ source, folder, key, modules }));
  return { name, version, folder, dependencies: Object.keys(dependencies), parts };
}

function parse(path: string): z.infer<typeof PackageJson> {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new PeagenError('invalid_input', `${path} cannot be read as JSON.`, { cause });
  }
  const parsed = PackageJson.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', `${path}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}.`);
}

/** Names of the packages that the one in `folder` depends on. */
export function readDependencies(folder: string): string[] {
  return Object.keys(parse(join(folder, 'package.json')).dependencies);
}

interface Listed {
  readonly source: string;
  readonly folder: string;
  readonly key: string;
  readonly modules: unknown;
}

function partsOf({ source, folder, key, modules }: Listed): ManifestPart[] {
  if (!isKey(key)) {
    const near = nearest(key, keys);
    throw new PeagenError('invalid_input', `The plugin ${source} brings "${key}", which is not a kind of plugin.`, {
      hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Known: ${keys.join(', ')}.`,
    });
  }
  const parsed = Modules.safeParse(modules);
  if (!parsed.success) {
    throw new PeagenError('invalid_input', `The plugin ${source}: peagen.${key} is not a table of names and files.`, {
      hint: `Write it as { "my-name": "./file.js" }, with names of lower-case letters, digits and hyphens.`,
    });
  }
  return Object.entries(parsed.data).map(([name, module]) => {
    const file = resolve(folder, module);
    if (relative(folder, file).startsWith('..')) {
      throw new PeagenError(
        'invalid_input',
        `The plugin ${source}: the file of ${kinds[key]} "${name}" is outside of the package: ${module}.`,
      );
    }
    return { kind: kinds[key], name, file };
  });
}
