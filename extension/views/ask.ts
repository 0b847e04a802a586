/** What the Evolution view asks a user: how to sort, what to show. */
import * as vscode from 'vscode';
import { type SortKey, sortKeys } from './arrange.ts';
import { sortName } from './sort-names.ts';

function sortDescription(key: SortKey): string {
  switch (key) {
    case 'score':
      return vscode.l10n.t('best first');
    case 'generation':
      return vscode.l10n.t('the earliest first');
    case 'newest':
      return vscode.l10n.t('the latest candidate first');
    case 'niche':
      return vscode.l10n.t('by the ranges of the features');
    case 'mutator':
      return vscode.l10n.t('by how it was made, best first');
  }
}

export async function pickSort(current: SortKey): Promise<SortKey | undefined> {
  const items = sortKeys.map((key) => ({
    key,
    label: sortName(key),
    description: sortDescription(key),
    ...(key === current ? { detail: vscode.l10n.t('now') } : {}),
  }));
  const pick = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Sort elites by') });
  return pick?.key;
}

export function askFilter(current: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Show only elites with'),
    prompt: vscode.l10n.t(
      'Words of a range, a mutator or a change; >1.5 for a speed-up above 1.5; pinned; new. Empty shows all.',
    ),
    placeHolder: 'structural >1.2',
    value: current,
    ignoreFocusOut: true,
  });
}
