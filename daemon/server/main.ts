/** The daemon process of one workspace: `daemon.js WORKSPACE [FOLDER BUILD]`. Started detached by start.ts; its output is its log. */
import { PeagenError } from '../../shared/errors.ts';
import { locate } from '../client/locate.ts';
import { useCompileCache } from '../compile-cache.ts';
import { createLog } from '../telemetry/log.ts';
import { visible } from '../telemetry/visible.ts';
import { version } from '../version.ts';
import { ChosenInEditor } from './choices.ts';
import { engineSource } from './engine-source.ts';
import { Daemon } from './server.ts';

const GRACE_MS = 60_000;

async function main(): Promise<void> {
  const [workspace, folder, build] = process.argv.slice(2);
  if (workspace === undefined) throw new PeagenError('invalid_input', 'Usage: daemon.js WORKSPACE [FOLDER BUILD]');
  process.umask(0o077);
  useCompileCache();
  const place = locate(workspace, { folder, build });
  const log = createLog({ level: process.env['PEAGEN_DEBUG'] === undefined ? 'info' : 'debug' });
  const grace = Number(process.env['PEAGEN_DAEMON_GRACE_MS'] ?? GRACE_MS);
  const chosen = new ChosenInEditor(process.env);
  const daemon = new Daemon({
    place,
    log,
    version,
    graceMs: Number.isFinite(grace) ? grace : GRACE_MS,
    chosen,
    engines: (settings = { folder: place.workspace, flags: {} }) => engineSource(place, log, settings, chosen),
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
  const exporter = process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
    ? (await import('../telemetry/otlp.ts')).startExporter('peagen-daemon', (line) => daemon.log.warn(line))
    : undefined;
  const reason = await daemon.ended;
  await exporter?.close();
  log.info({ reason }, 'ended');
  // Connections are flushed and closed by now or soon; what is still open does not keep the process alive.
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

main().catch((caught: unknown) => {
  process.stderr.write(visible(`peagen daemon: ${PeagenError.from(caught).line}\n`));
  process.exitCode = 1;
});
