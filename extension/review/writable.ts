/** Whether a file may be changed: `applyEdit` itself asks neither the file system nor the settings. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

/** Throws `not_found` or `conflict` with the reason. */
export async function assertWritable(document: vscode.TextDocument): Promise<void> {
  const { uri } = document;
  if (uri.scheme !== 'file') {
    if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false)
      throw readOnly(uri, vscode.l10n.t('its file system is read-only'));
    return;
  }
  try {
    await access(uri.fsPath, constants.W_OK);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
      throw new PeagenError('not_found', vscode.l10n.t('{0} does not exist any more.', uri.fsPath), {
        hint: vscode.l10n.t('Nothing was changed.'),
        cause,
      });
    }
    throw readOnly(uri, vscode.l10n.t('you may not write it'));
  }
  const files = vscode.workspace.getConfiguration('files', uri);
  const matches = (setting: string) =>
    Object.entries(files.get<Record<string, boolean>>(setting) ?? {}).some(
      ([pattern, on]) => on && vscode.languages.match({ pattern }, document) > 0,
    );
  if (matches('readonlyInclude') && !matches('readonlyExclude'))
    throw readOnly(uri, vscode.l10n.t('the setting files.readonlyInclude says so'));
}

function readOnly(uri: vscode.Uri, reason: string): PeagenError {
  return new PeagenError('conflict', vscode.l10n.t('{0} is read-only: {1}.', uri.fsPath, reason), {
    hint: vscode.l10n.t('Nothing was changed.'),
  });
}
