/**
 * Loads third-party plugins: npm packages named under `[plugins] packages`, resolved from the workspace. A package's
 * default export is a function that takes the registry and registers what it brings. It runs with our rights, in
 * trusted workspaces only.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { nearest, PeagenError } from '../../shared/errors.ts';
import { readAllowed } from '../config/allowed.ts';
import { requireOwn } from '../config/owner.ts';
import { builtinRegistry } from './builtin.ts';
import type { PluginKind, PluginKinds, Registry } from './registry.ts';

/** What a plugin package's default export gets. */
export interface PluginHost {
  register<K extends PluginKind>(kind: K, name: string, load: () => Promise<PluginKinds[K]>): void;
}

/** The built-in parts and the packages of the configuration. Throws `not_found` or `invalid_input`, naming the package. */
export async function openRegistry(config: Config, workspace: string): Promise<Registry> {
  const registry = builtinRegistry();
  for (const name of config.plugins.packages) await addPackage(registry, name, workspace);
  requireKnownTables(config, registry);
  return registry;
}

/** Tables of selectors can only be known once all packages have registered theirs. */
function requireKnownTables({ selector }: Config, registry: Registry): void {
  const known = registry.names('selector');
  for (const name of Object.keys(selector)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw new PeagenError('invalid_config', `selector.${name} is not a known key: there is no selector "${name}".`, {
      hint: near === undefined ? `Known there: ${known.join(', ')}.` : `Did you mean "${near}"?`,
    });
  }
}

async function addPackage(registry: Registry, name: string, workspace: string): Promise<void> {
  const entry = resolvePackage(name, workspace);
  requireOwn(entry, readAllowed(process.env), process.env);
  const source = `${name}@${await packageVersion(entry)}`;
  const module: unknown = await import(pathToFileURL(entry).href);
  const setUp = z.object({ default: z.function() }).safeParse(module);
  if (!setUp.success) {
    throw new PeagenError('invalid_input', `The plugin ${source} does not export a function by default.`, {
      hint: 'See "Extending Peagen" in the README for what a plugin exports.',
    });
  }
  const host: PluginHost = { register: (kind, part, load) => registry.register(kind, part, load, source) };
  await (setUp.data.default as (host: PluginHost) => unknown)(host);
}

/** Throws `not_found` when the package is not installed in the workspace. Runs nothing of it. */
export function requirePackage(name: string, workspace: string): void {
  resolvePackage(name, workspace);
}

function resolvePackage(name: string, workspace: string): string {
  try {
    return createRequire(join(workspace, 'package.json')).resolve(name);
  } catch (caught) {
    throw new PeagenError('not_found', `The plugin package "${name}" is not installed in ${workspace}.`, {
      hint: `Run "npm install ${name}" there, or remove it with "peagen plugin remove ${name}".`,
      cause: caught,
    });
  }
}

/** From the nearest package.json above the entry that has a version. */
async function packageVersion(entry: string): Promise<string> {
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    const parsed = text === undefined ? undefined : z.object({ version: z.string() }).safeParse(JSON.parse(text));
    if (parsed?.success === true) return parsed.data.version;
  }
  return '0.0.0';
}
