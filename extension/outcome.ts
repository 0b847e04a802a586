/** What became of a program, in one line, with the call that shows it where there is one. */
import * as vscode from 'vscode';
import { type Counterexample, isCorrect, type Outcome } from '../shared/judging.ts';
import { callText } from './judging/call-text.ts';
import { outcomeName } from './origin-words.ts';

/** `wrong: expected 3, got 4`; for a call that differs `…: ([3, 1]) gives [3, 1], the original [1, 3]`. */
export function outcomeLine({ kind, detail, counterexample }: Outcome): string {
  const name = outcomeName(kind);
  if (isCorrect({ kind, detail })) return name;
  const [first = ''] = detail.trim().split('\n');
  const why = counterexample === undefined ? first.replace(/\.$/, '') : counterexampleText(counterexample);
  return why === '' ? name : `${name}: ${why}`;
}

const LONGEST = 200;
const short = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

export function counterexampleText({ call, expected, actual }: Counterexample): string {
  return vscode.l10n.t('{0} gives {1}, the original {2}', short(callText(call)), short(actual), short(expected));
}
