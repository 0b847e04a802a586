/**
 * Divides work among arms, which are mutators, each with a back end where it asks one, by what their children gain for
 * what they cost in tokens and seconds. Budgeted Thompson sampling (Y. Xia et al., "Thompson sampling for budgeted
 * multi-armed bandits", IJCAI 2015), with the past discounted, since what works changes over a run (V. Raj, S. Kalyani,
 * "Taming non-stationary bandits: a Bayesian approach", 2017). Pure: learns from `record` alone.
 */
import { PeagenError } from '../../shared/errors.ts';
import type { Random } from '../random.ts';
import { drawBeta } from './beta.ts';

export interface Trial {
  /** The gain of the child over its parent in fitness; 0 for none, and for a child that was not correct or not made. */
  readonly gain: number;
  /** Prompt and completion. */
  readonly tokens: number;
  /** The time of workers for making the child and judging it. */
  readonly seconds: number;
}

interface BanditOptions {
  /** What the mean number of tokens counts for, against the mean number of seconds. */
  readonly tokenWeight: number;
  readonly secondWeight: number;
  /** What a trial counts for after the next one, of any arm. */
  readonly discount: number;
}

interface ArmRecord {
  readonly arm: string;
  /** Undiscounted sums over the run. */
  readonly trials: number;
  readonly gain: number;
  readonly tokens: number;
  readonly seconds: number;
}

/** Discounted sums. */
interface Tally {
  successes: number;
  failures: number;
  gain: number;
  tokens: number;
  seconds: number;
}

const defaults: BanditOptions = { tokenWeight: 1, secondWeight: 1, discount: 0.995 };
/** Trials that the experience with all arms is worth for one of which nothing is known. */
const PRIOR = 2;

export class Bandit {
  private readonly options: BanditOptions;
  private readonly arms: ReadonlyMap<string, Tally>;
  private readonly all: Tally = emptyTally();
  private readonly totals = new Map<string, ArmRecord>();

  /** `arms` by name, such as `structural` or `patch@local`; at least one, no name twice. */
  constructor(arms: readonly string[], options: Partial<BanditOptions> = {}) {
    if (arms.length === 0 || new Set(arms).size !== arms.length) {
      throw new PeagenError(
        'invalid_input',
        `Work cannot be divided among [${arms.join(', ')}]: expected different names, at least one.`,
      );
    }
    this.options = { ...defaults, ...options };
    this.arms = new Map(arms.map((arm) => [arm, emptyTally()]));
    for (const arm of arms) this.totals.set(arm, { arm, trials: 0, gain: 0, tokens: 0, seconds: 0 });
  }

  /** The arm to use next. O(arms). */
  choose(random: Random): string {
    let chosen: string | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    for (const [arm, tally] of this.arms) {
      const worth = (this.drawSuccess(tally, random) * this.meanGain(tally)) / this.meanCost(tally);
      if (worth <= highest) continue;
      highest = worth;
      chosen = arm;
    }
    return chosen ?? random.pick([...this.arms.keys()]);
  }

  /** Throws `invalid_input` for an arm it does not have and for numbers below 0 or not finite. */
  record(arm: string, trial: Trial): void {
    const tally = this.arms.get(arm);
    const total = this.totals.get(arm);
    if (tally === undefined || total === undefined) {
      throw new PeagenError('invalid_input', `No work is divided to "${arm}".`, {
        hint: `Known: ${[...this.arms.keys()].join(', ')}.`,
      });
    }
    for (const [name, value] of Object.entries(trial)) {
      if (!Number.isFinite(value) || value < 0) {
        throw new PeagenError('invalid_input', `The ${name} of a trial of "${arm}" is ${value}; expected 0 or more.`);
      }
    }
    for (const each of [...this.arms.values(), this.all]) fade(each, this.options.discount);
    count(tally, trial);
    count(this.all, trial);
    this.totals.set(arm, {
      arm,
      trials: total.trials + 1,
      gain: total.gain + trial.gain,
      tokens: total.tokens + trial.tokens,
      seconds: total.seconds + trial.seconds,
    });
  }

  /** What each arm has done and cost, for the user. */
  report(): ArmRecord[] {
    return [...this.totals.values()];
  }

  private drawSuccess({ successes, failures }: Tally, random: Random): number {
    const rate = (this.all.successes + 1) / (this.all.successes + this.all.failures + 2);
    return drawBeta(PRIOR * rate + successes, PRIOR * (1 - rate) + failures, random);
  }

  /** The value of a success, in units of the mean over all arms. */
  private meanGain({ gain, successes }: Tally): number {
    const usual = this.all.successes > 0 ? this.all.gain / this.all.successes : 0;
    return usual === 0 ? 1 : (PRIOR + gain / usual) / (PRIOR + successes);
  }

  /** The cost of a trial, in units of the mean over all arms; above 0. */
  private meanCost(tally: Tally): number {
    const trials = tally.successes + tally.failures;
    const allTrials = this.all.successes + this.all.failures;
    const { tokenWeight, secondWeight } = this.options;
    const part = (own: number, all: number) => (all === 0 ? 0 : (PRIOR + (own * allTrials) / all) / (PRIOR + trials));
    const cost = tokenWeight * part(tally.tokens, this.all.tokens) + secondWeight * part(tally.seconds, this.all.seconds);
    // Nothing has cost anything yet: all arms are equally cheap.
    return cost === 0 ? 1 : cost;
  }
}

function emptyTally(): Tally {
  return { successes: 0, failures: 0, gain: 0, tokens: 0, seconds: 0 };
}

function fade(tally: Tally, by: number): void {
  tally.successes *= by;
  tally.failures *= by;
  tally.gain *= by;
  tally.tokens *= by;
  tally.seconds *= by;
}

function count(tally: Tally, { gain, tokens, seconds }: Trial): void {
  if (gain > 0) tally.successes++;
  else tally.failures++;
  tally.gain += gain;
  tally.tokens += tokens;
  tally.seconds += seconds;
}
