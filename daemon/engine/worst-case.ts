/** The most that a run can cost, shown before it begins. */
import type { Config } from '../../shared/config.ts';
import type { RunPlan } from '../../shared/protocol/runs.ts';
import type { Registry } from '../plugins/registry.ts';
import type { Resolved } from './resolve.ts';

/** How often a slot is tried before it is given up as barren. */
export const ATTEMPTS = 4;

type Costed = Pick<Resolved, 'spec' | 'program'>;
type Cost = Omit<RunPlan['worst_case'], 'candidates'>;

export async function worstCaseOf(resolved: Costed, config: Config, registry: Registry): Promise<RunPlan['worst_case']> {
  const { spec } = resolved;
  const candidates = spec.stop.max_generations * spec.population;
  return { candidates, ...(await costOf(candidates * ATTEMPTS, resolved, config, registry)) };
}

/** Of one attempt at a candidate, in tokens. */
export async function attemptTokens(resolved: Costed, config: Config, registry: Registry): Promise<number> {
  const { prompt_tokens, completion_tokens } = await costOf(1, resolved, config, registry);
  return prompt_tokens + completion_tokens;
}

/** Nothing, for a mutator that asks no model. */
async function costOf(attempts: number, { spec, program }: Costed, config: Config, registry: Registry): Promise<Cost> {
  const mutator = (await registry.load('mutator', spec.mutator))(config);
  if (!mutator.requires.includes('llm')) return { prompt_tokens: 0, completion_tokens: 0, dollars: 0 };
  const { worstCaseTokens } = await import('../llm/worst-case.ts');
  return worstCaseTokens({ calls: attempts, program, spec, config });
}
