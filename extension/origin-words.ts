/**
 * How a candidate was made and what became of it, in the editor's language: mutators, outcomes, and what the daemon
 * composes of an edit. What a program or a model says stays as it is.
 */
import * as vscode from 'vscode';
import type { OutcomeKind } from '../shared/judging.ts';

const mutators: Readonly<Record<string, () => string>> = {
  structural: () => vscode.l10n.t('structural'),
  patch: () => vscode.l10n.t('patch'),
  rewrite: () => vscode.l10n.t('rewrite'),
  crossover: () => vscode.l10n.t('crossover'),
  minimise: () => vscode.l10n.t('minimise'),
  user: () => vscode.l10n.t('user'),
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

/** What the structural mutators do, by the words that the daemon has for it. */
const edits: Readonly<Record<string, (line: string) => string>> = {
  'change comparison': (line) => vscode.l10n.t('change comparison at line {0}', line),
  'change constant': (line) => vscode.l10n.t('change constant at line {0}', line),
  'change loop bound': (line) => vscode.l10n.t('change loop bound at line {0}', line),
  'change operator': (line) => vscode.l10n.t('change operator at line {0}', line),
  'compute once': (line) => vscode.l10n.t('compute once at line {0}', line),
  'copy statement': (line) => vscode.l10n.t('copy statement at line {0}', line),
  'delete statement': (line) => vscode.l10n.t('delete statement at line {0}', line),
  drop: (line) => vscode.l10n.t('drop at line {0}', line),
  'drop branch': (line) => vscode.l10n.t('drop branch at line {0}', line),
  graft: (line) => vscode.l10n.t('graft at line {0}', line),
  'leave early': (line) => vscode.l10n.t('leave early at line {0}', line),
  'leave the loop early': (line) => vscode.l10n.t('leave the loop early at line {0}', line),
  'move statement after its loop': (line) => vscode.l10n.t('move statement after its loop at line {0}', line),
  'move statement before its loop': (line) => vscode.l10n.t('move statement before its loop at line {0}', line),
  'move statement': (line) => vscode.l10n.t('move statement at line {0}', line),
  negate: (line) => vscode.l10n.t('negate at line {0}', line),
  'replace expression': (line) => vscode.l10n.t('replace expression at line {0}', line),
  'swap statements': (line) => vscode.l10n.t('swap statements at line {0}', line),
  'take a part': (line) => vscode.l10n.t('take a part at line {0}', line),
  'take over': (line) => vscode.l10n.t('take over at line {0}', line),
  'unwrap call': (line) => vscode.l10n.t('unwrap call at line {0}', line),
  'unwrap statement': (line) => vscode.l10n.t('unwrap statement at line {0}', line),
};

/** The forms of a part of a summary, each with what it says; the rest of the part is program text. */
const forms: readonly (readonly [RegExp, (...values: string[]) => string | undefined])[] = [
  [/^([a-z ]+) at line (\d+)/, (edit = '', line = '') => (Object.hasOwn(edits, edit) ? edits[edit]?.(line) : undefined)],
  [
    /^delete what sets (\S+) at line (\d+)/,
    (name = '', line = '') => vscode.l10n.t('delete what sets {0} at line {1}', name, line),
  ],
  [/^and (\d+) more/, (count = '') => vscode.l10n.t('and {0} more', count)],
  [/^without 1 hunk that did not contribute/, () => vscode.l10n.t('without 1 hunk that did not contribute')],
  [
    /^without (\d+) hunks that did not contribute/,
    (count = '') => vscode.l10n.t('without {0} hunks that did not contribute', count),
  ],
  [
    /^own edit: (\d+) lines? becomes? (\d+) lines?$/,
    (from = '', to = '') => vscode.l10n.t('own edit: lines before {0}, after {1}', from, to),
  ],
];

/** A summary as the daemon gives it; English is what it was written in. */
export function summaryText(summary: string): string {
  if (vscode.env.language.startsWith('en')) return summary;
  return summary.split('; ').map(partText).join('; ');
}

function partText(part: string): string {
  for (const [form, say] of forms) {
    const match = form.exec(part);
    const said = match === null ? undefined : say(...match.slice(1));
    if (match !== null && said !== undefined) return said + part.slice(match[0].length);
  }
  return part;
}
