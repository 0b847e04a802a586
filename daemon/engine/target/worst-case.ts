/** The most that a run can cost, shown before it begins. */
import { availableParallelism } from 'node:os';
import { cheapestMillion, dearestMillion } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import type { RunPlan } from '../../../shared/protocol/runs.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import type { CandidateCost } from '../../llm/cost/account.ts';
import type { Registry } from '../../registry.ts';
import { mutatorOf } from '../mutate/division.ts';
import { REFLECTION_TOKENS, reflectionsIn } from '../mutate/reflection.ts';
import type { Resolved } from './resolve.ts';

/** How often a slot is tried before it is given up as barren. */
export const ATTEMPTS = 4;

type Costed = Pick<Resolved, 'spec' | 'program'>;
type Cost = Omit<RunPlan['worst_case'], 'candidates' | 'judging_s'>;

export async function worstCaseOf(resolved: Costed, config: Config, registry: Registry): Promise<RunPlan['worst_case']> {
  const { spec } = resolved;
  const candidates = spec.stop.max_generations * spec.population;
  const cost = await costOf(candidates * ATTEMPTS, spec.stop.max_generations, resolved, config, registry);
  return {
    candidates,
    ...withinBudget(cost, spec),
    judging_s: judgingSeconds(candidates, spec, config),
  };
}

/** What the rest of a run can cost, after `made` slots and what they have cost. */
export async function worstCaseOfRest(
  { spec, program, made, spent }: Costed & { made: number; spent: { tokens: number; dollars: number } },
  config: Config,
  registry: Registry,
): Promise<Cost> {
  const left = Math.max(0, spec.stop.max_generations * spec.population - made);
  const { budget_tokens, budget_usd, ...stop } = spec.stop;
  const rest = {
    ...stop,
    ...(budget_tokens === undefined ? {} : { budget_tokens: Math.max(0, budget_tokens - spent.tokens) }),
    ...(budget_usd === undefined ? {} : { budget_usd: Math.max(0, budget_usd - spent.dollars) }),
  };
  const cost = await costOf(left * ATTEMPTS, Math.ceil(left / spec.population) + 1, { spec, program }, config, registry);
  return withinBudget(cost, { ...spec, stop: rest });
}

function judgingSeconds(candidates: number, { stop }: RunSpec, { evaluate, worker }: Config): number {
  const parallel = Math.min(worker.defaults.max_parallel, availableParallelism());
  const seconds = (Math.ceil(candidates / parallel) * evaluate.timeout) / 1000;
  return Math.min(seconds, stop.run_timeout ?? Number.POSITIVE_INFINITY);
}

/** What one attempt at a candidate costs, in tokens. */
export async function attemptCost({ spec, program }: Costed, config: Config, registry: Registry): Promise<CandidateCost> {
  if (!(await asksModels(spec, config, registry))) return { least: 0, most: 0 };
  const { candidateCost } = await import('../../llm/cost/worst-case.ts');
  return candidateCost({ program, spec, config });
}

/** A run never spends more than its budget, whatever could happen without it. */
export function withinBudget(cost: Cost, { stop, prices = {} }: Pick<RunSpec, 'stop' | 'prices'>): Cost {
  const tokens = cost.prompt_tokens + cost.completion_tokens;
  const { budget_tokens = tokens, budget_usd = Number.POSITIVE_INFINITY } = stop;
  const dollars = cost.dollars === null ? null : Math.min(cost.dollars, budget_usd);
  // All of it could go to the cheapest kind of token.
  const cheapest = cheapestMillion(prices);
  const budget = cheapest === 0 ? budget_tokens : Math.min(budget_tokens, Math.floor((budget_usd * 1e6) / cheapest));
  if (tokens <= budget) return { ...cost, dollars };
  const prompt_tokens = Math.round((cost.prompt_tokens / tokens) * budget);
  return {
    prompt_tokens,
    completion_tokens: budget - prompt_tokens,
    // All of it could go to the dearest kind of token.
    dollars: dollars === null ? null : Math.min(dollars, (budget * dearestMillion(prices)) / 1e6),
  };
}

/** Nothing, for a mutator that asks no model. */
async function costOf(
  attempts: number,
  generations: number,
  { spec, program }: Costed,
  config: Config,
  registry: Registry,
): Promise<Cost> {
  if (!(await asksModels(spec, config, registry))) return { prompt_tokens: 0, completion_tokens: 0, dollars: 0 };
  const { reflectionsWorstCase, worstCaseTokens } = await import('../../llm/cost/worst-case.ts');
  const made = await worstCaseTokens({ calls: attempts, program, spec, config });
  const reflections = reflectionsIn(generations, spec.reflect);
  const learned = await reflectionsWorstCase(reflections, REFLECTION_TOKENS, { program, spec, config });
  return {
    prompt_tokens: made.prompt_tokens + learned.prompt_tokens,
    completion_tokens: made.completion_tokens + learned.completion_tokens,
    dollars: made.dollars === null || learned.dollars === null ? null : made.dollars + learned.dollars,
  };
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
