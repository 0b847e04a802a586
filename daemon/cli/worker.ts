/** `peagen worker`: lends this machine to the tasks of a shared queue. */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { type Config, Duration } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { readConfig } from '../config/load.ts';
import { openSandboxes } from '../executors/open.ts';
import { Broker } from '../fabric/broker.ts';
import { detectCaps } from '../fabric/caps.ts';
import { announcePool } from '../fabric/presence.ts';
import { Spawner, type SpawnerStats } from '../fabric/spawner.ts';
import { workerClasses } from '../fabric/worker-classes.ts';
import { openRegistry } from '../plugins/packages.ts';
import { createLog } from '../telemetry/log.ts';
import { count, whole } from './numbers.ts';
import { action, type CommonOptions, printResult, say, withCommonOptions } from './output.ts';

interface WorkerStartOptions extends CommonOptions {
  caps?: string[];
  plugins?: string[];
  concurrency?: number;
  warmPool?: number;
  exitAfterIdle?: number;
}

/** How often the queue is looked at while there is nothing to do; nobody can wake us from another machine. */
const POLL_MS = 500;
/** SIGTERM waits for the tasks in hand; a second one does not. */
const DRAIN_MS = 10 * 60_000;

export function workerCommand(): Command {
  const command = new Command('worker').description('run tasks of a shared queue on this machine');
  withCommonOptions(command.command('start').description('serve the queue with one-shot workers until stopped'))
    .option('--caps <tags>', 'only these capability tags (default: what is detected)', list)
    .option('--plugins <names>', 'only these handlers', list)
    .option('--concurrency <n>', 'tasks at a time (default: worker.defaults.concurrency, which is 1)', whole)
    .option('--warm-pool <n>', 'idle workers kept ready while there is work', count)
    .option('--exit-after-idle <duration>', 'end after so long without work, such as 10m', duration)
    .action(action(start));
  const image = command.command('image').description('the image that containers of workers run');
  withCommonOptions(image.command('build').description('build it, with or without a registry')).action(action(build));
  return command;
}

async function build(options: CommonOptions): Promise<void> {
  const { workerImage } = await import('../fabric/launchers/docker-spec.ts');
  if (options.dryRun === true) return printResult(options, { image: workerImage }, `Would build ${workerImage}.`);
  const { default: Docker } = await import('dockerode');
  const { buildWorkerImage } = await import('../fabric/launchers/image.ts');
  const built = await buildWorkerImage({ docker: new Docker(), say });
  printResult(options, built, `built ${built.image} (${built.from})`);
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
  // Workers in containers have a sandbox of their own there.
  if (config.worker.defaults.launcher === 'process') await openSandboxes(config, registry, 'queue');
  const launcher = (await registry.load('launcher', config.worker.defaults.launcher))(config, workspace);
  const queue = await (await registry.load('queue', provider))(config, workspace);
  const broker = new Broker({ queue, config, log });
  const spawner = new Spawner({ queue, launcher, broker, classes, config, log, pollMs: POLL_MS });
  spawner.start();
  const withdraw = announcePool(queue, classes, log);
  say(serving);
  const why = await untilOver(spawner, options.exitAfterIdle ?? Number.POSITIVE_INFINITY);
  await spawner.close({ drainMs: why === 'signal' ? DRAIN_MS : 0 });
  await withdraw();
  await queue.close();
  const { launched, exits } = spawner.stats();
  printResult(options, { stopped: why, launched, exits }, summary(why, spawner.stats()));
}

/** Flags as configuration, so that they are validated and explained like it. */
function flagsOf({ caps, plugins, concurrency, warmPool }: WorkerStartOptions): Partial<Config['worker']['defaults']> {
  return {
    ...(caps === undefined ? {} : { caps }),
    ...(plugins === undefined ? {} : { plugins }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(warmPool === undefined ? {} : { warm_pool: warmPool }),
  };
}

async function untilOver(spawner: Spawner, idleMs: number): Promise<'idle' | 'signal'> {
  const stop = new AbortController();
  const hear = () => {
    if (stop.signal.aborted) {
      say('ending at once; tasks in hand go back to the queue');
      void spawner.close({ drainMs: 0 });
      return;
    }
    say('ending after the tasks in hand; once more to end at once');
    stop.abort();
  };
  process.on('SIGTERM', hear).on('SIGINT', hear);
  while (!stop.signal.aborted) {
    if (spawner.stats().quietMs >= idleMs) return 'idle';
    await delay(POLL_MS / 2, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  return 'signal';
}

function summary(why: string, { launched, exits }: SpawnerStats): string {
  const ends = Object.entries(exits).map(([reason, times]) => `${times} ${reason}`);
  return `stopped (${why}): ${launched} workers launched${ends.length === 0 ? '' : `, ${ends.join(', ')}`}`;
}
