/** Features and their ranges in the editor's language. */
import * as vscode from 'vscode';
import type { FeatureAxis } from '../../shared/niche.ts';
import type { RangeTexts } from '../../shared/words/niche-label.ts';

export function rangeTexts(): RangeTexts {
  return {
    niche: vscode.l10n.t('niche {0}'),
    partOf: vscode.l10n.t('{0} {1} of {2}'),
    atMostZero: vscode.l10n.t('{0} at most 0'),
  };
}

/** The features that Peagen has; metrics of an evaluator keep the name that it gave them. */
export function axisInWords(axis: FeatureAxis): FeatureAxis {
  return { ...axis, name: featureName(axis.name), unit: unitName(axis.unit) };
}

/** For a row of a view, which is short: without a unit that the name of the feature says. */
export function axisInFewWords(axis: FeatureAxis): FeatureAxis {
  const said = axis.name === 'size' || axis.name === 'complexity';
  return { ...axisInWords(axis), ...(said ? { unit: '' } : {}) };
}

function featureName(name: string): string {
  switch (name) {
    case 'speed':
      return vscode.l10n.t('speed');
    case 'memory':
      return vscode.l10n.t('memory');
    case 'size':
      return vscode.l10n.t('size');
    case 'age':
      return vscode.l10n.t('age');
    case 'complexity':
      return vscode.l10n.t('complexity');
    case 'diversity':
      return vscode.l10n.t('diversity');
    default:
      return name;
  }
}

function unitName(unit: string): string {
  switch (unit) {
    case 'characters':
      return vscode.l10n.t('characters');
    case 'paths':
      return vscode.l10n.t('paths');
    default:
      return unit;
  }
}
