/** All commands. They exist from activation on, before any daemon runs: each loads what it needs and waits for it. */
import * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';

type Late = typeof import('../late.ts');
type Command = (peagen: Peagen, ...args: unknown[]) => Promise<unknown>;

const commands: Record<string, (late: Late) => Command> = {
  // By the name that the menus of the editor and the explorer show next to the commands of others.
  'peagen.evolveHere': (late) => late.evolveSelection,
  'peagen.evolveSelection': (late) => late.evolveSelection,
  'peagen.evolveAgain': (late) => late.evolveAgain,
  'peagen.mutateSelection': (late) => late.mutateSelection,
  'peagen.judgeChange': (late) => late.judgeChange,
  'peagen.editCandidate': (late) => late.editCandidate,
  'peagen.sendCandidate': (late) => late.sendCandidate,
  'peagen.useInputs': (late) => late.useInputs,
  'peagen.addInputs': (late) => late.addInputs,
  'peagen.connectCluster': (late) => late.connectCluster,
  'peagen.workLocally': (late) => late.workLocally,
  'peagen.renderProject': (late) => late.renderProject,
  'peagen.chooseModel': (late) => late.chooseModel,
  'peagen.allowModel': (late) => late.allowModel,
  'peagen.stopRun': (late) => late.stopRun,
  'peagen.resumeRun': (late) => late.resumeRun,
  'peagen.pauseRun': (late) => late.pauseRun,
  'peagen.unpauseRun': (late) => late.unpauseRun,
  'peagen.refreshRuns': (late) => late.refreshRuns,
  'peagen.deleteRun': (late) => late.deleteRun,
  'peagen.removeOldRuns': (late) => late.removeOldRuns,
  'peagen.renameRun': (late) => late.renameRun,
  'peagen.compareRuns': (late) => late.compareRuns,
  'peagen.exportToGit': (late) => late.exportToGit,
  'peagen.openDashboard': (late) => late.openDashboard,
  'peagen.showDaemonLog': (late) => late.showDaemonLog,
  'peagen.openWalkthrough': (late) => late.openWalkthrough,
  'peagen.evolveSample': (late) => late.evolveSample,
  'peagen.reportIssue': (late) => late.reportIssue,
  'peagen.reviewElite': (late) => late.reviewElite,
  'peagen.applyElite': (late) => late.applyElite,
  'peagen.compareElites': (late) => late.compareElites,
  'peagen.crossElites': (late) => late.crossElites,
  'peagen.useAsParent': (late) => late.useAsParent,
  'peagen.pinElite': (late) => late.pinElite,
  'peagen.unpinElite': (late) => late.unpinElite,
  'peagen.discardElite': (late) => late.discardElite,
  'peagen.copyElite': (late) => late.copyElite,
  'peagen.copyChangeText': (late) => late.copyChangeText,
  'peagen.showEvidence': (late) => late.showEvidence,
  'peagen.review.open': (late) => late.openProposal,
  'peagen.review.accept': (late) => late.acceptHunk,
  'peagen.review.reject': (late) => late.rejectHunk,
  'peagen.review.acceptAll': (late) => late.acceptAll,
  'peagen.review.previewAll': (late) => late.previewAll,
  'peagen.review.rejectAll': (late) => late.rejectAll,
  'peagen.review.diff': (late) => late.showDiff,
  'peagen.review.changes': (late) => late.showChanges,
  'peagen.review.next': (late) => late.nextHunk,
  'peagen.review.previous': (late) => late.previousHunk,
  'peagen.review.close': (late) => late.closeReview,
};

/** A menu names its row, which the editor does not know while the view is drawn again. From the palette, there is no argument. */
function givenRow(args: readonly unknown[]): readonly unknown[] {
  return args.length > 0 && args[0] === undefined ? [null, ...args.slice(1)] : args;
}

export function registerCommands(peagen: Peagen): vscode.Disposable[] {
  return Object.entries(commands).map(([id, command]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      const late = await import('../late.ts');
      try {
        return await command(late)(peagen, ...givenRow(args));
      } catch (caught) {
        // Not waited for: the message stays until a user has read it.
        void late.reportError(peagen, caught);
        return undefined;
      }
    }),
  );
}
