/** Peagen: Show Evidence. What was measured of an elite, where it came from and how it was judged, as one document. */
import * as vscode from 'vscode';
import { nicheLabel } from '../../shared/niche-label.ts';
import type { EliteDetail, RunInfo } from '../../shared/run.ts';
import type { Peagen } from '../peagen.ts';
import { metricsLine, targetName } from '../words.ts';
import { chosenElite } from './chosenElite.ts';

export async function showEvidence(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, detail } = await chosenElite(peagen, node);
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: evidence(run.info, detail) });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Markdown; candidate text appears only as JSON strings or in lines of its own. */
export function evidence(info: RunInfo, { elite, origin, outcome, changes }: EliteDetail): string {
  const metrics = Object.entries(elite.metrics).sort(([a], [b]) => a.localeCompare(b));
  return [
    `# ${targetName(info)}: ${metricsLine(elite)}`,
    '',
    `- Outcome: ${outcome.kind}${outcome.detail === '' ? '' : `, ${JSON.stringify(outcome.detail)}`}`,
    `- Made by: ${origin.mutator}${origin.backend === undefined ? '' : ` with ${origin.backend}`}, in generation ${elite.generation}`,
    `- What was done: ${JSON.stringify(origin.summary)}`,
    `- Niche: ${nicheLabel(elite.niche, info.axes)}`,
    `- Files changed: ${changes.map(({ path }) => path).join(', ')}`,
    `- Program: ${elite.sha256}`,
    ...origin.parents.map((parent) => `- Parent: ${parent}`),
    `- Run: ${info.run}, started ${info.started_at}`,
    '',
    '| measured | value |',
    '| --- | ---: |',
    ...metrics.map(([name, value]) => `| ${name} | ${value} |`),
    '',
  ].join('\n');
}
