/** The run a command is about: the one of the view's node it was called on, else the user's choice. */
import * as vscode from 'vscode';
import type { RunInfo } from '../../../shared/run.ts';
import type { Peagen } from '../../peagen.ts';
import type { WindowRun } from '../../runs/runs.ts';
import { isNode } from '../../views/nodes.ts';
import { distinctName, gainText, stateOf } from '../../words.ts';

const questions = {
  stop: () => ({ which: vscode.l10n.t('Which run to stop?'), none: vscode.l10n.t('There is no run to stop.') }),
  pause: () => ({ which: vscode.l10n.t('Which run to pause?'), none: vscode.l10n.t('There is no run to pause.') }),
  continue: () => ({ which: vscode.l10n.t('Which run to unpause?'), none: vscode.l10n.t('There is no paused run.') }),
  inputs: () => ({ which: vscode.l10n.t('Which run needs more inputs?'), none: vscode.l10n.t('There is no run yet.') }),
  delete: () => ({ which: vscode.l10n.t('Which run to delete?'), none: vscode.l10n.t('There is no run to delete.') }),
  rename: () => ({ which: vscode.l10n.t('Which run to rename?'), none: vscode.l10n.t('There is no run to rename.') }),
  compare: () => ({ which: vscode.l10n.t('Which run to compare?'), none: vscode.l10n.t('There is no run to compare.') }),
  export: () => ({ which: vscode.l10n.t('The result of which run?'), none: vscode.l10n.t('No run has finished yet.') }),
  resume: () => ({ which: vscode.l10n.t('Which run to resume?'), none: vscode.l10n.t('There is no run to resume.') }),
};

/** How runs of one name differ in a list: `2.45× faster · stopped`, and when it began. */
export function outcomeOf({ info }: WindowRun): Pick<vscode.QuickPickItem, 'description' | 'detail'> {
  return {
    description: [gainText(info), stateOf(info)].filter((text) => text !== '').join(' · '),
    detail: new Date(info.started_at).toLocaleString(vscode.env.language),
  };
}

export async function pickRun(
  peagen: Peagen,
  node: unknown,
  states: readonly RunInfo['state'][],
  purpose: keyof typeof questions,
): Promise<WindowRun | undefined> {
  if (isNode(node)) return peagen.runs.get(node.run);
  await peagen.runs.refresh().catch((caught: unknown) => {
    // A folder whose daemon is away takes nothing from those of the others.
    if (peagen.runs.list().length === 0) throw caught;
  });
  const runs = peagen.runs.list().filter(({ info }) => states.includes(info.state));
  if (runs.length === 0) {
    void vscode.window.showInformationMessage(questions[purpose]().none);
    return undefined;
  }
  if (runs.length === 1) return runs[0];
  const pick = await vscode.window.showQuickPick(
    runs.map((run) => ({
      label: distinctName(run, peagen.runs.list()),
      ...outcomeOf(run),
      run,
    })),
    { title: questions[purpose]().which },
  );
  return pick?.run;
}
