/**
 * What a run has measured of its programs, and how noisy that is: a champion's fitness is the posterior of all its readings.
 * Pure: the same events in the same order give the same posterior.
 */
import type { Sha256 } from '../../../../shared/ids.ts';
import type { Metrics } from '../../../../shared/judging.ts';
import { pooledNoise, posteriorMetrics } from '../../../judging/timing/statistics/posterior.ts';
import { meanMetrics } from '../../../judging/timing/statistics/scores.ts';
import type { EventOf } from './slots.ts';

/** Measurements that the noise is pooled over: a machine's noise changes with its load. */
const RECENT = 40;

type Measurement = Pick<EventOf<'measured'>, 'metrics' | 'readings'>;

export class RunReadings {
  private readonly recent: (readonly number[])[] = [];
  private readonly isTimed: boolean;
  private byProgram = new Map<Sha256, { readonly readings: readonly number[]; readonly scores: readonly Metrics[] }>();

  /** `isTimed`: fitness depends on how long something takes; else on scores, of which the mean counts. */
  constructor(isTimed: boolean) {
    this.isTimed = isTimed;
  }

  /** Returns the metrics of the program by all that was measured of it. */
  add(sha256: Sha256, { metrics, readings = [] }: Measurement): Metrics {
    if (readings.length >= 2) this.recent.push(readings);
    if (this.recent.length > RECENT) this.recent.shift();
    const before = this.byProgram.get(sha256);
    const all = { readings: [...(before?.readings ?? []), ...readings], scores: [...(before?.scores ?? []), metrics] };
    this.byProgram.set(sha256, all);
    if (before === undefined) return metrics;
    if (!this.isTimed || all.readings.length === 0) return meanMetrics(all.scores);
    return posteriorMetrics(metrics, all.readings, this.sd ?? pooledNoise([all.readings]));
  }

  /** Logarithms of the ratios original / program, oldest first. */
  of(sha256: Sha256): readonly number[] {
    return this.byProgram.get(sha256)?.readings ?? [];
  }

  /** What each evaluation of the program gave. */
  scores(sha256: Sha256): readonly Metrics[] {
    return this.byProgram.get(sha256)?.scores ?? [];
  }

  /** Programs are compared with another original from here on; the machine's noise stays what it was. */
  startOver(): void {
    this.byProgram = new Map();
  }

  /** Standard deviation of a pair's logarithm; undefined before the first program. */
  get sd(): number | undefined {
    return this.recent.length === 0 ? undefined : pooledNoise(this.recent);
  }
}
