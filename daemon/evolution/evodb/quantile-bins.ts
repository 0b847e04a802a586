/**
 * One axis whose bins hold about equally many values (after M. Fontaine et al., "Mapping Hearthstone deck spaces through
 * MAP-Elites with sliding boundaries", 2019). Borders are looked at when the number of values has doubled, and stay
 * where they are as long as no bin holds more than twice its share: niches keep their identity while they can.
 */
import * as z from 'zod';
import { FeatureSample, isDue, quantile, SampleState } from './sample.ts';

export const QuantileState = z.object({ sample: SampleState, borders: z.array(z.number()) });
export type QuantileState = z.infer<typeof QuantileState>;

export class QuantileBins {
  private readonly bins: number;
  private readonly sample: FeatureSample;
  /** Ascending; a value belongs to the bin whose number is that of the borders not above it. */
  private borders: readonly number[];

  constructor(bins: number, state?: QuantileState) {
    this.bins = bins;
    this.sample = new FeatureSample(state?.sample);
    this.borders = [...(state?.borders ?? [])];
  }

  binOf(value: number): number {
    let low = 0;
    let high = this.borders.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.borders[middle] ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** True when the borders moved. */
  observe(value: number): boolean {
    this.sample.add(value);
    if (!isDue(this.sample.count)) return false;
    const sorted = this.sample.sorted();
    if (this.isBalanced(sorted)) return false;
    const next = bordersOf(sorted, this.bins);
    const moved = next.length !== this.borders.length || next.some((border, i) => border !== this.borders[i]);
    this.borders = next;
    return moved;
  }

  /** The values of a bin; open at both ends of the axis. */
  range(bin: number): [low: number, high: number] {
    return [this.borders[bin - 1] ?? Number.NEGATIVE_INFINITY, this.borders[bin] ?? Number.POSITIVE_INFINITY];
  }

  state(): QuantileState {
    return { sample: this.sample.state(), borders: [...this.borders] };
  }

  private isBalanced(sorted: readonly number[]): boolean {
    const held = new Map<number, number>();
    for (const value of sorted) held.set(this.binOf(value), (held.get(this.binOf(value)) ?? 0) + 1);
    // A share below one value is a share of one.
    const share = Math.max(1, sorted.length / this.bins);
    return [...held.values()].every((count) => count <= 2 * share);
  }
}

/** Different borders at the quantiles; fewer than asked for when values repeat. */
function bordersOf(sorted: readonly number[], bins: number): number[] {
  const all = Array.from({ length: bins - 1 }, (_, i) => quantile(sorted, (i + 1) / bins));
  return [...new Set(all)];
}
