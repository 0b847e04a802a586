/** Peagen: Stop Run. The run ends in an orderly way, its best confirmed. */
import * as vscode from 'vscode';
import { StopRun } from '../../shared/protocol/runs.ts';
import type { Peagen } from '../peagen.ts';
import { targetName } from '../words.ts';
import { pickRun } from './pick-run.ts';

export async function stopRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['running', 'paused'], 'stop');
  if (run === undefined) return;
  const client = await peagen.daemon(run.root);
  peagen.runs.stopping(run.info.run);
  const info = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Confirming the best of {0}…', targetName(run.info)) },
    () => client.request(StopRun, { run: run.info.run }),
  );
  peagen.runs.put(run.root, info);
}
