/** The most that a run can cost, shown before it begins. */

import type { Config } from '../../shared/config.ts';
import type { RunPlan } from '../../shared/protocol/runs.ts';
import type { Registry } from '../plugins/registry.ts';
import type { Resolved } from './resolve.ts';

export async function worstCaseOf(resolved: Resolved, config: Config, registry: Registry): Promise<RunPlan['worst_case']> {
  const { spec } = resolved;
  const candidates = spec.stop.max_generations * spec.population;
  const mutator = (await registry.load('mutator', spec.mutator))(config);
  if (!mutator.requires.includes('llm')) return { candidates, prompt_tokens: 0, completion_tokens: 0, dollars: 0 };
  const { worstCaseTokens } = await import('../llm/worst-case.ts');
  return { candidates, ...(await worstCaseTokens({ calls: candidates, program: resolved.program, spec, config })) };
}
