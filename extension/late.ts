/**
 * The part of the extension that is loaded with its first use. It is a bundle of its own (see build.mjs), because
 * reading it takes longer than activation may; extension.ts reaches it through `import('./late.ts')` only.
 */
export { ListElites, ListRuns } from '../shared/protocol/runs.ts';
export { mcpServers } from './agents/server.ts';
export { askBefore, callTool } from './agents/tools.ts';
export { candidateText } from './change/candidate.ts';
export { connectDaemon } from './client/client.ts';
export { copyChangeText } from './commands/after-review.ts';
export { allowModel, chooseModel } from './commands/choose-model.ts';
export { compareElites, copyElite } from './commands/compare-elites.ts';
export { connectCluster, workLocally } from './commands/connect-cluster.ts';
export { acceptAll, acceptHunk, previewAll, rejectAll, rejectHunk } from './commands/decide-hunk.ts';
export { editCandidate, sendCandidate } from './commands/edit-candidate.ts';
export { reportError } from './commands/errors.ts';
export { addInputs, evolveAgain, evolveSelection } from './commands/evolve-selection.ts';
export { followAgain } from './commands/follow-again.ts';
export { judgeChange } from './commands/judge-change.ts';
export { compareRuns, deleteRun, exportToGit, removeOldRuns, renameRun } from './commands/manage-runs.ts';
export { closeReview, nextHunk, previousHunk, showChanges, showDiff } from './commands/move-in-review.ts';
export { mutateSelection } from './commands/mutate-selection.ts';
export { openDashboard, restoreDashboard } from './commands/open-dashboard.ts';
export { openProposal } from './commands/open-proposal.ts';
export { pauseRun, unpauseRun } from './commands/pause-run.ts';
export { refreshRuns } from './commands/refresh-runs.ts';
export { resumeRun } from './commands/resume-run.ts';
export { applyElite, reviewElite } from './commands/review-elite.ts';
export { showDaemonLog } from './commands/show-daemon-log.ts';
export { showEvidence } from './commands/show-evidence.ts';
export { crossElites, discardElite, pinElite, unpinElite, useAsParent } from './commands/steer-run.ts';
export { stopRun } from './commands/stop-run.ts';
export { functionAt, functionsIn, lensesOf } from './functions/find.ts';
export { evolveSample } from './help/evolve-sample.ts';
export { openWalkthrough } from './help/open-walkthrough.ts';
export { reportIssue } from './help/report-issue.ts';
export { useInputs } from './judging/tab.ts';
export { Models } from './models/models.ts';
export { checkOpen, complete, hover } from './render/help.ts';
export { renderProject } from './render/render-project.ts';
export { Reviews } from './review/reviews.ts';
export { followedRuns } from './runs/followed.ts';
export { askFilter, pickSort } from './views/ask.ts';
export { eliteFile } from './views/elite-files.ts';
export { eliteRows } from './views/elite-rows.ts';
