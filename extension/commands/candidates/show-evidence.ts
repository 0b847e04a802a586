/** Peagen: Show Evidence. What was measured of an elite, where it came from and how it was judged, as one document. */
import { showRendered } from '../../pages.ts';
import type { Peagen } from '../../peagen.ts';
import { evidenceUri } from '../../views/elite-files.ts';
import { speedIn, targetName } from '../../words.ts';
import { chosenElite } from './chosen-elite.ts';

export async function showEvidence(peagen: Peagen, node?: unknown): Promise<void> {
  const { run, detail } = await chosenElite(peagen, node);
  const uri = evidenceUri(detail, `${targetName(run.info)}, ${speedIn(run.info, detail.elite)}`);
  await showRendered(uri);
}
