/** Two elites side by side in a diff editor, and an elite's code on the clipboard. */
import * as vscode from 'vscode';
import type { Peagen } from '../../peagen.ts';
import { eliteFileUri } from '../../views/elite-files.ts';
import { byCount, speedIn, targetName } from '../../words.ts';
import { chosenElite, detailOf, twoElites } from './chosen-elite.ts';

/** The slower one is on the left. */
export async function compareElites(peagen: Peagen, node?: unknown, nodes?: unknown): Promise<void> {
  const two = await twoElites(peagen, node, nodes, vscode.l10n.t('Compare with which candidate?'));
  if (two === undefined) return;
  const [left, right] = two[0].elite.fitness < two[1].elite.fitness ? two : [two[1], two[0]];
  const before = await detailOf(peagen, left);
  const after = await detailOf(peagen, right);
  const paths = [...new Set([...before.changes, ...after.changes].map(({ path }) => path))].sort();
  const title = `${targetName(right.run.info)}: ${speedIn(left.run.info, left.elite)} ↔ ${speedIn(right.run.info, right.elite)}`;
  // A file that one of them left alone is in the other's changes, as it was.
  const sides = paths.map((path) => [eliteFileUri(before, after, path), eliteFileUri(after, before, path)] as const);
  const [first] = sides;
  if (first === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Both are the original.'));
  } else if (sides.length === 1) {
    await vscode.commands.executeCommand('vscode.diff', first[0], first[1], title);
  } else {
    await vscode.commands.executeCommand(
      'vscode.changes',
      title,
      sides.map(([a, b]) => [b, a, b]),
    );
  }
}

/** The changed files as they would be, one after the other. */
export async function copyElite(peagen: Peagen, node?: unknown): Promise<void> {
  const { changes } = (await chosenElite(peagen, node)).detail;
  await vscode.env.clipboard.writeText(changes.map(({ after }) => after).join('\n'));
  const count = changes.length;
  const text = byCount(
    count,
    vscode.l10n.t('$(check) Copied {0} file', count),
    vscode.l10n.t('$(check) Copied {0} files', count),
  );
  vscode.window.setStatusBarMessage(text, 3000);
}
