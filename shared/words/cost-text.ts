/** What paid work is likely to cost and the most that it can cost, in words for a user. */
import type { SpendPlan } from '../protocol/runs.ts';
import type { Expected, RunInfo } from '../run.ts';

type WorstCase = SpendPlan['worst_case'];

/**
 * `is expected to spend about 12,000 tokens ($0.02) and can spend at most 480,000 tokens ($1.20)`; undefined when nothing can be
 * spent.
 */
export function costText({ expected, worst_case: worst }: Pick<SpendPlan, 'expected' | 'worst_case'>): string | undefined {
  if (worst.prompt_tokens + worst.completion_tokens === 0) return undefined;
  const most = `can spend at most ${worstText(worst)}`;
  if (expected?.tokens === 0) return `asks no model: ${TOO_SMALL}`;
  return expected === undefined ? most : `is expected to spend about ${expectedText(expected)} and ${most}`;
}

const PAYS_FOR_NONE = 'does not pay for one question, should it go as badly as can be';

/** Why a run whose mutators need a model asks none. */
export const TOO_SMALL = `its budget ${PAYS_FOR_NONE}`;

/** Why a run that asks a model has made nothing, where its budget is to blame. */
export function unpaidText({ candidates, stopped }: Pick<RunInfo, 'candidates' | 'stopped'>): string | undefined {
  if (candidates > 0 || (stopped !== 'budget_tokens' && stopped !== 'budget_usd')) return undefined;
  const kind = stopped === 'budget_usd' ? 'dollar' : 'token';
  return `The ${kind} budget ${PAYS_FOR_NONE}: raise it, or lower max_tokens under [mutate].`;
}

export function worstText({ prompt_tokens: prompt, completion_tokens: completion, dollars }: WorstCase): string {
  return spendText(prompt + completion, dollars);
}

/** Three significant digits at most: it is an estimate. */
export function expectedText({ tokens, dollars }: Expected): string {
  return spendText(Number(tokens.toPrecision(2)), dollars);
}

function spendText(tokens: number, dollars: number | null): string {
  const money = dollars === null ? '' : ` (${dollarText(dollars)})`;
  return `${tokens.toLocaleString('en')} tokens${money}`;
}

/** Cents, and more digits below ten of them. */
function dollarText(dollars: number): string {
  return `$${dollars === 0 || dollars >= 0.1 ? dollars.toFixed(2) : dollars.toPrecision(2)}`;
}
