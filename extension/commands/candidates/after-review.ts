/**
 * What a user can do with a candidate that was decided: judge the part of it that was accepted, which was never measured; or
 * commit the whole of it, with a text that says what it gains and how that was checked.
 */
import * as vscode from 'vscode';
import { asAnnounced, gainOf } from '../../../shared/gain.ts';
import { RunId } from '../../../shared/ids.ts';
import { GetElite } from '../../../shared/protocol/runs.ts';
import type { EliteDetail, RunInfo } from '../../../shared/run.ts';
import { verdictOf } from '../../../shared/words/confidence-words.ts';
import { repositoryOf } from '../../change/original.ts';
import type { Peagen } from '../../peagen.ts';
import { whyOf } from '../../review/facts.ts';
import type { Review } from '../../review/review.ts';
import type { WindowRun } from '../../runs/runs.ts';
import { metricsLine, speedIn, targetName } from '../../words.ts';
import { reportError } from '../errors.ts';
import { chosenElite } from './chosen-elite.ts';

/** Only when the last change of an elite's review was decided, and something of it was accepted. The message stays until it is read. */
export function offerNext(peagen: Peagen, review: Review): void {
  offer(peagen, review).catch((caught: unknown) => reportError(peagen, caught));
}

async function offer(peagen: Peagen, review: Review): Promise<void> {
  const states = review.hunks().map(({ hunk }) => hunk.state);
  if (review.open().length > 0 || !states.includes('accepted')) return;
  const [name, sha256] = review.id.split(':');
  const id = RunId.safeParse(name);
  const run = id.success ? peagen.runs.get(id.data) : undefined;
  if (run === undefined || sha256 === undefined) return;
  const isPart = states.includes('rejected');
  if (!isPart && !states.every((state) => state === 'accepted')) return;
  const client = await peagen.daemon(run.root);
  const detail = review.proposal.elite ?? (await client.request(GetElite, { run: run.info.run, sha256 }));
  if (isPart) await offerJudging(run, detail, review);
  else await offerCommit(run, detail);
}

/** As the run judged it, so that nothing is asked. */
async function offerJudging(
  { info: { target } }: WindowRun,
  { judged_by: evaluator }: EliteDetail,
  review: Review,
): Promise<void> {
  const file = review.files.find(({ path }) => path === target.path);
  if (file === undefined || target.entry_fn === undefined) return;
  const judge = vscode.l10n.t('Judge What I Accepted');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('You accepted a part of the candidate. This mix has not been checked or measured.'),
    judge,
  );
  if (answer !== judge) return;
  await vscode.commands.executeCommand('peagen.judgeChange', {
    uri: file.uri.toString(),
    fn: target.entry_fn,
    functions: target.functions,
    original: { text: file.before, name: vscode.l10n.t('the original') },
    ...(evaluator === undefined ? {} : { judging: { kind: 'way', label: vscode.l10n.t('as in the run'), evaluator } }),
  });
}

/** The commit itself is the user's to make. */
async function offerCommit(run: WindowRun, detail: EliteDetail): Promise<void> {
  const text = changeText(run.info, detail);
  const repository = await repositoryOf(vscode.Uri.joinPath(run.root, run.info.target.path));
  const commit = vscode.l10n.t('Write Commit Message');
  const copy = vscode.l10n.t('Copy Pull Request Text');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('{0}: the whole candidate is accepted.', targetName(run.info)),
    ...(repository === undefined ? [] : [commit]),
    copy,
  );
  if (answer === copy) await vscode.env.clipboard.writeText(text);
  if (answer !== commit || repository === undefined) return;
  repository.inputBox.value = text;
  await vscode.commands.executeCommand('workbench.view.scm');
}

/** Peagen: Copy Pull Request Text, of any candidate. */
export async function copyChangeText(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, detail } = await chosenElite(peagen, node);
  await vscode.env.clipboard.writeText(changeText(run.info, detail));
  void vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the pull request text'), 5000);
}

/** A subject, and what was done, measured and checked: for a commit as for a pull request. */
export function changeText(info: RunInfo, detail: EliteDetail): string {
  const { elite, changes, confidence } = detail;
  const name = targetName(info);
  const subject =
    gainOf(info).kind === 'faster'
      ? vscode.l10n.t('Make {0} {1}', name, speedIn(info, elite))
      : vscode.l10n.t('Change {0}: {1}', name, speedIn(info, elite));
  return [
    subject,
    '',
    whyOf(detail),
    '',
    vscode.l10n.t('- Measured: {0}', metricsLine(asAnnounced(elite, info))),
    ...(confidence === undefined ? [] : [vscode.l10n.t('- Checked: {0}', verdictOf(confidence))]),
    vscode.l10n.t('- Files changed: {0}', changes.map(({ path }) => path).join(', ')),
    vscode.l10n.t('- Found by Peagen, run {0}', info.run),
    '',
  ].join('\n');
}
