/**
 * The control of a run: the same mutators within the same limits, with a simpler choice of parents. What a search brings is
 * what it has over this. Pure.
 */

import type { RunSummary, StopReason } from '../../../shared/run.ts';
import type { Control, RunSpec } from '../../../shared/run-spec.ts';

/** Ends that were a limit. At any other the search has left some of what it might have spent. */
const LIMITS: readonly StopReason[] = ['max_generations', 'budget_tokens', 'budget_usd', 'run_timeout'];

/**
 * The control may spend what the search might; of a search that ended before, as many candidates as that has judged. What
 * the search has spent in tokens is no limit: a question is paid for in advance as if it went as badly as can be, so that
 * little could be asked of that, and nothing at all after a short search.
 */
export function controlSpec(
  spec: RunSpec,
  strategy: Control,
  { evaluated, stopped }: Pick<RunSummary, 'evaluated' | 'stopped'>,
): RunSpec {
  const { islands: _, near_duplicate: __, reflect: ___, plateau: ____, ...same } = spec;
  const used = Math.max(1, Math.ceil(evaluated / spec.population));
  const max_generations = LIMITS.includes(stopped) ? spec.stop.max_generations : used;
  // Nothing is given up early: the budget is what counts.
  return { ...same, strategy, stop: { ...spec.stop, max_generations, no_improve: max_generations } };
}
