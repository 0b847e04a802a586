/** Progress of a run in a notification: Cancel ends the run, closing the window does not. */
import * as vscode from 'vscode';
import { verdictOf } from '../../shared/confidence-words.ts';
import type { RunId } from '../../shared/ids.ts';
import { GetElite, ListElites, StopRun } from '../../shared/protocol/runs.ts';
import type { RunInfo } from '../../shared/run.ts';
import type { DaemonClient } from '../client/client.ts';
import { wantsInputs } from '../confidence.ts';
import { counterexampleText } from '../outcome.ts';
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
      (progress, token) => untilEnd(peagen, run, progress, token),
    );
    // VS Code closes a progress that is cancelled: what follows needs a progress of its own.
    if (isLive(peagen, run)) await stopWithProgress(peagen, client, run, name);
    await forgetFollowed(workspaceState, run);
    await tellResult(peagen, client, run, name);
  } catch (caught) {
    await reportError(peagen, caught);
  }
}

function isLive(peagen: Peagen, run: RunId): boolean {
  const state = peagen.runs.get(run)?.info.state;
  return state === 'running' || state === 'paused';
}

async function stopWithProgress(peagen: Peagen, client: DaemonClient, run: RunId, name: string): Promise<void> {
  peagen.runs.stopping(run);
  const info = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Confirming the best of {0}…', name) },
    () => client.request(StopRun, { run }),
  );
  peagen.runs.put(client.root, info);
}

/** Until the run has ended, or the user cancels it. */
async function untilEnd(
  peagen: Peagen,
  run: RunId,
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  token: vscode.CancellationToken,
): Promise<void> {
  let shown = 0;
  const subscriptions: vscode.Disposable[] = [];
  try {
    await new Promise<void>((resolve) => {
      const look = () => {
        const info = peagen.runs.get(run)?.info;
        if (info === undefined || info.state === 'finished' || info.state === 'interrupted') return resolve();
        const { max_generations: last } = info;
        const generation = Math.max(shown, info.generation);
        const increment = (100 * (generation - shown)) / last;
        shown = generation;
        const gain = gainText(info);
        const message =
          gain === ''
            ? vscode.l10n.t('generation {0} of {1}', generation, last)
            : vscode.l10n.t('generation {0} of {1} · {2}', generation, last, gain);
        progress.report({ message, increment });
      };
      subscriptions.push(
        peagen.runs.onDidChange(look),
        token.onCancellationRequested(() => resolve()),
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
  const otherwise = fn === undefined || elites.length > 0 ? [] : [vscode.l10n.t('Change the Check…')];
  const answer = await vscode.window.showErrorMessage(`${name}: ${failure}`, ...otherwise, log);
  if (answer === log) await vscode.commands.executeCommand('peagen.showDaemonLog');
  else if (answer !== undefined) {
    const uri = vscode.Uri.joinPath(client.root, target.path).toString();
    await vscode.commands.executeCommand('peagen.evolveSelection', { uri, fn, functions, ask: 'judging' });
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
  const confidence = best.confidence ?? info.confidence;
  const few = wantsInputs(confidence);
  const result = resultOf(info) ?? gainText(info);
  const message =
    confidence === undefined
      ? vscode.l10n.t('{0}: {1}, {2}.', name, result, stateOf(info))
      : vscode.l10n.t('{0}: {1}, {2}; {3}.', name, result, verdictOf(confidence), stateOf(info));
  const add = vscode.l10n.t('Add Inputs…');
  const show = few ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const answer = await show(message, vscode.l10n.t('Review Best'), ...(few ? [add] : []));
  if (answer === undefined) return;
  if (answer === add) {
    await vscode.commands.executeCommand('peagen.addInputs', { kind: 'run', run });
    return;
  }
  const { elite } = await client.request(GetElite, { run, sha256: best.sha256 });
  await vscode.commands.executeCommand('peagen.reviewElite', { kind: 'elite', run, elite });
}

/** What looked better while it was searched, and was not. */
function withdrawn({ ending }: RunInfo): string[] {
  const wrong = ending?.overfitted.length ?? 0;
  const slower = ending?.unconfirmed.length ?? 0;
  const [refuted] = ending?.refuted ?? [];
  return [
    ...(wrong === 0
      ? []
      : [
          byCount(
            wrong,
            vscode.l10n.t('One was right on the given calls and wrong on others.'),
            vscode.l10n.t('{0} were right on the given calls and wrong on others.', wrong),
          ),
        ]),
    ...(refuted === undefined ? [] : [vscode.l10n.t('For example, {0}.', counterexampleText(refuted.counterexample))]),
    ...(slower === 0
      ? []
      : [
          byCount(
            slower,
            vscode.l10n.t('One looked faster at first but was not confirmed by careful measurement.'),
            vscode.l10n.t('{0} looked faster at first but were not confirmed by careful measurement.', slower),
          ),
        ]),
  ];
}
