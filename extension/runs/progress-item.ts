/** The runs in progress, in the status bar: which function, how good its best is, and how much longer it can take. */
import * as vscode from 'vscode';
import { confirmingText } from '../../shared/gain.ts';
import { secondsLeft } from '../../shared/words/time-left.ts';
import { certainText, distinctName, duration, gainText, isConfirming } from '../words.ts';
import type { Runs, WindowRun } from './runs.ts';

/** Time passes when a run says nothing, too. */
const REFRESH_MS = 5000;
/** While the best is confirmed, seconds are counted. */
const CONFIRMING_MS = 1000;

export class ProgressItem implements vscode.Disposable {
  private readonly runs: Runs;
  private readonly subscription: vscode.Disposable;
  private item: vscode.StatusBarItem | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(runs: Runs) {
    this.runs = runs;
    this.subscription = runs.onDidChange(() => this.show());
  }

  private show(): void {
    const all = this.runs.list();
    const live = all.filter(({ info }) => info.state === 'running' || info.state === 'paused');
    const [newest] = live;
    clearTimeout(this.timer);
    if (newest === undefined) {
      this.item?.hide();
      return;
    }
    this.item ??= makeItem();
    const now = Date.now();
    const others = live.length > 1 ? ` +${live.length - 1}` : '';
    const icon = newest.info.state === 'paused' && !isConfirming(newest) ? '$(debug-pause)' : '$(sync~spin)';
    this.item.text = `${icon} ${lineOf(newest, all, now)}${others}`;
    this.item.tooltip = tooltipOf(live, all, now);
    this.item.accessibilityInformation = { label: live.map((run) => lineOf(run, all, now)).join(', ') };
    this.item.show();
    this.timer = setTimeout(() => this.show(), newest.info.confirming === undefined ? REFRESH_MS : CONFIRMING_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.item?.dispose();
  }
}

function makeItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('peagen.progress', vscode.StatusBarAlignment.Left, 9);
  item.name = vscode.l10n.t('Peagen Progress');
  item.command = 'peagen.evolution.focus';
  return item;
}

/** `bad_sort 1.37× · 4 min left`. */
function lineOf(run: WindowRun, all: readonly WindowRun[], now: number): string {
  const { info } = run;
  const name = distinctName(run, all);
  if (info.confirming !== undefined) return `${name}: ${confirmingText(info.confirming, now)}`;
  if (isConfirming(run)) return vscode.l10n.t('{0}: confirming the best…', name);
  const best = `${name} ${certainText(info)}`.trim();
  if (info.state === 'paused') return vscode.l10n.t('{0} · paused', best);
  const left = secondsLeft(info, now);
  return left === undefined ? best : vscode.l10n.t('{0} · {1} left', best, duration(left));
}

function tooltipOf(live: readonly WindowRun[], all: readonly WindowRun[], now: number): vscode.MarkdownString {
  const rows = live.map((run) => {
    const { generation, max_generations: last } = run.info;
    const gain = gainText(run.info);
    const line = vscode.l10n.t('generation {0} of {1}', generation, last);
    return `**${lineOf(run, all, now)}**  \n${gain === '' ? line : `${line} · ${gain}`}`;
  });
  const ways = [
    `[${vscode.l10n.t('Stop')}](command:peagen.stopRun)`,
    `[${vscode.l10n.t('Pause')}](command:peagen.pauseRun)`,
    `[${vscode.l10n.t('Open dashboard')}](command:peagen.openDashboard)`,
  ];
  const text = new vscode.MarkdownString([...rows, ways.join(' · ')].join('\n\n'));
  text.isTrusted = { enabledCommands: ['peagen.stopRun', 'peagen.pauseRun', 'peagen.openDashboard'] };
  return text;
}
