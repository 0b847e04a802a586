/** What a run is to improve: speed unless the user says otherwise. Asked for on its own page, and summarised briefly. */
import * as vscode from 'vscode';
import type { EvaluatorSpec, MetricSource } from '../../shared/judging.ts';
import type { Goal, Judging } from '../judging/remembered.ts';
import { BACK, pickOne, type StepAnswer, typeText } from './steps.ts';

interface Item extends vscode.QuickPickItem {
  /** Null is the usual one. */
  take(): Promise<StepAnswer<Goal | null>>;
}

const memory: Goal = { metric: 'peak_kb', direction: 'min' };
const size: Goal = { metric: 'size_ch', direction: 'min' };

export async function askGoal(judging: Judging, goal: Goal | undefined): Promise<StepAnswer<Goal | null>> {
  for (;;) {
    const pick = await pickOne<Item>({
      title: vscode.l10n.t('What should get better?'),
      placeholder: vscode.l10n.t('Currently: {0}', goalLabel(judging, goal)),
      back: true,
      items: goalItems(judging, goal),
    });
    if (pick === BACK || pick === undefined) return pick;
    const answer = await pick.take();
    if (answer !== BACK) return answer;
  }
}

function goalItems(judging: Judging, goal: Goal | undefined): Item[] {
  const by = evaluatorName(judging);
  const usual: Item = isScored(by)
    ? {
        label: vscode.l10n.t('$(star) A higher score'),
        description: vscode.l10n.t('the score that the evaluator gives'),
        take: async () => null,
      }
    : {
        label: vscode.l10n.t('$(dashboard) Run faster'),
        description: vscode.l10n.t('compared with the original, run in turns'),
        take: async () => null,
      };
  const own = { ...(goal === undefined || goal === memory || goal === size ? {} : { goal }), printed: by === 'command' };
  return [
    usual,
    // A command is not measured for its memory.
    ...(by === 'function'
      ? [
          {
            label: vscode.l10n.t('$(database) Use less memory'),
            description: vscode.l10n.t('the peak while the calls run'),
            take: async () => memory,
          },
        ]
      : []),
    {
      label: vscode.l10n.t('$(fold) Be shorter'),
      description: vscode.l10n.t('characters of the code that may change'),
      take: async () => size,
    },
    ...(by === 'function'
      ? []
      : [
          {
            label:
              by === 'command'
                ? vscode.l10n.t('$(graph-line) A number that the command prints…')
                : vscode.l10n.t('$(graph-line) Another metric of the evaluator…'),
            take: () => typeMetric(own),
          },
        ]),
  ];
}

async function typeMetric({
  goal,
  printed,
}: {
  readonly goal?: Goal;
  readonly printed: boolean;
}): Promise<StepAnswer<Goal | null>> {
  const metric = await typeText({
    title: vscode.l10n.t('Name of the metric'),
    prompt: printed
      ? vscode.l10n.t('As the command prints it: "name: 12.5", "name=12.5" or in JSON. The last one counts.')
      : vscode.l10n.t('As the evaluator returns it.'),
    placeholder: 'latency_ms',
    value: goal?.metric ?? '',
    back: true,
    problem: (text) =>
      /^[A-Za-z_][\w.-]*$/.test(text) ? undefined : vscode.l10n.t('Expected a name of letters, digits, "_", "." and "-".'),
  });
  if (typeof metric !== 'string') return metric;
  const pick = await pickOne<vscode.QuickPickItem & { direction: Goal['direction'] }>({
    title: vscode.l10n.t('Which {0} is better?', metric),
    placeholder: '',
    back: true,
    items: [
      { label: vscode.l10n.t('$(arrow-down) Lower'), direction: 'min' },
      { label: vscode.l10n.t('$(arrow-up) Higher'), direction: 'max' },
    ],
  });
  return pick === BACK || pick === undefined ? pick : { metric, direction: pick.direction };
}

/** `run faster`, `use less memory`, `lower latency_ms`. */
export function goalLabel(judging: Judging, goal: Goal | undefined): string {
  if (goal === undefined) return isScored(evaluatorName(judging)) ? vscode.l10n.t('a higher score') : vscode.l10n.t('run faster');
  if (goal.metric === memory.metric) return vscode.l10n.t('use less memory');
  if (goal.metric === size.metric) return vscode.l10n.t('be shorter');
  return goal.direction === 'min' ? vscode.l10n.t('lower {0}', goal.metric) : vscode.l10n.t('higher {0}', goal.metric);
}

/** A goal that fits one way to check may not fit another one that the user chose since. */
export function fittingGoal(judging: Judging | undefined, goal: Goal | undefined): Goal | undefined {
  if (judging === undefined || goal === undefined || goal.metric === size.metric) return goal;
  return (evaluatorName(judging) === 'function') === (goal.metric === memory.metric) ? goal : undefined;
}

/** What of a run's request the goal decides. */
export function withGoal(evaluator: EvaluatorSpec, goal: Goal | undefined) {
  if (goal === undefined) return { evaluator };
  const objectives = { combine: 'weighted' as const, of: [goal] };
  if (evaluator.name !== 'command' || goal.metric === size.metric) return { evaluator, objectives };
  const { metrics = [] } = evaluator.options;
  const found = [...(Array.isArray(metrics) ? metrics : []), printedAs(goal.metric)];
  return { evaluator: { ...evaluator, options: { ...evaluator.options, metrics: found } }, objectives };
}

/** `name: 12.5`, `name=12.5`, `"name": 12.5`. */
export function printedAs(name: string): MetricSource {
  const literal = name.replaceAll(/[.-]/g, '\\$&');
  return { from: 'regex', name, pattern: `(?<![\\w.-])["']?${literal}["']?\\s*[:=]\\s*(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)` };
}

function evaluatorName(judging: Judging): string {
  if (judging.kind === 'way') return judging.evaluator.name;
  return judging.kind === 'command' ? 'command' : 'function';
}

/** A folder's evaluator gives a score; the others measure speed. */
function isScored(evaluator: string): boolean {
  return evaluator !== 'function' && evaluator !== 'command';
}
