/** One message for all runs that ended with their daemon, with the way to go on. */
import * as vscode from 'vscode';
import type { RunId } from '../../../shared/ids.ts';
import type { Peagen } from '../../peagen.ts';
import { byCount } from '../../words.ts';

/** A daemon's runs are found interrupted one after the other, within this time. */
const GATHER_MS = 200;
const gathered = new Map<RunId, string>();

export function tellInterrupted(peagen: Peagen, run: RunId, name: string): void {
  if (gathered.size === 0) setTimeout(() => void tell(peagen), GATHER_MS);
  gathered.set(run, name);
}

async function tell(peagen: Peagen): Promise<void> {
  const runs = [...gathered];
  gathered.clear();
  const names = runs.map(([, name]) => name).join(', ');
  const message = byCount(
    runs.length,
    vscode.l10n.t('The run on {0} was interrupted: the background process stopped. Everything found so far is saved.', names),
    vscode.l10n.t(
      '{0} runs were interrupted ({1}): the background process stopped. Everything found so far is saved.',
      runs.length,
      names,
    ),
  );
  peagen.log.warn(message);
  const resume = vscode.l10n.t('Resume');
  const log = vscode.l10n.t('Show Daemon Log');
  const answer = await vscode.window.showWarningMessage(message, resume, log);
  if (answer === log) await vscode.commands.executeCommand('peagen.showDaemonLog');
  if (answer !== resume) return;
  for (const [run] of runs) await vscode.commands.executeCommand('peagen.resumeRun', { kind: 'run', run });
}
