/** The elites that a command is about: those of the rows it was called on, else of the rows selected in the Evolution view. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import type { Elite } from '../../shared/niche.ts';
import { GetElite } from '../../shared/protocol/runs.ts';
import type { EliteDetail } from '../../shared/run.ts';
import type { Peagen } from '../peagen.ts';
import type { WindowRun } from '../runs/runs.ts';
import { isNode } from '../views/nodes.ts';
import { byCount } from '../words.ts';

export interface Chosen {
  readonly run: WindowRun;
  readonly elite: Elite;
}

/** `rows`: all that are selected, when the row in `at` is one of them. Throws `invalid_input` unless there are `count`. */
export function chosenElites(peagen: Peagen, at: unknown, rows: unknown, count: number): Chosen[] {
  const named = Array.isArray(rows) && rows.length > 0 ? rows : at === undefined ? peagen.selection() : [at];
  const elites = new Map<string, Chosen>();
  for (const node of named) {
    if (!isNode(node) || (node.kind !== 'niche' && node.kind !== 'elite')) continue;
    const run = peagen.runs.get(node.run);
    if (run === undefined) throw new PeagenError('not_found', vscode.l10n.t('The run {0} is not known any more.', node.run));
    elites.set(`${node.run}/${node.elite.sha256}`, { run, elite: node.elite });
  }
  if (elites.size !== count) {
    const have = byCount(
      elites.size,
      vscode.l10n.t('{0} elite is chosen.', elites.size),
      vscode.l10n.t('{0} elites are chosen.', elites.size),
    );
    const need = byCount(
      count,
      vscode.l10n.t('Select {0} elite in the Evolution view.', count),
      vscode.l10n.t('Select {0} elites in the Evolution view.', count),
    );
    throw new PeagenError('invalid_input', have, { hint: need });
  }
  return [...elites.values()];
}

export async function chosenElite(peagen: Peagen, node: unknown): Promise<{ run: WindowRun; detail: EliteDetail }> {
  const [chosen] = chosenElites(peagen, node, undefined, 1);
  if (chosen === undefined) throw new PeagenError('invalid_input', vscode.l10n.t('No elite is chosen.'));
  return { run: chosen.run, detail: await detailOf(peagen, chosen) };
}

export async function detailOf(peagen: Peagen, { run, elite }: Chosen): Promise<EliteDetail> {
  const client = await peagen.daemon(run.root);
  return client.request(GetElite, { run: run.info.run, sha256: elite.sha256 });
}
