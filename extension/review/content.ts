/** Both sides of a file under review as virtual documents, for diff editors. */
import * as vscode from 'vscode';
import type { Review, ReviewFile } from './review.ts';

export const REVIEW_SCHEME = 'peagen-review';

export function sideUri(review: Review, file: ReviewFile, side: 'before' | 'after'): vscode.Uri {
  const query = new URLSearchParams({ review: review.id, file: String(review.files.indexOf(file)), side }).toString();
  return vscode.Uri.from({ scheme: REVIEW_SCHEME, path: `/${file.path}`, query });
}

export class ReviewContent implements vscode.TextDocumentContentProvider {
  private readonly find: (id: string) => Review | undefined;

  constructor(find: (id: string) => Review | undefined) {
    this.find = find;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const query = new URLSearchParams(uri.query);
    const file = this.find(query.get('review') ?? '')?.files[Number(query.get('file'))];
    return (query.get('side') === 'after' ? file?.after : file?.before) ?? '';
  }
}
