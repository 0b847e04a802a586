/** What a worker needs to run a task, in addition to the task: registry, configuration, log. Imported while it waits for one. */
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { openRegistry } from '../plugins/packages.ts';
import type { Registry } from '../registry.ts';
import { createLog, type Log, type LogLevel } from '../telemetry/log.ts';

// Schemas can be compiled to code for many parses to come; a worker makes one or two.
z.config({ jitless: true });

export interface WorkerRuntime {
  readonly registry: Registry;
  readonly config: Config;
  readonly log: Log;
  readonly allowed: readonly string[] | undefined;
}

export async function openRuntime(
  config: Config,
  allowed: readonly string[] | undefined,
  level: LogLevel,
): Promise<WorkerRuntime> {
  const registry = await openRegistry(config, process.cwd(), { inProcess: true });
  for (const name of allowed ?? []) registry.require('handler', name);
  return { registry, config, log: createLog({ level }), allowed };
}
