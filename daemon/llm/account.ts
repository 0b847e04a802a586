/**
 * Pays for a run's candidates out of its budget: grants each an allowance before it is made, and lets it wait while
 * others hold what is left. The mutator keeps to the allowance, and a candidate whose worker died is not asked for
 * again, so what is granted bounds what is spent.
 */
import type { TokenUse } from '../../shared/asking.ts';
import { Budget } from './budget.ts';

/** What a candidate can cost: a question that is asked once, and all that can happen. */
export interface CandidateCost {
  readonly least: number;
  readonly most: number;
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
  private readonly budget: Budget;
  /** What the latest candidates used, oldest first. */
  private used: number[] = [];
  private readonly cost: CandidateCost;
  private readonly limited: boolean;
  private readonly limit: number;
  private waiting: (() => void)[] = [];

  /** `spent` by the run before it was resumed. Without a limit there is no allowance. */
  constructor(limit: number | undefined, cost: CandidateCost, spent: TokenUse) {
    this.limited = limit !== undefined && cost.most > 0;
    this.cost = cost;
    this.limit = limit ?? Number.POSITIVE_INFINITY;
    this.budget = new Budget(limit);
    this.budget.spend(spent);
  }

  /**
   * The tokens that the candidate may spend; undefined when there is no limit. Waits while others may leave enough for
   * a question; answers `exhausted` when they never will. Rejects when `signal` fires.
   */
  async grant(id: string, signal: AbortSignal): Promise<number | undefined | 'exhausted'> {
    if (!this.limited) return undefined;
    for (;;) {
      signal.throwIfAborted();
      const { full, least } = this.share();
      const wanted = Math.min(full, this.budget.left);
      if (wanted >= least && this.budget.reserve(id, wanted)) return wanted;
      if (this.budget.reserved === 0) return 'exhausted';
      await this.change(signal);
    }
  }

  settle(id: string, use: TokenUse): void {
    this.budget.settle(id, use);
    const tokens = use.prompt + use.completion;
    if (tokens > 0) this.used = [...this.used, tokens].slice(-LATEST);
    this.wake();
  }

  /** What a candidate is granted, and the least that is worth granting. */
  private share(): { full: number; least: number } {
    const { most, least } = this.cost;
    if (this.budget.left >= PLENTY * most) return { full: most, least };
    if (this.used.length < ENOUGH) return { full: Math.min(most, Math.max(least, Math.floor(this.limit / IN_FLIGHT))), least };
    const usual = Math.max(...this.used);
    return { full: Math.min(most, Math.ceil(MARGIN * usual)), least: Math.min(least, usual) };
  }

  /** Nothing was asked. */
  release(id: string): void {
    this.budget.release(id);
    this.wake();
  }

  /** What was spent is not known. */
  forfeit(id: string): void {
    this.budget.forfeit(id);
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
