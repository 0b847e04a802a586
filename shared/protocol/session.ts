/** A connection's life: the handshake and the daemon's health. */
import * as z from 'zod';
import { SecretName } from './choices.ts';
import { notification, request } from './message.ts';

/** The configuration that a client's requests go by, when it is not the workspace's own. */
export const ConfigSettings = z.object({
  /** Where the configuration is looked for, and the packages that it names. */
  folder: z.string().min(1),
  /** The configuration file, when it is not the nearest one. */
  file: z.string().optional(),
  /** Nested like the file; they count most. */
  flags: z.record(z.string(), z.unknown()).default({}),
  /** Variables of the client's process, in place of the daemon's own. */
  env: z.record(z.string().regex(/^PEAGEN__/), z.string()).optional(),
});
export type ConfigSettings = z.infer<typeof ConfigSettings>;

/**
 * Client → daemon, the first frame: proves that the client may read the user's token file. Anything else first ends the
 * connection.
 */
export const Hello = request(
  'peagen/hello',
  z.object({
    protocol: z.number().int(),
    buildId: z.string(),
    token: z.string(),
    pid: z.number().int(),
    client: z.string(),
    /** Whether the user trusts the workspace; in one that is not, nothing executes. */
    trusted: z.boolean().default(true),
    config: ConfigSettings.optional(),
    /** W3C trace context that the client's requests are part of. */
    traceparent: z.string().max(100).optional(),
    /** Keys of the client's environment, for names that the daemon's has no value for. */
    keys: z.record(SecretName, z.string().min(1).max(8192)).optional(),
  }),
  z.object({ protocol: z.number().int(), buildId: z.string(), pid: z.number().int() }),
);

/** Client → daemon: what the daemon is, for `peagen daemon status` and the status item's tooltip. */
export const DaemonStatus = request(
  'peagen/daemon/status',
  z.object({}),
  z.object({
    pid: z.number().int(),
    buildId: z.string(),
    version: z.string(),
    workspace: z.string(),
    socket: z.string(),
    log: z.string(),
    started_at: z.iso.datetime(),
    clients: z.number().int(),
    running: z.array(z.string()),
    queue: z.object({ provider: z.string(), pending: z.number().int() }),
    workers: z.object({ live: z.number().int(), idle: z.number().int() }),
    sandbox: z.string(),
  }),
);

/** Client → daemon: end the daemon; returns whose end to wait for. Runs are interrupted in an orderly way and can be resumed. */
export const DaemonStop = request('peagen/daemon/stop', z.object({}), z.object({ pid: z.number().int() }));

/** Daemon → client: health, whenever it changes; drives the one status item. */
export const Health = notification(
  'peagen/health',
  z.object({
    health: z.enum(['ok', 'warning', 'error']),
    /** True when nothing is running. */
    quiescent: z.boolean(),
    message: z.string().optional(),
  }),
);
