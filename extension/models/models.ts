/** The language models of a window: the editor's own, and what the user chose of all there are. */
import type * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';
import { Chosen, whereOf } from './choice.ts';
import { EditorModels } from './editor-models.ts';

export class Models implements vscode.Disposable {
  readonly editor: EditorModels;
  readonly chosen: Chosen;

  constructor({ extension, status }: Peagen) {
    this.editor = new EditorModels(extension.languageModelAccessInformation);
    this.chosen = new Chosen(extension);
    const showPlace = () => {
      const { queue } = this.chosen;
      status.workAt(queue?.kind === 'redis' ? whereOf(queue.url) : undefined);
    };
    this.chosen.onDidChange(showPlace);
    showPlace();
  }

  dispose(): void {
    this.editor.dispose();
    this.chosen.dispose();
  }
}
