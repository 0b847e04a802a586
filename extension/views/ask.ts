/** What the Evolution view asks a user: how to sort, what to show. */
import * as vscode from 'vscode';
import { type SortKey, sortKeys } from './arrange.ts';
import { sortName } from './sort-names.ts';

function sortDescription(key: SortKey): string {
  switch (key) {
    case 'score':
      return vscode.l10n.t('best first');
    case 'generation':
      return vscode.l10n.t('oldest first');
    case 'newest':
      return vscode.l10n.t('newest first');
    case 'niche':
      return vscode.l10n.t('grouped by similar speed, memory or size, of which the best is kept');
    case 'mutator':
      return vscode.l10n.t('how a candidate was made, best first');
  }
}

export async function pickSort(current: SortKey): Promise<SortKey | undefined> {
  const items = sortKeys.map((key) => ({
    key,
    label: sortName(key),
    description: sortDescription(key),
    ...(key === current ? { detail: vscode.l10n.t('current') } : {}),
  }));
  const pick = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Sort candidates by') });
  return pick?.key;
}

export function askFilter(current: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Show only candidates with'),
    prompt: vscode.l10n.t('Filter by text, for example offline, >1.5, pinned or new. Leave empty to show all.'),
    placeHolder: 'offline >1.2',
    value: current,
    ignoreFocusOut: true,
  });
}
