/** A command's connection to a daemon. With `--sync`, the daemon is in this process. */
import { resolve } from 'node:path';
import type { RunId } from '../../shared/ids.ts';
import { DaemonClient } from '../client/client.ts';
import { type CommonOptions, logFor } from './output.ts';

export interface SessionOptions extends CommonOptions {
  /** In this process, with the stub queue, whatever the configuration says. */
  sync?: boolean;
}

export interface Session {
  readonly client: DaemonClient;
  /** What a user is told who leaves a run, and the process. */
  readonly leave: (run: RunId) => string;
  /** Interrupts what this process works on, and closes the connection. */
  close(): Promise<void>;
}

/** `folder`: where to look for the configuration. Runs are kept in the current folder. */
export async function openSession(options: SessionOptions, folder: string): Promise<Session> {
  const { startInProcess } = await import('../server/in-process.ts');
  const daemon = startInProcess(resolve('.'), logFor(options), {
    folder,
    // A path in a flag is relative to where the user is.
    file: options.config === undefined ? undefined : resolve(options.config),
    flags: options.sync === true ? { task_queue: { provider: 'stub' } } : {},
  });
  const client = new DaemonClient(daemon.stream);
  return {
    client,
    leave: (run) => `interrupted; continue with --resume ${run}`,
    close: async () => {
      await daemon.stop();
      client.close();
    },
  };
}
