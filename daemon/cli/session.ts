/** A command's connection to a daemon: the workspace's, started when there is none; with `--sync`, one in this process. */
import { resolve } from 'node:path';
import type { RunId } from '../../shared/ids.ts';
import { SecretName } from '../../shared/protocol/choices.ts';
import { type ConfigSettings, Health } from '../../shared/protocol/session.ts';
import type { DaemonClient } from '../client/client.ts';
import { type CommonOptions, logFor, say } from './output.ts';

export interface SessionOptions extends CommonOptions {
  /** In this process, with the stub queue, whatever the configuration says. */
  sync?: boolean;
  /** The tier to run candidates in. */
  sandbox?: string;
  /** False: only the given calls are compared, whatever the configuration says. */
  derive?: boolean;
}

export interface CommandSession {
  readonly client: DaemonClient;
  /** How long a first Ctrl+C waits for a second one, in milliseconds: 0 where no run outlives the command. */
  readonly secondPressMs: number;
  /** What a user is told who leaves a run, and the process. */
  readonly leave: (run: RunId) => string;
  /** Closes the connection. A daemon in this process interrupts its runs first; any other goes on with them. */
  close(): Promise<void>;
}

/** `folder`: where to look for the configuration. Runs are kept in the current folder. */
export async function openSession(options: SessionOptions, folder: string): Promise<CommandSession> {
  const settings: ConfigSettings = {
    folder: resolve(folder),
    // A path in a flag is relative to where the user is.
    ...(options.config === undefined ? {} : { file: resolve(options.config) }),
    flags: {
      ...(options.sync === true ? { task_queue: { provider: 'stub' } } : {}),
      evaluate: {
        ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
        ...(options.derive === false ? { derive: false } : {}),
      },
    },
  };
  return options.sync === true ? await inThisProcess(options, settings) : await overSocket(settings);
}

async function inThisProcess(options: SessionOptions, settings: ConfigSettings): Promise<CommandSession> {
  const [{ startInProcess }, { DaemonClient }] = await Promise.all([
    import('../server/in-process.ts'),
    import('../client/client.ts'),
  ]);
  const daemon = startInProcess(resolve('.'), logFor(options), settings);
  const client = new DaemonClient(daemon.stream);
  return {
    client,
    secondPressMs: 0,
    leave: (run) => `interrupted; continue with: peagen evolve run --sync --resume ${run}`,
    close: async () => {
      await daemon.stop();
      client.close();
    },
  };
}

async function overSocket(settings: ConfigSettings): Promise<CommandSession> {
  const [{ locate }, { connectOrStart }, { DaemonClient }] = await Promise.all([
    import('../client/locate.ts'),
    import('../client/start.ts'),
    import('../client/client.ts'),
  ]);
  const place = locate('.');
  const env = entries((name) => name.startsWith('PEAGEN__'));
  const keys = entries((name) => SecretName.safeParse(name).success);
  const who = { client: 'peagen cli', trusted: true, config: { ...settings, env }, keys };
  const client = new DaemonClient(await connectOrStart(place, who));
  return {
    client,
    secondPressMs: 1000,
    leave: (run) =>
      `left; the daemon goes on with the run. Come back with: peagen evolve run --resume ${run} (peagen runs show ${run} once it has ended)`,
    close: async () => client.close(),
  };
}

/** Says once what work waits for, such as a full disk or a language model that does not answer. Returns what says a warning once. */
export function sayTrouble({ client }: CommandSession): (warning: string) => void {
  const said = new Set<string>();
  const warn = (warning: string): void => {
    if (said.has(warning)) return;
    said.add(warning);
    say(`warning: ${warning}`);
  };
  client.on(Health, ({ health, message }) => {
    if (health !== 'ok' && message !== undefined) warn(message);
  });
  return warn;
}

function entries(wanted: (name: string) => boolean): Record<string, string> {
  const found = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || value === '' || !wanted(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(found);
}
