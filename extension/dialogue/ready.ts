/** The last page: what a run will be and can cost at worst, with the way back to each of its parts. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import type { RunPlan } from '../../shared/protocol/runs.ts';
import { callsText, callsWorth, coverageText } from '../confidence.ts';
import { type Judging, judgingLabel, type Limits } from '../judging/remembered.ts';
import type { ModelChoice } from '../models/choice.ts';
import { mutatorName } from '../origin-words.ts';
import { byCount, duration } from '../words.ts';
import { afterMinutes, limitsLabel } from './limits.ts';
import { expectedInWords, spendInWords } from './spend.ts';
import { BACK, pickOne, type StepAnswer } from './steps.ts';

interface Item extends vscode.QuickPickItem {
  /** What to do, which page to go to, or the limits to have in place of the present ones. */
  readonly answer: 'start' | 'judging' | 'inputs' | 'helpers' | 'goal' | 'model' | 'limits' | Limits;
}

interface ReadyChoice {
  readonly judging: Judging | undefined;
  /** In words; empty until it is known how candidates are checked. */
  readonly goal: string;
  readonly model: ModelChoice | undefined;
  /** The user wants the function alone to change. */
  readonly alone: boolean;
  readonly limits: Limits;
  readonly back: boolean;
}

/** Times that a run may take, offered where its cost is shown. */
const minutes = [1, 5, 30] as const;

/** `plan`: why it cannot start, when it is an error; the parts can be changed all the same. */
export async function askReady(
  name: string,
  plan: RunPlan | PeagenError,
  { judging, goal, model, alone, limits, back }: ReadyChoice,
): Promise<StepAnswer<Item['answer']>> {
  const mutator = plan instanceof PeagenError ? '' : mutatorName(plan.spec.mutator);
  const items: Item[] = [
    ...(plan instanceof PeagenError
      ? []
      : [startItem(plan, limits), ...confidenceItems(plan), ...helperItems(plan, name, alone), ...commandItems(plan, name)]),
    {
      label: vscode.l10n.t('$(law) Change how candidates are checked…'),
      description: judging === undefined ? '' : judgingLabel(judging),
      answer: 'judging',
    },
    ...(goal === ''
      ? []
      : [{ label: vscode.l10n.t('$(target) Change goal…'), description: goal, answer: 'goal' } satisfies Item]),
    {
      label: vscode.l10n.t('$(chip) Change model…'),
      description: model === undefined ? mutator : model.kind === 'offline' ? vscode.l10n.t('no model, offline') : model.label,
      answer: 'model',
    },
    { label: vscode.l10n.t('$(watch) Change limits…'), description: limitsLabel(limits), answer: 'limits' },
    ...minutes
      .filter((count) => count * 60 !== limits.run_timeout)
      .map((count) => ({
        label: vscode.l10n.t('$(watch) Stop after {0} instead', duration(count * 60)),
        answer: afterMinutes(limits, count),
      })),
  ];
  const problem: vscode.QuickPickItem[] =
    plan instanceof PeagenError
      ? [{ label: `$(error) ${plan.message}`, ...(plan.hint === undefined ? {} : { detail: plan.hint }) }]
      : [];
  for (;;) {
    const pick = await pickOne<vscode.QuickPickItem & { answer?: Item['answer'] }>({
      title: vscode.l10n.t('Evolve {0}', name),
      placeholder: plan instanceof PeagenError ? vscode.l10n.t('Can’t start yet') : vscode.l10n.t('Ready to start'),
      back,
      items: [...problem, ...items],
    });
    if (pick === BACK || pick === undefined) return pick;
    // The problem is there to be read.
    if (pick.answer !== undefined) return pick.answer;
  }
}

/** What a match will be worth, and what it cannot promise; with the way to more inputs where there are few. */
function confidenceItems({ spec: { confidence } }: RunPlan): Item[] {
  if (confidence === undefined) return [];
  const { mark, lack } = callsWorth(confidence);
  const few = lack === '' ? '' : vscode.l10n.t('{0} Add inputs…', lack);
  const detail = [few, ...confidence.limits].filter((text) => text !== '').join(' ');
  return [
    {
      label: `${mark} ${vscode.l10n.t('Checked on {0}', callsText(confidence))}`,
      description: coverageText(confidence),
      ...(detail === '' ? {} : { detail }),
      answer: 'inputs',
    },
  ];
}

/** What may change along with the function, and the way to change that. */
function helperItems({ spec: { helpers } }: RunPlan, name: string, alone: boolean): Item[] {
  if (alone) return [{ label: vscode.l10n.t('$(references) Only {0} may change', name), answer: 'helpers' }];
  if (helpers === undefined) return [];
  return [
    {
      label: vscode.l10n.t('$(references) May change, too: {0}', helpers.join(', ')),
      detail: vscode.l10n.t('Nothing but {0} uses it. Choose this to leave it alone.', name),
      answer: 'helpers',
    },
  ];
}

/** A command takes its own time, too: that of an interpreter's start hides what a small function gains. */
function commandItems({ spec: { evaluator } }: RunPlan, name: string): Item[] {
  if (evaluator.name !== 'command') return [];
  return [
    {
      label: vscode.l10n.t('$(info) The whole command is timed'),
      detail: vscode.l10n.t('A gain shows only if {0} takes a good part of its time. Otherwise check by inputs.', name),
      answer: 'judging',
    },
  ];
}

function startItem({ spec, worst_case: worst, expected, sandbox }: RunPlan, limits: Limits): Item {
  const generations = spec.stop.max_generations;
  const candidates = worst.candidates.toLocaleString(vscode.env.language);
  const size = [
    byCount(
      generations,
      vscode.l10n.t('At most {0} generation of {1}', generations, spec.population),
      vscode.l10n.t('At most {0} generations of {1}', generations, spec.population),
    ),
    byCount(worst.candidates, vscode.l10n.t('{0} candidate', candidates), vscode.l10n.t('{0} candidates', candidates)),
  ].join(': ');
  const box = vscode.l10n.t('sandbox: {0}', sandbox.tier);
  const stops = Object.keys(limits).length === 0 ? [] : [vscode.l10n.t('Stops after {0}', limitsLabel(limits))];
  return {
    label: vscode.l10n.t('$(play) Start'),
    description: costText(worst, expected),
    detail: [...stops, size, box, ...(sandbox.warning === undefined ? [] : [sandbox.warning])].join(' · '),
    answer: 'start',
  };
}

function costText(worst: RunPlan['worst_case'], expected: RunPlan['expected']): string {
  const time = duration(worst.judging_s);
  const most = spendInWords(worst);
  if (worst.prompt_tokens + worst.completion_tokens === 0)
    return vscode.l10n.t('offline, no cost · at most {0}, usually far less', time);
  if (expected?.tokens === 0) return vscode.l10n.t('spends {0}', expectedInWords(expected));
  return expected === undefined || expected.tokens >= worst.prompt_tokens + worst.completion_tokens
    ? vscode.l10n.t('at most {0} and {1}, usually far less', most, time)
    : vscode.l10n.t('{0}, at most {1} · at most {2}, usually far less', expectedInWords(expected), most, time);
}
