/** A command's connection to a daemon: the workspace's, started when there is none; with `--sync`, one in this process. */
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { RunId } from '../../shared/ids.ts';
import { SecretName } from '../../shared/protocol/choices.ts';
import { type ConfigSettings, Health } from '../../shared/protocol/session.ts';
import type { DaemonClient } from '../client/client.ts';
import type { Who } from '../client/start.ts';
import { traceparent } from '../telemetry/trace.ts';
import { type CommonOptions, logFor, say } from './output.ts';

/** How a client's requests are logged with `--verbose`. */
function answeredTo(options: CommonOptions): (method: string, ms: number) => void {
  const log = logFor(options);
  return (method, ms) => log.debug({ method, ms: Math.round(ms) }, 'the daemon has answered');
}

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
  /** The message for a user who leaves a run, and the process. */
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
  return options.sync === true ? await inThisProcess(options, settings) : await overSocket(options, settings);
}

/** How a command introduces itself that asks the daemon of a folder about the daemon, and not for work. */
export function visitor({ config }: CommonOptions, workspace: string): Who {
  const settings = config === undefined ? {} : { config: { folder: resolve(workspace), file: resolve(config), flags: {} } };
  return { client: 'peagen cli', trusted: true, traceparent: traceparent(), ...settings };
}

/** Asks the daemon of a folder. Undefined without one: none is started. */
export async function askDaemon<T>(
  options: CommonOptions,
  workspace: string,
  question: (client: DaemonClient) => Promise<T>,
): Promise<T | undefined> {
  const [{ locate }, { connect }] = await Promise.all([import('../client/locate.ts'), import('../client/start.ts')]);
  const socket = await connect(locate(workspace), visitor(options, workspace));
  return socket === undefined ? undefined : await asking(options, socket, question);
}

/** The connection is closed whatever comes of the question: an open one would keep this process. */
export async function asking<T>(
  options: CommonOptions,
  socket: Socket,
  question: (client: DaemonClient) => Promise<T>,
): Promise<T> {
  const { DaemonClient } = await import('../client/client.ts');
  const client = new DaemonClient(socket, answeredTo(options));
  try {
    return await question(client);
  } finally {
    client.close();
  }
}

async function inThisProcess(options: SessionOptions, settings: ConfigSettings): Promise<CommandSession> {
  const [{ startInProcess }, { DaemonClient }] = await Promise.all([
    import('../server/in-process.ts'),
    import('../client/client.ts'),
  ]);
  const daemon = startInProcess(resolve('.'), logFor(options), settings);
  const client = new DaemonClient(daemon.stream, answeredTo(options));
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

async function overSocket(options: CommonOptions, settings: ConfigSettings): Promise<CommandSession> {
  const [{ locate }, { connectOrStart }, { DaemonClient }] = await Promise.all([
    import('../client/locate.ts'),
    import('../client/start.ts'),
    import('../client/client.ts'),
  ]);
  const place = locate('.');
  const env = entries((name) => name.startsWith('PEAGEN__'));
  const keys = entries((name) => SecretName.safeParse(name).success);
  const who = { client: 'peagen cli', trusted: true, config: { ...settings, env }, keys, traceparent: traceparent() };
  const client = new DaemonClient(await connectOrStart(place, who), answeredTo(options));
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
  // With a configuration that is in error, the command's own request says so.
  client.on(Health, ({ health, message }) => {
    if (health === 'warning' && message !== undefined) warn(message);
  });
  return warn;
}

function entries(wanted: (name: string) => boolean): Record<string, string> {
  const found = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || value === '' || !wanted(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(found);
}
