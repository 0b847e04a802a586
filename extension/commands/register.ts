/** All commands. They exist from activation on, before any daemon runs: each loads what it needs and waits for it. */
import * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';
import { reportError } from './errors.ts';

type Command = (peagen: Peagen, ...args: unknown[]) => Promise<unknown>;

const commands: Record<string, () => Promise<Command>> = {
  'peagen.evolveSelection': async () => (await import('./evolveSelection.ts')).evolveSelection,
  'peagen.mutateSelection': async () => (await import('./mutateSelection.ts')).mutateSelection,
  'peagen.stopRun': async () => (await import('./stopRun.ts')).stopRun,
  'peagen.resumeRun': async () => (await import('./resumeRun.ts')).resumeRun,
  'peagen.refreshRuns': async () => (await import('./refreshRuns.ts')).refreshRuns,
  'peagen.showDaemonLog': async () => (await import('./showDaemonLog.ts')).showDaemonLog,
  'peagen.reviewElite': async () => (await import('./reviewElite.ts')).reviewElite,
  'peagen.review.open': async () => (await import('./openProposal.ts')).openProposal,
  'peagen.review.accept': async () => (await import('./decideHunk.ts')).acceptHunk,
  'peagen.review.reject': async () => (await import('./decideHunk.ts')).rejectHunk,
  'peagen.review.acceptAll': async () => (await import('./decideHunk.ts')).acceptAll,
  'peagen.review.rejectAll': async () => (await import('./decideHunk.ts')).rejectAll,
  'peagen.review.diff': async () => (await import('./moveInReview.ts')).showDiff,
  'peagen.review.next': async () => (await import('./moveInReview.ts')).nextHunk,
  'peagen.review.previous': async () => (await import('./moveInReview.ts')).previousHunk,
  'peagen.review.close': async () => (await import('./moveInReview.ts')).closeReview,
};

export function registerCommands(peagen: Peagen): vscode.Disposable[] {
  return Object.entries(commands).map(([id, load]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        return await (await load())(peagen, ...args);
      } catch (caught) {
        // Not waited for: the message stays until a person has read it.
        void reportError(peagen, caught);
        return undefined;
      }
    }),
  );
}
