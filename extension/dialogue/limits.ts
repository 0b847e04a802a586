/** When a run stops by itself: a question with the usual answers, and the limits in words. */
import * as vscode from 'vscode';
import { Config } from '../../shared/config.ts';
import type { Limits } from '../judging/remembered.ts';
import type { Settings } from '../settings.ts';
import { byCount, duration } from '../words.ts';
import { BACK, pickOne, type StepAnswer, typeText } from './steps.ts';

interface Item extends vscode.QuickPickItem {
  take(): Promise<StepAnswer<Limits>>;
}

interface Texts {
  readonly label: string;
  readonly title: string;
  readonly prompt: string;
}

/** Those of a run for which the user has chosen none: no run goes on, or spends, without an end in sight. */
export function usualLimits({ minutes, tokens }: Pick<Settings, 'minutes' | 'tokens'>, asksModel: boolean): Limits {
  return {
    ...(minutes === undefined ? {} : { run_timeout: minutes * 60 }),
    ...(tokens === undefined || !asksModel ? {} : { budget_tokens: tokens }),
  };
}

/** In place of a number of generations; what it may spend stays. */
export function afterMinutes(limits: Limits, minutes: number): Limits {
  return { ...budgetOf(limits), run_timeout: minutes * 60 };
}

function budgetOf({ budget_tokens }: Limits): Limits {
  return budget_tokens === undefined ? {} : { budget_tokens };
}

export async function askLimits(limits: Limits): Promise<StepAnswer<Limits>> {
  const minutes = (count: number): Item => ({
    label: vscode.l10n.t('$(watch) After {0}', duration(count * 60)),
    take: async () => afterMinutes(limits, count),
  });
  const counted = (key: 'max_generations' | 'budget_tokens', usual: number, { label, title, prompt }: Texts): Item => ({
    label,
    take: async () => {
      const count = await askNumber(title, prompt, limits[key] ?? usual);
      if (typeof count !== 'number') return count;
      return key === 'budget_tokens' ? { ...limits, budget_tokens: count } : { ...budgetOf(limits), max_generations: count };
    },
  });
  const { max_generations: rounds, no_improve: idle } = Config.parse({}).evolve.stop;
  for (;;) {
    const pick = await pickOne<Item>({
      title: vscode.l10n.t('Stop the run…'),
      placeholder: vscode.l10n.t('Currently: {0}', limitsLabel(limits)),
      back: true,
      items: [
        {
          label: vscode.l10n.t('$(gear) As configured'),
          description: vscode.l10n.t('.peagen.toml, else {0} generations, or {1} without improvement', rounds, idle),
          take: async () => ({}),
        },
        minutes(5),
        minutes(30),
        minutes(120),
        counted('max_generations', 20, {
          label: vscode.l10n.t('$(layers) After a number of generations…'),
          title: vscode.l10n.t('Generations'),
          prompt: vscode.l10n.t('Maximum number of generations'),
        }),
        counted('budget_tokens', 200_000, {
          label: vscode.l10n.t('$(credit-card) After a number of tokens…'),
          title: vscode.l10n.t('Tokens'),
          prompt: vscode.l10n.t('Hard limit, including retries'),
        }),
      ],
    });
    if (pick === BACK || pick === undefined) return pick;
    const answer = await pick.take();
    if (answer !== BACK) return answer;
  }
}

async function askNumber(title: string, prompt: string, value: number): Promise<StepAnswer<number>> {
  const text = await typeText({
    title,
    prompt,
    value: String(value),
    back: true,
    problem: (given) => (/^[1-9]\d{0,9}$/.test(given) ? undefined : vscode.l10n.t('Expected a whole number from 1.')),
  });
  return typeof text === 'string' ? Number(text) : text;
}

export function limitsLabel({ max_generations, run_timeout, budget_tokens }: Limits): string {
  const parts = [
    max_generations === undefined
      ? ''
      : byCount(
          max_generations,
          vscode.l10n.t('{0} generation', max_generations),
          vscode.l10n.t('{0} generations', max_generations),
        ),
    run_timeout === undefined ? '' : duration(run_timeout),
    budget_tokens === undefined ? '' : vscode.l10n.t('{0} tokens', budget_tokens.toLocaleString(vscode.env.language)),
  ].filter((part) => part !== '');
  return parts.length === 0 ? vscode.l10n.t('as configured') : parts.join(', ');
}
