/** Opens an elite for review that an agent proposes, from this window or through the daemon. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId, Sha256 } from '../../shared/ids.ts';
import { GetElite } from '../../shared/protocol/runs.ts';
import { openElite } from '../commands/candidates/review-elite.ts';
import type { Peagen } from '../peagen.ts';

export async function openProposed(
  peagen: Peagen,
  root: vscode.Uri,
  { run: id, sha256 }: { run: RunId; sha256: Sha256 },
): Promise<void> {
  // A run that another process started a moment ago.
  await peagen.runs.refresh(peagen.runs.get(id) === undefined);
  const run = peagen.runs.get(id);
  if (run === undefined) throw new PeagenError('not_found', vscode.l10n.t('The run {0} is not known any more.', id));
  const client = await peagen.daemon(root);
  await openElite(peagen, { run, detail: await client.request(GetElite, { run: id, sha256 }) });
}
