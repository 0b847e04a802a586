/** The tabs in which sample inputs are typed: their documents, and the lens that confirms them. */
import * as vscode from 'vscode';
import { KeptTexts } from '../kept-texts.ts';
import type { Peagen } from '../peagen.ts';
import { WritableFiles } from '../writable-files.ts';

export const INPUTS_SCHEME = 'peagen-inputs';
const KEPT = 50;

export function registerInputFiles({ extension, log }: Peagen): vscode.Disposable[] {
  const texts = new KeptTexts({ storage: extension.storageUri, folder: 'inputs', most: KEPT, log });
  const files = new WritableFiles(texts, async () => undefined);
  return [
    files,
    files.register(INPUTS_SCHEME),
    vscode.languages.registerCodeLensProvider({ scheme: INPUTS_SCHEME }, { provideCodeLenses: lenses }),
  ];
}

function lenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
  const top = new vscode.Range(0, 0, 0, 0);
  const params = new URLSearchParams(uri.query).get('params') ?? '';
  const shape = vscode.l10n.t('One call per line: [{0}]', params.split(' ').join(', '));
  return [
    new vscode.CodeLens(top, { title: vscode.l10n.t('$(check) Use These Inputs'), command: 'peagen.useInputs' }),
    new vscode.CodeLens(top, { title: shape, command: '' }),
  ];
}
