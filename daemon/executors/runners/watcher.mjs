/** The second thread next to a counted candidate: reads the main thread's coverage now and then, and ends an endless loop. */
import { writeSync } from 'node:fs';
import inspector from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { openCoverage } from './counter.mjs';

const { files, shared } = workerData;
const session = new inspector.Session();
session.connectToMainThread();
const read = openCoverage(files);
const everyMs = 100;

/** Also what keeps this thread alive: a pending answer of the inspector does not. */
setInterval(() => {
  if (shared[2] !== 1) return;
  shared[3] = 1;
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error === null) shared[0] += read(answer);
    shared[3] = 0;
    if (shared[2] !== 1 || shared[0] <= shared[1]) return;
    writeSync(1, '{"cut":1}\n');
    process.kill(process.pid, 'SIGKILL');
  });
}, everyMs);

session.post('Profiler.enable', () => {
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true }, () => parentPort.postMessage('ready'));
});
