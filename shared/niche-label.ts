/** Niches in words. Needs nothing, so that a page in a browser has it for nothing. */
import type { FeatureAxis, NicheId } from './niche.ts';

/** The bin of a logarithmic axis that holds 0 and everything below. */
export const LOG_ZERO_BIN = -10_000;

/** A niche's ranges in words: `speed 10–15 ms · memory 0–32 KB`. */
export function nicheLabel(niche: NicheId, axes: readonly FeatureAxis[]): string {
  const bins = niche.split('/');
  if (bins.length !== axes.length) return `niche ${niche}`;
  return bins.map((bin, i) => (axes[i] === undefined ? bin : binLabel(Number(bin), axes[i]))).join(' · ');
}

/** One bin of an axis in words: `speed 10–15 ms`. */
export function binLabel(bin: number, { name, bin: size, unit, scale }: FeatureAxis): string {
  const range = (low: number, high: number) => `${name} ${round(low)}–${round(high)}${unit === '' ? '' : ` ${unit}`}`;
  if (scale === 'quantile') return `${name} ${bin + 1} of ${size}`;
  if (scale === 'log') return bin === LOG_ZERO_BIN ? `${name} at most 0` : range(size ** bin, size ** (bin + 1));
  return size === 1 ? `${name} ${bin}${unit === '' ? '' : ` ${unit}`}` : range(bin * size, (bin + 1) * size);
}

function round(value: number): string {
  return String(Number(value.toPrecision(6)));
}
