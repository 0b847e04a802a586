/** Says to the others of a workspace which workers this machine has, while it has them. Nothing, on a queue that is not shared. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { PeagenError } from '../../shared/errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { TaskQueue } from './queue.ts';
import type { WorkerClass } from './spawner/worker-classes.ts';

const SAY_MS = 10_000;
/** Two may be lost. */
const TTL_MS = 3 * SAY_MS;

/** Call the answer before the queue is closed. */
export function announcePool(
  { pools }: Pick<TaskQueue, 'pools'>,
  classes: readonly WorkerClass[],
  log: Log,
): () => Promise<void> {
  if (pools === undefined) return async () => undefined;
  const host = hostname().slice(0, 100);
  const id = `${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const pool = { id, host, classes: classes.map(({ caps, parallel }) => ({ caps: [...caps], parallel })) };
  const say = () =>
    pools.announce(pool, TTL_MS).catch((caught: unknown) => log.debug(`announcing workers: ${PeagenError.from(caught).line}`));
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
