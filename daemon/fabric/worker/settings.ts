/** The settings that a worker reads from its environment. Nothing here ever comes from a task. */
import { PeagenError } from '../../../shared/errors.ts';

/** The `QUEUE_URL` of a worker whose parent claims for it. */
export const IPC_URL = 'ipc:';

export interface WorkerSettings {
  /** `ipc:`, `redis(s)://…`, or the address of a plugin's queue. */
  readonly queueUrl: string;
  /** Undefined: detect. */
  readonly caps: readonly string[] | undefined;
  /** Names of the only handlers to use. Undefined: all. */
  readonly plugins: readonly string[] | undefined;
  readonly idleExitMs: number;
  readonly maxUptimeMs: number;
}

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Throws `invalid_input` that names the variable. Written without zod: a worker claims before it loads anything. */
export function readSettings(env: NodeJS.ProcessEnv): WorkerSettings {
  const queueUrl = env['QUEUE_URL'] ?? '';
  if (!/^(ipc:|[a-z][a-z0-9+.-]*:\/\/)/.test(queueUrl)) {
    throw new PeagenError('invalid_input', `QUEUE_URL is ${queueUrl === '' ? 'not set' : `"${queueUrl.split('@').pop()}"`}.`, {
      hint: 'Set it to redis://HOST:PORT or rediss://HOST:PORT, or to the address of the queue of a plugin.',
    });
  }
  return {
    queueUrl,
    caps: listOf(env['WORKER_CAPS']),
    plugins: listOf(env['WORKER_PLUGINS']),
    idleExitMs: durationOf('WORKER_IDLE_EXIT', env['WORKER_IDLE_EXIT'], 45_000),
    maxUptimeMs: durationOf('WORKER_MAX_UPTIME', env['WORKER_MAX_UPTIME'], 4 * 3_600_000),
  };
}

function listOf(text: string | undefined): string[] | undefined {
  const items = (text ?? '').split(',').map((item) => item.trim());
  const named = items.filter((item) => item !== '');
  return named.length === 0 ? undefined : named;
}

/** `30s`, `4h`, `250ms`, or a number of seconds, as in the configuration file. */
function durationOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback;
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  if (match === null) {
    throw new PeagenError('invalid_input', `${name} is "${text}".`, { hint: 'Write a duration such as 30s, 10m or 4h.' });
  }
  return Number(match[1]) * (units[match[2] ?? 's'] ?? 1000);
}
