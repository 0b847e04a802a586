/** Peagen: Refresh Runs. */
import type { Peagen } from '../../peagen.ts';

export async function refreshRuns(peagen: Peagen): Promise<void> {
  await peagen.runs.refresh(true);
  peagen.redraw();
}
