/** Adds what a worker counted to this process's metrics; see worker/metric-deltas.ts. */
import { Counter, Histogram } from 'prom-client';
import { metricsRegistry } from '../telemetry/metrics.ts';
import type { MetricDelta } from './worker/ipc.ts';

/** A name or label that this build does not know is left out. */
export function addDeltas(deltas: readonly MetricDelta[]): void {
  for (const { name, labels, sum, count } of deltas) {
    const metric = metricsRegistry.getSingleMetric(name);
    try {
      if (metric instanceof Counter) metric.inc(labels, sum);
      else if (metric instanceof Histogram && count !== undefined) {
        for (let i = 0; i < Math.min(count, 100); i++) metric.observe(labels, sum / count);
      }
    } catch {
      // An unknown label: the worker is of another build.
    }
  }
}
