/** Which folder's daemon is responsible for what. */
import * as vscode from 'vscode';

/** The folders that have a daemon, or could have one. */
export function workspaceRoots(): vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri).filter((uri) => uri.scheme === 'file');
}

/** A file's workspace folder, else the folder it lies in, and its path in there. */
export function rootOf(file: vscode.Uri): { root: vscode.Uri; path: string } {
  const root = vscode.workspace.getWorkspaceFolder(file)?.uri ?? vscode.Uri.joinPath(file, '..');
  const prefix = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return { root, path: file.path.startsWith(prefix) ? file.path.slice(prefix.length) : file.path };
}
