/** CodeLens above each open hunk: Accept · Reject · Diff, and on the first of a file Accept All · Reject All. */
import * as vscode from 'vscode';
import { isOpen, lineOf, type Review } from './review.ts';

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private shown = '[]';
  private readonly reviewOf: (uri: vscode.Uri) => Review | undefined;

  constructor(reviewOf: (uri: vscode.Uri) => Review | undefined) {
    this.reviewOf = reviewOf;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.reviewOf(document.uri);
    if (review === undefined) return [];
    const open = review.hunks().filter(({ file, hunk }) => file.uri.toString() === document.uri.toString() && isOpen(hunk));
    const all = review.open().length;
    return open.flatMap(({ key, hunk }, index) => {
      const line = lineOf(hunk, document.lineCount);
      const lens = (title: string, command: string) =>
        new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
          title,
          command,
          arguments: [{ reviewId: review.id, hunkId: key }],
        });
      const accept =
        hunk.state === 'conflict'
          ? lens(`$(warning) ${vscode.l10n.t('These lines have changed')}`, 'peagen.review.diff')
          : lens(`$(check) ${vscode.l10n.t('Accept')}`, 'peagen.review.accept');
      const each = [
        accept,
        lens(`$(close) ${vscode.l10n.t('Reject')}`, 'peagen.review.reject'),
        lens(`$(diff) ${vscode.l10n.t('Diff')}`, 'peagen.review.diff'),
      ];
      if (index > 0 || all < 2) return each;
      return [
        ...each,
        lens(`$(check-all) ${vscode.l10n.t('Accept All {0}', all)}`, 'peagen.review.acceptAll'),
        lens(vscode.l10n.t('Reject All'), 'peagen.review.rejectAll'),
      ];
    });
  }

  /** Notifies the editor, which then draws every lens of every file again: only if one of these differs from the last time. */
  refresh(reviews: readonly Review[]): void {
    const open = reviews.flatMap((review) =>
      review
        .hunks()
        .filter(({ hunk }) => isOpen(hunk))
        .map(({ key, file, hunk }) => [review.id, key, file.uri.toString(), hunk.state, hunk.place.start]),
    );
    const shown = JSON.stringify(open);
    if (shown === this.shown) return;
    this.shown = shown;
    this.changed.fire();
  }

  dispose(): void {
    this.changed.dispose();
  }
}
