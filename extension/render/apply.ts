/** Writes rendered files as one edit of the workspace, which one undo takes back. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import type { PlacedFile } from './preview.ts';

/** Throws `conflict` when a file is no longer what was shown; then nothing is written. */
export async function applyFiles(files: readonly PlacedFile[]): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const changed: vscode.TextDocument[] = [];
  for (const { uri, state, path, before = '', after = '' } of files) {
    if (state === 'new') {
      edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(after) });
      continue;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() !== before.replace(/^\uFEFF/, '')) throw moved(path);
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), end), after);
    changed.push(document);
  }
  if (!(await vscode.workspace.applyEdit(edit, { isRefactoring: true }))) throw moved(files[0]?.path ?? '');
  // What was clean before is clean again.
  for (const document of changed) await document.save();
}

function moved(path: string): PeagenError {
  return new PeagenError('conflict', vscode.l10n.t('{0} has changed since it was shown, and nothing was written.', path), {
    hint: vscode.l10n.t('Save your own changes, and render again.'),
  });
}
