/** The most that a run can cost, shown before it begins. */
import { availableParallelism } from 'node:os';
import type { Config } from '../../../shared/config.ts';
import type { RunPlan } from '../../../shared/protocol/runs.ts';
import type { RunSpec } from '../../../shared/run.ts';
import type { CandidateCost } from '../../llm/account.ts';
import type { Registry } from '../../plugins/registry.ts';
import { mutatorOf } from '../mutate/division.ts';
import type { Resolved } from './resolve.ts';

/** How often a slot is tried before it is given up as barren. */
export const ATTEMPTS = 4;

type Costed = Pick<Resolved, 'spec' | 'program'>;
type Cost = Omit<RunPlan['worst_case'], 'candidates' | 'judging_s'>;

export async function worstCaseOf(resolved: Costed, config: Config, registry: Registry): Promise<RunPlan['worst_case']> {
  const { spec } = resolved;
  const candidates = spec.stop.max_generations * spec.population;
  const cost = await costOf(candidates * ATTEMPTS, resolved, config, registry);
  return {
    candidates,
    ...withinBudget(cost, spec.stop.budget_tokens, config),
    judging_s: judgingSeconds(candidates, spec, config),
  };
}

function judgingSeconds(candidates: number, { stop }: RunSpec, { evaluate, worker }: Config): number {
  const parallel = Math.min(worker.defaults.max_parallel, availableParallelism());
  const seconds = (Math.ceil(candidates / parallel) * evaluate.timeout) / 1000;
  return Math.min(seconds, stop.run_timeout ?? Number.POSITIVE_INFINITY);
}

/** What one attempt at a candidate costs, in tokens. */
export async function attemptCost({ spec, program }: Costed, config: Config, registry: Registry): Promise<CandidateCost> {
  if (!(await asksModels(spec, config, registry))) return { least: 0, most: 0 };
  const { candidateCost } = await import('../../llm/worst-case.ts');
  return candidateCost({ program, spec, config });
}

/** A run never spends more than its budget, whatever could happen without it. */
export function withinBudget(cost: Cost, budget: number | undefined, { llm }: Pick<Config, 'llm'>): Cost {
  const tokens = cost.prompt_tokens + cost.completion_tokens;
  if (budget === undefined || tokens <= budget) return cost;
  const prompt_tokens = Math.round((cost.prompt_tokens / tokens) * budget);
  const dearest = Math.max(
    0,
    ...llm.backends.flatMap(({ price_prompt = 0, price_completion = 0 }) => [price_prompt, price_completion]),
  );
  return {
    prompt_tokens,
    completion_tokens: budget - prompt_tokens,
    // All of it could go to the dearest kind of token.
    dollars: cost.dollars === null ? null : Math.min(cost.dollars, (budget * dearest) / 1e6),
  };
}

/** Nothing, for a mutator that asks no model. */
async function costOf(attempts: number, { spec, program }: Costed, config: Config, registry: Registry): Promise<Cost> {
  if (!(await asksModels(spec, config, registry))) return { prompt_tokens: 0, completion_tokens: 0, dollars: 0 };
  const { worstCaseTokens } = await import('../../llm/worst-case.ts');
  return worstCaseTokens({ calls: attempts, program, spec, config });
}

export async function asksModels(
  spec: { readonly mutator: string; readonly mutators?: readonly string[] | undefined },
  config: Config,
  registry: Registry,
): Promise<boolean> {
  for (const arm of spec.mutators ?? [spec.mutator]) {
    if ((await registry.load('mutator', mutatorOf(arm).mutator))(config).requires.includes('llm')) return true;
  }
  return false;
}
