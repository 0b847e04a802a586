/** The daemon in the process of a command, for `--sync`: the same object over a pair of streams, without socket and lifetime. */
import { type Duplex, duplexPair } from 'node:stream';
import { PROTOCOL_VERSION } from '../../shared/protocol/message.ts';
import type { ConfigSettings } from '../../shared/protocol/session.ts';
import type { Log } from '../telemetry/log.ts';
import { traceparent } from '../telemetry/trace.ts';
import { buildId, version } from '../version.ts';
import { ChosenInEditor } from './choices.ts';
import { engineSource } from './engine-source.ts';
import { Daemon } from './server.ts';

export interface InProcess {
  /** The client's end of the connection. */
  readonly stream: Duplex;
  /** Interrupts runs in an orderly way and lets go of everything that keeps the process. */
  stop(): Promise<void>;
}

/** `workspace`: absolute folder that holds `.peagen`. */
export function startInProcess(workspace: string, log: Log, settings: ConfigSettings): InProcess {
  const build = buildId();
  const chosen = new ChosenInEditor(process.env);
  const source = engineSource({ workspace, buildId: build }, log, settings, chosen);
  const daemon = new Daemon({
    // Nobody else finds it.
    place: { workspace, buildId: build, folder: '', socket: '', lock: '', token: '', log: '' },
    log,
    version,
    graceMs: 0,
    // A plan warns of a weak sandbox; a command that runs no candidate does not look for one.
    chosen,
    engines: () => ({ ...source, fabric: async () => ({ queue: 'in process', sandbox: 'not looked for' }) }),
  });
  const [near, far] = duplexPair({ allowHalfOpen: false });
  const client = { client: 'peagen cli', trusted: true, traceparent: traceparent() };
  const hello = { protocol: PROTOCOL_VERSION, buildId: build, token: '', pid: process.pid, ...client };
  daemon.serve(far, hello);
  return {
    stream: near,
    stop: async () => {
      void daemon.stop('the command has ended');
      await daemon.ended;
    },
  };
}
