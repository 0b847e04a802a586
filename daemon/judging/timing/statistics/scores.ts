/**
 * Scores of an evaluator that vary from one evaluation to the next: the mean of several evaluations, with a 95 % interval by
 * Student's t distribution (Student, "The probable error of a mean", Biometrika 6, 1908). Pure.
 */
import type { Metrics } from '../../../../shared/judging.ts';

/** 97.5 % quantiles of Student's t distribution for 1, 2, … degrees of freedom, and for more than those listed. */
const QUANTILES = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
const NORMAL = 1.96;

export interface ScoreInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The interval of one value is that value: nothing is known of its spread. Throws on none. */
export function scoreInterval(values: readonly number[]): ScoreInterval {
  const count = values.length;
  if (count === 0) throw new RangeError('There are no scores.');
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean, low: mean, high: mean };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const margin = (QUANTILES[count - 2] ?? NORMAL) * Math.sqrt(variance / count);
  return { mean, low: mean - margin, high: mean + margin };
}

/** The mean of each metric that every evaluation has. Throws on none. */
export function meanMetrics(evaluations: readonly Metrics[]): Metrics {
  const [first] = evaluations;
  if (first === undefined) throw new RangeError('There are no evaluations.');
  const shared = Object.keys(first).filter((name) => evaluations.every((metrics) => metrics[name] !== undefined));
  return Object.fromEntries(shared.map((name) => [name, scoreInterval(evaluations.map((one) => one[name] ?? 0)).mean]));
}
