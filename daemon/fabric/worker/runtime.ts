/** What a worker needs to run a task, in addition to the task: registry, configuration, log. Imported while it waits for one. */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import { openRegistry } from '../../plugins/packages.ts';
import type { Registry } from '../../plugins/registry.ts';
import { createLog, type Log, type LogLevel } from '../../telemetry/log.ts';

// Schemas can be compiled to code for many parses to come; a worker makes one or two.
z.config({ jitless: true });

export interface Runtime {
  readonly registry: Registry;
  readonly config: Config;
  readonly log: Log;
  readonly allowed: readonly string[] | undefined;
}

export async function openRuntime(config: Config, allowed: readonly string[] | undefined, level: LogLevel): Promise<Runtime> {
  const registry = await openRegistry(config, process.cwd());
  const named = new Set(registry.names('handler'));
  for (const plugin of plugins?.filter(isModule) ?? []) await registerModule(plugin, registry);
  const names = plugins?.filter((plugin) => !isModule(plugin)) ?? [];
  for (const name of names) registry.require('handler', name);
  const added = registry.names('handler').filter((name) => !named.has(name));
  return { registry, config, log: createLog({ level }), allowed: plugins === undefined ? undefined : [...names, ...added] };
}

/** A module that exports `register(registry)`. Its place is named by the user who starts the worker, never by a task. */
async function registerModule(place: string, registry: Registry): Promise<void> {
  const { pathToFileURL } = await import('node:url');
  const module: unknown = await import(place.startsWith('file:') ? place : pathToFileURL(place).href);
  const register: unknown = typeof module === 'object' && module !== null && 'register' in module ? module.register : undefined;
  if (typeof register !== 'function') {
    throw new PeagenError('invalid_input', `The plugin module ${place} has no register function.`, {
      hint: 'Export `register(registry)`; see the plugin guide.',
    });
  }
  await register(registry);
}
