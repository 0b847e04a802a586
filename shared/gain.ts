/** What a run has gained over what it began with, for the surfaces that show it to a user. Pure. */
import type { Metrics } from './judging.ts';
import type { Elite } from './niche.ts';
import type { Best, RunEvent, RunInfo, RunSummary } from './run.ts';
import type { RunSpec } from './run-spec.ts';
import { times } from './words/ratio.ts';

type Gain =
  /** Nothing was judged yet that is right. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' }
  /** The original fails, and a candidate does not. */
  | { readonly kind: 'fixed' }
  /**
   * Times as fast as the original: the announced estimate, and during the search what is certain, the near end of the
   * interval.
   */
  | { readonly kind: 'faster'; readonly speedup: number }
  /** By an evaluator's own score, or one of several objectives. */
  | { readonly kind: 'score'; readonly score: number };

/** What a run that has ended announced; else what the search has found so far. */
export function gainOf({ best, baseline, ending }: Pick<RunInfo, 'best' | 'baseline' | 'ending'>): Gain {
  const isSpeedup = baseline?.is_speedup === true;
  if (ending !== undefined) {
    const { best: announced, mended } = ending;
    if (announced === null) return { kind: 'none' };
    if (announced.sha256 === mended) return { kind: 'fixed' };
    return isSpeedup || best === null ? { kind: 'faster', speedup: announced.speedup } : { kind: 'score', score: best };
  }
  if (best === null || baseline === undefined) return { kind: 'unknown' };
  if (best <= baseline.fitness) return { kind: baseline.mended === true ? 'fixed' : 'none' };
  return isSpeedup ? { kind: 'faster', speedup: best } : { kind: 'score', score: best };
}

/** The metric that a run is about, where that is not the speed-up. */
export function ownMetric({ metric }: Pick<RunSpec, 'metric'>): string | undefined {
  return metric === undefined || metric.startsWith('speedup') ? undefined : metric;
}

/** A fitness, or a bound of one, in the unit of the run's goal: less of a metric is a higher fitness where less is better. */
export function inGoal({ goal }: Pick<RunInfo, 'goal'>, fitness: number): number {
  return goal?.direction === 'min' ? -fitness : fitness;
}

/** Four digits, or as many as show how far a number is from what it is compared with. */
export function digitsFor(value: number, other = value): number {
  const share = Math.abs(value - other) / Math.max(Math.abs(value), Math.abs(other));
  return share > 0 ? Math.min(15, Math.max(4, 2 - Math.floor(Math.log10(share)))) : 4;
}

/** A run's goal and its value, such as `peak_kb 950 (lower is better)`; a score where there is none. Not translated. */
export function plainWorth(info: Pick<RunInfo, 'goal' | 'baseline'>, fitness: number): string {
  const value = inGoal(info, fitness).toPrecision(digitsFor(fitness, info.baseline?.fitness));
  const { goal } = info;
  return goal === undefined
    ? `score ${value}`
    : `${goal.metric} ${value} (${goal.direction === 'min' ? 'lower' : 'higher'} is better)`;
}

/** `4.32×`, `score 0.75`, `fixed`, not translated; undefined where nothing is gained. */
export function plainGain(info: Pick<RunInfo, 'goal' | 'best' | 'baseline' | 'ending'>): string | undefined {
  const gain = gainOf(info);
  switch (gain.kind) {
    case 'faster':
      return times(gain.speedup);
    case 'score':
      return plainWorth(info, gain.score);
    case 'fixed':
      return 'fixed';
    case 'none':
    case 'unknown':
      return undefined;
  }
}

/** An elite as the run announced it, measured with more care than in the search; any other, and one of a score, as it was. */
export function asAnnounced<E extends Pick<Elite, 'sha256' | 'metrics'>>(
  elite: E,
  info: Pick<RunInfo, 'best' | 'baseline' | 'ending'>,
): E {
  const best = info.ending?.best;
  if (best?.sha256 !== elite.sha256 || gainOf(info).kind !== 'faster') return elite;
  const { speedup, speedup_low, speedup_high, speed_ms, baseline_ms, peak_kb } = best;
  return { ...elite, metrics: { ...elite.metrics, speedup, speedup_low, speedup_high, speed_ms, baseline_ms, peak_kb } };
}

/** What candidates are compared with; `fitness` is its own. `mended`: it stands in for an original that fails. */
export function baselineOf(
  fitness: number,
  metrics: Metrics,
  { mended = false, rule = {} }: { mended?: boolean; rule?: Pick<RunSpec, 'metric' | 'objectives'> } = {},
): NonNullable<RunInfo['baseline']> {
  // A folder's evaluator measures no speed: its ratio is that of its scores. Another metric may be 1, too.
  const isScore = metrics['combined_score'] !== undefined || rule.objectives !== undefined || ownMetric(rule) !== undefined;
  const { speedup, speedup_low: low, program_share: share } = metrics;
  const known = { ...(mended ? { mended } : {}), ...(share === undefined ? {} : { share }) };
  return { fitness, is_speedup: !isScore && (fitness === low || fitness === speedup), ...known };
}

/** Less than this of a command's time hardly shows in it: a function twice as fast gains half of it. */
const LEAST_SHARE = 0.1;

/** The share of the command's time that the program takes, in percent, where it is too small for a gain in speed to show. */
export function smallShare({ baseline }: Pick<RunInfo, 'baseline'>): string | undefined {
  const share = baseline?.share;
  if (share === undefined || share >= LEAST_SHARE || baseline?.is_speedup === false) return undefined;
  return share < 0.001 ? '< 0.1' : (100 * share).toFixed(1);
}

/** What a client shows while a best is measured. */
export function confirmingOf({ at, within_ms }: Extract<RunEvent, { type: 'confirming' }>): NonNullable<RunInfo['confirming']> {
  return { since: at, ...(within_ms === undefined ? {} : { within_ms }) };
}

/** `confirming the best: 3 of 8 s`; the second number is missing where it may take as long as it needs. */
export function confirmingText({ since, within_ms: within }: NonNullable<RunInfo['confirming']>, now: number): string {
  const spent = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return `confirming the best: ${within === undefined ? `${spent} s` : `${spent} of ${Math.ceil(within / 1000)} s`}`;
}

/** What a result is worth that only its evaluator and the program itself vouch for. */
export const unverifiedText =
  'unverified: the program runs in one process with what judges it, or was never seen to be called; read the change before you use it';

/** What an announcement had no time for, as a sentence; undefined when it did all. */
export function skippedText({ skipped = [] }: Best): string | undefined {
  if (skipped.length === 0) return undefined;
  const parts = {
    compare: 'measure it again after the search',
    minimise: 'make it smaller',
    measure: 'measure it longer',
  } as const;
  const all = new Intl.ListFormat('en', { type: 'disjunction' }).format(skipped.map((one) => parts[one]));
  return `There was no time to ${all}; --precise takes that time.`;
}

/** What a list of runs shows of a summary. */
export function endingOf({ best, mended, overfitted, refuted, unconfirmed }: RunSummary): NonNullable<RunInfo['ending']> {
  const counterexamples = refuted === undefined ? {} : { refuted };
  return { best, ...(mended === undefined ? {} : { mended }), overfitted, ...counterexamples, unconfirmed };
}
