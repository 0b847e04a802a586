/** The reviews that are open in this window, and the event that notifies every surface of a change in any of them. */
import * as vscode from 'vscode';
import type { Review, ReviewFile } from './review.ts';

export class OpenReviews implements vscode.Disposable {
  private readonly reviews = new Map<string, Review>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;

  list(): Review[] {
    return [...this.reviews.values()];
  }

  get(id: string): Review | undefined {
    return this.reviews.get(id);
  }

  /** One file is in at most one review. */
  at(uri: vscode.Uri): { review: Review; file: ReviewFile } | undefined {
    for (const review of this.reviews.values()) {
      const file = review.fileOf(uri);
      if (file !== undefined) return { review, file };
    }
    return undefined;
  }

  /** The review of the active editor, else the latest with something open. */
  current(): Review | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    const here = active === undefined ? undefined : this.at(active)?.review;
    return here ?? this.list().findLast((review) => review.open().length > 0);
  }

  put(review: Review): void {
    this.reviews.set(review.id, review);
    this.changed();
  }

  /** What was not decided becomes stale. */
  close(review: Review): void {
    review.setState(review.open(), 'stale');
    this.reviews.delete(review.id);
    this.changed();
  }

  /** To be called after any change of a hunk or a file. */
  changed(): void {
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }
}
