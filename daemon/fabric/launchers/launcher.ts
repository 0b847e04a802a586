/** The contract of a launcher: starts one-shot workers somewhere, for the spawner. */
import type { Config } from '../../../shared/config.ts';
import type { CapTag } from '../../../shared/task.ts';
import type { WorkerChannel } from '../worker/ipc.ts';

export interface LaunchedWorker {
  readonly id: string;
  /** Present when the worker gets its task from its parent; a worker without it claims by itself. */
  readonly channel?: WorkerChannel;
  /** Resolves when it is gone, with its exit code (null: killed) and the end of its log. Never rejects. */
  readonly exited: Promise<{ code: number | null; log: string }>;
  /** Asks it to finish the task in hand and exit. */
  drain(): void;
  kill(): void;
}

export interface Launcher {
  readonly name: string;
  /** Throws `unavailable` with the reason and the fix. */
  launch(caps: readonly CapTag[]): Promise<LaunchedWorker>;
  /** Workers that an earlier spawner left behind, so that they are adopted or ended. */
  leftovers(): Promise<LaunchedWorker[]>;
  close(): Promise<void>;
}

declare module '../../registry.ts' {
  interface PluginKinds {
    launcher: (config: Config, workspace: string) => Launcher;
  }
}
