/** Entry of the VS Code extension. Registers what VS Code needs to know; everything heavier loads with its first use. */
import * as vscode from 'vscode';
import { registerAgents } from './agents/register.ts';
import { registerCandidateFiles } from './change/candidate-files.ts';
import { registerCommands } from './commands/register.ts';
import { registerFunctionHelp } from './functions/help.ts';
import { registerInputFiles } from './judging/input-files.ts';
import { Peagen } from './peagen.ts';
import { registerEvolutionView } from './views/evolution.ts';

export function activate(context: vscode.ExtensionContext): void {
  performance.mark('peagen/activate');
  const peagen = new Peagen(context);
  context.subscriptions.push(
    peagen,
    ...registerCommands(peagen),
    ...registerEvolutionView(peagen),
    ...registerFunctionHelp(peagen),
    ...registerCandidateFiles(peagen),
    ...registerInputFiles(peagen),
    ...registerAgents(peagen, vscode.lm),
  );
  peagen.restore();
  context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => peagen.trusted()));
  performance.measure('peagen/activated', 'peagen/activate');
}

/** Runs go on without the window: only this window's connections end, with the subscriptions. */
export function deactivate(): void {
  vscode.commands.executeCommand('setContext', 'peagen.reviewInEditor', false);
}
