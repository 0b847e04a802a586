/** Follows a run to its end, and reports what came of it. Its progress is in the status bar and in the Evolution view. */
import * as vscode from 'vscode';
import { smallShare } from '../../../shared/gain.ts';
import type { RunId } from '../../../shared/ids.ts';
import { GetElite, ListElites } from '../../../shared/protocol/runs.ts';
import type { RunInfo } from '../../../shared/run.ts';
import { verdictOf } from '../../../shared/words/confidence-words.ts';
import type { EditorClient } from '../../client/client.ts';
import { wantsInputs } from '../../confidence.ts';
import { counterexampleText } from '../../outcome.ts';
import type { Peagen } from '../../peagen.ts';
import { forgetFollowed, rememberFollowed } from '../../runs/followed.ts';
import { byCount, distinctName, gainText, resultOf, stateOf } from '../../words.ts';
import { reportError } from '../errors.ts';
import { tellInterrupted } from './interrupted.ts';

export async function followToEnd(peagen: Peagen, client: EditorClient, run: RunId): Promise<void> {
  const { workspaceState } = peagen.extension;
  try {
    await rememberFollowed(workspaceState, { root: client.root.toString(), run });
    await untilEnd(peagen, run, () => void warnOfShare(peagen, client, run));
    await forgetFollowed(workspaceState, run);
    await tellResult(peagen, client, run);
  } catch (caught) {
    await reportError(peagen, caught);
  }
}

/** Until the run has ended or was interrupted; the status bar shows how far it is. */
async function untilEnd(peagen: Peagen, run: RunId, whenShareIsSmall: () => void): Promise<void> {
  let subscription: vscode.Disposable | undefined;
  let warned = false;
  await new Promise<void>((resolve) => {
    const look = () => {
      const info = peagen.runs.get(run)?.info;
      // A short run may be seen only when it is over.
      if (!warned && info !== undefined && smallShare(info) !== undefined) {
        warned = true;
        whenShareIsSmall();
      }
      if (info === undefined || info.state === 'finished' || info.state === 'interrupted') resolve();
    };
    subscription = peagen.runs.onDidChange(look);
    look();
  }).finally(() => subscription?.dispose());
}

/** A command that spends its time elsewhere shows no gain, however much faster the function becomes. */
async function warnOfShare(peagen: Peagen, client: EditorClient, run: RunId): Promise<void> {
  const known = peagen.runs.get(run);
  const share = known === undefined ? undefined : smallShare(known.info);
  if (known === undefined || share === undefined) return;
  const message = vscode.l10n.t(
    '{0} takes {1} % of the time of the command, so that a gain hardly shows. Check it by inputs instead.',
    distinctName(known, peagen.runs.list()),
    share,
  );
  const change = vscode.l10n.t('Change the Check…');
  if ((await vscode.window.showWarningMessage(message, change)) === change) await askAgain(client, known.info);
}

async function askAgain(client: EditorClient, { target: { path, entry_fn: fn, functions } }: RunInfo): Promise<void> {
  const uri = vscode.Uri.joinPath(client.root, path).toString();
  await vscode.commands.executeCommand('peagen.evolveSelection', { uri, fn, functions, ask: 'judging' });
}

/** With the way to other inputs or another command when not even the original came into the archive. */
async function tellFailure(client: EditorClient, info: RunInfo, name: string): Promise<void> {
  const { run, failure, target } = info;
  const log = vscode.l10n.t('Show Daemon Log');
  const { entry_fn: fn } = target;
  const elites = await client.request(ListElites, { run });
  const otherwise = fn === undefined || elites.length > 0 ? [] : [vscode.l10n.t('Change the Check…')];
  const answer = await vscode.window.showErrorMessage(`${name}: ${failure}`, ...otherwise, log);
  if (answer === log) await vscode.commands.executeCommand('peagen.showDaemonLog');
  else if (answer !== undefined) await askAgain(client, info);
}

async function tellResult(peagen: Peagen, client: EditorClient, run: RunId): Promise<void> {
  const known = peagen.runs.get(run);
  if (known === undefined) return;
  const { info } = known;
  const name = distinctName(known, peagen.runs.list());
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
    const none =
      info.candidates === 0
        ? vscode.l10n.t('{0}: {1} before there was a candidate.', name, stateOf(info))
        : byCount(
            info.candidates,
            vscode.l10n.t('{0}: {1}; its one candidate does not beat the original.', name, stateOf(info)),
            vscode.l10n.t('{0}: {1}; none of {2} candidates beats the original.', name, stateOf(info), info.candidates),
          );
    await offerNext(peagen, info, [none, ...withdrawn(info)].join(' '));
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

/** What else can be tried where a run found nothing: a model where there was none, more time, other inputs. */
async function offerNext(peagen: Peagen, { run, target, stopped }: RunInfo, message: string): Promise<void> {
  const { chosen } = await peagen.models();
  const known = peagen.runs.get(run);
  if (known === undefined) return;
  const uri = vscode.Uri.joinPath(known.root, target.path).toString();
  const at = { uri, fn: target.entry_fn, functions: target.functions };
  const model = vscode.l10n.t('Try with a Model…');
  const longer = vscode.l10n.t('Run Longer…');
  const add = vscode.l10n.t('Add Inputs…');
  const wasCut = stopped !== 'exhausted' && stopped !== 'no_improve';
  const ways = [...(chosen.model?.kind === 'model' ? [] : [model]), ...(wasCut ? [longer] : []), add];
  const answer = await vscode.window.showInformationMessage(message, ...(target.entry_fn === undefined ? [] : ways));
  if (answer === add) await vscode.commands.executeCommand('peagen.addInputs', { kind: 'run', run });
  else if (answer !== undefined)
    await vscode.commands.executeCommand('peagen.evolveSelection', { ...at, ask: answer === model ? 'model' : 'limits' });
}

/** What looked better while it was searched, and was not. */
function withdrawn({ ending }: RunInfo): string[] {
  const wrong = ending?.overfitted.length ?? 0;
  const untested = ending?.unconfirmed.find((one) => one.untested);
  const slower = ending?.unconfirmed.filter((one) => !one.untested).length ?? 0;
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
    ...(untested === undefined
      ? []
      : [vscode.l10n.t('What was found cannot be trusted: {0}. Add inputs that show more.', untested.why)]),
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
