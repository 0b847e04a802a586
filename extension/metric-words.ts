/** What evaluators of Peagen measure, in words and with its unit; metrics of other evaluators keep their names. */
import * as vscode from 'vscode';
import { figure } from './words.ts';

const names: Readonly<Record<string, () => string>> = {
  baseline_ms: () => vscode.l10n.t('time of the original, in ms'),
  speed_ms: () => vscode.l10n.t('time, in ms'),
  speed_p10_ms: () => vscode.l10n.t('time in the fastest tenth of the rounds, in ms'),
  cost: () => vscode.l10n.t('operations'),
  baseline_cost: () => vscode.l10n.t('operations of the original'),
  peak_kb: () => vscode.l10n.t('peak memory, in KB'),
  size_ch: () => vscode.l10n.t('size of the code, in characters'),
  samples: () => vscode.l10n.t('rounds measured'),
  combined_score: () => vscode.l10n.t('score'),
  speedup: () => vscode.l10n.t('speed-up'),
  speedup_low: () => vscode.l10n.t('speed-up, at least'),
  speedup_high: () => vscode.l10n.t('speed-up, at most'),
  program_share: () => vscode.l10n.t('share of the time of the command'),
  tests: () => vscode.l10n.t('tests'),
  failures: () => vscode.l10n.t('tests that failed'),
};

/** Where an evaluator gives a score, these are its ratio and nothing that was measured. */
const besideScore = ['speedup', 'speedup_low', 'speedup_high', 'samples', 'peak_kb'];

export function metricName(metric: string): string {
  return Object.hasOwn(names, metric) ? (names[metric]?.() ?? metric) : metric;
}

/** Each metric and its value, those of Peagen first and in the order above. */
export function metricsInWords(metrics: Readonly<Record<string, number>>): [name: string, value: string][] {
  const order = Object.keys(names);
  const rank = (name: string) => (Object.hasOwn(names, name) ? order.indexOf(name) : order.length);
  const isScore = metrics['combined_score'] !== undefined;
  return Object.entries(metrics)
    .filter(([name]) => !isScore || !besideScore.includes(name))
    .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([name, value]) => [metricName(name), figure(value, { digits: 6 })]);
}
