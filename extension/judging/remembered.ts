/** How the user wants a function to be judged, and when its runs stop: kept per function in the workspace's state. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { Call, EvaluatorSpec, Objective } from '../../shared/judging.ts';
import { RunRequest } from '../../shared/protocol/runs.ts';
import { StopRequest, type TargetSpec } from '../../shared/run-spec.ts';

export const Judging = z.discriminatedUnion('kind', [
  /** Calls that Peagen makes by itself. */
  z.object({ kind: z.literal('made') }),
  /** What the user left of the calls that Peagen made. */
  z.object({ kind: z.literal('calls'), calls: z.array(Call).min(1), derived: z.array(Call), heldout: z.array(Call) }),
  /** Calls as JSON, as the user typed or confirmed them. */
  z.object({ kind: z.literal('typed'), text: z.string() }),
  /** Absolute path of a JSON file, read at each run. */
  z.object({ kind: z.literal('file'), path: z.string() }),
  z.object({ kind: z.literal('command'), command: z.string() }),
  /** As the daemon found it, or an evaluator's file; `settings` go into the request of a run. */
  z.object({
    kind: z.literal('way'),
    label: z.string(),
    evaluator: EvaluatorSpec,
    settings: RunRequest.omit({ target: true, evaluator: true }).default({}),
  }),
]);
export type Judging = z.infer<typeof Judging>;

export const Limits = StopRequest.pick({ max_generations: true, run_timeout: true, budget_tokens: true });
export type Limits = z.infer<typeof Limits>;

/** The one metric that a run is to improve. */
export const Goal = Objective.pick({ metric: true, direction: true });
export type Goal = z.infer<typeof Goal>;

const Remembered = z.object({ judging: Judging.optional(), limits: Limits.optional(), goal: Goal.optional() });
export interface Remembered {
  readonly judging: Judging | undefined;
  /** Undefined until the user has chosen: the usual ones. */
  readonly limits: Limits | undefined;
  /** Undefined for the usual one: speed, or the score of an evaluator. */
  readonly goal: Goal | undefined;
}

/** By the function that is called, whatever may change as well. */
const keyOf = ({ root, path, entry_fn, functions = [] }: TargetSpec) =>
  `judging:${[root, path, ...(entry_fn === undefined ? ['', ...functions] : [entry_fn])].join(':')}`;

export function remembered(state: vscode.Memento, target: TargetSpec): Remembered {
  const { judging, limits, goal } = Remembered.safeParse(state.get(keyOf(target))).data ?? {};
  return { judging, limits, goal };
}

export async function remember(state: vscode.Memento, target: TargetSpec, what: Remembered): Promise<void> {
  await state.update(keyOf(target), what);
}

/** In words, for a pick: `inputs from calls.json`. */
export function judgingLabel(judging: Judging): string {
  if (judging.kind === 'made') return vscode.l10n.t('inputs made for you');
  if (judging.kind === 'calls') return vscode.l10n.t('inputs made for you, chosen by you');
  if (judging.kind === 'typed') {
    const text = judging.text.trim().replaceAll(/\s+/g, ' ');
    return vscode.l10n.t('your inputs {0}', text.length > 40 ? `${text.slice(0, 40)}…` : text);
  }
  if (judging.kind === 'file') return vscode.l10n.t('inputs from {0}', judging.path.split(/[\\/]/).at(-1) ?? judging.path);
  return judging.kind === 'command' ? vscode.l10n.t('command {0}', judging.command) : judging.label;
}
