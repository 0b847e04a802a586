/**
 * What readings say about how many times faster a program is. A reading is the natural logarithm of the ratio original /
 * candidate of one pair of processes, so that 2 times faster and 2 times slower are equally far from 0. Pure.
 *
 * The noise of a pair is pooled over the programs of a run, as robust scales are (P. J. Huber, "Robust statistics", 1981,
 * chapter 5): with a known scale one pair already has an error bar. With a flat prior and normal noise of a known scale the
 * posterior of a program's logarithm is normal around the middle of its readings (A. Gelman et al., "Bayesian data analysis",
 * 3rd edition, section 2.5); the median stands for the mean because one process in eight is slow for its whole life.
 */
import type { Metrics } from '../../../../shared/judging.ts';
import { tuned } from '../../tuned.ts';
import { FEWEST, type Ratio } from './measure.ts';

/** Standard errors to either end of a 95 % interval. */
export const INTERVAL = 1.96;
/** Efficiency loss of a median against a mean of normal readings, from three readings on: sqrt(pi / 2). */
const MEDIAN_LOSS = Math.sqrt(Math.PI / 2);
/** Standard deviation of a normal distribution over its median absolute deviation. */
const MAD_TO_SD = 1.4826;

/**
 * Pooled standard deviation of pairs: deviations of each program's readings from that program's own median, winsorised at twice
 * the bounds of a 95 % interval, with what is usual weighing as much as the fewest readings that have an interval. Programs with
 * fewer than two readings tell nothing. Never below what the most exact measurement is to reach.
 */
export function pooledNoise(programs: readonly (readonly number[])[]): number {
  const deviations = programs
    .filter((readings) => readings.length >= 2)
    .flatMap((readings) => {
      const middle = middleLog(readings);
      // A deviation from one's own median is smaller than from the truth, by n / (n - 1) in the square.
      const correction = Math.sqrt(readings.length / (readings.length - 1));
      return readings.map((reading) => Math.abs(reading - middle) * correction);
    });
  const scale = deviations.length === 0 ? tuned.priorSd : Math.max(tuned.narrow, middleLog(deviations) * MAD_TO_SD);
  const squares = deviations.map((deviation) => Math.min(deviation, 2 * INTERVAL * scale) ** 2);
  const sum = squares.reduce((total, square) => total + square, 0) + FEWEST * tuned.priorSd ** 2;
  return Math.max(tuned.narrow, Math.sqrt(sum / (squares.length + FEWEST)));
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
