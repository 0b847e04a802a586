/** What stands in the Evolution view, and how each row reads. */
import * as vscode from 'vscode';
import type { RunId } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import { sparkline } from '../../shared/trend.ts';
import type { WindowRun } from '../runs/runs.ts';
import { metricsLine, plural, speedOf, stateOf, targetName, times } from '../words.ts';

export type EvolutionNode =
  | { readonly kind: 'run'; readonly run: RunId }
  | {
      readonly kind: 'niche';
      readonly run: RunId;
      readonly niche: string;
      readonly label: string;
      readonly full: string;
      readonly elite: Elite;
      readonly elites: readonly Elite[];
      /** Its elite shows at once. */
      readonly open: boolean;
    }
  | { readonly kind: 'elite'; readonly run: RunId; readonly elite: Elite }
  | { readonly kind: 'more'; readonly run: RunId; readonly hidden: number };

/** Commands of the view get their node as argument; from the palette they get none. */
export function isNode(value: unknown): value is EvolutionNode {
  return typeof value === 'object' && value !== null && 'kind' in value && 'run' in value;
}

/** `newest`: it shows its niches at once, like those that go on; the others stay folded. */
export function itemOf(node: EvolutionNode, run: WindowRun | undefined, newest: boolean): vscode.TreeItem {
  switch (node.kind) {
    case 'run':
      return runItem(node.run, run, newest);
    case 'niche':
      return nicheItem(node, run);
    case 'elite':
      return eliteItem(node, run);
    case 'more':
      return moreItem(node);
  }
}

const runIcons = { running: 'sync~spin', paused: 'debug-pause', finished: 'pass', interrupted: 'debug-disconnect' } as const;

function runItem(id: RunId, run: WindowRun | undefined, newest: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(run === undefined ? id : targetName(run.info), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  if (run === undefined) return item;
  const { info } = run;
  if (newest || info.state === 'running' || info.state === 'paused')
    item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  const trend = sparkline(info.trend ?? [], info.generation);
  const best = info.best === null ? '' : `best ${Number(info.best.toPrecision(3))}${trend === '' ? '' : ` ${trend}`} · `;
  const progress = info.state === 'finished' ? '' : ` · generation ${info.generation} of ${info.max_generations}`;
  item.description = `${best}${stateOf(info)}${progress}`;
  item.iconPath = new vscode.ThemeIcon(info.stopped === 'failed' ? 'error' : runIcons[info.state]);
  item.contextValue = `run.${info.state}`;
  item.tooltip = new vscode.MarkdownString(
    [
      `**${targetName(info)}** in ${info.target.path}`,
      `${plural(info.candidates, 'candidate')}, ${info.evaluated} evaluated, ${info.correct} correct`,
      `${plural(info.stats.coverage, 'niche')} held`,
      `${(info.tokens.prompt + info.tokens.completion).toLocaleString('en')} tokens`,
      `Run ${info.run}`,
    ].join('  \n'),
  );
  const spoken = info.best === null ? '' : `best ${Number(info.best.toPrecision(3))}, `;
  item.accessibilityInformation = { label: `Run on ${targetName(info)}, ${spoken}${stateOf(info)}${progress}` };
  return item;
}

function nicheItem(node: Extract<EvolutionNode, { kind: 'niche' }>, run: WindowRun | undefined): vscode.TreeItem {
  const { elite } = node;
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState[node.open ? 'Expanded' : 'Collapsed']);
  item.id = `${node.run}/${node.niche}`;
  const speed = elite.metrics['speedup_low'] ?? elite.metrics['speedup'];
  item.description =
    elite.index < 0 ? 'original' : speed === undefined ? `${Number(elite.fitness.toPrecision(4))}` : times(speed);
  item.iconPath = new vscode.ThemeIcon(elite.pinned === true ? 'pinned' : 'symbol-namespace');
  item.contextValue = `niche.${roleOf(elite)}`;
  item.tooltip = node.full;
  item.accessibilityInformation = { label: `Niche ${node.full}, ${speedOf(elite)}${newness(elite, run)}` };
  return item;
}

function eliteItem({ run: id, elite }: Extract<EvolutionNode, { kind: 'elite' }>, run: WindowRun | undefined) {
  const original = elite.index < 0;
  const item = new vscode.TreeItem(original ? 'the original' : speedOf(elite));
  item.id = `${id}/${elite.niche}/${elite.sha256}`;
  const speed = elite.metrics['speedup_low'] ?? elite.metrics['speedup'];
  const score = speed === undefined || speed === elite.fitness ? '' : `score ${Number(elite.fitness.toPrecision(4))} · `;
  item.description = original ? '' : `${score}generation ${elite.generation} · ${elite.mutator} · ${elite.summary}`;
  const icon = original ? 'circle-outline' : elite.pinned === true ? 'pinned' : 'sparkle';
  const fresh = run?.fresh.has(elite.sha256) === true ? new vscode.ThemeColor('charts.green') : undefined;
  item.iconPath = new vscode.ThemeIcon(icon, fresh);
  item.contextValue = roleOf(elite);
  item.tooltip = new vscode.MarkdownString();
  item.tooltip.appendText(`${metricsLine(elite)}\n${elite.summary}\nby ${elite.mutator}`);
  item.accessibilityInformation = { label: `${item.label}, ${item.description}${newness(elite, run)}` };
  if (!original) {
    item.command = {
      command: 'peagen.reviewElite',
      title: 'Review',
      arguments: [{ kind: 'elite', run: id, elite } satisfies EvolutionNode],
    };
  }
  return item;
}

/** For the `when` of the menus: `elite`, `elite.pinned` or `original`. */
function roleOf({ index, pinned }: Elite): string {
  return index < 0 ? 'original' : pinned === true ? 'elite.pinned' : 'elite';
}

function newness({ sha256 }: Elite, run: WindowRun | undefined): string {
  return run?.fresh.has(sha256) === true ? ', new' : '';
}

function moreItem({ run, hidden }: Extract<EvolutionNode, { kind: 'more' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(`Show more of ${plural(hidden, 'niche')}…`);
  item.id = `${run}/more`;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.command = { command: 'peagen.evolution.showMore', title: 'Show More', arguments: [{ kind: 'more', run, hidden }] };
  return item;
}
