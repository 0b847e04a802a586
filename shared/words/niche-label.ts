/** Niches in words. Needs nothing, so that a page in a browser has it for nothing. */

import type { FeatureAxis, NicheId } from '../niche.ts';
import { fill } from './fill.ts';

/** The bin of a logarithmic axis that holds 0 and everything below. */
export const LOG_ZERO_BIN = -10_000;

/** How a range is written, in the reader's language. Braces hold the feature's name and the values. */
export interface RangeTexts {
  readonly niche: string;
  readonly partOf: string;
  readonly atMostZero: string;
}

const english: RangeTexts = { niche: 'niche {0}', partOf: '{0} {1} of {2}', atMostZero: '{0} at most 0' };

/** A niche's ranges in words: `speed 10–15 ms · memory 0–32 KB`. */
export function nicheLabel(niche: NicheId, axes: readonly FeatureAxis[], texts = english): string {
  const bins = niche.split('/');
  if (bins.length !== axes.length) return fill(texts.niche, niche);
  return bins.map((bin, i) => (axes[i] === undefined ? bin : binLabel(Number(bin), axes[i], texts))).join(' · ');
}

/** One bin of an axis in words: `speed 10–15 ms`, or `dictionary-based` where bins have names. */
export function binLabel(bin: number, { name, bin: size, unit, scale, labels }: FeatureAxis, texts = english): string {
  const known = labels?.[bin];
  if (known !== undefined) return known;
  const range = (low: number, high: number) => `${name} ${round(low)}–${round(high)}${unit === '' ? '' : ` ${unit}`}`;
  if (scale === 'quantile') return fill(texts.partOf, name, bin + 1, size);
  if (scale === 'log') return bin === LOG_ZERO_BIN ? fill(texts.atMostZero, name) : range(size ** bin, size ** (bin + 1));
  return size === 1 ? `${name} ${bin}${unit === '' ? '' : ` ${unit}`}` : range(bin * size, (bin + 1) * size);
}

function round(value: number): string {
  return String(Number(value.toPrecision(6)));
}
