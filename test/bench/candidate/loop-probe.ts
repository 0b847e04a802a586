/**
 * Preloaded into a process under test: writes how its event loop fared from the first question to a model on, in milliseconds,
 * when it ends. `p50` and `p99`: how late a timer is, on a machine whose cores are all in use by candidates. `longest`: the
 * most processor time that the loop spent in one piece, which does not depend on what else runs.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env['PEAGEN_LOOP_FILE'];
if (isMainThread && file !== undefined) {
  delete process.env['PEAGEN_LOOP_FILE'];
  // Nanoseconds, sampled every millisecond; the timer's own period is part of each value.
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let [asked, before, longest] = [false, 0, 0];
  subscribe('undici:request:create', () => {
    if (asked) return;
    asked = true;
    before = spent();
    delay.enable();
    setInterval(() => {
      const now = spent();
      longest = Math.max(longest, now - before);
      before = now;
    }, 1).unref();
  });
  process.on('exit', () => {
    const ms = (value: number) => Number((value / 1e6).toFixed(1));
    const times = {
      p50: ms(delay.percentile(50)),
      p99: ms(delay.percentile(99)),
      max: ms(delay.max),
      longest: ms(longest * 1000),
    };
    writeFileSync(file, JSON.stringify(times));
  });
}

/** Microseconds of processor time of this thread. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
