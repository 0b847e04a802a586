/** Peagen: Mutate Selection. One patch round without evaluation; its answer opens as a proposal. */
import * as vscode from 'vscode';
import { Mutate } from '../../../shared/protocol/targets.ts';
import { asRequest } from '../../models/choice.ts';
import { mutatorName } from '../../origin-words.ts';
import type { Peagen } from '../../peagen.ts';
import { settings } from '../../settings.ts';
import { selectedTarget } from './selection.ts';

export async function mutateSelection(peagen: Peagen, at?: unknown): Promise<void> {
  const selected = await selectedTarget(peagen, at);
  if (selected === undefined) return;
  const { client, target, uri, name } = selected;
  const { chosen } = await peagen.models();
  const answer = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Mutating {0}…', name), cancellable: true },
    (_, token) =>
      client.request(
        Mutate,
        {
          target,
          ...asRequest(chosen.model, settings(uri), 'patch'),
          // Another seed each time: the command is pressed again to see another change.
          seed: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
        },
        token,
      ),
  );
  const reviews = await peagen.reviews();
  await reviews.open({
    id: `mutate:${crypto.randomUUID()}`,
    root: client.root,
    title: vscode.l10n.t('{0} on {1}, not evaluated', mutatorName(answer.origin.mutator), name),
    why: answer.origin.summary,
    metrics: vscode.l10n.t('not evaluated'),
    changes: answer.changes,
  });
}
