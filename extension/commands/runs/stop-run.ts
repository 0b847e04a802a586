/** Peagen: Stop Run. The run ends in an orderly way, its best confirmed. */
import { StopRun } from '../../../shared/protocol/runs.ts';
import type { Peagen } from '../../peagen.ts';
import { pickRun } from './pick-run.ts';

export async function stopRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['running', 'paused'], 'stop');
  if (run === undefined) return;
  const client = await peagen.daemon(run.root);
  peagen.runs.stopping(run.info.run);
  // The status bar and the view say that its best is being confirmed.
  const info = await client.request(StopRun, { run: run.info.run });
  peagen.runs.put(run.root, info);
}
