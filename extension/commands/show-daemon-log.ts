/** Peagen: Show Daemon Log. The daemon's own log file, or what this window knows when there is no daemon. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import type { Peagen } from '../peagen.ts';
import { workspaceRoots } from '../roots.ts';

export async function showDaemonLog(peagen: Peagen): Promise<void> {
  const [root] = workspaceRoots();
  if (root === undefined) return peagen.log.show();
  try {
    const client = await peagen.daemon(root);
    const { log } = await client.request(DaemonStatus, {});
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(log));
    await vscode.window.showTextDocument(document, { preview: true });
  } catch (caught) {
    // A daemon that does not start has already shown the reason in the window.
    peagen.log.error(PeagenError.from(caught).line);
    peagen.log.show();
  }
}
