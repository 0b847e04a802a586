/** The most that a run can cost, as a question that stands in the way of starting it. */
import * as vscode from 'vscode';
import type { RunPlan } from '../../shared/protocol/runs.ts';

type WorstCase = Pick<RunPlan['worst_case'], 'prompt_tokens' | 'completion_tokens' | 'dollars'>;

export interface Spend {
  /** Says what may spend how much. */
  readonly message: string;
  readonly worst: WorstCase;
  readonly expected?: RunPlan['expected'];
}

/** Nothing is asked when nothing can be spent. */
export async function confirmSpend({ message, worst, expected }: Spend): Promise<boolean> {
  if (worst.prompt_tokens + worst.completion_tokens === 0) return true;
  const start = vscode.l10n.t('Start');
  const answer = await vscode.window.showWarningMessage(message, { modal: true, detail: detailOf(worst, expected) }, start);
  return answer === start;
}

/** `1,234,567 tokens ($3.20)`. */
export function spendInWords(worst: WorstCase): string {
  const tokens = worst.prompt_tokens + worst.completion_tokens;
  if (tokens === 0) return vscode.l10n.t('no tokens');
  const count = tokens.toLocaleString(vscode.env.language);
  return worst.dollars === null
    ? vscode.l10n.t('{0} tokens', count)
    : vscode.l10n.t('{0} tokens ({1})', count, `$${worst.dollars.toFixed(2)}`);
}

/** `about 12,000 tokens ($0.02)`: two digits, since it is an estimate. */
export function expectedInWords({ tokens, dollars }: NonNullable<RunPlan['expected']>): string {
  if (tokens === 0) return vscode.l10n.t('nothing, as the budget does not pay for one question');
  const count = Number(tokens.toPrecision(2)).toLocaleString(vscode.env.language);
  return dollars === null
    ? vscode.l10n.t('about {0} tokens', count)
    : vscode.l10n.t('about {0} tokens ({1})', count, `$${dollars.toFixed(dollars < 0.1 ? 3 : 2)}`);
}

function detailOf({ prompt_tokens, completion_tokens, dollars }: WorstCase, expected: RunPlan['expected']): string {
  return [
    expected === undefined ? '' : vscode.l10n.t('Expected: {0}.', expectedInWords(expected)),
    vscode.l10n.t(
      '{0} in prompts, {1} in answers.',
      prompt_tokens.toLocaleString(vscode.env.language),
      completion_tokens.toLocaleString(vscode.env.language),
    ),
    dollars === null ? vscode.l10n.t('What that costs is not known: the model has no price in the configuration.') : '',
    vscode.l10n.t(
      'This is the worst case: every call that can happen, with the longest prompt and answer. A run rarely comes near it.',
    ),
  ]
    .filter((line) => line !== '')
    .join('\n');
}
