/** Whether a file may be changed: `applyEdit` itself asks neither the file system nor the settings. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

/** Throws `not_found` or `conflict` with the reason. */
export async function assertWritable(document: vscode.TextDocument): Promise<void> {
  const { uri } = document;
  if (uri.scheme !== 'file') {
    if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) throw readOnly(uri, 'its file system is read-only');
    return;
  }
  try {
    await access(uri.fsPath, constants.W_OK);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
      throw new PeagenError('not_found', `${uri.fsPath} does not exist any more.`, { hint: 'Nothing was changed.', cause });
    }
    throw readOnly(uri, 'you may not write it');
  }
  const files = vscode.workspace.getConfiguration('files', uri);
  const matches = (setting: string) =>
    Object.entries(files.get<Record<string, boolean>>(setting) ?? {}).some(
      ([pattern, on]) => on && vscode.languages.match({ pattern }, document) > 0,
    );
  if (matches('readonlyInclude') && !matches('readonlyExclude')) throw readOnly(uri, 'the setting files.readonlyInclude says so');
}

function readOnly(uri: vscode.Uri, reason: string): PeagenError {
  return new PeagenError('conflict', `${uri.fsPath} is read-only: ${reason}.`, { hint: 'Nothing was changed.' });
}
