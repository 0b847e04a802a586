/** A user's wishes about the elites of a run in progress: cross two, breed from one, keep one, throw one away. */
import * as vscode from 'vscode';
import { PeagenError } from '../../../shared/errors.ts';
import { CrossElites, DiscardElite, PinElite, UseAsParent } from '../../../shared/protocol/steering.ts';
import type { Peagen } from '../../peagen.ts';
import { speedIn } from '../../words.ts';
import { oneElite, twoElites } from './chosen-elite.ts';

export async function crossElites(peagen: Peagen, node?: unknown, nodes?: unknown): Promise<void> {
  const two = await twoElites(peagen, node, nodes, vscode.l10n.t('Combine with which candidate?'));
  if (two === undefined) return;
  const [a, b] = two;
  if (a.run !== b.run) {
    throw new PeagenError('invalid_input', vscode.l10n.t('The two candidates belong to different runs.'), {
      hint: vscode.l10n.t('Choose two of one run.'),
    });
  }
  const client = await peagen.daemon(a.run.root);
  await client.request(CrossElites, { run: a.run.info.run, a: a.elite.sha256, b: b.elite.sha256 });
  tell(vscode.l10n.t('Next, {0} and {1} will be combined', speedIn(a.run.info, a.elite), speedIn(b.run.info, b.elite)));
}

export async function useAsParent(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, elite } = oneElite(peagen, node);
  const client = await peagen.daemon(run.root);
  await client.request(UseAsParent, { run: run.info.run, sha256: elite.sha256 });
  tell(vscode.l10n.t('Next candidates will start from {0}', speedIn(run.info, elite)));
}

export async function pinElite(peagen: Peagen, node?: unknown): Promise<void> {
  await setPinned(peagen, node, true);
}

export async function unpinElite(peagen: Peagen, node?: unknown): Promise<void> {
  await setPinned(peagen, node, false);
}

async function setPinned(peagen: Peagen, node: unknown, pinned: boolean): Promise<void> {
  const { run, elite } = oneElite(peagen, node);
  const client = await peagen.daemon(run.root);
  await client.request(PinElite, { run: run.info.run, sha256: elite.sha256, pinned });
}

/** Asks first: a discarded elite does not come back. */
export async function discardElite(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, elite } = oneElite(peagen, node);
  const sure = await vscode.window.showWarningMessage(
    vscode.l10n.t('Discard this candidate ({0})?', speedIn(run.info, elite)),
    { modal: true, detail: vscode.l10n.t('{0}\nIt leaves the archive for good.', elite.gained ?? elite.summary) },
    vscode.l10n.t('Discard'),
  );
  if (sure === undefined) return;
  const client = await peagen.daemon(run.root);
  await client.request(DiscardElite, { run: run.info.run, sha256: elite.sha256 });
}

function tell(text: string): void {
  vscode.window.setStatusBarMessage(`$(check) ${text}`, 5000);
}
