/** The regular grid of MAP-Elites: bin = floor(value / width) on each axis. */
import { type FeatureAxis, type NicheId, nicheLabel } from '../../../shared/niche.ts';
import type { Geometry } from './geometry.ts';

export class Grid implements Geometry {
  readonly kind = 'grid';
  private readonly axes: readonly FeatureAxis[];

  constructor(axes: readonly FeatureAxis[]) {
    this.axes = axes;
  }

  place(features: readonly number[]): NicheId {
    return this.axes.map((axis, i) => binOf(features[i] ?? 0, axis.bin)).join('/');
  }

  /** A grid of fixed bins learns nothing from its points. */
  observe(): boolean {
    return false;
  }

  label(niche: NicheId): string {
    return nicheLabel(niche, this.axes);
  }

  snapshot(): unknown {
    return null;
  }
}

/** Beyond 2⁵³ the bins at the rim take everything, so that an index is always a plain integer. */
function binOf(value: number, width: number): number {
  return Math.min(Math.max(Math.floor(value / width), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
