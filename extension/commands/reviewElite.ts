/** Opens an elite as an inline proposal in the editor. */
import type { Peagen } from '../peagen.ts';
import { metricsLine, speedOf, targetName } from '../words.ts';
import { chosenElite } from './chosenElite.ts';

export async function reviewElite(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, detail } = await chosenElite(peagen, node);
  const reviews = await peagen.reviews();
  await reviews.open({
    id: `${detail.run}:${detail.elite.sha256}`,
    root: run.root,
    title: `${targetName(run.info)} · ${speedOf(detail.elite)}`,
    why: detail.origin.summary,
    metrics: metricsLine(detail.elite),
    changes: detail.changes,
  });
}
