/** What a match with the original is worth, wherever the user reads of a verdict. The full line is `describeConfidence`. */
import * as vscode from 'vscode';
import type { Confidence } from '../shared/confidence.ts';
import { isVerified, type Shortfall, shortfalls } from '../shared/words/confidence-words.ts';
import { byCount } from './words.ts';

/** Before a run: `3 given and 412 derived calls`. */
export function callsText({ given, derived, heldout }: Confidence): string {
  const made = derived + heldout;
  if (given === 0) return byCount(made, vscode.l10n.t('{0} derived call', made), vscode.l10n.t('{0} derived calls', made));
  if (made === 0) return byCount(given, vscode.l10n.t('{0} given call', given), vscode.l10n.t('{0} given calls', given));
  return vscode.l10n.t('{0} given and {1} derived calls', given, made);
}

/** What the calls exercise: `96 % of the lines run; 47 of 50 planted bugs caught`. */
export function coverageText({ lines, mutants, dropped, ignored }: Confidence): string {
  const left = dropped.slow + dropped.unstable;
  return [
    ...(lines.of === 0 ? [] : [vscode.l10n.t('{0} % of the lines run', Math.floor((100 * lines.hit) / lines.of))]),
    ...(mutants.of === 0 ? [] : [vscode.l10n.t('{0} of {1} planted bugs caught', mutants.hit, mutants.of)]),
    ...(left === 0 ? [] : [vscode.l10n.t('{0} slow or unstable calls left out', left)]),
    ...(ignored.length === 0 ? [] : [vscode.l10n.t('not compared: {0}', ignored.join(', '))]),
  ].join('; ');
}

/** For a row; empty where a command or a folder judges. */
export function confidenceWord(confidence: Confidence | undefined): string {
  if (confidence === undefined) return '';
  return isVerified(confidence) ? vscode.l10n.t('verified') : vscode.l10n.t('matches on the calls we have; add inputs');
}

/** A tick where the match may be called verified, else an amber warning. */
export function confidenceIcon(confidence: Confidence | undefined): vscode.ThemeIcon {
  if (confidence === undefined) return new vscode.ThemeIcon('pass-filled');
  return isVerified(confidence)
    ? new vscode.ThemeIcon('verified-filled', new vscode.ThemeColor('testing.iconPassed'))
    : new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
}

const missing: Record<Shortfall, () => string> = {
  calls: () => vscode.l10n.t('these are few calls'),
  lines: () => vscode.l10n.t('some lines never run'),
  rejections: () => vscode.l10n.t('no call makes the function reject its input'),
  mutants: () => vscode.l10n.t('many small bugs, planted in copies of the function, are not caught'),
};

/** Before a run: whether its calls are worth a tick, and what they lack. */
export function callsWorth(confidence: Confidence): { readonly mark: string; readonly lack: string } {
  const lack = shortfalls(confidence).map((each) => missing[each]());
  return lack.length === 0
    ? { mark: '$(pass)', lack: '' }
    : { mark: '$(warning)', lack: vscode.l10n.t('A result may not be called verified: {0}.', lack.join(', ')) };
}

/** Whether inputs that the user adds would make the verdict better. */
export function wantsInputs(confidence: Confidence | undefined): confidence is Confidence {
  return confidence !== undefined && !isVerified(confidence);
}
