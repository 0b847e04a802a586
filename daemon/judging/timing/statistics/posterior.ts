/**
 * What readings say about how many times faster a program is. A reading is the natural logarithm of the ratio original /
 * candidate of one pair of processes, so that 2 times faster and 2 times slower are equally far from 0. Pure.
 *
 * The noise of a pair is pooled over the programs of a run, by the differences between two readings of a program (P. J. Rousseeuw
 * and C. Croux, "Alternatives to the median absolute deviation", 1993): with a known scale one pair already has an error bar. With a flat prior and normal noise of a known scale the
 * posterior of a program's logarithm is normal around the middle of its readings (A. Gelman et al., "Bayesian data analysis",
 * 3rd edition, section 2.5); the median stands for the mean because one process in eight is slow for its whole life.
 */
import type { Metrics } from '../../../../shared/judging.ts';
import { tuned } from '../../tuned.ts';
import type { Ratio } from './measure.ts';

/** Standard errors to either end of a 95 % interval. */
export const INTERVAL = 1.96;
/** Efficiency loss of a median against a mean of normal readings, from three readings on: sqrt(pi / 2). */
const MEDIAN_LOSS = Math.sqrt(Math.PI / 2);
/**
 * Pooled standard deviation of pairs: that of a normal distribution in which as many of the differences between two readings of one
 * program are as small as 95 in 100 were. Until there are twenty it is not below what is usual, and never below what the most exact
 * measurement is to reach.
 */
export function pooledNoise(programs: readonly (readonly number[])[]): number {
  const spread = programs.flatMap((readings) =>
    readings.flatMap((one, at) => readings.slice(at + 1).map((other) => Math.abs(one - other) / Math.SQRT2)),
  );
  const sorted = [...spread, tuned.priorSd * INTERVAL].sort((a, b) => a - b);
  return Math.max(tuned.narrow, (sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0) / INTERVAL);
}

/**
 * How many times faster the readings say that the candidate is, with a 95 % interval from the pooled noise. Throws on no
 * readings.
 */
export function estimate(readings: readonly number[], noise: number): Ratio {
  const middle = middleLog(readings);
  const margin = INTERVAL * standardError(readings.length, noise);
  return { ratio: Math.exp(middle), low: Math.exp(middle - margin), high: Math.exp(middle + margin) };
}

/** Standard error of a median; the median of two readings is their mean. */
export function standardError(count: number, noise: number): number {
  return (noise / Math.sqrt(count)) * (count > 2 ? MEDIAN_LOSS : 1);
}

/** The median. Throws on none. */
export function middleLog(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) throw new RangeError('There are no readings.');
  return (low + high) / 2;
}

/** The posterior of a program as metrics: what selection, the bandit and the archive compare by. */
export function posteriorMetrics(metrics: Metrics, readings: readonly number[], noise: number): Metrics {
  const { ratio: speedup, low: speedup_low, high: speedup_high } = estimate(readings, noise);
  const baseline = metrics['baseline_ms'];
  const speed = baseline === undefined || metrics['speed_ms'] === undefined ? {} : { speed_ms: baseline / speedup };
  return { ...metrics, ...speed, speedup, speedup_low, speedup_high, samples: readings.length };
}
