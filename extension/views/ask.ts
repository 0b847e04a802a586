/** What the Evolution view asks a person: how to sort, what to show. */
import * as vscode from 'vscode';
import { type SortKey, sortKeys } from './arrange.ts';

const sorts: Record<SortKey, { label: string; description: string }> = {
  score: { label: 'Score', description: 'best first' },
  generation: { label: 'Generation', description: 'the earliest first' },
  newest: { label: 'Newest', description: 'the latest candidate first' },
  niche: { label: 'Niche', description: 'by the ranges of the features' },
  mutator: { label: 'Mutator', description: 'by how it was made, best first' },
};

export async function pickSort(current: SortKey): Promise<SortKey | undefined> {
  const items = sortKeys.map((key) => ({ key, ...sorts[key], ...(key === current ? { detail: 'now' } : {}) }));
  const pick = await vscode.window.showQuickPick(items, { title: 'Sort elites by' });
  return pick?.key;
}

export function askFilter(current: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: 'Show only elites with',
    prompt: 'Words of a range, a mutator or a change; >1.5 for a speed-up above 1.5; pinned; new. Empty shows all.',
    placeHolder: 'structural >1.2',
    value: current,
    ignoreFocusOut: true,
  });
}
