/** The Evolution view: run → niche → elite, fetched as they are opened and refreshed as events come. */
import * as vscode from 'vscode';
import type { RunId } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import type { Peagen } from '../peagen.ts';
import type { WindowRun } from '../runs/runs.ts';
import { metricsLine, plural, speedOf, stateOf, targetName } from '../words.ts';

export type EvolutionNode =
  | { readonly kind: 'run'; readonly run: RunId }
  | {
      readonly kind: 'niche';
      readonly run: RunId;
      readonly niche: string;
      readonly label: string;
      readonly full: string;
      readonly elite: Elite;
    }
  | { readonly kind: 'elite'; readonly run: RunId; readonly elite: Elite };

export function registerEvolutionView(peagen: Peagen): vscode.Disposable[] {
  const tree = new EvolutionTree(peagen);
  const view = vscode.window.createTreeView('peagen.evolution', { treeDataProvider: tree, showCollapseAll: true });
  const badge = () => {
    if (view.visible) peagen.runs.seen();
    const fresh = peagen.runs.list().reduce((sum, run) => sum + run.fresh.size, 0);
    view.badge = fresh === 0 || view.visible ? undefined : { value: fresh, tooltip: plural(fresh, 'new elite') };
  };
  return [tree, view, view.onDidChangeVisibility(badge), peagen.runs.onDidChange(badge)];
}

class EvolutionTree implements vscode.TreeDataProvider<EvolutionNode>, vscode.Disposable {
  readonly #peagen: Peagen;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(peagen: Peagen) {
    this.#peagen = peagen;
    this.#subscription = peagen.runs.onDidChange(() => this.#changed.fire());
  }

  async getChildren(node?: EvolutionNode): Promise<EvolutionNode[]> {
    if (node === undefined) return await this.#runs();
    if (node.kind === 'elite') return [];
    if (node.kind === 'niche') return [{ kind: 'elite', run: node.run, elite: node.elite }];
    const run = this.#peagen.runs.get(node.run);
    if (run === undefined) return [];
    const { nicheLabel } = await import('../late.ts');
    const elites = await this.#peagen.runs.elites(node.run);
    const differing = differingAxes(elites.map(({ niche }) => niche));
    return elites.map((elite) => {
      const bins = elite.niche.split('/');
      // A range that all niches share tells none from another; it is in the tooltip.
      const shown = nicheLabel(
        differing.map((i) => bins[i]).join('/'),
        differing.flatMap((i) => run.info.axes[i] ?? []),
      );
      const full = nicheLabel(elite.niche, run.info.axes);
      return { kind: 'niche', run: node.run, niche: elite.niche, label: differing.length === 0 ? full : shown, full, elite };
    });
  }

  async #runs(): Promise<EvolutionNode[]> {
    if (!vscode.workspace.isTrusted) return [];
    try {
      await this.#peagen.runs.refresh();
    } catch (caught) {
      this.#peagen.log.error(String(caught));
      this.#peagen.status.show({ health: 'error', quiescent: true, message: String(caught) });
    }
    return this.#peagen.runs.list().map((run) => ({ kind: 'run', run: run.info.run }));
  }

  getTreeItem(node: EvolutionNode): vscode.TreeItem {
    const { runs } = this.#peagen;
    if (node.kind === 'run') return runItem(node.run, runs.get(node.run), runs.list()[0]?.info.run === node.run);
    return node.kind === 'niche' ? nicheItem(node) : eliteItem(node);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

/** Positions in which niches differ. */
function differingAxes(niches: readonly string[]): number[] {
  const bins = niches.map((niche) => niche.split('/'));
  return (bins[0] ?? []).flatMap((bin, i) => (bins.some((other) => other[i] !== bin) ? [i] : []));
}

const runIcons = { running: 'sync~spin', paused: 'debug-pause', finished: 'pass', interrupted: 'debug-disconnect' } as const;

function runItem(id: RunId, run: WindowRun | undefined, newest: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(run === undefined ? id : targetName(run.info), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  if (run === undefined) return item;
  const { info } = run;
  // The newest run and those that go on show their niches at once; the others stay folded.
  if (newest || info.state === 'running' || info.state === 'paused')
    item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  const best = info.best === null ? '' : `best ${Number(info.best.toPrecision(3))} · `;
  const progress = info.state === 'finished' ? '' : ` · generation ${info.generation} of ${info.max_generations}`;
  item.description = `${best}${stateOf(info)}${progress}`;
  item.iconPath = new vscode.ThemeIcon(info.stopped === 'failed' ? 'error' : runIcons[info.state]);
  item.contextValue = `run.${info.state}`;
  item.tooltip = new vscode.MarkdownString(
    [
      `**${targetName(info)}** in ${info.target.path}`,
      `${plural(info.candidates, 'candidate')}, ${info.evaluated} evaluated, ${info.correct} correct`,
      `${plural(info.stats.coverage, 'niche')} held`,
      `${info.tokens.prompt + info.tokens.completion} tokens`,
      `Run ${info.run}`,
    ].join('  \n'),
  );
  item.accessibilityInformation = { label: `Run on ${targetName(info)}, ${item.description}` };
  return item;
}

function nicheItem(node: Extract<EvolutionNode, { kind: 'niche' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${node.run}/${node.niche}`;
  item.iconPath = new vscode.ThemeIcon('symbol-namespace');
  item.contextValue = 'niche';
  item.tooltip = node.full;
  item.accessibilityInformation = { label: `Niche ${node.full}` };
  return item;
}

function eliteItem({ run, elite }: Extract<EvolutionNode, { kind: 'elite' }>): vscode.TreeItem {
  const original = elite.index < 0;
  const item = new vscode.TreeItem(original ? 'the original' : speedOf(elite));
  item.id = `${run}/${elite.niche}/${elite.sha256}`;
  item.description = original ? '' : `generation ${elite.generation} · ${elite.summary || elite.mutator}`;
  item.iconPath = new vscode.ThemeIcon(original ? 'circle-outline' : 'sparkle');
  item.contextValue = original ? 'original' : 'elite';
  item.tooltip = new vscode.MarkdownString(`${metricsLine(elite)}\n\n${elite.summary}\n\nby ${elite.mutator}`);
  item.accessibilityInformation = { label: `${item.label}, ${item.description}` };
  if (!original) {
    item.command = {
      command: 'peagen.reviewElite',
      title: 'Review',
      arguments: [{ kind: 'elite', run, elite } satisfies EvolutionNode],
    };
  }
  return item;
}
