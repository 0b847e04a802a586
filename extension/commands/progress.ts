/** Progress of a run in a notification: cancel ends the run, closing the window does not. */
import * as vscode from 'vscode';
import type { RunId } from '../../shared/ids.ts';
import { GetElite, ListElites, StopRun } from '../../shared/protocol/runs.ts';
import type { RunInfo } from '../../shared/run.ts';
import type { DaemonClient } from '../client/client.ts';
import type { Peagen } from '../peagen.ts';
import { forgetFollowed, rememberFollowed } from '../runs/followed.ts';
import { byCount, gainText, resultOf, stateOf } from '../words.ts';
import { reportError } from './errors.ts';
import { tellInterrupted } from './interrupted.ts';

export async function followWithProgress(peagen: Peagen, client: DaemonClient, run: RunId, name: string): Promise<void> {
  const { workspaceState } = peagen.extension;
  try {
    await rememberFollowed(workspaceState, { root: client.root.toString(), run, name });
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Evolving {0}', name), cancellable: true },
      (progress, token) => untilEnd(peagen, client, run, progress, token),
    );
    await forgetFollowed(workspaceState, run);
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
        const increment = (100 * (info.generation - shown)) / info.max_generations;
        shown = info.generation;
        const { generation, max_generations: last } = info;
        const gain = gainText(info);
        const message =
          gain === ''
            ? vscode.l10n.t('generation {0} of {1}', generation, last)
            : vscode.l10n.t('generation {0} of {1} · {2}', generation, last, gain);
        progress.report({ message, increment });
      };
      subscriptions.push(
        peagen.runs.onDidChange(look),
        token.onCancellationRequested(() => {
          progress.report({ message: vscode.l10n.t('stopping…') });
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

/** With the way to other inputs or another command when not even the original came into the archive. */
async function tellFailure(client: DaemonClient, { run, failure, target }: RunInfo, name: string): Promise<void> {
  const log = vscode.l10n.t('Show Daemon Log');
  const { entry_fn: fn, functions } = target;
  const elites = await client.request(ListElites, { run });
  const otherwise = fn === undefined || elites.length > 0 ? [] : [vscode.l10n.t('Judge Otherwise…')];
  const answer = await vscode.window.showErrorMessage(`${name}: ${failure}`, ...otherwise, log);
  if (answer === log) await vscode.commands.executeCommand('peagen.showDaemonLog');
  else if (answer !== undefined) {
    const uri = vscode.Uri.joinPath(client.root, target.path).toString();
    await vscode.commands.executeCommand('peagen.evolveSelection', { uri, fn, functions, otherwise: true });
  }
}

async function tellResult(peagen: Peagen, client: DaemonClient, run: RunId, name: string): Promise<void> {
  const info = peagen.runs.get(run)?.info;
  if (info === undefined) return;
  if (info.failure !== undefined) {
    await tellFailure(client, info, name);
    return;
  }
  if (info.state === 'interrupted') {
    tellInterrupted(peagen, run, name);
    return;
  }
  const best = info.ending?.best ?? null;
  if (best === null) {
    const none = byCount(
      info.candidates,
      vscode.l10n.t('{0}: {1}; its one candidate does not beat the original.', name, stateOf(info)),
      vscode.l10n.t('{0}: {1}; none of {2} candidates beats the original.', name, stateOf(info), info.candidates),
    );
    void vscode.window.showInformationMessage([none, ...withdrawn(info)].join(' '));
    return;
  }
  const message = vscode.l10n.t('{0}: {1}, {2}.', name, resultOf(info) ?? gainText(info), stateOf(info));
  const review = await vscode.window.showInformationMessage(message, vscode.l10n.t('Review Best'));
  if (review === undefined) return;
  const { elite } = await client.request(GetElite, { run, sha256: best.sha256 });
  await vscode.commands.executeCommand('peagen.reviewElite', { kind: 'elite', run, elite });
}

/** What looked better while it was searched, and was not. */
function withdrawn({ ending }: RunInfo): string[] {
  const count = (ending?.overfitted.length ?? 0) + (ending?.unconfirmed.length ?? 0);
  if (count === 0) return [];
  return [
    byCount(
      count,
      vscode.l10n.t('One seemed to, and did not when it was measured with care.'),
      vscode.l10n.t('{0} seemed to, and did not when they were measured with care.', count),
    ),
  ];
}
