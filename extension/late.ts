/**
 * The part of the extension that is loaded with its first use. It is a bundle of its own (see build.mjs), because
 * reading it takes longer than activation may; extension.ts reaches it through `import('./late.ts')` only.
 */
export { ListElites, ListRuns } from '../shared/protocol/runs.ts';
export { mcpServers } from './agents/server.ts';
export { askBefore, callTool } from './agents/tools.ts';
export { candidateText } from './change/candidate.ts';
export { connectDaemon } from './client/client.ts';
export { allowModel, chooseModel } from './commands/chooseModel.ts';
export { compareElites, copyElite } from './commands/compareElites.ts';
export { connectCluster, workLocally } from './commands/connectCluster.ts';
export { acceptAll, acceptHunk, previewAll, rejectAll, rejectHunk } from './commands/decideHunk.ts';
export { editCandidate, sendCandidate } from './commands/editCandidate.ts';
export { reportError } from './commands/errors.ts';
export { addInputs, evolveAgain, evolveSelection } from './commands/evolveSelection.ts';
export { followAgain } from './commands/followAgain.ts';
export { judgeChange } from './commands/judgeChange.ts';
export { closeReview, nextHunk, previousHunk, showChanges, showDiff } from './commands/moveInReview.ts';
export { mutateSelection } from './commands/mutateSelection.ts';
export { openDashboard, restoreDashboard } from './commands/openDashboard.ts';
export { openProposal } from './commands/openProposal.ts';
export { pauseRun, unpauseRun } from './commands/pauseRun.ts';
export { refreshRuns } from './commands/refreshRuns.ts';
export { resumeRun } from './commands/resumeRun.ts';
export { applyElite, reviewElite } from './commands/reviewElite.ts';
export { showDaemonLog } from './commands/showDaemonLog.ts';
export { showEvidence } from './commands/showEvidence.ts';
export { crossElites, discardElite, pinElite, unpinElite, useAsParent } from './commands/steerRun.ts';
export { stopRun } from './commands/stopRun.ts';
export { functionAt, functionsIn, lensesOf } from './functions/find.ts';
export { evolveSample } from './help/evolveSample.ts';
export { openWalkthrough } from './help/openWalkthrough.ts';
export { reportIssue } from './help/reportIssue.ts';
export { useInputs } from './judging/tab.ts';
export { Models } from './models/models.ts';
export { checkOpen, complete, hover } from './render/help.ts';
export { renderProject } from './render/renderProject.ts';
export { Reviews } from './review/reviews.ts';
export { followedRuns } from './runs/followed.ts';
export { askFilter, pickSort } from './views/ask.ts';
export { eliteFile } from './views/elite-files.ts';
export { eliteRows } from './views/elite-rows.ts';
