/** Peagen: Evolve the Sample. A copy of a slow function that ships with the extension, ready to be evolved without a model. */
import * as vscode from 'vscode';
import { remember } from '../judging/remembered.ts';
import type { Peagen } from '../peagen.ts';
import { rootOf } from '../roots.ts';

/** JavaScript runs wherever VS Code does. */
const SAMPLE = { folder: 'bad_sort_js', path: 'bad_sort.js', entry: 'badSort', inputs: 'inputs.json' };

export async function evolveSample(peagen: Peagen): Promise<void> {
  const { extensionUri, globalStorageUri, workspaceState } = peagen.extension;
  const copy = vscode.Uri.joinPath(globalStorageUri, 'samples', SAMPLE.folder);
  const file = vscode.Uri.joinPath(copy, SAMPLE.path);
  const there = await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  // What the user has made of it stays; the runs next to it too.
  if (!there) await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'media', 'samples', SAMPLE.folder), copy);
  const document = await vscode.workspace.openTextDocument(file);
  const at = document.positionAt(document.getText().indexOf(SAMPLE.entry));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at), preview: false });
  const { root, path } = rootOf(file);
  const target = { root: root.fsPath, path, entry_fn: SAMPLE.entry };
  const judging = { kind: 'file', path: vscode.Uri.joinPath(copy, SAMPLE.inputs).fsPath } as const;
  await remember(workspaceState, target, { judging, limits: undefined, goal: undefined });
  await vscode.commands.executeCommand('peagen.evolveSelection');
}
