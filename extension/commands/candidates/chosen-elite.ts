/** The elites that a command is about: those of the rows it was called on, else of the rows selected in the Evolution view. */
import * as vscode from 'vscode';
import { PeagenError } from '../../../shared/errors.ts';
import type { Elite } from '../../../shared/niche.ts';
import { GetElite } from '../../../shared/protocol/runs.ts';
import type { EliteDetail } from '../../../shared/run.ts';
import type { Peagen } from '../../peagen.ts';
import type { WindowRun } from '../../runs/runs.ts';
import { isNode } from '../../views/nodes.ts';
import { byCount, speedIn } from '../../words.ts';

/** What shows rows. */
type Shown = Pick<Peagen, 'runs' | 'selection'>;

interface ChosenElite {
  readonly run: WindowRun;
  readonly elite: Elite;
}

/** `rows`: all that are selected, when the row in `at` is one of them; null when the view was drawn again while its menu was open. */
function elitesOf(peagen: Shown, at: unknown, rows: unknown): ChosenElite[] {
  if (at === null) {
    throw new PeagenError('conflict', vscode.l10n.t('The view has changed while its menu was open.'), {
      hint: vscode.l10n.t('Choose from the menu again.'),
    });
  }
  const named = Array.isArray(rows) && rows.length > 0 ? rows : at === undefined ? peagen.selection() : [at];
  const elites = new Map<string, ChosenElite>();
  for (const node of named) {
    if (!isNode(node) || node.kind !== 'elite') continue;
    const run = peagen.runs.get(node.run);
    if (run === undefined) throw new PeagenError('not_found', vscode.l10n.t('The run {0} is not known any more.', node.run));
    elites.set(`${node.run}/${node.elite.sha256}`, { run, elite: node.elite });
  }
  return [...elites.values()];
}

function wrongCount(have: number, need: number): PeagenError {
  const message =
    have === 0
      ? vscode.l10n.t('No candidate is selected.')
      : byCount(have, vscode.l10n.t('{0} candidate is selected.', have), vscode.l10n.t('{0} candidates are selected.', have));
  const hint = byCount(
    need,
    vscode.l10n.t('Select a candidate in the Evolution view first.'),
    vscode.l10n.t('Select {0} candidates in the Evolution view first.', need),
  );
  return new PeagenError('invalid_input', message, { hint });
}

/** Throws `invalid_input` unless it is one. */
export function oneElite(peagen: Shown, node: unknown): ChosenElite {
  const elites = elitesOf(peagen, node, undefined);
  const [elite] = elites;
  if (elite === undefined || elites.length > 1) throw wrongCount(elites.length, 1);
  return elite;
}

/** The two that are selected; else the one named, and another of its run that the user picks. */
export async function twoElites(
  peagen: Peagen,
  node: unknown,
  nodes: unknown,
  question: string,
): Promise<[ChosenElite, ChosenElite] | undefined> {
  const elites = elitesOf(peagen, node, nodes);
  const [one, two] = elites;
  if (one === undefined || elites.length > 2) throw wrongCount(elites.length, 2);
  if (two !== undefined) return [one, two];
  const others = (await peagen.runs.elites(one.run.info.run)).filter(({ sha256 }) => sha256 !== one.elite.sha256);
  const items = others.map((elite) => ({
    label: speedIn(one.run.info, elite),
    description: elite.gained ?? elite.summary,
    elite,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: question, matchOnDescription: true });
  return picked === undefined ? undefined : [one, { run: one.run, elite: picked.elite }];
}

export async function chosenElite(peagen: Peagen, node: unknown): Promise<{ run: WindowRun; detail: EliteDetail }> {
  const chosen = oneElite(peagen, node);
  return { run: chosen.run, detail: await detailOf(peagen, chosen) };
}

export async function detailOf(peagen: Peagen, { run, elite }: ChosenElite): Promise<EliteDetail> {
  const client = await peagen.daemon(run.root);
  return client.request(GetElite, { run: run.info.run, sha256: elite.sha256 });
}
