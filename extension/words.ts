/** How runs and elites are named wherever a user reads of them. */
import * as vscode from 'vscode';
import { asAnnounced, gainOf, inGoal } from '../shared/gain.ts';
import type { Elite } from '../shared/niche.ts';
import type { Best, RunInfo, StopReason } from '../shared/run.ts';
import { ratioDecimals } from '../shared/words/ratio.ts';
import { isSlowerOnShort } from '../shared/words/short-calls.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** As the editor's language writes it: with a number of digits that count, or a number after the point. */
export function figure(value: number, { digits, decimals }: { readonly digits?: number; readonly decimals?: number }): string {
  const key = `${digits} ${decimals}`;
  const length =
    digits === undefined
      ? { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
      : { maximumSignificantDigits: digits };
  const format = formats.get(key) ?? new Intl.NumberFormat(vscode.env.language, { useGrouping: false, ...length });
  formats.set(key, format);
  return format.format(value);
}

/** `4.32×`. */
export function times(factor: number): string {
  return `${figure(factor, { decimals: ratioDecimals(factor) })}×`;
}

/** `4.32× faster (4.10 to 4.51)`, `1.20× slower (1.10 to 1.31)`: the interval in the terms of what it is around. */
export function withInterval(text: string, ratio: number, interval: { readonly low: number; readonly high: number }): string {
  const [from, to] = edgesOf(ratio, interval);
  return vscode.l10n.t('{0} ({1} to {2})', text, from, to);
}

function edgesOf(ratio: number, { low, high }: { readonly low: number; readonly high: number }): [string, string] {
  const [from, to] = ratio < 1 && high < 1 ? [1 / high, 1 / low] : [low, high];
  return [figure(from, { decimals: ratioDecimals(from) }), figure(to, { decimals: ratioDecimals(to) })];
}

/**
 * `4.32× faster`, `as fast`, `1.20× slower`: what is certain, the near end of the interval. The score when the evaluator
 * measures no speed.
 */
export function speedOf({ metrics, fitness }: Pick<Elite, 'metrics' | 'fitness'>): string {
  const speedup = certainSpeedup(metrics);
  return speedup === undefined ? scoreText(fitness) : ratioText(speedup);
}

/** The same in a run: the announced elite has one number everywhere, the one that was announced. */
export function speedIn(
  info: Pick<RunInfo, 'goal' | 'best' | 'baseline' | 'ending'>,
  elite: Pick<Elite, 'sha256' | 'metrics' | 'fitness'>,
): string {
  if (info.goal !== undefined) return worthText(info, elite.fitness);
  const shown = asAnnounced(elite, info);
  const { speedup } = shown.metrics;
  return shown === elite || speedup === undefined ? speedOf(elite) : ratioText(speedup);
}

/** `950 KB, 14 % less`, `310 characters, 8 % less`: of a run that is about one metric, its value; of others the score. */
export function worthText({ goal, baseline }: Pick<RunInfo, 'goal' | 'baseline'>, fitness: number): string {
  if (goal === undefined) return scoreText(fitness);
  const value = inGoal({ goal }, fitness);
  const shown = metricText(goal.metric, value);
  const before = baseline === undefined ? 0 : inGoal({ goal }, baseline.fitness);
  const change = before === 0 ? 0 : Math.round((100 * (value - before)) / Math.abs(before));
  if (change === 0) return shown;
  return change < 0 ? vscode.l10n.t('{0}, {1} % less', shown, -change) : vscode.l10n.t('{0}, {1} % more', shown, change);
}

function metricText(metric: string, value: number): string {
  const number = figure(value, { digits: 4 });
  if (metric === 'peak_kb') return `${number} KB`;
  if (metric === 'size_ch')
    return byCount(value, vscode.l10n.t('{0} character', number), vscode.l10n.t('{0} characters', number));
  return `${metric} ${number}`;
}

function scoreText(score: number): string {
  return vscode.l10n.t('score {0}', figure(score, { digits: 4 }));
}

/**
 * `best 4.32×` and `no improvement yet` during a run, `4.32× faster` at its end; empty while nothing was judged, and where a
 * failure says enough.
 */
export function gainText(info: Pick<RunInfo, 'goal' | 'best' | 'baseline' | 'ending' | 'state' | 'stopped'>): string {
  const gain = gainOf(info);
  switch (gain.kind) {
    case 'unknown':
      return '';
    case 'none':
      if (info.stopped === 'failed') return '';
      return info.state === 'finished' ? vscode.l10n.t('no improvement') : vscode.l10n.t('no improvement yet');
    case 'fixed':
      return vscode.l10n.t('fixed');
    case 'faster':
      return info.ending === undefined ? vscode.l10n.t('best {0}', times(gain.speedup)) : ratioText(gain.speedup);
    case 'score':
      return info.goal !== undefined && info.ending !== undefined
        ? worthText(info, gain.score)
        : vscode.l10n.t('best {0}', worthText(info, gain.score));
  }
}

/** `1.37×` while a run goes on; empty before it has found anything faster. */
export function certainText(info: Pick<RunInfo, 'goal' | 'best' | 'baseline' | 'ending'>): string {
  const gain = gainOf(info);
  return gain.kind === 'faster' ? times(gain.speedup) : gain.kind === 'score' ? worthText(info, gain.score) : '';
}

/** The search is over, or the user has stopped it: what is left is to measure its best with care. */
export function isConfirming({ info, stopping }: { readonly info: RunInfo; readonly stopping: boolean }): boolean {
  return stopping || info.confirming !== undefined || info.generation >= info.max_generations;
}

/**
 * The near end of the interval, 1 where it lies within; undefined when no speed was measured: next to a score, it is the
 * score's.
 */
export function certainSpeedup({ speedup, speedup_low, speedup_high, combined_score }: Elite['metrics']): number | undefined {
  if (speedup === undefined || combined_score !== undefined) return undefined;
  const { low, high } = { low: speedup_low ?? speedup, high: speedup_high ?? speedup };
  return low <= 1 && high >= 1 ? 1 : low > 1 ? low : high;
}

function ratioText(speedup: number): string {
  if (Math.abs(speedup - 1) < 0.005) return vscode.l10n.t('as fast');
  return speedup > 1 ? vscode.l10n.t('{0} faster', times(speedup)) : vscode.l10n.t('{0} slower', times(1 / speedup));
}

/**
 * `4.32× faster (4.10 to 4.51), 1.2 ms, 310 KB`: what of it was measured. Of a few readings, the one in the middle can be an edge
 * of the interval: `1.15 to 1.44× faster` is what they show.
 */
export function metricsLine({ metrics, fitness }: Pick<Elite, 'metrics' | 'fitness'>): string {
  // The evaluator of a score measures nothing else with care.
  if (metrics['combined_score'] !== undefined) return speedOf({ metrics, fitness });
  const { speedup, speedup_low: low, speedup_high: high, speed_ms: ms, peak_kb: kb } = metrics;
  // Like its row: what is not certain is not claimed.
  const certain = low === undefined || high === undefined || low > 1 || high < 1;
  const speed = speedup === undefined || !certain ? speedOf({ metrics, fitness }) : ratioText(speedup);
  return [
    low === undefined || high === undefined ? speed : intervalText(speed, speedup ?? 1, { low, high }),
    ...spentOf({ ms, kb }),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function intervalText(text: string, ratio: number, interval: { readonly low: number; readonly high: number }): string {
  const [from, to] = edgesOf(ratio, interval);
  const middle = figure(ratio < 1 ? 1 / ratio : ratio, { decimals: 2 });
  const isCertain = interval.low > 1 || interval.high < 1;
  if (!isCertain || from === to || (middle !== from && middle !== to)) return withInterval(text, ratio, interval);
  return ratio < 1 ? vscode.l10n.t('{0} to {1}× slower', from, to) : vscode.l10n.t('{0} to {1}× faster', from, to);
}

/** The same with the words that it is a reading of the search, where the run has announced something else, or nothing yet. */
export function measuredIn(
  info: Pick<RunInfo, 'best' | 'baseline' | 'ending'>,
  elite: Pick<Elite, 'sha256' | 'metrics' | 'fitness'>,
): string {
  const shown = asAnnounced(elite, info);
  const line = metricsLine(shown);
  return shown === elite && info.baseline?.is_speedup === true ? vscode.l10n.t('in the search: {0}', line) : line;
}

/** What a run has announced at its end, as it was measured then: `4.32× faster (4.10 to 4.51)`; null before that. */
export function resultOf(info: Pick<RunInfo, 'goal' | 'best' | 'baseline' | 'ending' | 'state' | 'stopped'>): string | null {
  if (info.ending === undefined) return null;
  const { best } = info.ending;
  if (gainOf(info).kind !== 'faster' || best === null) return gainText(info);
  const { speedup, speedup_low: low, speedup_high: high, given } = best;
  return [withInterval(ratioText(speedup), speedup, { low, high }), ...slowerOnShort(given)].join('; ');
}

/** What a user has to know of a gain that longer calls bring. */
export function slowerOnShort(given: Best['given']): string[] {
  return isSlowerOnShort(given) ? [vscode.l10n.t('{0} slower on the short calls alone', times(1 / given.ratio))] : [];
}

/** `1.2 ms, 310 KB`: as far as it was measured. */
export function spentOf({ ms, kb }: { readonly ms: number | undefined; readonly kb: number | undefined }): string[] {
  return [
    ...(ms === undefined ? [] : [`${figure(ms, { digits: 3 })} ms`]),
    ...(kb === undefined ? [] : [`${figure(kb, { decimals: 0 })} KB`]),
  ];
}

export function targetName({ target }: Pick<RunInfo, 'target'>): string {
  return target.entry_fn ?? target.path.split('/').at(-1) ?? target.path;
}

interface NamedRun {
  readonly info: Pick<RunInfo, 'target'>;
  readonly name?: string | undefined;
}

/** The name that the user gave to the run, else that of what it evolves. */
export function runName({ info, name }: NamedRun): string {
  return name ?? targetName(info);
}

/** The file that sets a run apart from others of the same name; empty where its name does. */
export function fileIfNeeded(run: NamedRun, all: readonly NamedRun[]): string {
  const { path } = run.info.target;
  return all.some((other) => runName(other) === runName(run) && other.info.target.path !== path) ? path : '';
}

/** `pairs`, or `pairs (b.py)` where another file has a run of that name. */
export function distinctName(run: NamedRun, all: readonly NamedRun[]): string {
  const file = fileIfNeeded(run, all);
  return file === '' ? runName(run) : `${runName(run)} (${file})`;
}

const stopped: Record<StopReason, () => string> = {
  max_generations: () => vscode.l10n.t('all generations done'),
  target_ms: () => vscode.l10n.t('target reached'),
  no_improve: () => vscode.l10n.t('no further improvement'),
  budget_tokens: () => vscode.l10n.t('token budget spent'),
  budget_usd: () => vscode.l10n.t('dollar budget spent'),
  run_timeout: () => vscode.l10n.t('time limit reached'),
  exhausted: () => vscode.l10n.t('search exhausted'),
  user: () => vscode.l10n.t('stopped'),
  failed: () => vscode.l10n.t('failed'),
};

const states: Record<RunInfo['state'], () => string> = {
  running: () => vscode.l10n.t('running'),
  paused: () => vscode.l10n.t('paused'),
  finished: () => vscode.l10n.t('finished'),
  interrupted: () => vscode.l10n.t('interrupted'),
};

/** `confirming`: the search is over, and its best is measured with care. */
export function stateOf(info: RunInfo, confirming = false): string {
  if (confirming && (info.state === 'running' || info.state === 'paused')) return vscode.l10n.t('confirming the best…');
  return info.state === 'finished' && info.stopped !== undefined ? stopped[info.stopped]() : states[info.state]();
}

/** `45 s`, `30 min`, `1 h 30 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return vscode.l10n.t('{0} s', Math.ceil(seconds));
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return vscode.l10n.t('{0} min', minutes);
  return rest === 0 ? vscode.l10n.t('{0} h', hours) : vscode.l10n.t('{0} h {1} min', hours, rest);
}

/** Returns the one of two whole texts that fits this count. */
export function byCount(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
