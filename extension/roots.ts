/** Which folder's daemon is responsible for what. */
import * as vscode from 'vscode';
import { PeagenError } from '../shared/errors.ts';

/** The folders that have a daemon, or could have one. */
export function workspaceRoots(): vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri).filter((uri) => uri.scheme === 'file');
}

/** The folder of the file in front, else the first of the workspace, for what is not about one of them. Throws `not_found`. */
export function someRoot(): vscode.Uri {
  const active = vscode.window.activeTextEditor?.document.uri;
  const root = active?.scheme === 'file' ? rootOf(active).root : workspaceRoots()[0];
  if (root === undefined) {
    throw new PeagenError('not_found', vscode.l10n.t('No folder is open.'), {
      hint: vscode.l10n.t('Open the folder of your code.'),
    });
  }
  return root;
}

/** A file's workspace folder, else the folder it lies in, and its path in there. */
export function rootOf(file: vscode.Uri): { root: vscode.Uri; path: string } {
  const root = vscode.workspace.getWorkspaceFolder(file)?.uri ?? vscode.Uri.joinPath(file, '..');
  const prefix = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return { root, path: file.path.startsWith(prefix) ? file.path.slice(prefix.length) : file.path };
}
