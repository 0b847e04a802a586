/** Peagen: Get Started. */
import * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';

export async function openWalkthrough(peagen: Peagen): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${peagen.extension.extension.id}#start`, false);
}
