/**
 * The CVT archive: a fixed number of niches around points spread evenly over the space, whatever its dimension
 * (V. Vassiliades, K. Chatzilygeroudis, J.-B. Mouret, "Using centroidal Voronoi tessellations to scale up the
 * multidimensional archive of phenotypic elites algorithm", 2018). The space is the box that holds the middle 96 % of
 * the values seen on each axis; it is looked at when their number has doubled, and moved only when it fits badly.
 */
import * as z from 'zod';
import type { FeatureAxis, NicheId } from '../../../shared/niche.ts';
import { createRandom } from '../../random.ts';
import type { Geometry } from './geometry.ts';
import { FeatureSample, isDue, quantile, SampleState } from './sample.ts';

/** Random points per niche whose means the niches' centres become, and rounds of that (Lloyd's algorithm). */
const POINTS_PER_NICHE = 10;
const ROUNDS = 10;
/** The share of the values on an axis that lies outside of the box at either end. */
const TAIL = 0.02;
/** The box moves when an end is off by more than this share of its width. */
const SLACK = 0.25;

const CvtOptions = z.object({ niches: z.number().int().min(2).max(10_000), seed: z.number().int() });
type CvtOptions = z.infer<typeof CvtOptions>;

const CvtState = CvtOptions.extend({
  low: z.array(z.number()),
  high: z.array(z.number()),
  samples: z.array(SampleState),
});

export class Cvt implements Geometry {
  readonly kind = 'cvt';
  private readonly axes: readonly FeatureAxis[];
  private readonly options: CvtOptions;
  /** Row after row, in [0, 1] on each axis. */
  private readonly centres: Float64Array;
  private readonly samples: readonly FeatureSample[];
  private low: number[];
  private high: number[];

  /**
   * O(niches² · axes) once. The same seed gives the same centres. Throws ZodError when `state` is not a snapshot of these
   * axes.
   */
  constructor(axes: readonly FeatureAxis[], options: CvtOptions, state?: unknown) {
    const known = state === undefined ? undefined : CvtState.parse(state);
    const length = axes.length;
    if (known !== undefined)
      for (const list of [known.low, known.high, known.samples]) z.array(z.unknown()).length(length).parse(list);
    this.axes = axes;
    this.options = options;
    this.centres = spread(options.niches, length, options.seed);
    this.samples = axes.map((_, i) => new FeatureSample(known?.samples[i]));
    this.low = known?.low ?? axes.map(() => 0);
    this.high = known?.high ?? axes.map(({ bin }) => bin);
  }

  /** A tessellation from its snapshot, which names its own options. Throws ZodError. */
  static restore(axes: readonly FeatureAxis[], state: unknown): Cvt {
    return new Cvt(axes, CvtState.parse(state), state);
  }

  /** O(niches · axes). */
  place(features: readonly number[]): NicheId {
    const point = this.axes.map((_, i) => this.scaled(features[i] ?? 0, i));
    return String(nearest(this.centres, point));
  }

  observe(features: readonly number[]): boolean {
    this.samples.forEach((sample, i) => {
      sample.add(features[i] ?? 0);
    });
    if (!isDue(this.samples[0]?.count ?? 0)) return false;
    const moved = this.samples.map((sample, i) => this.fit(sample.sorted(), i));
    return moved.includes(true);
  }

  distance(one: NicheId, other: NicheId): number {
    const coordinate = (niche: NicheId, axis: number) => this.centres[Number(niche) * this.axes.length + axis] ?? 0;
    return Math.hypot(...this.axes.map((_, i) => coordinate(one, i) - coordinate(other, i)));
  }

  label(niche: NicheId): string {
    const row = Number(niche) * this.axes.length;
    return this.axes
      .map(({ name, unit }, i) => {
        const low = this.low[i] ?? 0;
        const value = low + (this.centres[row + i] ?? 0) * ((this.high[i] ?? low) - low);
        return `${name} about ${Number(value.toPrecision(3))}${unit === '' ? '' : ` ${unit}`}`;
      })
      .join(' · ');
  }

  snapshot(): unknown {
    const { low, high, samples } = this;
    const { niches, seed } = this.options;
    return { niches, seed, low: [...low], high: [...high], samples: samples.map((sample) => sample.state()) };
  }

  /** In [0, 1]; what lies outside of the box counts as at its border. */
  private scaled(value: number, axis: number): number {
    const low = this.low[axis] ?? 0;
    return Math.min(1, Math.max(0, (value - low) / ((this.high[axis] ?? 1) - low)));
  }

  private fit(sorted: readonly number[], axis: number): boolean {
    const low = quantile(sorted, TAIL);
    // A bin's width at least, so that an axis on which all are equal does not tell them apart by noise.
    const high = Math.max(quantile(sorted, 1 - TAIL), low + (this.axes[axis]?.bin ?? 1));
    const slack = SLACK * (high - low);
    if (Math.abs(low - (this.low[axis] ?? 0)) <= slack && Math.abs(high - (this.high[axis] ?? 0)) <= slack) return false;
    this.low[axis] = low;
    this.high[axis] = high;
    return true;
  }
}

/** Centres of a centroidal Voronoi tessellation of the unit cube, by Lloyd's algorithm over random points. */
function spread(niches: number, dimensions: number, seed: number): Float64Array {
  const random = createRandom('cvt', seed, niches, dimensions);
  const draw = (count: number) => Float64Array.from({ length: count * dimensions }, () => random.next());
  const points = draw(niches * POINTS_PER_NICHE);
  const centres = draw(niches);
  const point = new Array<number>(dimensions).fill(0);
  for (let round = 0; round < ROUNDS; round++) {
    const sums = new Float64Array(centres.length);
    const counts = new Uint32Array(niches);
    for (let at = 0; at < points.length; at += dimensions) {
      for (let i = 0; i < dimensions; i++) point[i] = points[at + i] ?? 0;
      const home = nearest(centres, point);
      counts[home] = (counts[home] ?? 0) + 1;
      for (let i = 0; i < dimensions; i++) sums[home * dimensions + i] = (sums[home * dimensions + i] ?? 0) + (point[i] ?? 0);
    }
    sums.forEach((sum, i) => {
      const count = counts[Math.floor(i / dimensions)] ?? 0;
      if (count > 0) centres[i] = sum / count;
    });
  }
  return centres;
}

/** The row nearest to the point; of equals the first. */
function nearest(rows: Float64Array, point: readonly number[]): number {
  const dimensions = point.length;
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let row = 0, at = 0; at < rows.length; row++, at += dimensions) {
    let distance = 0;
    for (let i = 0; i < dimensions && distance < least; i++) distance += ((rows[at + i] ?? 0) - (point[i] ?? 0)) ** 2;
    if (distance >= least) continue;
    least = distance;
    best = row;
  }
  return best;
}
