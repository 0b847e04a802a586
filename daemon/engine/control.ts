/**
 * The control of a run: best of n. As many candidates, from the same mutators and at most as many tokens, each made from
 * the original and none learning from another. What a search brings is what it has over this. Pure.
 */
import type { RunSpec, RunSummary } from '../../shared/run.ts';

export function controlSpec(spec: RunSpec, { generations, tokens }: RunSummary): RunSpec {
  const spent = tokens.prompt + tokens.completion;
  const max_generations = Math.max(1, generations);
  const { islands: _, near_duplicate: __, ...same } = spec;
  return {
    ...same,
    strategy: 'best-of-n',
    stop: {
      ...spec.stop,
      max_generations,
      // Nothing is given up early: the budget is what counts.
      no_improve: max_generations,
      ...(spent === 0 ? {} : { budget_tokens: spent }),
    },
  };
}
