/** `peagen worker`: lends this machine to the tasks of a shared queue. */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { type Config, Duration } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { readConfig } from '../../config/load.ts';
import { detectCaps } from '../../fabric/caps.ts';
import { announcePool } from '../../fabric/presence.ts';
import { workerClasses } from '../../fabric/spawner/worker-classes.ts';
import { openWorkers, requireSandbox, type WorkerStats, type Workers } from '../../fabric/workers.ts';
import { openRegistry } from '../../plugins/packages.ts';
import { createLog } from '../../telemetry/log.ts';
import { serveMetricsOf } from '../../telemetry/metrics-http.ts';
import { localWorkspace } from '../../workspace-name.ts';
import { count, whole } from '../numbers.ts';
import { action, type CommonOptions, printResult, say, withCommonOptions } from '../output.ts';

interface WorkerStartOptions extends CommonOptions {
  caps?: string[];
  plugins?: string[];
  concurrency?: number;
  warmPool?: number;
  exitAfterIdle?: number;
  grace?: number;
}

/** How often a spawner of one-shot workers looks for tasks; a host is woken by the queue. */
const POLL_MS = 500;
/** How long an orderly end may take, without --grace. */
const GRACE_MS = 30_000;
/** What of it is for handlers that end their sandboxes, and for telling the queue. */
const TIDY_UP_MS = 6000;
const WITHDRAW_MS = 1000;
const LONGEST_WAIT_MS = 3_600_000;

export function workerCommand(): Command {
  const command = new Command('worker').description('run tasks of a shared queue on this machine');
  withCommonOptions(command.command('start').description('serve the queue until stopped'))
    .option('--caps <tags>', 'only these capability tags (default: what is detected)', list)
    .option('--plugins <names>', 'only these handlers', list)
    .option('--concurrency <n>', 'tasks at a time (default: worker.defaults.concurrency, or the number of cores)', whole)
    .option('--warm-pool <n>', 'idle workers kept ready while there is work', count)
    .option('--exit-after-idle <duration>', 'end after this time without work, such as 10m', duration)
    .option('--grace <duration>', 'what SIGTERM leaves for the tasks in hand (default: 30s)', duration)
    .action(action(start));
  const image = command.command('image').description('the image that containers of workers run');
  withCommonOptions(
    image.command('build').description('build it, with the plugin packages of .peagen.toml, with or without a registry'),
  ).action(action(build));
  return command;
}

async function build(options: CommonOptions): Promise<void> {
  const { workerImage } = await import('../../fabric/launchers/docker-spec.ts');
  const workspace = resolve('.');
  const { config } = await readConfig({ cwd: workspace, file: options.config });
  const { packages } = config.plugins;
  const brings = packages.length === 0 ? '' : ` with ${packages.join(', ')}`;
  if (options.dryRun === true)
    return printResult(options, { image: workerImage, packages }, `Would build ${workerImage}${brings}.`);
  const { default: Docker } = await import('dockerode');
  const { buildWorkerImage } = await import('../../fabric/launchers/image.ts');
  const { copyPackages } = await import('../../plugins/copy.ts');
  const plugins = (folder: string) => copyPackages(packages, folder, { workspace, env: process.env });
  const built = await buildWorkerImage({ docker: new Docker(), say, plugins });
  printResult(options, { ...built, packages }, `built ${built.image} (${built.from})${brings}`);
}

