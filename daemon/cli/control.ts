/** The control of a run (`--baseline`): simpler choices of parents with the same budget, and the comparison. */
import { newTaskId } from '../../shared/ids.ts';
import { ControlRun } from '../../shared/protocol/runs.ts';
import type { RunSummary, StopReason } from '../../shared/run.ts';
import type { Control } from '../../shared/run-spec.ts';
import { times } from '../../shared/words/ratio.ts';
import { followRun } from './follow.ts';
import { say } from './output.ts';
import type { CommandSession } from './session.ts';

const described: Record<Control, string> = {
  'best-of-n': 'all from the original',
  greedy: 'each from the best so far',
  random: 'with parents at random',
};

/** Runs the strategy within the limits of the search. */
export async function runControl(session: CommandSession, { run }: RunSummary, strategy: Control): Promise<RunSummary> {
  say(`control: ${strategy}`);
  return followRun(session, await session.client.request(ControlRun, { run, strategy, requestId: newTaskId() }));
}

export function controlText(search: RunSummary, control: RunSummary, strategy: Control): string {
  const tokens = ({ tokens: { prompt, completion } }: RunSummary) => (prompt + completion).toLocaleString('en');
  const [own, other] = [estimateOf(search, control), estimateOf(control, search)];
  const shown = ({ value }: Estimate) => (own.isRatio ? times(value) : value.toPrecision(4));
  const over = own.isRatio ? times(own.value / other.value) : `${shown(own)} against ${shown(other)}`;
  const isSame = search.best?.sha256 === control.best?.sha256;
  const said = isSame ? 'both end with the same program' : verdict(own, other);
  return [
    `control ${strategy}, ${control.evaluated} candidates ${described[strategy]}: ${shown(other)}, ${tokens(control)} tokens (run ${control.run})`,
    `search over control: ${over}, with ${search.evaluated} candidates and ${tokens(search)} tokens; ${said}`,
    ...(control.evaluated < search.evaluated ? [`the control judged fewer candidates: ${fewer[control.stopped]}`] : []),
  ].join('\n');
}

/** What a run has announced, else the original, which the other run may know in its own measure. */
function estimateOf({ best }: RunSummary, other: RunSummary): Estimate & { readonly isRatio: boolean } {
  const score = best?.score;
  if (score !== undefined) return { value: score.fitness, low: score.low, high: score.high, isRatio: false };
  const original = other.best?.score?.original;
  if (best === null && original !== undefined) return { value: original, isRatio: false };
  if (best === null) return { value: 1, isRatio: true };
  return { value: best.speedup, low: best.speedup_low, high: best.speedup_high, isRatio: true };
}

/** Compares the two programs that were announced. How often a search wins, only several seeds tell. */
function verdict(own: Estimate & { readonly isRatio: boolean }, other: Estimate): string {
  const { p, isSignificant } = differenceOf(own, other, own.isRatio);
  const exact = own.low === own.high && other.low === other.high;
  const size = exact
    ? 'exact values'
    : `p ${p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`}, difference of two estimates, Altman and Bland 2003`;
  return `the difference of the two programs is ${isSignificant ? '' : 'not '}significant (${size})`;
}

/** Why a control has judged less than its search. */
const fewer: Record<StopReason, string> = {
  max_generations: 'what else it made had been made before, or was of no use',
  target_ms: 'it has reached target_ms',
  no_improve: 'it has found nothing better for long',
  budget_tokens: 'what is left of its budget does not pay for another question',
  budget_usd: 'what is left of its budget does not pay for another question',
  run_timeout: 'its time was over',
  exhausted: 'its mutators find nothing new in the original',
  user: 'it was stopped',
  failed: 'it failed',
};

interface Estimate {
  readonly value: number;
  /** Ends of a 95 % interval; absent where the value is exact. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

interface EstimateDifference {
  /** Two-sided probability of a difference at least as large between two that are equal. */
  readonly p: number;
  readonly isSignificant: boolean;
}

const LEVEL = 0.05;
/** Standard errors between the middle and the end of a 95 % interval. */
const HALF_WIDTH = 1.96;

/**
 * Whether two estimates differ by more than chance, from their 95 % intervals: the difference of two independent estimates
 * against its standard error (D. G. Altman, J. M. Bland, "Interaction revisited: the difference between two estimates", BMJ
 * 326:219, 2003). `ratios`: the values are factors, which are compared by their logarithms.
 */
export function differenceOf(one: Estimate, other: Estimate, ratios: boolean): EstimateDifference {
  const scaled = (value: number) => (ratios ? Math.log(value) : value);
  const error = ({ value, low = value, high = value }: Estimate) => (scaled(high) - scaled(low)) / (2 * HALF_WIDTH);
  const difference = Math.abs(scaled(one.value) - scaled(other.value));
  const both = Math.hypot(error(one), error(other));
  const p = both > 0 ? 2 * (1 - normal(difference / both)) : difference > 0 ? 0 : 1;
  return { p, isSignificant: p < LEVEL };
}

/** Cumulative standard normal distribution above 0, exact to 7.5e-8 (M. Abramowitz, I. Stegun, 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const series = t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
