/** Which niches of an archive are nearest to another one, so that the least novel goes where there is no room. Pure. */
import type { NicheId } from '../../../shared/niche.ts';
import type { Geometry } from './geometry.ts';

interface Neighbour {
  readonly niche: NicheId;
  readonly distance: number;
}

export class Crowding {
  private readonly geometry: Geometry;
  private readonly nearest = new Map<NicheId, Neighbour | undefined>();

  constructor(geometry: Geometry) {
    this.geometry = geometry;
  }

  /** O(niches). */
  add(niche: NicheId): void {
    for (const [other, near] of this.nearest) {
      const distance = this.geometry.distance(niche, other);
      if (near === undefined || distance < near.distance) this.nearest.set(other, { niche, distance });
    }
    this.nearest.set(niche, this.neighbourOf(niche));
  }

  /** O(niches) for each that had this one as its nearest. */
  remove(niche: NicheId): void {
    this.nearest.delete(niche);
    for (const [other, near] of this.nearest) if (near?.niche === niche) this.nearest.set(other, this.neighbourOf(other));
  }

  /** Niches at the smallest distance from another one: two at least, where there are two. */
  leastNovel(): NicheId[] {
    const distances = [...this.nearest].map(([niche, near]) => [niche, near?.distance ?? 0] as const);
    const smallest = distances.reduce((least, [, distance]) => Math.min(least, distance), Number.POSITIVE_INFINITY);
    return distances.flatMap(([niche, distance]) => (distance === smallest ? [niche] : []));
  }

  private neighbourOf(niche: NicheId): Neighbour | undefined {
    let near: Neighbour | undefined;
    for (const other of this.nearest.keys()) {
      if (other === niche) continue;
      const distance = this.geometry.distance(niche, other);
      if (near === undefined || distance < near.distance) near = { niche: other, distance };
    }
    return near;
  }
}
