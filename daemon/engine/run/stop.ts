/** When a run ends: the first stop condition that holds. Pure. */
import type { StopReason } from '../../../shared/run.ts';
import type { StopSpec } from '../../../shared/run-spec.ts';

export interface RunProgress {
  /** Generations whose slots are all settled. */
  generationsDone: number;
  /** Generation in which the best improved last; 0 is the original. */
  improvedAt: number;
  /** One pass of the best program, in milliseconds. */
  bestSpeedMs: number | undefined;
  tokens: number;
  dollars: number;
  elapsedMs: number;
  /** Generations in a row in which no slot yielded a new program. */
  barrenGenerations: number;
}

/** A mutator that finds nothing new for this many generations will not find any. */
const EXHAUSTED_AFTER = 3;

export function stopReason(stop: StopSpec, progress: RunProgress): StopReason | undefined {
  if (stop.target_ms !== undefined && progress.bestSpeedMs !== undefined && progress.bestSpeedMs <= stop.target_ms)
    return 'target_ms';
  if (stop.budget_tokens !== undefined && progress.tokens >= stop.budget_tokens) return 'budget_tokens';
  if (stop.budget_usd !== undefined && progress.dollars >= stop.budget_usd) return 'budget_usd';
  if (stop.run_timeout !== undefined && progress.elapsedMs >= stop.run_timeout * 1000) return 'run_timeout';
  if (progress.generationsDone >= stop.max_generations) return 'max_generations';
  if (stop.no_improve !== undefined && progress.generationsDone - progress.improvedAt >= stop.no_improve) return 'no_improve';
  if (progress.barrenGenerations >= EXHAUSTED_AFTER) return 'exhausted';
  return undefined;
}
