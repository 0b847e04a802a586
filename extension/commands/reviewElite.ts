/** Opens an elite as an inline proposal in the editor. */
import { PeagenError } from '../../shared/errors.ts';
import { GetElite } from '../../shared/protocol/runs.ts';
import type { Peagen } from '../peagen.ts';
import { metricsLine, speedOf, targetName } from '../words.ts';
import { isNode } from './pickRun.ts';

export async function reviewElite(peagen: Peagen, node?: unknown): Promise<void> {
  if (!isNode(node) || node.kind === 'run') {
    throw new PeagenError('invalid_input', 'No elite is chosen.', { hint: 'Choose one in the Evolution view.' });
  }
  const run = peagen.runs.get(node.run);
  if (run === undefined) throw new PeagenError('not_found', `The run ${node.run} is not known any more.`);
  const client = await peagen.daemon(run.root);
  const detail = await client.request(GetElite, { run: node.run, sha256: node.elite.sha256 });
  const reviews = await peagen.reviews();
  await reviews.open({
    id: `${node.run}:${detail.elite.sha256}`,
    root: run.root,
    title: `${targetName(run.info)} · ${speedOf(detail.elite)}`,
    why: detail.origin.summary,
    metrics: metricsLine(detail.elite),
    changes: detail.changes,
  });
}
