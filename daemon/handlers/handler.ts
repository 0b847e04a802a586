/** The contract of a task handler: what a worker runs. Idempotent; never runs candidate code outside a sandbox. */
import type { Config } from '../../shared/config.ts';
import type { CapTag, Task, TaskKind } from '../../shared/task.ts';
import type { PackedFolders } from '../judging/copies/packed.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import type { PureWork } from './threads.ts';

export type { PackedFolders, PackedPart } from '../judging/copies/packed.ts';

export interface HandlerContext {
  readonly workerId: string;
  /** Fires when the lease is lost, the task is cancelled or the worker must stop. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The worker's configuration: limits, sandbox tier, back ends. Never taken from the task. */
  readonly config: Config;
  readonly registry: Registry;
  /** Threads for pure work; undefined: it is done in this one. */
  readonly threads?: PureWork | undefined;
  /** The folder that the host serves: tasks of a shared queue may name folders in it only. Default: that of the process. */
  readonly workspace?: string | undefined;
  /** Where the folders are that tasks refer to; undefined: tasks name folders of this machine. */
  readonly folders?: Pick<PackedFolders, 'get'> | undefined;
}

/** `ok` completes the task, together with its follow-ups; `skip` gives it back to other workers. Errors are thrown as PeagenError. */
export type Handled =
  | { readonly status: 'ok'; readonly data: unknown; readonly followUps?: readonly Task[] }
  | { readonly status: 'skip'; readonly reason: string };

export interface TaskHandler {
  readonly kind: TaskKind;
  readonly name: string;
  readonly version: string;
  /** Handler rule: `task.requires ⊆ provides ⊆ worker.caps`. */
  readonly provides: readonly CapTag[];
  accepts(task: Task): boolean;
  handle(task: Task, context: HandlerContext): Promise<Handled>;
}

declare module '../registry.ts' {
  interface PluginKinds {
    handler: (config: Config) => TaskHandler;
  }
}