function list(text: string): string[] {
  return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

/** Milliseconds. */
function duration(text: string): number {
  const parsed = Duration.safeParse(/^\d+$/.test(text) ? Number(text) : text);
  if (!parsed.success) throw new InvalidArgumentError('Expected a duration such as 30s, 10m or 4h.');
  return parsed.data;
}

async function start(options: WorkerStartOptions): Promise<void> {
  const workspace = resolve('.');
  const { config } = await readConfig({
    cwd: workspace,
    file: options.config,
    flags: { worker: { defaults: flagsOf(options) } },
  });
  const { provider, url } = config.task_queue;
  if (provider === 'stub') {
    throw new PeagenError('invalid_config', 'task_queue.provider is "stub", which no other process can reach.', {
      hint: 'Set it to "redis", and task_queue.url to the address of the team\'s Redis.',
    });
  }
  const caps = await detectCaps({ config, env: process.env });
  const classes = workerClasses(caps, config, config.worker.defaults.concurrency);
  const queueAt = (url ?? provider).replace(/\/\/[^@/]*@/, '//');
  const plan = { queue: queueAt, classes: classes.map(({ caps: tags, parallel }) => ({ caps: tags, parallel })) };
  const serving = `serving ${queueAt} with ${classes.map(({ name, parallel }) => `${name} (${parallel} at a time)`).join(', ')}`;
  if (options.dryRun === true) return printResult(options, plan, serving);

  const log = createLog({ level: options.verbose === true ? 'debug' : 'warn' });
  const registry = await openRegistry(config, workspace);
  await requireSandbox(config, registry);
  const queue = await (await registry.load('queue', provider))(config, workspace);
  const workers = await openWorkers({ queue, classes, config, registry, log, workspace, pollMs: POLL_MS });
  workers.start();
  const withdraw = announcePool(queue, classes, log, config.task_queue);
  say(serving);
  if (config.task_queue.workspace === undefined)
    say(`workspace ${localWorkspace(workspace)}; set task_queue.workspace to the same name on every machine to share one`);
  const port = await serveMetricsOf(process.env, () => queue.trouble ?? workers.stats().problem);
  if (port !== undefined)
    say(`metrics at http://${process.env['PEAGEN_METRICS_HOST'] || '127.0.0.1'}:${port}/metrics, health at /healthz and /readyz`);
  const why = await untilOver(workers, options.exitAfterIdle);
  const stopping = why === 'signal' ? new BoundedStop(options.grace ?? GRACE_MS) : undefined;
  await workers.close({ drainMs: stopping?.drainMs ?? 0 });
  await Promise.race([withdraw(), delay(WITHDRAW_MS, undefined, { ref: false })]);
  await queue.close();
  const stats = workers.stats();
  printResult(options, { stopped: why, launched: stats.launched, exits: stats.exits }, summary(why, stats));
  stopping?.finished();
}

/** Flags as configuration, so that they are validated and explained like it. */
function flagsOf({ caps, plugins, concurrency, warmPool }: WorkerStartOptions): Partial<Config['worker']['defaults']> {
  return {
    ...(caps === undefined ? {} : { caps_only: caps }),
    ...(plugins === undefined ? {} : { plugins }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(warmPool === undefined ? {} : { warm_pool: warmPool }),
  };
}

/** Resolves when the queue has been quiet for `idleMs`, or with the first SIGTERM or SIGINT. */
async function untilOver(workers: Workers, idleMs = Number.POSITIVE_INFINITY): Promise<'idle' | 'signal'> {
  const stop = new AbortController();
  const hear = () => stop.abort();
  process.once('SIGTERM', hear).once('SIGINT', hear);
  while (!stop.signal.aborted) {
    const left = Math.min(LONGEST_WAIT_MS, idleMs - workers.stats().quietMs);
    if (left <= 0) break;
    await delay(left, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  process.off('SIGTERM', hear).off('SIGINT', hear);
  return stop.signal.aborted ? 'signal' : 'idle';
}

/** Ends this process when its time is over, or with the next signal, in whatever state it is then. */
class BoundedStop {
  /** What tasks in hand have before they are aborted; the rest is for what must be tidied up. */
  readonly drainMs: number;
  private readonly timer: NodeJS.Timeout;

  constructor(graceMs: number) {
    this.drainMs = graceMs - Math.min(TIDY_UP_MS, graceMs / 2);
    say(`ending after the tasks in hand, in ${graceMs / 1000} s at the latest; once more to end at once`);
    this.timer = setTimeout(() => this.end('the time to end is over'), graceMs);
    process.on('SIGTERM', this.insist).on('SIGINT', this.insist);
  }

  /** Nothing is left to wait for. */
  finished(): void {
    clearTimeout(this.timer);
    process.off('SIGTERM', this.insist).off('SIGINT', this.insist);
  }

  private readonly insist = () => this.end('ended at once');

  private end(why: string): never {
    say(`${why}: tasks in hand go back to the queue when their leases run out`);
    process.exit(0);
  }
}

function summary(why: string, { exits }: WorkerStats): string {
  const ends = Object.entries(exits).map(([reason, times]) => `${times} ${reason}`);
  return `stopped (${why}): ${ends.length === 0 ? 'no task was run' : `tasks: ${ends.join(', ')}`}`;
}
