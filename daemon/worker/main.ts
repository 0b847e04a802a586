/**
 * The worker's process. Environment: QUEUE_URL, WORKER_CAPS, WORKER_PLUGINS, WORKER_IDLE_EXIT, WORKER_MAX_UPTIME (and
 * WORKER_IMAGE, for audit). Exit status 0 for every orderly end, 1 after an error, which leaves the task to be taken
 * back. The last line of standard error says why it ended.
 */
import { closeSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { PeagenError } from '../../shared/errors.ts';
import { machine } from '../executors/machine.ts';
import { IPC_URL, readSettings, type WorkerSettings } from '../fabric/worker/settings.ts';
import type { Exporter } from '../telemetry/otlp.ts';
import { withoutSecrets } from '../telemetry/secrets.ts';
import { onSpans, type TraceSpan } from '../telemetry/trace.ts';
import { visible } from '../telemetry/visible.ts';
import { openIpcLink } from './ipc-link.ts';
import { type ExitReason, OneShotWorker } from './one-shot.ts';

function exit(reason: ExitReason, error?: unknown): never {
  const why =
    error === undefined ? '' : `${error instanceof PeagenError ? error.line : error instanceof Error ? error.stack : error}\n`;
  try {
    writeSync(2, visible(withoutSecrets(`${why}worker exit: ${reason}\n`)));
  } catch {
    // Nobody reads it any more.
  }
  process.exit(reason === 'error' ? 1 : 0);
}

process.on('uncaughtException', (error) => exit('error', error));
process.on('unhandledRejection', (error) => exit('error', error));

/**
 * What of a template or a grammar runs for some milliseconds is compiled again, to be faster, while the worker ends: that took
 * a third of the processor time of a question to a model. By default the budget is 13 million.
 */
const LATE_TIERING = '--wasm-tiering-budget=100000000';

/** As many as the parent takes. */
const MOST_SPANS = 1000;

function brokered(settings: WorkerSettings): OneShotWorker {
  if (settings.caps?.includes('llm') === true) process.getBuiltinModule('node:v8').setFlagsFromString(LATE_TIERING);
  const link = openIpcLink({
    onLost: () => worker.abandon('lease-lost'),
    onDrain: () => worker.drain(),
    onOrphaned: () => worker.abandon('orphaned'),
  });
  // The parent passes them on to those that follow them.
  const spans: TraceSpan[] = [];
  onSpans((span) => {
    if (spans.length < MOST_SPANS) spans.push(span);
  });
  const worker = new OneShotWorker({
    queue: link.queue,
    settings,
    // The parent knows this process: the claim need not wait for its first message.
    identity: async () => ({ id: process.env['WORKER_ID'] ?? '', caps: new Set(settings.caps) }),
    runtime: async () => {
      const { openRuntime } = await import('./runtime.ts');
      const { config, machine: known } = await link.hello;
      Object.assign(machine, known);
      if (config.llm.backends.some(({ preset }) => preset === 'editor')) {
        const { provideEditorModels } = await import('../llm/backends/editor.ts');
        provideEditorModels({
          list: async () => [],
          ask: (model, request, { signal }) => link.askEditor(model, request, signal),
        });
      }
      if (config.llm.backends.length > 0) {
        const { provideTraffic } = await import('../llm/traffic.ts');
        provideTraffic(link.traffic, config);
      }
      return openRuntime(config, settings.plugins, 'info');
    },
    report: (report) => {
      link.report = { ...report, spans };
    },
    image: process.env['WORKER_IMAGE'],
  });
  // Ctrl+C goes to the whole process group; the parent decides what it means for us.
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  return worker;
}

async function direct(settings: WorkerSettings): Promise<OneShotWorker> {
  const { openDirectLink } = await import('./direct-link.ts');
  if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
    // What it counts and traces is sent before it ends: a process of one task is not scraped.
    const [{ startExporter }, { createLog }] = await Promise.all([import('../telemetry/otlp.ts'), import('../telemetry/log.ts')]);
    const log = createLog({ level: 'warn' });
    exporter = startExporter('peagen-worker', (line) => log.warn(line));
  }
  const { queue, identity, runtime } = await openDirectLink(settings, process.env);
  const worker = new OneShotWorker({
    queue,
    settings,
    identity: async () => identity,
    runtime: async () => runtime,
    report: () => undefined,
    image: process.env['WORKER_IMAGE'],
  });
  process.on('SIGINT', () => worker.drain());
  return worker;
}

let exporter: Exporter | undefined;
closeInherited();
try {
  const settings = readSettings(process.env);
  const worker = settings.queueUrl === IPC_URL ? brokered(settings) : await direct(settings);
  process.on('SIGTERM', () => worker.drain());
  const reason = await worker.run();
  await exporter?.close();
  exit(reason);
} catch (caught) {
  exit('error', caught);
}

/**
 * Closes what this process inherited and must not have: a descriptor that the user's shell or editor left open would
 * otherwise be passed on from process to process. Node marks its own descriptors close-on-exec, the IPC channel too, so
 * that one without the mark is inherited.
 */
function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const fd = Number(name);
    if (fd > 2 && inherited(fd)) closeSync(fd);
  }
}

function inherited(fd: number): boolean {
  const closeOnExec = 0o2000000;
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the listing itself, closed by now.
    return false;
  }
}
