/** Colours of hunks in the editor. They are lost when a tab is switched, so they are painted again whenever editors change. */
import * as vscode from 'vscode';
import type { ReviewFile } from './review.ts';

export class Decorations implements vscode.Disposable {
  private readonly old = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.removedLineBackground'),
    // High contrast themes have no backgrounds; these borders exist only there.
    border: '1px dashed',
    borderColor: new vscode.ThemeColor('diffEditor.removedTextBorder'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  /** A hunk that only adds: a line under which it would go. */
  private readonly insertion = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: '0 0 2px 0',
    borderStyle: 'solid',
    borderColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly conflict = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('merge.currentContentBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.warningForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly accepted = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
    border: '1px solid',
    borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
  });

  /** Accepted hunks stay visible while others are open. */
  paint(editor: vscode.TextEditor, file: ReviewFile | undefined, underReview: boolean): void {
    const old: vscode.Range[] = [];
    const insertion: vscode.Range[] = [];
    const conflict: vscode.Range[] = [];
    const accepted: vscode.Range[] = [];
    for (const { state, place } of file?.kind === 'edit' && underReview ? file.hunks : []) {
      const last = Math.max(place.start, place.start + place.count - 1);
      const range = new vscode.Range(place.start, 0, last, 0);
      if (state === 'conflict') conflict.push(range);
      else if (state === 'accepted' && place.count > 0) accepted.push(range);
      else if (state === 'pending' && place.count > 0) old.push(range);
      else if (state === 'pending')
        insertion.push(new vscode.Range(Math.max(0, place.start - 1), 0, Math.max(0, place.start - 1), 0));
    }
    editor.setDecorations(this.old, old);
    editor.setDecorations(this.insertion, insertion);
    editor.setDecorations(this.conflict, conflict);
    editor.setDecorations(this.accepted, accepted);
  }

  dispose(): void {
    for (const type of [this.old, this.insertion, this.conflict, this.accepted]) type.dispose();
  }
}
