/**
 * Errors that a task's code leaves behind outside of its promise: they are logged with the task's name, and neither end the
 * process nor reach another task. An error that belongs to no task keeps Node's usual treatment.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../../telemetry/log.ts';

interface Owner {
  readonly task: string;
  readonly kind: string;
  readonly log: Log;
}

const owners = new AsyncLocalStorage<Owner>();
let guards = 0;

/** Runs a task's code so that its stray errors are known to be its own. */
export function ownedBy<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
  return owners.run(owner, work);
}

/** Listens for stray errors until it is disposed of. */
export function guardStrayErrors(): Disposable {
  if (guards++ === 0) process.on('unhandledRejection', hear);
  return {
    [Symbol.dispose]: () => {
      if (--guards === 0) process.off('unhandledRejection', hear);
    },
  };
}

function hear(caught: unknown): void {
  const owner = owners.getStore();
  if (owner === undefined) {
    // Another listener, such as the daemon's own, has its say; without one the process ends as it would without us.
    if (process.listenerCount('unhandledRejection') === 1) throw caught;
    return;
  }
  owner.log.error({ err: caught, task: owner.task }, `the ${owner.kind} task left an error behind that nothing handled`);
}
