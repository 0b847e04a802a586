/** Follows the runs of an earlier session of this window: progress goes on, and runs that have ended since are reported. */
import * as vscode from 'vscode';
import type { Peagen } from '../../peagen.ts';
import { followedRuns, forgetFollowed } from '../../runs/followed.ts';
import { followToEnd } from './follow-to-end.ts';

export async function followAgain(peagen: Peagen): Promise<void> {
  const { workspaceState } = peagen.extension;
  const followed = followedRuns(workspaceState);
  await peagen.runs.refresh();
  for (const { root, run } of followed) {
    if (peagen.runs.get(run) === undefined) {
      await forgetFollowed(workspaceState, run);
      continue;
    }
    const client = await peagen.daemon(vscode.Uri.parse(root, true));
    void followToEnd(peagen, client, run);
  }
}
