/** The daemon process of one workspace: `daemon.js WORKSPACE [FOLDER BUILD]`. Started detached by start.ts; its output is its log. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { findConfig } from '../config/load.ts';
import type { Registry } from '../plugins/registry.ts';
import { createLog } from '../telemetry/log.ts';
import { version } from '../version.ts';
import { ChosenInEditor } from './choices.ts';
import type { EngineSource, FabricInfo } from './engine-host.ts';
import { locate, type Place } from './locate.ts';
import { Daemon } from './server.ts';

const GRACE_MS = 60_000;

async function main(): Promise<void> {
  const [workspace, folder, build] = process.argv.slice(2);
  if (workspace === undefined) throw new PeagenError('invalid_input', 'Usage: daemon.js WORKSPACE [FOLDER BUILD]');
  process.umask(0o077);
  const place = locate(workspace, { folder, build });
  const log = createLog({ level: process.env['PEAGEN_DEBUG'] === undefined ? 'info' : 'debug' });
  const grace = Number(process.env['PEAGEN_DAEMON_GRACE_MS'] ?? GRACE_MS);
  const daemon = new Daemon({
    place,
    log,
    version,
    graceMs: Number.isFinite(grace) ? grace : GRACE_MS,
    engine: engineSource(place, log),
  });

  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // The first asks, the second insists.
      if (signals++ > 0) process.exit(1);
      void daemon.stop(signal);
    });
  }
  // The terminal that it was started from may close.
  process.on('SIGHUP', () => undefined);
  process.on('unhandledRejection', (caught) => log.error({ err: caught }, 'unhandled rejection'));
  process.on('uncaughtException', (caught) => {
    log.error({ err: caught }, 'uncaught error');
    process.exit(1);
  });

  await daemon.listen();
  await startMetrics(daemon);
  const reason = await daemon.ended;
  log.info({ reason }, 'ended');
  // Connections are flushed and closed by now or soon; what lingers has no right to keep the process.
  setTimeout(() => process.exit(0), 2000).unref();
}

/** When a port is given. Of several daemons with one port the first has it; a daemon without it works all the same. */
async function startMetrics(daemon: Daemon): Promise<void> {
  if (process.env['PEAGEN_METRICS_PORT'] === undefined) return;
  try {
    const { serveMetricsOf } = await import('../telemetry/metrics-http.ts');
    const port = await serveMetricsOf(process.env, () => daemon.notReady());
    if (port !== undefined) daemon.log.info({ port: String(port) }, 'metrics at /metrics, health at /healthz and /readyz');
  } catch (caught) {
    daemon.log.error(PeagenError.from(caught).line);
  }
}

/** Settings of an evaluator's folder: the models of a workspace that names none. */
const ofEvaluators = ['config.yaml', 'config.yml', 'shinka.yaml', 'shinka.yml'];

/** Opens the engine with the workspace's configuration; all of it is loaded only then. */
function engineSource({ workspace, buildId }: Place, log: ReturnType<typeof createLog>): EngineSource {
  let fabric: Promise<FabricInfo> = Promise.resolve({ queue: 'none yet', sandbox: 'none yet' });
  const chosen = new ChosenInEditor(process.env);
  const readConfig = async () => {
    const { loadConfig } = await import('../config/load.ts');
    const found = await loadConfig({ cwd: workspace, flags: chosen.flags });
    if (found.llm.backends.length > 0) return chosen.over(found);
    // An evaluator's folder brings its own models; one that is broken says so where it is asked for.
    const { modelsOfFolder } = await import('../judging/folder/folder-request.ts');
    const brought = await modelsOfFolder(workspace).catch(() => undefined);
    return chosen.over(
      brought === undefined ? found : await loadConfig({ cwd: workspace, flags: { ...chosen.flags, ...brought } }),
    );
  };
  return {
    fabric: () => fabric,
    stamp: () => {
      const files = [findConfig(workspace), ...ofEvaluators.map((name) => join(workspace, name))];
      const found = files.flatMap((file) =>
        file === undefined ? [] : [[file, statSync(file, { throwIfNoEntry: false })] as const],
      );
      return [
        chosen.stamp,
        ...found.map(([file, stat]) => (stat === undefined ? '' : `${file}:${stat.mtimeMs}:${stat.size}`)),
      ].join(':');
    },
    config: readConfig,
    choose: (choices) => chosen.choose(choices),
    open: async () => {
      const { openEngine } = await import('../engine/open.ts');
      const { openRegistry } = await import('../plugins/packages.ts');
      const config = await readConfig();
      const registry = await openRegistry(config, workspace);
      fabric = fabricOf(config, registry);
      return openEngine({ config, workspace, log, registry, build: buildId });
    },
    refresh: async (engine) => {
      const { task_queue } = await readConfig();
      engine.useQueue(task_queue);
      fabric = fabric.then((info) => ({ ...info, queue: task_queue.provider }));
    },
  };
}

async function fabricOf(config: Config, registry: Registry): Promise<FabricInfo> {
  const queue = config.task_queue.provider;
  try {
    const { openSandboxes } = await import('../executors/open.ts');
    const { tier, warning } = await openSandboxes(config, registry);
    return { queue, sandbox: tier.name, warning };
  } catch (caught) {
    return { queue, sandbox: 'none', warning: PeagenError.from(caught).line };
  }
}

main().catch((caught: unknown) => {
  process.stderr.write(`peagen daemon: ${PeagenError.from(caught).line}\n`);
  process.exitCode = 1;
});
