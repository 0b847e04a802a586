/** How a candidate was made and what became of it, in the editor's language: mutators and outcomes. */
import * as vscode from 'vscode';
import type { OutcomeKind } from '../shared/judging.ts';

const mutators: Readonly<Record<string, () => string>> = {
  structural: () => vscode.l10n.t('offline edit'),
  'crossover-tree': () => vscode.l10n.t('offline combination'),
  patch: () => vscode.l10n.t('edit by a model'),
  rewrite: () => vscode.l10n.t('rewritten by a model'),
  crossover: () => vscode.l10n.t('combined by a model'),
  fix: () => vscode.l10n.t('repair by a model'),
  minimise: () => vscode.l10n.t('made smaller'),
  user: () => vscode.l10n.t('by you'),
};

/** One of a plugin has its own name only. */
export function mutatorName(name: string): string {
  return mutators[name]?.() ?? name;
}

export function makerName({ mutator, backend }: { readonly mutator: string; readonly backend?: string | undefined }): string {
  return backend === undefined ? mutatorName(mutator) : `${mutatorName(mutator)}, ${backend}`;
}

const outcomes: Readonly<Record<OutcomeKind, () => string>> = {
  correct: () => vscode.l10n.t('correct'),
  slow: () => vscode.l10n.t('slow'),
  wrong: () => vscode.l10n.t('wrong'),
  crashed: () => vscode.l10n.t('crashed'),
  timeout: () => vscode.l10n.t('timeout'),
  memory: () => vscode.l10n.t('out of memory'),
  invalid: () => vscode.l10n.t('invalid'),
  forged: () => vscode.l10n.t('forged'),
  overfit: () => vscode.l10n.t('right on the given calls, wrong on others'),
};

export function outcomeName(kind: OutcomeKind): string {
  return outcomes[kind]();
}
