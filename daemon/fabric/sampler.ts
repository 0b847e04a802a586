/** Keeps the queue's gauges current: reads the depth every few seconds and sets what dashboards and alerts look at. */
import { PeagenError } from '../../shared/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { metrics } from '../telemetry/metrics.ts';
import { parseLane } from './lanes.ts';
import type { TaskQueue } from './queue.ts';

/** As often as most collectors of metrics ask. */
const SAMPLE_MS = 15_000;

/** Returns a function that stops it. Samples once at the start. */
export function sampleDepth(queue: TaskQueue, log: Log, everyMs = SAMPLE_MS): () => void {
  let running = false;
  const sample = async () => {
    if (running) return;
    running = true;
    try {
      const { byLane, pending, oldestMs, oldestByLane } = await queue.depth();
      for (const [stream, count] of Object.entries(byLane)) {
        const kind = parseLane(stream)?.kind;
        if (kind === undefined) continue;
        metrics.queuePending.set({ stream, kind }, count);
        if (oldestByLane !== undefined) metrics.queuePendingIdleMax.set({ stream }, (oldestByLane[stream] ?? 0) / 1000);
      }
      metrics.queuePendingIdleMax.set({ stream: 'all' }, pending === 0 ? 0 : oldestMs / 1000);
    } catch (error) {
      log.warn(PeagenError.from(error).line);
    } finally {
      running = false;
    }
  };
  void sample();
  const timer = setInterval(() => void sample(), everyMs).unref();
  return () => clearInterval(timer);
}
