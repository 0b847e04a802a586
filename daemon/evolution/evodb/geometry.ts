/** How an archive divides the space of features into niches. The regular grid is in grid.ts. */
import type { NicheId } from '../../../shared/niche.ts';

export interface Geometry {
  readonly kind: string;
  /** The niche of a point. Depends on nothing but the point and the geometry's present state. */
  place(features: readonly number[]): NicheId;
  /** Takes note of a point before it is placed. True when niches moved, so that the archive places its elites again. */
  observe(features: readonly number[]): boolean;
  /** How far two niches are from each other. */
  distance(one: NicheId, other: NicheId): number;
  /** The niche in words. */
  label(niche: NicheId): string;
  /** Its state as plain data, for the same kind's restore. */
  snapshot(): unknown;
}
