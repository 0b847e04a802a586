/**
 * Whether two estimates differ by more than chance, from their 95 % intervals: the difference of two independent estimates
 * against its standard error (D. G. Altman, J. M. Bland, "Interaction revisited: the difference between two estimates", BMJ
 * 326:219, 2003). Pure.
 */

export interface Estimate {
  readonly value: number;
  /** Ends of a 95 % interval; absent where the value is exact. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

export interface EstimateDifference {
  /** Two-sided probability of a difference at least as large between two that are equal. */
  readonly p: number;
  readonly isSignificant: boolean;
}

const LEVEL = 0.05;
/** Standard errors between the middle and the end of a 95 % interval. */
const HALF_WIDTH = 1.96;

/** `ratios`: the values are factors, which are compared by their logarithms. */
export function differenceOf(one: Estimate, other: Estimate, ratios: boolean): EstimateDifference {
  const scaled = (value: number) => (ratios ? Math.log(value) : value);
  const error = ({ value, low = value, high = value }: Estimate) => (scaled(high) - scaled(low)) / (2 * HALF_WIDTH);
  const difference = Math.abs(scaled(one.value) - scaled(other.value));
  const both = Math.hypot(error(one), error(other));
  const p = both > 0 ? 2 * (1 - normal(difference / both)) : difference > 0 ? 0 : 1;
  return { p, isSignificant: p < LEVEL };
}

/** Cumulative standard normal distribution above 0, exact to 7.5e-8 (M. Abramowitz, I. Stegun, 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const series = t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
