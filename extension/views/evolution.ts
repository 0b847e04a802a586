/** The Evolution view: its tree, its badge, and the commands of its title. */
import * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';
import { ReadOnlyFiles } from '../read-only-files.ts';
import { byCount } from '../words.ts';
import { type Arrangement, arrangementFrom } from './arrange.ts';
import { isNode } from './nodes.ts';
import { sortName } from './sort-names.ts';
import { EvolutionTree } from './tree.ts';

const ARRANGEMENT = 'peagen.evolution.arrangement';

export function registerEvolutionView(peagen: Peagen): vscode.Disposable[] {
  const tree = new EvolutionTree(peagen);
  const view = vscode.window.createTreeView('peagen.evolution', {
    treeDataProvider: tree,
    showCollapseAll: true,
    canSelectMany: true,
  });
  peagen.selection = () => view.selection;
  peagen.redraw = () => tree.redraw();
  const state = peagen.extension.workspaceState;
  const arrange = async (change: Partial<Arrangement>) => {
    tree.arrangement = { ...tree.arrangement, ...change };
    const { sort, filter } = tree.arrangement;
    const shown = [
      ...(sort === 'score'
        ? []
        : [sort === 'niche' ? vscode.l10n.t('grouped by niche') : vscode.l10n.t('by: {0}', sortName(sort))]),
      ...(filter === '' ? [] : [vscode.l10n.t('filter: {0}', filter)]),
    ];
    // Above the rows: a view that is alone in its container shows no description.
    view.message = shown.join(' · ');
    await vscode.commands.executeCommand('setContext', 'peagen.evolution.filtered', filter !== '');
    await state.update(ARRANGEMENT, tree.arrangement);
  };
  void arrange(arrangementFrom(state.get(ARRANGEMENT)));
  const badge = () => {
    const fresh = peagen.runs.list().reduce((sum, run) => sum + run.fresh.size, 0);
    if (fresh > 0) void vscode.commands.executeCommand('setContext', 'peagen.hasElite', true);
    const tooltip = byCount(fresh, vscode.l10n.t('{0} new candidate', fresh), vscode.l10n.t('{0} new candidates', fresh));
    view.badge = fresh === 0 || view.visible ? undefined : { value: fresh, tooltip };
  };
  const looked = () => {
    tree.visible = view.visible;
    // What came while the view was open is marked there until it is closed.
    if (!view.visible) peagen.runs.seen();
    badge();
  };
  looked();
  const elites = new ReadOnlyFiles(async (uri) => {
    const { eliteFile } = await import('../late.ts');
    return await eliteFile(peagen, uri);
  });
  const register = (id: string, command: (...args: unknown[]) => unknown) => vscode.commands.registerCommand(id, command);
  return [
    tree,
    view,
    view.onDidChangeVisibility(looked),
    peagen.runs.onDidChange(badge),
    elites,
    elites.register('peagen-elite'),
    vscode.window.registerWebviewPanelSerializer('peagen.dashboard', {
      deserializeWebviewPanel: async (panel, state) => {
        const { restoreDashboard } = await import('../late.ts');
        await restoreDashboard(peagen, panel, state);
      },
    }),
    register('peagen.evolution.sort', async () => {
      const { pickSort } = await import('../late.ts');
      const sort = await pickSort(tree.arrangement.sort);
      if (sort !== undefined) await arrange({ sort });
    }),
    register('peagen.evolution.filter', async () => {
      const { askFilter } = await import('../late.ts');
      const filter = await askFilter(tree.arrangement.filter);
      if (filter !== undefined) await arrange({ filter });
    }),
    register('peagen.evolution.clearFilter', () => arrange({ filter: '' })),
    register('peagen.evolution.showMore', (node) => {
      if (isNode(node)) tree.showMore(node.run);
    }),
  ];
}
