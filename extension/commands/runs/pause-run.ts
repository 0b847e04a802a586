/** Peagen: Pause Run and Unpause Run. A paused run begins no new candidates; those in flight finish. */
import { PauseRun, UnpauseRun } from '../../../shared/protocol/runs.ts';
import type { Peagen } from '../../peagen.ts';
import { pickRun } from './pick-run.ts';

export async function pauseRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['running'], 'pause');
  if (run === undefined) return;
  const client = await peagen.daemon(run.root);
  peagen.runs.put(run.root, await client.request(PauseRun, { run: run.info.run }));
}

export async function unpauseRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['paused'], 'continue');
  if (run === undefined) return;
  const client = await peagen.daemon(run.root);
  peagen.runs.put(run.root, await client.request(UnpauseRun, { run: run.info.run }));
}
