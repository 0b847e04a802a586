/** Peagen: Resume Run. Continues an interrupted run from its journal. */
import { ResumeRun } from '../../../shared/protocol/runs.ts';
import type { Peagen } from '../../peagen.ts';
import { followToEnd } from './follow-to-end.ts';
import { pickRun } from './pick-run.ts';

export async function resumeRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['interrupted'], 'resume');
  if (run === undefined) return;
  const client = await peagen.daemon(run.root);
  const info = await client.request(ResumeRun, { run: run.info.run });
  peagen.runs.put(run.root, info);
  void followToEnd(peagen, client, info.run);
}
