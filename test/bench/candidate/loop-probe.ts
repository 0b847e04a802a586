/** Preloaded into a process under test: writes how long its event loop was blocked, in milliseconds, when it ends. */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env['PEAGEN_LOOP_FILE'];
if (isMainThread && file !== undefined) {
  delete process.env['PEAGEN_LOOP_FILE'];
  // Nanoseconds, sampled every millisecond; the timer's own period is part of each value.
  const delay = monitorEventLoopDelay({ resolution: 1 });
  // What is read at the start blocks the loop once, before any task is there.
  setTimeout(() => delay.reset(), 2000).unref();
  delay.enable();
  process.on('exit', () => {
    const ms = (value: number) => Number((value / 1e6).toFixed(1));
    writeFileSync(file, JSON.stringify({ p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) }));
  });
}
