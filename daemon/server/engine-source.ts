/** Where a daemon's engine and its configuration come from: the one place that loads them, for a daemon and for `--sync`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { ConfigSettings } from '../../shared/protocol/session.ts';
import type { DaemonPlace } from '../client/locate.ts';
import { findConfig } from '../config/load.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import type { ChosenInEditor } from './choices.ts';
import type { EngineSource, FabricInfo } from './engine-host.ts';

/** Settings of an evaluator's folder: the models of a workspace that names none. */
const ofEvaluators = ['config.yaml', 'config.yml', 'shinka.yaml', 'shinka.yml'];

/** All of the engine is loaded only when it is opened. */
export function engineSource(
  { workspace, buildId }: Pick<DaemonPlace, 'workspace' | 'buildId'>,
  log: Log,
  { folder, file, flags, env }: ConfigSettings,
  chosen: ChosenInEditor,
): EngineSource {
  let opened: { config: Config; registry: Registry } | undefined;
  let fabric: Promise<FabricInfo> | undefined;
  const readConfig = async () => {
    const { loadConfig } = await import('../config/load.ts');
    const read = (more: object) =>
      loadConfig({ cwd: folder, file, env: env ?? process.env, flags: { ...chosen.flags, ...flags, ...more } });
    const found = await read({});
    if (found.llm.backends.length > 0) return chosen.over(found);
    // An evaluator's folder brings its own models; one that is broken says so where it is asked for.
    const { modelsOfFolder } = await import('../judging/folder/folder-request.ts');
    const brought = await modelsOfFolder(folder).catch(() => undefined);
    return chosen.over(brought === undefined ? found : await read(brought));
  };
  return {
    fabric: async () => {
      if (opened === undefined) return { queue: 'none yet', sandbox: 'none yet' };
      fabric ??= fabricOf(opened.config, opened.registry);
      return fabric;
    },
    stamp: () => {
      const files = [file ?? findConfig(folder), ...ofEvaluators.map((name) => join(folder, name))];
      const found = files.flatMap((each) =>
        each === undefined ? [] : [[each, statSync(each, { throwIfNoEntry: false })] as const],
      );
      return [
        chosen.stamp,
        ...found.map(([each, stat]) => (stat === undefined ? '' : `${each}:${stat.mtimeMs}:${stat.size}`)),
      ].join(':');
    },
    config: readConfig,
    open: async () => {
      const { openEngine } = await import('../engine/open.ts');
      const { openRegistry, requireSelectors } = await import('../plugins/packages.ts');
      const config = await readConfig();
      const registry = await openRegistry(config, folder);
      requireSelectors(config, registry);
      opened = { config, registry };
      fabric = undefined;
      return openEngine({ config, workspace, log, registry, build: buildId });
    },
    refresh: async (engine) => {
      const { task_queue } = await readConfig();
      engine.useQueue(task_queue);
      fabric = fabric?.then((info) => ({ ...info, queue: task_queue.provider }));
    },
  };
}

async function fabricOf(config: Config, registry: Registry): Promise<FabricInfo> {
  const queue = config.task_queue.provider;
  try {
    const { shownTier } = await import('../executors/open.ts');
    const { tier, warning } = await shownTier(config, registry, false);
    return { queue, sandbox: tier, warning };
  } catch (caught) {
    return { queue, sandbox: 'none', warning: PeagenError.from(caught).line };
  }
}
