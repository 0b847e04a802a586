/**
 * Finds the daemon of a place, or starts it: connect; else take the lock, remove what a dead daemon left, spawn one
 * detached, connect with back-off. Of any number of starters exactly one spawns.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PeagenError } from '../../shared/errors.ts';
import type { ConfigSettings } from '../../shared/protocol/session.ts';
import { entryPoint } from '../assets.ts';
import { releaseLock, takeLock } from '../lock.ts';
import { type HelloParams, sayHello } from './handshake.ts';
import type { DaemonPlace } from './locate.ts';

/** How long a start may take, with a machine under load. */
const START_TIMEOUT_MS = 13_000;
const FIRST_WAIT_MS = 15;
const MAX_WAIT_MS = 250;
/** A log beyond this size is set aside at the next start. */
const MAX_LOG = 5 * 1024 * 1024;

export interface Who {
  /** Name of the client, for the log. */
  client: string;
  trusted: boolean;
  /** When it is not the workspace's own. */
  config?: ConfigSettings | undefined;
  keys?: HelloParams['keys'];
  traceparent?: string | undefined;
}

/** A connection with the handshake behind it, or undefined when no daemon answers. */
export async function connect(place: DaemonPlace, who: Who): Promise<Socket | undefined> {
  const socket = await new Promise<Socket | undefined>((resolve, reject) => {
    const attempt = createConnection(place.socket);
    attempt.once('connect', () => resolve(attempt));
    attempt.once('error', (cause: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ENOTSOCK'].includes(cause.code ?? '')) resolve(undefined);
      else reject(new PeagenError('unavailable', `Cannot connect to ${place.socket} (${cause.code}).`, { cause }));
    });
  });
  if (socket === undefined) return undefined;
  // A broken connection shows as its close; without a listener the error would end the process.
  socket.on('error', () => socket.destroy());
  try {
    await sayHello(socket, place, who);
    return socket;
  } catch (caught) {
    socket.destroy();
    throw caught;
  }
}

/** Connects to the daemon, starting it when there is none. Throws `unavailable` with the end of the log. */
export async function connectOrStart(place: DaemonPlace, who: Who, timeoutMs = START_TIMEOUT_MS): Promise<Socket> {
  const deadline = Date.now() + timeoutMs;
  let ours = false;
  let child: ChildProcess | undefined;
  try {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
      const found = await look(place, who);
      if (typeof found === 'object') return found;
      if (found === 'none' && child === undefined) {
        if (ours) {
          if (process.platform !== 'win32') rmSync(place.socket, { force: true });
          child = launch(place);
        } else if (takeLock(place.lock)) {
          ours = true;
          // Look again: another starter may have been done between our look and our lock.
          continue;
        }
      } else if (child?.exitCode === 0) {
        // It served another client, and ended with that one before we came.
        child = undefined;
      } else if (child !== undefined && (child.exitCode !== null || child.signalCode !== null)) {
        throw notStarted(place, `ended with ${child.exitCode ?? child.signalCode}`);
      }
      if (Date.now() > deadline) throw notStarted(place, `did not answer within ${timeoutMs / 1000} s`);
      await delay(wait);
    }
  } finally {
    if (ours) releaseLock(place.lock);
  }
}

/** `busy`: one listens but does not answer, because it is ending, or the machine is slow. Its socket is not ours to remove. */
async function look(place: DaemonPlace, who: Who): Promise<Socket | 'none' | 'busy'> {
  try {
    return (await connect(place, who)) ?? 'none';
  } catch (caught) {
    const error = PeagenError.from(caught);
    if (error.code === 'unavailable' || error.code === 'timeout') return 'busy';
    throw error;
  }
}

/** The daemon inherits nothing but its log: no descriptor, no terminal, no folder of the workspace. */
function launch(place: DaemonPlace): ChildProcess {
  if ((statSync(place.log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG) renameSync(place.log, `${place.log}.old`);
  const log = openSync(place.log, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [entryPoint('daemon'), place.workspace, place.folder, place.buildId], {
      cwd: place.folder,
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
      env: lastingEnvironment(process.env),
    });
    // Reported by the exit code or the time-out.
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Without what belongs to one editor window, which the daemon outlives. */
function lastingEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('VSCODE_')));
}

function notStarted(place: DaemonPlace, what: string): PeagenError {
  const lines = logEnd(place.log, 40).map((line) => line.trim());
  // A stack ends in lines that say little: the one that names the error says what happened.
  const named = lines.findLast((line) => /^(\w*Error\b|peagen daemon:)/.test(line));
  const end = named ?? lines.slice(-5).join(' | ');
  return new PeagenError('unavailable', `The daemon ${what}.${end === '' ? '' : ` Its log ends: ${end}`}`, {
    hint: `See ${place.log}.`,
  });
}

/** The last lines of the log. */
export function logEnd(path: string, lines: number): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines);
  } catch {
    return [];
  }
}
