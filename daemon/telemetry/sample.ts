/** The metrics as plain numbers, for the status, the dashboard and the alerts. */
import { metrics } from './metrics.ts';

export interface MetricsSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Tasks that wait, by kind. */
  readonly pending: Readonly<Record<string, number>>;
  readonly live: number;
  readonly idle: number;
  /** Tokens of all models, prompt and completion, since the process began. */
  readonly tokens: number;
  /** Workers that ended with an error or were killed. */
  readonly workerErrors: number;
  /** Tasks by handler: all, and those that failed. */
  readonly tasks: ReadonlyMap<string, { readonly all: number; readonly failed: number }>;
  readonly storeFailures: number;
  /** Describes the latest run. */
  readonly bestScore: number | undefined;
}

interface Metric {
  get(): Promise<{ values: readonly { value: number; labels: Partial<Record<string, string | number>> }[] }>;
}

export async function takeSample(now: number): Promise<MetricsSample> {
  const pending: Record<string, number> = {};
  for (const { labels, value } of await valuesOf(metrics.queuePending)) {
    const kind = String(labels['kind']);
    pending[kind] = (pending[kind] ?? 0) + value;
  }
  const tasks = new Map<string, { all: number; failed: number }>();
  for (const { labels, value } of await valuesOf(metrics.workerTask)) {
    const handler = String(labels['handler']);
    const { all, failed } = tasks.get(handler) ?? { all: 0, failed: 0 };
    tasks.set(handler, { all: all + value, failed: failed + (labels['status'] === 'error' ? value : 0) });
  }
  const exits = await valuesOf(metrics.workerExitReason);
  const [best] = await valuesOf(metrics.bestScore);
  return {
    at: now,
    pending,
    live: sum(await valuesOf(metrics.spawnerLive)),
    idle: sum(await valuesOf(metrics.spawnerIdle)),
    tokens: sum(await valuesOf(metrics.llmTokens)),
    workerErrors: sum(exits.filter(({ labels }) => labels['reason'] === 'error' || labels['reason'] === 'killed')),
    tasks,
    storeFailures: sum(await valuesOf(metrics.resultBackendFail)),
    bestScore: best?.value,
  };
}

async function valuesOf(metric: Metric) {
  return (await metric.get()).values;
}

function sum(values: readonly { value: number }[]): number {
  return values.reduce((total, { value }) => total + value, 0);
}
