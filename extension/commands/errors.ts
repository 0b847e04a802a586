/** Tells a person what went wrong, with the one thing to do about it as a button. */
import * as vscode from 'vscode';
import { type ErrorCode, PeagenError } from '../../shared/errors.ts';
import type { Peagen } from '../peagen.ts';

const actions: Partial<Record<ErrorCode, { label: string; command: string; args?: unknown[] }>> = {
  untrusted: { label: 'Manage Workspace Trust', command: 'workbench.trust.manage' },
  invalid_config: { label: 'Open Settings', command: 'workbench.action.openSettings', args: ['@ext:peagen.peagen'] },
};

export async function reportError(peagen: Peagen, caught: unknown): Promise<void> {
  const error = PeagenError.from(caught);
  if (error.code === 'cancelled') return;
  peagen.log.error(error.stack ?? error.line);
  const action = actions[error.code];
  if ((await vscode.window.showErrorMessage(error.line, action?.label ?? 'Show Log')) === undefined) return;
  if (action === undefined) peagen.log.show(true);
  else await vscode.commands.executeCommand(action.command, ...(action.args ?? []));
}
