/** Shows a user what went wrong, with the one thing to do about it as a button, and the log as another. */
import * as vscode from 'vscode';
import { type ErrorCode, PeagenError } from '../../shared/errors.ts';
import type { Peagen } from '../peagen.ts';
import { placeIn } from './place-in.ts';

interface Action {
  readonly label: string;
  readonly command: string;
  readonly args?: readonly unknown[];
}

export async function reportError(peagen: Peagen, caught: unknown): Promise<void> {
  const error = PeagenError.from(caught);
  if (error.code === 'cancelled') return;
  peagen.log.error(error.stack ?? error.line);
  await offerActions(peagen, error, vscode.window.showErrorMessage);
}

/** What went wrong in a step of a dialogue that goes on: not waited for. */
export function warnOf(peagen: Peagen, caught: unknown): void {
  const error = PeagenError.from(caught);
  if (error.code === 'cancelled') return;
  peagen.log.warn(error.line);
  void offerActions(peagen, error, vscode.window.showWarningMessage);
}

async function offerActions(
  peagen: Peagen,
  error: PeagenError,
  show: (message: string, ...labels: string[]) => Thenable<string | undefined>,
): Promise<void> {
  const log = vscode.l10n.t('Show Log');
  const action = actionFor(error);
  // The log knows no more than the message where the user is to do something else.
  const labels = [...(action === undefined ? [] : [action.label]), ...(forUser.has(error.code) ? [] : [log])];
  const answer = await show(error.line, ...labels);
  if (answer === log) peagen.log.show(true);
  else if (answer !== undefined && action !== undefined)
    await vscode.commands.executeCommand(action.command, ...(action.args ?? []));
}

/** A daemon that does not start for its configuration is `unavailable`, and names the place all the same. */
function actionFor(error: PeagenError): Action | undefined {
  return placeIn(error.message) === undefined ? actions[error.code](error) : openConfiguration(error);
}

const forUser: ReadonlySet<ErrorCode> = new Set([
  'invalid_input',
  'unsupported',
  'not_found',
  'conflict',
  'original_fails',
  'untrusted',
]);

const none = () => undefined;
const daemonLog = () => ({ label: vscode.l10n.t('Show Daemon Log'), command: 'peagen.showDaemonLog' });
const chooseModel = () => ({ label: vscode.l10n.t('Choose Model'), command: 'peagen.chooseModel' });

const actions: Record<ErrorCode, (error: PeagenError) => Action | undefined> = {
  // In a trusted workspace it is a model that may not be asked, or a key that is refused.
  untrusted: () =>
    vscode.workspace.isTrusted
      ? chooseModel()
      : { label: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' },
  invalid_config: openConfiguration,
  invalid_input: none,
  unsupported: none,
  not_found: () =>
    vscode.workspace.workspaceFolders === undefined
      ? { label: vscode.l10n.t('Open Folder'), command: 'workbench.action.files.openFolder' }
      : undefined,
  missing_program: daemonLog,
  unavailable: daemonLog,
  timeout: daemonLog,
  storage_failed: daemonLog,
  original_fails: none,
  backend_failed: chooseModel,
  budget_exceeded: chooseModel,
  too_large: none,
  conflict: none,
  cancelled: none,
  internal: () => ({ label: vscode.l10n.t('Report Issue'), command: 'peagen.reportIssue' }),
};

/** The line of the file that the message names, else the settings. */
function openConfiguration({ message }: PeagenError): Action {
  const place = placeIn(message);
  if (place === undefined) {
    const args = ['@ext:peagen.peagen'];
    return { label: vscode.l10n.t('Open Settings'), command: 'workbench.action.openSettings', args };
  }
  const start = new vscode.Position(place.line - 1, 0);
  const args = [vscode.Uri.file(place.file), { selection: new vscode.Range(start, start) }];
  return { label: vscode.l10n.t('Open Configuration'), command: 'vscode.open', args };
}
