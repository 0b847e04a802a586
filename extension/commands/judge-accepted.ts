/** After a review of which only a part was accepted: the mix was never measured, so that is offered. */
import * as vscode from 'vscode';
import { RunId } from '../../shared/ids.ts';
import type { Peagen } from '../peagen.ts';
import type { Review } from '../review/review.ts';

/** Only when the last change of an elite's review was decided, some accepted and some not. */
export async function offerJudging(peagen: Peagen, review: Review): Promise<void> {
  const states = review.hunks().map(({ hunk }) => hunk.state);
  if (review.open().length > 0 || !states.includes('accepted') || !states.includes('rejected')) return;
  const id = RunId.safeParse(review.id.split(':')[0]);
  const run = id.success ? peagen.runs.get(id.data) : undefined;
  const target = run?.info.target;
  const file = review.files.find(({ path }) => path === target?.path);
  if (file === undefined || target?.entry_fn === undefined) return;
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
  });
}
