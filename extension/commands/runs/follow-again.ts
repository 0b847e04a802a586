/** Takes up the runs that an earlier session of this window followed: progress goes on, and what ended meanwhile is told. */
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
