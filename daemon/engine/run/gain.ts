/**
 * What a child gains over its parent, as selectors and the bandit learn it: the logarithm of the ratio, so that 1 to 2 counts
 * as much as 50 to 100, and nothing where the measurement does not tell the two apart. Pure.
 */
import type { Metrics } from '../../../shared/judging.ts';

export interface Fitted {
  readonly fitness: number | null;
  readonly metrics: Metrics;
}

/** 0 or more. Scores of 0 or below have no ratio; their difference counts. */
export function gainOf(child: Fitted, parent: Fitted | undefined): number {
  if (child.fitness === null) return 0;
  const [own, other] = [child.metrics['speedup'], parent?.metrics['speedup']];
  // Where fitness is the low end of an interval, the child gains when all of its interval is above the parent's middle.
  if (child.fitness === child.metrics['speedup_low'] && own !== undefined && other !== undefined && other > 0) {
    return child.fitness > other ? Math.max(0, Math.log(own / other)) : 0;
  }
  const before = parent?.fitness ?? 0;
  if (before > 0 && child.fitness > 0) return Math.max(0, Math.log(child.fitness / before));
  return Math.max(0, child.fitness - before);
}
