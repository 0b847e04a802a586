/** How the orders of the Evolution view are called. */
import * as vscode from 'vscode';
import type { SortKey } from './arrange.ts';

export function sortName(key: SortKey): string {
  switch (key) {
    case 'score':
      return vscode.l10n.t('Score');
    case 'generation':
      return vscode.l10n.t('Generation');
    case 'newest':
      return vscode.l10n.t('Newest');
    case 'niche':
      return vscode.l10n.t('Niche');
    case 'mutator':
      return vscode.l10n.t('Method');
  }
}
