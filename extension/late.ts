/**
 * The part of the extension that is loaded with its first use. It is a bundle of its own (see build.mjs), because
 * reading it takes longer than activation may; extension.ts reaches it through `import('./late.ts')` only.
 */
export { ListElites, ListRuns } from '../shared/protocol/runs.ts';
export { mcpServers } from './agents/server.ts';
export { askBefore, callTool } from './agents/tools.ts';
export { candidateText } from './change/candidate.ts';
export { connectDaemon } from './client/client.ts';
export { copyChangeText } from './commands/candidates/after-review.ts';
export { compareElites, copyElite } from './commands/candidates/compare-elites.ts';
export { acceptAll, acceptHunk, previewAll, rejectAll, rejectHunk } from './commands/candidates/decide-hunk.ts';
export { editCandidate, sendCandidate } from './commands/candidates/edit-candidate.ts';
export { closeReview, nextHunk, previousHunk, showChanges, showDiff } from './commands/candidates/move-in-review.ts';
export { openProposal } from './commands/candidates/open-proposal.ts';
export { applyElite, reviewElite } from './commands/candidates/review-elite.ts';
export { showEvidence } from './commands/candidates/show-evidence.ts';
export { crossElites, discardElite, pinElite, unpinElite, useAsParent } from './commands/candidates/steer-run.ts';
export { allowModel, chooseModel } from './commands/choose-model.ts';
export { connectCluster, workLocally } from './commands/connect-cluster.ts';
export { reportError } from './commands/errors.ts';
export { openDashboard, restoreDashboard } from './commands/open-dashboard.ts';
export { addInputs, evolveAgain, evolveSelection } from './commands/runs/evolve-selection.ts';
export { followAgain } from './commands/runs/follow-again.ts';
export { compareRuns, deleteRun, exportToGit, removeOldRuns, renameRun } from './commands/runs/manage-runs.ts';
export { pauseRun, unpauseRun } from './commands/runs/pause-run.ts';
export { refreshRuns } from './commands/runs/refresh-runs.ts';
export { resumeRun } from './commands/runs/resume-run.ts';
export { stopRun } from './commands/runs/stop-run.ts';
export { judgeChange } from './commands/selection/judge-change.ts';
export { mutateSelection } from './commands/selection/mutate-selection.ts';
export { showDaemonLog } from './commands/show-daemon-log.ts';
export { functionAt, functionsIn, lensesOf } from './functions/find.ts';
export { evolveSample } from './help/evolve-sample.ts';
export { openWalkthrough } from './help/open-walkthrough.ts';
export { reportIssue } from './help/report-issue.ts';
export { useInputs } from './judging/tab.ts';
export { Models } from './models/models.ts';
export { renderProject } from './render/render-project.ts';
export { Reviews } from './review/reviews.ts';
export { followedRuns } from './runs/followed.ts';
export { askFilter, pickSort } from './views/ask.ts';
export { eliteFile } from './views/elite-files.ts';
export { eliteRows } from './views/elite-rows.ts';
