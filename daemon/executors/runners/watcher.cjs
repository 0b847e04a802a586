/** The second thread next to a counted candidate: reads the main thread's coverage now and then, and ends an endless loop. */
'use strict';

const { writeSync } = require('node:fs');
const inspector = require('node:inspector');
const { parentPort, workerData } = require('node:worker_threads');
const { LIMIT, MAIN, READS, RUNS, WATCHER, openCoverage } = require('./counter.cjs');

const { files, shared } = workerData;
const session = new inspector.Session();
session.connectToMainThread();
const read = openCoverage(files);
const everyMs = 100;

/** Also what keeps this thread alive: a pending answer of the inspector does not. */
setInterval(() => {
  if (shared[RUNS] !== 1) return;
  shared[READS] = 1;
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error === null) shared[WATCHER] += read(answer);
    shared[READS] = 0;
    if (shared[RUNS] !== 1 || shared[MAIN] + shared[WATCHER] <= shared[LIMIT]) return;
    writeSync(1, '{"cut":1}\n');
    process.kill(process.pid, 'SIGKILL');
  });
}, everyMs);

session.post('Profiler.enable', () => {
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true }, () => parentPort.postMessage('ready'));
});
