/** A connection's life: the handshake and the daemon's health. */
import * as z from 'zod';
import { notification, request } from './message.ts';

/** Client → daemon, the first frame: proves that the client may read the user's token file. Anything else first ends the connection. */
export const Hello = request(
  'peagen/hello',
  z.object({
    protocol: z.number().int(),
    buildId: z.string(),
    token: z.string(),
    pid: z.number().int(),
    client: z.string(),
    /** Whether the person trusts the workspace; in one that is not, nothing executes. */
    trusted: z.boolean().default(true),
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

/** Client → daemon: end the daemon; answers whose end to wait for. Runs are interrupted in an orderly way and can be resumed. */
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
