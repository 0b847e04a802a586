/**
 * Carries what this process counted to the one that is scraped, since a one-shot worker ends with its task. A histogram
 * travels as sum and count: a worker observes once or twice, so that its mean is its observation.
 */
import { loaded } from '../../telemetry/loaded.ts';
import type { MetricDelta } from './ipc.ts';

export async function collectDeltas(): Promise<MetricDelta[]> {
  const deltas: MetricDelta[] = [];
  for (const { name, type, values } of (await loaded.metrics?.getMetricsAsJSON()) ?? []) {
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
