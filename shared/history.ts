/**
 * How a run went: one point for each generation and each better best, few enough to be sent at once. Kept by the daemon
 * from the journal and taken up by a client from the events that follow.
 */
import * as z from 'zod';
import { addStep, type TrendStep } from './trend.ts';

export const HistoryPoint = z.object({
  /** Milliseconds since the run began. */
  ms: z.number().min(0),
  generation: z.number().int().min(0),
  candidates: z.number().int().min(0),
  best: z.number().nullable(),
  coverage: z.number().int().min(0),
  tokens: z.number().int().min(0),
});
export type HistoryPoint = z.infer<typeof HistoryPoint>;

/** Beyond this, every second point in which nothing got better is left out. */
const MAX_POINTS = 4000;

export class History {
  private kept: HistoryPoint[] = [];
  private improvements: readonly TrendStep[] = [];

  constructor(points: readonly HistoryPoint[] = []) {
    for (const point of points) this.note(point);
  }

  /** Oldest first. */
  get points(): readonly HistoryPoint[] {
    return this.kept;
  }

  /** The better bests alone. */
  get steps(): readonly TrendStep[] {
    return this.improvements;
  }

  /** Takes the point when it says something new; returns whether it did. */
  note(point: HistoryPoint): boolean {
    const last = this.kept.at(-1);
    if (last !== undefined && last.best === point.best && last.generation === point.generation) return false;
    this.kept.push(point);
    this.improvements = addStep(this.improvements, point.generation, point.best);
    if (this.kept.length > MAX_POINTS) {
      this.kept = this.kept.filter((at, i) => i % 2 === 0 || at.best !== this.kept[i - 1]?.best);
    }
    return true;
  }
}
