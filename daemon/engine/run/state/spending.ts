/** What a run has spent on models, in tokens and in dollars, and what it is likely to spend in all. Pure. */
import { addTokens, dollarsOf, type TokenUse } from '../../../../shared/asking.ts';
import type { Expected } from '../../../../shared/run.ts';
import type { RunSpec } from '../../../../shared/run-spec.ts';

/** How many candidates it takes to estimate the cost of a whole run. */
const ENOUGH = 5;

export class Spending {
  private readonly spec: RunSpec;
  private readonly all: TokenUse = { prompt: 0, completion: 0 };
  /** An upper bound where the price of a back end is not known. */
  dollars = 0;
  /** What had been spent when the run began, or was last extended: its budgets are on top of that. */
  before = { tokens: 0, dollars: 0 };
  private unpriced = false;

  constructor(spec: RunSpec) {
    this.spec = spec;
  }

  add(use: TokenUse): void {
    const { prices = {} } = this.spec;
    addTokens(this.all, use);
    this.dollars += dollarsOf(use, prices);
    const asked = Object.keys(use.by ?? {});
    if (asked.some((backend) => prices[backend] === undefined)) this.unpriced = true;
  }

  /** The run was extended. */
  beginAgain(): void {
    this.before = { tokens: this.sum, dollars: this.dollars };
  }

  get tokens(): TokenUse {
    return { prompt: this.all.prompt, completion: this.all.completion };
  }

  get sum(): number {
    return this.all.prompt + this.all.completion;
  }

  /** Null when the price of a back end that was asked is not known. */
  get knownDollars(): number | null {
    return this.unpriced || this.spec.prices === undefined ? null : this.dollars;
  }

  /** `settled`: slots that have come to their end. Undefined before a few have, and where nothing is spent. */
  expected(stop: RunSpec['stop'], settled: number): Expected | undefined {
    const { population } = this.spec;
    if (settled < ENOUGH || this.sum === 0) return undefined;
    const candidates = Math.max(settled, stop.max_generations * population);
    const dollars = this.knownDollars;
    return withinLimits(
      {
        candidates,
        tokens: Math.round((this.sum / settled) * candidates),
        dollars: dollars === null ? null : (dollars / settled) * candidates,
      },
      stop,
    );
  }
}

/** What is expected without a budget, cut to what the budget allows. */
export function withinLimits(
  { candidates, tokens, dollars }: Expected,
  { budget_tokens, budget_usd }: RunSpec['stop'],
): Expected {
  const share = Math.min(
    1,
    budget_tokens === undefined || tokens === 0 ? 1 : budget_tokens / tokens,
    budget_usd === undefined || dollars === null || dollars === 0 ? 1 : budget_usd / dollars,
  );
  return {
    candidates: Math.floor(candidates * share),
    tokens: Math.round(tokens * share),
    dollars: dollars === null ? null : dollars * share,
  };
}
