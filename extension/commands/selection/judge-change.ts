/** Peagen: Judge My Change. The buffer against its original, as candidates are judged, without a run. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { isCorrect } from '../../../shared/judging.ts';
import { JudgeChange } from '../../../shared/protocol/targets.ts';
import { originalOf } from '../../change/original.ts';
import { verdictDocument, verdictLine } from '../../change/verdict.ts';
import { wantsInputs } from '../../confidence.ts';
import { BACK } from '../../dialogue/steps.ts';
import { askJudging, typeInputs } from '../../judging/ask.ts';
import { evaluatorFor } from '../../judging/evaluator.ts';
import { judgingLabel, remember, remembered } from '../../judging/remembered.ts';
import { pageUri } from '../../pages.ts';
import type { Peagen } from '../../peagen.ts';
import { selectedTarget } from './selection.ts';

/** What the change is judged against, where the caller knows it. */
const Against = z.object({ original: z.object({ text: z.string(), name: z.string() }) });

export async function judgeChange(peagen: Peagen, at?: unknown, marked?: unknown): Promise<void> {
  const selected = await selectedTarget(peagen, at, marked);
  if (selected === undefined) return;
  const { client, uri, target, name } = selected;
  const document = await vscode.workspace.openTextDocument(uri);
  const original = Against.safeParse(at).data?.original ?? (await originalOf(document));
  const { workspaceState } = peagen.extension;
  const known = remembered(workspaceState, target);
  const judging = selected.judging ?? known.judging ?? (await askJudging(peagen, selected, { back: false, use: 'judge' }));
  if (judging === BACK || judging === undefined) return;
  const evaluator = await evaluatorFor(judging, selected);
  const verdict = await vscode.window
    .withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Judging your change of {0} against {1}…', name, original.name),
        cancellable: true,
      },
      (_, token) =>
        client.request(JudgeChange, { target: { ...target, text: original.text }, text: document.getText(), evaluator }, token),
    )
    .then(undefined, (caught: unknown) => {
      const error = PeagenError.from(caught);
      if (error.code !== 'original_fails') throw error;
      // Judged in a way that does not fit it: the next time it is asked again.
      return remember(workspaceState, target, { ...known, judging: undefined }).then(() => Promise.reject(error));
    });
  await remember(workspaceState, target, { ...known, judging });
  const right = isCorrect(verdict.outcome) && (verdict.heldout === undefined || isCorrect(verdict.heldout));
  const few = right && wantsInputs(verdict.confidence);
  const show = right && !few ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  const line = vscode.l10n.t('{0} against {1}: {2}.', name, original.name, verdictLine(verdict));
  // Not waited for: the command is done, and its message stays until it is read.
  const add = vscode.l10n.t('Add Inputs…');
  void show(line, vscode.l10n.t('Show Details'), ...(few ? [add] : [])).then(async (answer) => {
    if (answer === undefined) return;
    if (answer === add) {
      await typeInputs(peagen, selected, 'judge');
      return;
    }
    const page = pageUri(vscode.l10n.t('Verdict on {0}', name), { uri: uri.toString() });
    await peagen.pages.show(page, verdictDocument(name, original.name, judgingLabel(judging), verdict));
  });
}
