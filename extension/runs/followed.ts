/** Runs whose end this window is to tell, kept in the workspace's state: a reload, or a closed window, changes nothing in that. */
import type { Memento } from 'vscode';
import * as z from 'zod';
import { RunId } from '../../shared/ids.ts';

const FollowedRun = z.array(z.object({ root: z.string().min(1), run: RunId }));
type FollowedRun = z.infer<typeof FollowedRun>[number];

const KEY = 'followed';

export function followedRuns(state: Memento): FollowedRun[] {
  return FollowedRun.safeParse(state.get(KEY)).data ?? [];
}

export async function rememberFollowed(state: Memento, followed: FollowedRun): Promise<void> {
  await state.update(KEY, [...followedRuns(state).filter(({ run }) => run !== followed.run), followed]);
}

export async function forgetFollowed(state: Memento, run: RunId): Promise<void> {
  const left = followedRuns(state).filter((followed) => followed.run !== run);
  await state.update(KEY, left.length === 0 ? undefined : left);
}
