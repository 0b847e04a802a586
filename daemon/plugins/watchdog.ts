/**
 * Ends this process when it stands still while parts of plugins work in it, and names them. A queue or a result store works in
 * the process that asks it, and an endless loop there stops everything; what was in progress goes on after a restart.
 */
import { url } from 'node:inspector';
import { Worker } from 'node:worker_threads';

const BEAT_MS = 500;
/** Beats are counted, not the clock: a machine that was suspended has not stood still. 15 s, more than any import may take. */
const MOST_MISSED = 30;

/** Runs in a thread, which goes on when the process stands still. */
const WATCH = `
const { parentPort, workerData: { beats, everyMs, most } } = require('node:worker_threads');
const names = [];
let last = -1;
let missed = 0;
parentPort.on('message', (name) => names.push(name));
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed < most) return;
  const line = 'This process stood still for ' + (most * everyMs) / 1000 + ' s and ends. These plugins work in it: ' + names.join(', ') + '.';
  require('node:fs').writeSync(2, line + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, everyMs);
`;

let watching: Worker | undefined;
const watched = new Set<string>();

/** `name`: such as `queue "pg" of peagen-pg@1.0.0`. A process that is being debugged may stand still. */
export function watch(name: string): void {
  if (watched.has(name) || url() !== undefined) return;
  watched.add(name);
  watching ??= startWatching();
  watching.postMessage(name);
}

function startWatching(): Worker {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(WATCH, { eval: true, env: {}, workerData: { beats, everyMs: BEAT_MS, most: MOST_MISSED } });
  thread.unref();
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  return thread;
}
