/**
 * What is remembered of a stream of numbers to tell its quantiles: every n-th value, with n doubled whenever the
 * memory is full. Deterministic and plain data; an update costs the same however long the stream is.
 */
import * as z from 'zod';

const CAPACITY = 1024;

export const SampleState = z.object({
  values: z.array(z.number()).max(CAPACITY),
  stride: z.number().int().positive(),
  count: z.number().int().min(0),
});
export type SampleState = z.infer<typeof SampleState>;

export class FeatureSample {
  private values: number[];
  private stride: number;
  private seen: number;

  constructor(state: SampleState = { values: [], stride: 1, count: 0 }) {
    this.values = [...state.values];
    this.stride = state.stride;
    this.seen = state.count;
  }

  /** Numbers seen. */
  get count(): number {
    return this.seen;
  }

  add(value: number): void {
    if (this.seen++ % this.stride !== 0) return;
    if (this.values.length === CAPACITY) {
      this.values = this.values.filter((_, i) => i % 2 === 0);
      this.stride *= 2;
      // The value that is due now may not be due any more.
      if ((this.seen - 1) % this.stride !== 0) return;
    }
    this.values.push(value);
  }

  sorted(): number[] {
    return [...this.values].sort((a, b) => a - b);
  }

  state(): SampleState {
    return { values: [...this.values], stride: this.stride, count: this.seen };
  }
}

/** Interpolated between neighbours; `q` in [0, 1], `sorted` not empty. */
export function quantile(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

/** True at 2, 4, 8, …: what is done then costs, per value seen, less and less. */
export function isDue(count: number): boolean {
  return count >= 2 && (count & (count - 1)) === 0;
}
