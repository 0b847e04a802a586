/** The language models of a window: the editor's own, and what the user chose of all there are. */
import type * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';
import { ChosenModel, whereOf } from './choice.ts';
import { LanguageModels } from './editor-models.ts';

export class Models implements vscode.Disposable {
  readonly editor: LanguageModels;
  readonly chosen: ChosenModel;

  constructor({ extension, status }: Peagen) {
    this.editor = new LanguageModels(extension.languageModelAccessInformation);
    this.chosen = new ChosenModel(extension);
    const showPlace = async () => {
      const { queue } = this.chosen;
      status.workAt(queue?.kind === 'redis' ? whereOf(queue.url) : undefined);
    };
    this.chosen.onChange(showPlace);
    void showPlace();
  }

  dispose(): void {
    this.editor.dispose();
  }
}
