/** What is shown before paid work begins: what it will be, what it is likely to cost and the most that it can cost. */
import { dearestMillion } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import type { RunPlan, RunRequest, SpendPlan } from '../../../shared/protocol/runs.ts';
import type { Expected } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { shownTier } from '../../executors/open.ts';
import type { Registry } from '../../registry.ts';
import { mutatorOf } from '../mutate/division.ts';
import type { RunRecords } from '../records/run-records.ts';
import type { RunState } from '../run/state/run-state.ts';
import { withinLimits } from '../run/state/spending.ts';
import type { CallMaker } from './derive.ts';
import { loadEvaluator } from './pool.ts';
import { type Resolved, resolveRequest } from './resolve.ts';
import { asksModels, attemptCost, worstCaseOf, worstCaseOfRest } from './worst-case.ts';

/** `records`: those of the workspace, whose latest run of the same target says what candidates of it cost. */
export async function planRun(
  request: RunRequest,
  { config, registry }: { config: Config; registry: Registry },
  derivations: CallMaker,
  records: RunRecords,
): Promise<RunPlan> {
  const resolved = await resolveRequest(request, config, registry, derivations);
  const { max_generations } = resolved.spec.stop;
  let expected = await expectedOf(resolved, max_generations * resolved.spec.population, config, registry);
  if (expected !== undefined) {
    const pays = await paysForOne(resolved, config, registry);
    expected = pays ? ((await expectedAsBefore(resolved.spec, records)) ?? expected) : { candidates: 0, tokens: 0, dollars: 0 };
  }
  return {
    spec: resolved.spec,
    worst_case: await worstCaseOf(resolved, config, registry),
    ...(expected === undefined ? {} : { expected }),
    sandbox: await shownTier(config, registry, !(await asksModels(resolved.spec, config, registry))),
  };
}

/** Whether the budget lets a model be asked at all. */
async function paysForOne(resolved: Resolved, config: Config, registry: Registry): Promise<boolean> {
  const { stop, prices = {} } = resolved.spec;
  const { least } = await attemptCost(resolved, config, registry);
  const { budget_tokens: tokens = least, budget_usd: usd = Number.POSITIVE_INFINITY } = stop;
  return tokens >= least && usd >= (least * dearestMillion(prices)) / 1e6;
}

/** The latest runs of a workspace that are looked at for one of the same target. */
const LATEST = 5;

/** What a run is expected to cost as the latest one that asked the same models the same way did; undefined without one. */
async function expectedAsBefore(spec: RunSpec, records: RunRecords): Promise<Expected | undefined> {
  const asks = ({ target, mutator, mutators, backend, asking, prices }: RunSpec): string =>
    JSON.stringify([target.path, target.entry_fn, mutator, mutators, backend, asking?.max_tokens, prices]);
  for (const run of (await records.files.list()).slice(0, LATEST)) {
    const state = await records.load(run).catch(() => undefined);
    if (state === undefined || asks(state.spec) !== asks(spec)) continue;
    const { budget_tokens: _, budget_usd: __, ...unlimited } = spec.stop;
    const whole = state.spending.expected({ ...unlimited, max_generations: 0 }, state.nextIndex);
    if (whole === undefined) continue;
    const candidates = spec.stop.max_generations * spec.population;
    const share = candidates / whole.candidates;
    const dollars = whole.dollars === null ? null : whole.dollars * share;
    return withinLimits({ candidates, tokens: Math.round(whole.tokens * share), dollars }, spec.stop);
  }
  return undefined;
}

/** What continuing a run can cost, under the `stop` of `spec`: expected from what it has cost so far, else from its first question. */
export async function planResume(
  state: RunState,
  spec: RunSpec,
  records: RunRecords,
  { config, registry }: { config: Config; registry: Registry },
): Promise<SpendPlan> {
  const { entry, spending, nextIndex: made } = state;
  const program = await records.readProgram(state.original.object);
  const spent = { tokens: spending.sum, dollars: spending.dollars };
  const worst_case = await worstCaseOfRest({ spec, program, made, spent }, config, registry);
  const whole = spending.expected(spec.stop, made);
  const evaluator = await loadEvaluator(spec.evaluator.name, config, registry);
  const metric = config.evaluate.metric ?? evaluator.metric;
  const left = Math.max(0, spec.stop.max_generations * spec.population - made);
  const rest =
    whole === undefined
      ? await expectedOf({ spec, program, entry, metric }, left, config, registry)
      : {
          candidates: Math.max(0, whole.candidates - made),
          tokens: Math.max(0, whole.tokens - spent.tokens),
          dollars: whole.dollars === null ? null : Math.max(0, whole.dollars - spent.dollars),
        };
  const resolved = { spec, program, entry, metric };
  const anew = await expectedOf(resolved, spec.stop.max_generations * spec.population, config, registry);
  const { candidates: _, judging_s: __, ...most } = await worstCaseOf(resolved, config, registry);
  return {
    spent: spending.tokens,
    worst_case,
    ...(rest === undefined ? {} : { expected: rest }),
    control: { worst_case: most, ...(anew === undefined ? {} : { expected: anew }) },
  };
}

/** Returns undefined where no model is asked. */
async function expectedOf(
  resolved: Pick<Resolved, 'spec' | 'program' | 'entry' | 'metric'>,
  candidates: number,
  config: Config,
  registry: Registry,
): Promise<Expected | undefined> {
  const { spec } = resolved;
  const share = await askingShare(spec, config, registry);
  if (share === 0) return undefined;
  const { expectedCost } = await import('./expected-cost.ts');
  const { firstPayload } = await import('../mutate/show-prompt.ts');
  const question = { payload: firstPayload(resolved), backend: spec.backend, prices: spec.prices };
  return expectedCost(candidates, share, question, { config, stop: spec.stop });
}

/** The share of a run's arms that ask a model. */
async function askingShare({ mutator, mutators = [mutator] }: RunSpec, config: Config, registry: Registry): Promise<number> {
  let asking = 0;
  for (const arm of mutators) if (await asksModels({ mutator: mutatorOf(arm).mutator }, config, registry)) asking++;
  return asking / mutators.length;
}
