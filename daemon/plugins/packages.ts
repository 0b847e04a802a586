/**
 * Adds third-party plugins to the registry: the packages and folders named under `[plugins] packages`. What a package brings
 * is read from its manifest; its code is imported when a part of it is used, and only after the user confirmed its files.
 * A package that cannot be used is a problem of its own parts: everything else works.
 */
import { existsSync } from 'node:fs';
import type { Config } from '../../shared/config.ts';
import { nearest, PeagenError } from '../../shared/errors.ts';
import { readAllowed, requireAllowedPlugin } from '../config/allowed.ts';
import { requireOwn } from '../config/owner.ts';
import type { Registry } from '../registry.ts';
import { builtinRegistry } from './builtin.ts';
import { findPackage } from './find.ts';
import { integrityOf } from './integrity.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { describePart, loadPart, type PartSource } from './part.ts';
import { watch } from './watchdog.ts';

/**
 * The built-in parts and those of the packages of the configuration. `inProcess`: this is the process of one task, where all
 * parts of plugins run; elsewhere, those of some kinds are in threads (guarded.ts).
 */
export async function openRegistry(
  config: Config,
  workspace: string,
  { env = process.env, inProcess = false }: OpenRegistryOptions = {},
): Promise<Registry> {
  const registry = builtinRegistry();
  for (const name of config.plugins.packages) {
    try {
      addPackage(registry, name, { config, workspace, env, inProcess });
    } catch (caught) {
      registry.report(name, PeagenError.from(caught));
    }
  }
  for (const name of Object.keys(config.plugins)) checkTable(registry, name);
  return registry;
}

export interface OpenRegistryOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly inProcess?: boolean;
}

interface Adding extends Required<OpenRegistryOptions> {
  readonly config: Config;
  readonly workspace: string;
}

function addPackage(registry: Registry, name: string, { config, workspace, env, inProcess }: Adding): void {
  const { folder, byOperator } = findPackage(name, workspace, env);
  const manifest = readManifest(folder);
  for (const { file } of manifest.parts) if (existsSync(file)) requireOwn(file, readAllowed(env), env);
  const refusal = byOperator ? undefined : refusalOf(manifest, env);
  if (refusal !== undefined) registry.report(name, refusal);
  const source = `${manifest.name}@${manifest.version}`;
  for (const part of manifest.parts) {
    const from: PartSource = { part, source, workspace };
    const load = async () => {
      if (refusal !== undefined) throw refusal;
      if (inProcess) return await loadPart(from, config);
      const { guarded, requireImportable } = await import('./guarded.ts');
      const inThread = guarded[part.kind]?.(from);
      if (inThread !== undefined) return inThread;
      requireImportable(from, config);
      watch(describePart(from));
      return await loadPart(from, config);
    };
    try {
      registry.register(part.kind, part.name, load as never, source);
    } catch (caught) {
      // The name is taken: the package's other parts are used.
      registry.report(name, PeagenError.from(caught));
    }
  }
}

function refusalOf(manifest: Manifest, env: NodeJS.ProcessEnv): PeagenError | undefined {
  const { name, version } = manifest;
  try {
    requireAllowedPlugin({ name, version, integrity: integrityOf(manifest) }, readAllowed(env));
    return undefined;
  } catch (caught) {
    return PeagenError.from(caught);
  }
}

/** Throws `invalid_config` for a table `[selector.NAME]` of no selector, with the nearest name. */
export function requireSelectors({ selector }: Config, registry: Registry): void {
  const known = registry.list().flatMap((part) => (part.kind === 'selector' ? [part.name] : []));
  const unknown = Object.keys(selector).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  throw new PeagenError('invalid_config', `[selector.${unknown}] is the table of no selector.`, {
    hint: near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean [selector.${near}]?`,
  });
}

/** A table `[plugins.NAME]` for nothing is a typing error. */
function checkTable(registry: Registry, name: string): void {
  if (name === 'packages' || registry.list().some((part) => part.name === name && part.source !== 'builtin')) return;
  const known = registry.list().flatMap((part) => (part.source === 'builtin' ? [] : [part.name]));
  const error = new PeagenError('invalid_config', `[plugins.${name}] is the table of no plugin.`, {
    hint: `Known: ${known.join(', ') || 'none, as no package brings anything'}.`,
  });
  registry.report(`[plugins.${name}]`, error);
}
