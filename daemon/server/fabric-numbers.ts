/** Reads from the metrics what the status shows: tasks that wait, workers that live. */
import { metrics } from '../telemetry/metrics.ts';

export async function fabricNumbers(): Promise<{ pending: number; live: number; idle: number }> {
  const sum = async (gauge: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await gauge.get()).values.reduce((total, { value }) => total + value, 0);
  return {
    pending: await sum(metrics.queuePending),
    live: await sum(metrics.spawnerLive),
    idle: await sum(metrics.spawnerIdle),
  };
}
