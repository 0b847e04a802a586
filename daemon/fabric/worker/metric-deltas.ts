/**
 * Carries what this process counted to the one that is scraped, since a one-shot worker ends with its task. A histogram
 * travels as sum and count: a worker observes once or twice, so that its mean is its observation.
 */
import { Counter, Histogram } from 'prom-client';
import { metricsRegistry } from '../../telemetry/metrics.ts';
import type { MetricDelta } from './ipc.ts';

export async function collectDeltas(): Promise<MetricDelta[]> {
  const deltas: MetricDelta[] = [];
  for (const { name, type, values } of await metricsRegistry.getMetricsAsJSON()) {
    // prom-client types `type` as an enum; at run time it is its name.
    const kind = String(type);
    if (kind === 'counter') {
      for (const { labels, value } of values) if (value > 0) deltas.push({ name, labels: plain(labels), sum: value });
    } else if (kind === 'histogram') {
      deltas.push(...histogramDeltas(name, values));
    }
  }
  return deltas;
}

type Value = { labels: object; value: number; metricName?: string };

function histogramDeltas(name: string, values: readonly Value[]): MetricDelta[] {
  const sums = values.filter((value) => value.metricName === `${name}_sum`);
  const counts = values.filter((value) => value.metricName === `${name}_count`);
  return sums.flatMap((sum, index) => {
    const count = counts[index]?.value ?? 0;
    return count > 0 ? [{ name, labels: plain(sum.labels), sum: sum.value, count }] : [];
  });
}

function plain(labels: object): MetricDelta['labels'] {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => typeof value === 'string' || typeof value === 'number'));
}

/** Adds a worker's deltas here. A name or label that this build does not know is left out. */
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
