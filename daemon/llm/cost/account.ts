/**
 * Pays for a run's candidates out of its budget: grants each an allowance before it is made, and lets it wait while
 * others hold what is left. The mutator keeps to the allowance, and a candidate whose worker died is not asked for
 * again, so what is granted bounds what is spent.
 */
import { dearestToken, dollarsOf, type Prices, type TokenUse } from '../../../shared/asking.ts';
import { Budget } from './budget.ts';

/** What a candidate can cost: a question that is asked once, and all that can happen. */
export interface CandidateCost {
  readonly least: number;
  readonly most: number;
}

/** What a run may spend; what is missing has no limit. */
interface SpendLimits {
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
  /** Every back end that may be asked has one when there is a limit in dollars. */
  readonly prices?: Prices | undefined;
}

/** What a run has spent before it was resumed. */
interface Spent {
  readonly tokens: number;
  readonly dollars: number;
}

/** Questions that a new run keeps in flight, as far as its budget pays for one attempt at each. */
const IN_FLIGHT = 8;
/** With a budget for this many candidates at their worst, each gets all that it could need. */
const PLENTY = 16;
/** Candidates after which reservations follow what they used, and how many of the latest count. */
const ENOUGH = 3;
const LATEST = 32;
/** A reservation, relative to the most that a recent candidate used. */
const MARGIN = 1.5;

export class Account {
  private readonly tokens: Budget;
  private readonly dollars: Budget;
  private readonly prices: Prices;
  /** Dollars that a token can cost at most; 0 where nothing is paid for. */
  private readonly dearest: number;
  /** What the latest candidates used, oldest first. */
  private used: number[] = [];
  private readonly cost: CandidateCost;
  private readonly limited: boolean;
  private readonly limit: number;
  private waiting: (() => void)[] = [];

  /** Without a limit there is no allowance. */
  constructor({ tokens, usd, prices = {} }: SpendLimits, cost: CandidateCost, spent: Spent) {
    this.limited = (tokens !== undefined || usd !== undefined) && cost.most > 0;
    this.cost = cost;
    this.prices = prices;
    this.dearest = dearestToken(prices);
    const affordable = usd === undefined || this.dearest === 0 ? Number.POSITIVE_INFINITY : usd / this.dearest;
    this.limit = Math.min(tokens ?? Number.POSITIVE_INFINITY, affordable);
    this.tokens = new Budget(tokens);
    this.dollars = new Budget(usd);
    this.tokens.spend(spent.tokens);
    this.dollars.spend(spent.dollars);
  }

  /**
   * The tokens that the candidate may spend; undefined when there is no limit. Waits while others may leave enough for
   * a question; returns `exhausted` when they never will. Rejects when `signal` fires.
   */
  async grant(id: string, signal: AbortSignal): Promise<number | undefined | 'exhausted'> {
    if (!this.limited) return undefined;
    for (;;) {
      signal.throwIfAborted();
      const { full, least } = this.share();
      const wanted = Math.min(full, this.left);
      if (wanted >= least && this.reserve(id, wanted)) return wanted;
      if (this.tokens.reserved === 0) return 'exhausted';
      await this.change(signal);
    }
  }

  /** `typical`: what other candidates will need follows it. */
  settle(id: string, use: TokenUse, typical = true): void {
    const tokens = use.prompt + use.completion;
    // What was granted without being used was too little for a question: prompts grow, and endpoints count other tokens.
    const needed = tokens > 0 ? tokens : this.tokens.reservedFor(id);
    this.tokens.settle(id, tokens);
    this.dollars.settle(id, dollarsOf(use, this.prices));
    if (typical && needed > 0) this.used = [...this.used, needed].slice(-LATEST);
    this.wake();
  }

  /** The limit that leaves less. */
  get scarce(): 'budget_tokens' | 'budget_usd' {
    return this.left < this.tokens.left ? 'budget_usd' : 'budget_tokens';
  }

  /** Tokens that can still be reserved, should each cost as much as a token can. */
  private get left(): number {
    const affordable = this.dearest === 0 ? Number.POSITIVE_INFINITY : Math.floor(this.dollars.left / this.dearest);
    return Math.min(this.tokens.left, affordable);
  }

  private reserve(id: string, tokens: number): boolean {
    if (!this.tokens.reserve(id, tokens)) return false;
    if (this.dollars.reserve(id, tokens * this.dearest)) return true;
    this.tokens.release(id);
    return false;
  }

  /** What a candidate is granted, and the least that is worth granting. */
  private share(): { full: number; least: number } {
    const { most, least } = this.cost;
    if (this.left >= PLENTY * most) return { full: most, least };
    if (this.used.length < ENOUGH) return { full: Math.min(most, Math.max(least, Math.floor(this.limit / IN_FLIGHT))), least };
    const usual = Math.max(...this.used);
    return { full: Math.min(most, Math.ceil(MARGIN * usual)), least: Math.min(least, usual) };
  }

  /** Nothing was asked. */
  release(id: string): void {
    this.tokens.release(id);
    this.dollars.release(id);
    this.wake();
  }

  /** What was spent is not known. */
  forfeit(id: string): void {
    this.tokens.forfeit(id);
    this.dollars.forfeit(id);
    this.wake();
  }

  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      this.waiting.push(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
    });
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const one of waiting) one();
  }
}
