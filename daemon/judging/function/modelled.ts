/** The speed of deterministic judging, which counts operations in place of time. */
import type { Metrics } from '../../../shared/judging.ts';

/** A modelled machine for deterministic judging: ten million operations a second. */
const OPERATIONS_PER_MS = 1e4;

/** Operation counts as if they were times: every number exactly reproducible. */
export function modelled(cost: number, baselineCost: number): Metrics {
  const speedup = baselineCost / Math.max(1, cost);
  return {
    cost,
    baseline_cost: baselineCost,
    speed_ms: cost / OPERATIONS_PER_MS,
    baseline_ms: baselineCost / OPERATIONS_PER_MS,
    speedup,
    speedup_low: speedup,
    speedup_high: speedup,
    samples: 1,
  };
}
