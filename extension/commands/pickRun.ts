/** The run a command is about: the one of the view's node it was called on, else the person's choice. */
import * as vscode from 'vscode';
import type { RunInfo } from '../../shared/run.ts';
import type { Peagen } from '../peagen.ts';
import type { WindowRun } from '../runs/runs.ts';
import { isNode } from '../views/nodes.ts';
import { stateOf, targetName } from '../words.ts';

export async function pickRun(
  peagen: Peagen,
  node: unknown,
  states: readonly RunInfo['state'][],
  verb: string,
): Promise<WindowRun | undefined> {
  if (isNode(node)) return peagen.runs.get(node.run);
  await peagen.runs.refresh();
  const runs = peagen.runs.list().filter(({ info }) => states.includes(info.state));
  if (runs.length === 0) {
    void vscode.window.showInformationMessage(`There is no run to ${verb}.`);
    return undefined;
  }
  if (runs.length === 1) return runs[0];
  const pick = await vscode.window.showQuickPick(
    runs.map((run) => ({ label: targetName(run.info), description: stateOf(run.info), detail: run.info.run, run })),
    { title: `Which run to ${verb}?` },
  );
  return pick?.run;
}
