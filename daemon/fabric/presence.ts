/** Says to the others of a workspace which workers this machine has, while it has them. Nothing, on a queue that is not shared. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { WorkerPool } from '../../shared/protocol/cluster.ts';
import type { Log } from '../telemetry/log.ts';
import { metrics } from '../telemetry/metrics.ts';
import type { TaskQueue } from './queue.ts';
import type { WorkerClass } from './spawner/worker-classes.ts';

/** A host without work costs the queue as little as it can. */
const SAY_MS = 60_000;
/** Two announcements in a row may be lost. */
const TTL_MS = 3 * SAY_MS;

/** Call the returned function before the queue is closed. */
export function announcePool(
  { pools }: Pick<TaskQueue, 'pools'>,
  classes: readonly WorkerClass[],
  log: Log,
  { max_workers: most }: Config['task_queue'],
): () => Promise<void> {
  if (pools === undefined) return async () => undefined;
  const host = hostname().slice(0, 100);
  const id = `${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const pool = { id, host, classes: classes.map(({ caps, parallel }) => ({ caps: [...caps], parallel })) };
  let crowded = false;
  const announce = async () => {
    await pools.announce(pool, TTL_MS);
    const workers = workersOf(await pools.list());
    metrics.workspaceWorkers.set(workers);
    // Logged once when it begins, not every time.
    if (workers > most && !crowded) log.warn(crowdText(workers, most));
    crowded = workers > most;
  };
  const say = () => announce().catch((caught: unknown) => log.debug(`announcing workers: ${PeagenError.from(caught).line}`));
  let said = say();
  const timer = setInterval(() => {
    said = say();
  }, SAY_MS).unref();
  return async () => {
    clearInterval(timer);
    await said;
    // Without a connection it is forgotten by itself.
    await pools.withdraw(id).catch((caught: unknown) => log.debug(`withdrawing workers: ${PeagenError.from(caught).line}`));
  };
}

/** Tasks that these hosts take at a time. */
function workersOf(pools: readonly Pick<WorkerPool, 'classes'>[]): number {
  return pools.reduce((sum, { classes }) => sum + classes.reduce((own, { parallel }) => own + parallel, 0), 0);
}

function crowdText(workers: number, most: number): string {
  return `${workers} workers serve this workspace, more than the ${most} of task_queue.max_workers: raise it where the queue bears them, or divide the work among workspaces.`;
}
