/** What a command needs to work by itself: configuration, registry and an engine in this process. */
import { resolve } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { readConfig } from '../config/load.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { openRegistry } from '../plugins/packages.ts';
import { buildId } from '../version.ts';
import { type CommonOptions, logFor } from './output.ts';

export interface SessionOptions extends CommonOptions {
  /** In this process, with the stub queue, whatever the configuration says. */
  sync?: boolean;
  /** False: only the given calls are compared, whatever the configuration says. */
  derive?: boolean;
}

export interface Session {
  readonly config: Config;
  readonly configFile: string | undefined;
  readonly engine: Engine;
}

/** `folder`: where to look for the configuration. `models`: settings for one that names no models. Runs are kept in the current folder. */
export async function openSession(
  options: SessionOptions,
  folder: string,
  models: () => Promise<object | undefined> = async () => undefined,
): Promise<Session> {
  const flags = {
    ...(options.sync === true ? { task_queue: { provider: 'stub' } } : {}),
    ...(options.derive === false ? { evaluate: { derive: false } } : {}),
  };
  // A path in a flag is relative to where the person is.
  const file = options.config === undefined ? undefined : resolve(options.config);
  const read = (more: object) => readConfig({ cwd: folder, file, flags: { ...flags, ...more } });
  const found = await read({});
  const brought = found.config.llm.backends.length > 0 ? undefined : await models();
  const loaded = brought === undefined ? found : await read(brought);
  const registry = await openRegistry(loaded.config, folder);
  const engine = openEngine({
    config: loaded.config,
    workspace: resolve('.'),
    log: logFor(options),
    registry,
    build: buildId(),
  });
  return { config: loaded.config, configFile: loaded.file, engine };
}
