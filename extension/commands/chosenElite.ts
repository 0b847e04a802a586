/** The elite that a command of the Evolution view was called on, with what its run knows of it. */
import { PeagenError } from '../../shared/errors.ts';
import { GetElite } from '../../shared/protocol/runs.ts';
import type { EliteDetail } from '../../shared/run.ts';
import type { Peagen } from '../peagen.ts';
import type { WindowRun } from '../runs/runs.ts';
import { isNode } from './pickRun.ts';

export async function chosenElite(peagen: Peagen, node: unknown): Promise<{ run: WindowRun; detail: EliteDetail }> {
  if (!isNode(node) || node.kind === 'run') {
    throw new PeagenError('invalid_input', 'No elite is chosen.', { hint: 'Choose one in the Evolution view.' });
  }
  const run = peagen.runs.get(node.run);
  if (run === undefined) throw new PeagenError('not_found', `The run ${node.run} is not known any more.`);
  const client = await peagen.daemon(run.root);
  return { run, detail: await client.request(GetElite, { run: node.run, sha256: node.elite.sha256 }) };
}
