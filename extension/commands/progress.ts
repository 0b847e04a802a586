/** Progress of a run in a notification: cancel ends the run, closing the window does not. */
import * as vscode from 'vscode';
import type { RunId } from '../../shared/ids.ts';
import { ListElites, StopRun } from '../../shared/protocol/runs.ts';
import type { DaemonClient } from '../client/client.ts';
import type { Peagen } from '../peagen.ts';
import { plural, speedOf, stateOf } from '../words.ts';
import { reportError } from './errors.ts';

export async function followWithProgress(peagen: Peagen, client: DaemonClient, run: RunId, name: string): Promise<void> {
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Evolving ${name}`, cancellable: true },
      (progress, token) => untilEnd(peagen, client, run, progress, token),
    );
    await tellResult(peagen, client, run, name);
  } catch (caught) {
    await reportError(peagen, caught);
  }
}

async function untilEnd(
  peagen: Peagen,
  client: DaemonClient,
  run: RunId,
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  token: vscode.CancellationToken,
): Promise<void> {
  let shown = 0;
  const subscriptions: vscode.Disposable[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        const info = peagen.runs.get(run)?.info;
        if (info === undefined || info.state === 'finished' || info.state === 'interrupted') return resolve();
        const best = info.best === null ? '' : ` · best ${Number(info.best.toPrecision(3))}`;
        const increment = (100 * (info.generation - shown)) / info.max_generations;
        shown = info.generation;
        progress.report({ message: `generation ${info.generation} of ${info.max_generations}${best}`, increment });
      };
      subscriptions.push(
        peagen.runs.onDidChange(look),
        token.onCancellationRequested(() => {
          progress.report({ message: 'stopping…' });
          client.request(StopRun, { run }).then((info) => {
            peagen.runs.put(client.root, info);
            resolve();
          }, reject);
        }),
      );
      look();
    });
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
  }
}

async function tellResult(peagen: Peagen, client: DaemonClient, run: RunId, name: string): Promise<void> {
  const info = peagen.runs.get(run)?.info;
  if (info === undefined) return;
  const [best] = (await client.request(ListElites, { run })).filter((elite) => elite.index >= 0);
  if (info.state === 'interrupted') {
    const resume = await vscode.window.showWarningMessage(`The run on ${name} was interrupted.`, 'Resume');
    if (resume !== undefined) await vscode.commands.executeCommand('peagen.resumeRun', { kind: 'run', run });
    return;
  }
  if (best === undefined || best.fitness <= 1) {
    void vscode.window.showInformationMessage(
      `${name}: ${stateOf(info)}; nothing among ${plural(info.candidates, 'candidate')} beats the original.`,
    );
    return;
  }
  const review = await vscode.window.showInformationMessage(`${name}: ${speedOf(best)}, ${stateOf(info)}.`, 'Review Best');
  if (review !== undefined) await vscode.commands.executeCommand('peagen.reviewElite', { kind: 'elite', run, elite: best });
}
