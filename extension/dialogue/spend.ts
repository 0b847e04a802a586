/** The most that a run can cost, as a question that stands in the way of starting it. */
import * as vscode from 'vscode';
import type { RunPlan } from '../../shared/protocol/runs.ts';

type WorstCase = Pick<RunPlan['worst_case'], 'prompt_tokens' | 'completion_tokens' | 'dollars'>;

/** Nothing is asked when nothing can be spent. */
export async function confirmSpend(what: string, worst: WorstCase, start = 'Start'): Promise<boolean> {
  if (worst.prompt_tokens + worst.completion_tokens === 0) return true;
  const answer = await vscode.window.showWarningMessage(
    `${what} may use up to ${spendInWords(worst)}.`,
    { modal: true, detail: detailOf(worst) },
    start,
  );
  return answer === start;
}

/** `1,234,567 tokens ($3.20)`. */
export function spendInWords(worst: WorstCase): string {
  const tokens = worst.prompt_tokens + worst.completion_tokens;
  if (tokens === 0) return 'no tokens';
  return `${tokens.toLocaleString('en')} tokens${worst.dollars === null ? '' : ` ($${worst.dollars.toFixed(2)})`}`;
}

function detailOf({ prompt_tokens, completion_tokens, dollars }: WorstCase): string {
  return [
    `${prompt_tokens.toLocaleString('en')} in prompts, ${completion_tokens.toLocaleString('en')} in answers.`,
    dollars === null ? 'What that costs is not known: the model has no price in the configuration.' : '',
    'This is the worst case: every call that can happen, with the longest prompt and answer. A run rarely comes near it.',
  ]
    .filter((line) => line !== '')
    .join('\n');
}
