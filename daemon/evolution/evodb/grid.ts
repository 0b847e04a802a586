/** The regular grid of MAP-Elites, each axis with bins of its own: of fixed width, logarithmic, or by quantile. */
import * as z from 'zod';
import type { FeatureAxis, NicheId } from '../../../shared/niche.ts';
import { LOG_ZERO_BIN, nicheLabel } from '../../../shared/words/niche-label.ts';
import type { Geometry } from './geometry.ts';
import { QuantileBins, QuantileState } from './quantile-bins.ts';

/** Per axis; null for an axis that learns nothing. */
const GridState = z.array(QuantileState.nullable());

export class Grid implements Geometry {
  readonly kind = 'grid';
  private readonly axes: readonly FeatureAxis[];
  private readonly quantiles: readonly (QuantileBins | undefined)[];

  /** `state` is a snapshot of a grid of the same axes. Throws ZodError when it is not. */
  constructor(axes: readonly FeatureAxis[], state?: unknown) {
    const learnt = state === undefined ? [] : GridState.length(axes.length).parse(state);
    this.axes = axes;
    this.quantiles = axes.map(({ scale, bin }, i) =>
      scale === 'quantile' ? new QuantileBins(bin, learnt[i] ?? undefined) : undefined,
    );
  }

  place(features: readonly number[]): NicheId {
    return this.axes
      .map((axis, i) => {
        const value = features[i] ?? 0;
        const bins = this.quantiles[i];
        if (bins !== undefined) return bins.binOf(value);
        return axis.scale === 'log' ? logBin(value, axis.bin) : fixedBin(value, axis.bin);
      })
      .join('/');
  }

  observe(features: readonly number[]): boolean {
    let moved = false;
    this.quantiles.forEach((bins, i) => {
      if (bins?.observe(features[i] ?? 0)) moved = true;
    });
    return moved;
  }

  /** Axes count alike, however many bins they have; bins with names are the same or not. */
  distance(one: NicheId, other: NicheId): number {
    const others = other.split('/');
    return one.split('/').reduce((sum, bin, i) => {
      const apart = Math.abs(Number(bin) - Number(others[i]));
      return sum + (this.axes[i]?.labels === undefined ? apart / (1 + apart) : Math.min(apart, 1));
    }, 0);
  }

  label(niche: NicheId): string {
    return niche
      .split('/')
      .map((bin, i) => {
        const axis = this.axes[i];
        const bins = this.quantiles[i];
        if (axis === undefined) return bin;
        return bins === undefined ? nicheLabel(bin, [axis]) : rangeLabel(axis, bins.range(Number(bin)));
      })
      .join(' · ');
  }

  snapshot(): unknown {
    return this.quantiles.map((bins) => bins?.state() ?? null);
  }
}

/** Beyond 2⁵³ the bins at the rim take everything, so that an index is always a plain integer. */
function fixedBin(value: number, width: number): number {
  return Math.min(Math.max(Math.floor(value / width), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

function logBin(value: number, ratio: number): number {
  if (value <= 0) return LOG_ZERO_BIN;
  const bin = Math.floor(Math.log(value) / Math.log(ratio));
  // log(1000) / log(10) is 2.9999999999999996.
  if (ratio ** (bin + 1) <= value) return Math.max(bin + 1, LOG_ZERO_BIN + 1);
  return Math.max(ratio ** bin > value ? bin - 1 : bin, LOG_ZERO_BIN + 1);
}

function rangeLabel({ name, unit }: FeatureAxis, [low, high]: [number, number]): string {
  const show = (value: number) => String(Number(value.toPrecision(4)));
  const behind = unit === '' ? '' : ` ${unit}`;
  if (low === Number.NEGATIVE_INFINITY)
    return high === Number.POSITIVE_INFINITY ? `any ${name}` : `${name} below ${show(high)}${behind}`;
  return high === Number.POSITIVE_INFINITY ? `${name} from ${show(low)}${behind}` : `${name} ${show(low)}–${show(high)}${behind}`;
}
