/** Peagen: Choose Model, and the consent to one of the editor's models, from the button of a message. */
import * as vscode from 'vscode';
import { BACK } from '../dialogue/steps.ts';
import { pickModel } from '../models/pick.ts';
import type { Peagen } from '../peagen.ts';
import { someRoot } from '../roots.ts';

export async function chooseModel(peagen: Peagen): Promise<void> {
  const client = await peagen.daemon(someRoot());
  const choice = await pickModel(peagen, client, { back: false });
  if (choice === BACK || choice === undefined) return;
  void vscode.commands.executeCommand('setContext', 'peagen.hasModel', true);
  const message =
    choice.kind === 'offline'
      ? vscode.l10n.t('No model will be used from the next run: candidates are made offline.')
      : vscode.l10n.t('{0} will be used from the next run.', choice.label);
  void vscode.window.showInformationMessage(message);
}

export async function allowModel(peagen: Peagen, id?: unknown): Promise<void> {
  if (typeof id !== 'string') return;
  const { editor } = await peagen.models();
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Checking that the model responds…'),
      cancellable: true,
    },
    (_, token) => editor.allow(id, token),
  );
  void vscode.window.showInformationMessage(vscode.l10n.t('The model responds. Runs go on using it.'));
}
