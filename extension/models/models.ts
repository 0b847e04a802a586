/** The language models of a window: the editor's own, and what the person chose of all there are. */
import type * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';
import { Chosen } from './choice.ts';
import { EditorModels } from './editorModels.ts';

export class Models implements vscode.Disposable {
  readonly editor: EditorModels;
  readonly chosen: Chosen;

  constructor({ extension }: Peagen) {
    this.editor = new EditorModels(extension.languageModelAccessInformation);
    this.chosen = new Chosen(extension);
  }

  dispose(): void {
    this.editor.dispose();
    this.chosen.dispose();
  }
}
