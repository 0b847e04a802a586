/** A user's own hand in a run: an elite opens as a document that can be edited, and goes back as a candidate. */
import * as vscode from 'vscode';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId, Sha256 } from '../../../shared/ids.ts';
import { SubmitCandidate } from '../../../shared/protocol/steering.ts';
import type { RunEvent } from '../../../shared/run.ts';
import { candidateOf, candidateUri } from '../../change/candidate.ts';
import { outcomeLine } from '../../outcome.ts';
import type { Peagen } from '../../peagen.ts';
import { speedIn, speedOf, targetName } from '../../words.ts';
import { chosenElite } from './chosen-elite.ts';

export async function editCandidate(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, detail } = await chosenElite(peagen, node);
  const { path } = run.info.target;
  if (!detail.changes.some((change) => change.path === path)) {
    throw new PeagenError('invalid_input', vscode.l10n.t('That is the original.'), {
      hint: vscode.l10n.t('Edit the file itself, and judge it by Judge My Change.'),
    });
  }
  const label = vscode.l10n.t('candidate: {0}', speedIn(run.info, detail.elite));
  const uri = candidateUri({ run: detail.run, parent: detail.elite.sha256 }, label, path);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
}

/** Belongs to the document in front. */
export async function sendCandidate(peagen: Peagen): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const { run, parent } = candidateOf(document?.uri);
  // A window that has just been opened again may not know its runs yet.
  await peagen.runs.refresh();
  const known = peagen.runs.get(run);
  if (document === undefined || known === undefined)
    throw new PeagenError('not_found', vscode.l10n.t('The run {0} is not known any more.', run));
  const name = targetName(known.info);
  if (known.info.state === 'finished')
    throw new PeagenError('conflict', vscode.l10n.t('The run on {0} has ended and takes no more candidates.', name), {
      hint: vscode.l10n.t('Evolve again, or paste the text into the file and choose "Peagen: Judge My Change".'),
    });
  if (known.info.state === 'interrupted')
    throw new PeagenError('conflict', vscode.l10n.t('The run on {0} was interrupted.', name), {
      hint: vscode.l10n.t('Resume it first; the text is kept.'),
    });
  await document.save();
  const client = await peagen.daemon(known.root);
  const heard = hearJudged(peagen, run);
  try {
    const judged = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Judging your candidate of {0}…', name) },
      async () => {
        const { sha256 } = await client.request(SubmitCandidate, { run, text: document.getText(), parent });
        return await heard.of(sha256);
      },
    );
    // Not waited for: the command is done, and its message stays until it is read.
    void tell(peagen, run, name, judged, document);
  } finally {
    heard.dispose();
  }
}

type Judged = Extract<RunEvent, { type: 'judged' }>;

/** With the way on: back to the text that is not good, or to a look at the elite that it has become. */
async function tell(
  peagen: Peagen,
  run: RunId,
  name: string,
  { sha256, outcome, metrics, fitness, status = 'rejected' }: Judged,
  document: vscode.TextDocument,
): Promise<void> {
  if (fitness === null) {
    const edit = vscode.l10n.t('Edit Again');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Your candidate of {0}: {1}.', name, outcomeLine(outcome)),
      edit,
    );
    if (answer === edit) await vscode.window.showTextDocument(document, { preview: false });
    return;
  }
  const place = {
    new: vscode.l10n.t('the first of its kind'),
    improved: vscode.l10n.t('the best of its kind'),
    rejected: vscode.l10n.t('another of its kind is better'),
  }[status];
  const speed = speedOf({ metrics, fitness });
  const message = vscode.l10n.t('Your candidate of {0}: {1}, {2}.', name, speed, place);
  const review = vscode.l10n.t('Review');
  const answer = await vscode.window.showInformationMessage(message, ...(status === 'rejected' ? [] : [review]));
  const elite = answer === review ? (await peagen.runs.elites(run)).find((one) => one.sha256 === sha256) : undefined;
  if (elite !== undefined) await vscode.commands.executeCommand('peagen.reviewElite', { kind: 'elite', run, elite });
}

/** Listens from before the request, since the verdict may be there before the answer. */
function hearJudged(peagen: Peagen, run: RunId): vscode.Disposable & { of(sha256: Sha256): Promise<Judged> } {
  const judged = new Map<Sha256, Judged>();
  const news = new vscode.EventEmitter<void>();
  let over = false;
  const heard = peagen.runs.onDidHear(({ run: about, event }) => {
    if (about !== run) return;
    if (event.type === 'judged') judged.set(event.sha256, event);
    over ||= event.type === 'stopped';
    news.fire();
  });
  return {
    of: (sha256) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = judged.get(sha256);
          if (found !== undefined) resolve(found);
          else if (over)
            reject(
              new PeagenError('conflict', vscode.l10n.t('The run ended before your candidate was judged.'), {
                hint: vscode.l10n.t('Resume it, or start another.'),
              }),
            );
        };
        news.event(look);
        look();
      }),
    dispose: () => {
      heard.dispose();
      news.dispose();
    },
  };
}
