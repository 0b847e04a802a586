/** Keeps reviews in step with what happens to their files: edits, opening and closing, renames, deletion and return. */
import * as vscode from 'vscode';
import type { OpenReviews } from './open-reviews.ts';
import { followDocument, type Review, type ReviewFile, readDocument, setAside, takeUp } from './review.ts';

export class Following implements vscode.Disposable {
  private readonly reviews: OpenReviews;
  private readonly log: vscode.LogOutputChannel;
  private readonly read = new vscode.EventEmitter<{ review: Review; file: ReviewFile }>();
  /** A document was read from the start: what is anchored by line must be put in place again. */
  readonly onDidRead = this.read.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(reviews: OpenReviews, log: vscode.LogOutputChannel) {
    this.reviews = reviews;
    this.log = log;
    const { workspace } = vscode;
    const watcher = workspace.createFileSystemWatcher('**/*', false, true, false);
    this.subscriptions = [
      this.read,
      workspace.onDidChangeTextDocument((event) => this.follow(event)),
      workspace.onDidOpenTextDocument((document) => this.opened(document)),
      workspace.onDidCloseTextDocument((document) => this.closed(document)),
      workspace.onDidRenameFiles(({ files }) => this.renamed(files)),
      watcher,
      watcher.onDidDelete((uri) => this.deleted(uri)),
      watcher.onDidCreate((uri) => this.created(uri)),
    ];
  }

  private follow(event: vscode.TextDocumentChangeEvent): void {
    const at = this.reviews.at(event.document.uri);
    if (at === undefined || event.contentChanges.length === 0) return;
    followDocument(at.file, event);
    this.reviews.changed();
  }

  private opened(document: vscode.TextDocument): void {
    const at = this.reviews.at(document.uri);
    if (at === undefined) return;
    readDocument(at.file, document);
    this.read.fire(at);
    this.reviews.changed();
  }

  private closed(document: vscode.TextDocument): void {
    const at = this.reviews.at(document.uri);
    if (at !== undefined) at.file.lines = undefined;
  }

  private renamed(files: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[]): void {
    for (const { oldUri, newUri } of files) {
      for (const file of this.reviews.list().flatMap((review) => review.files)) {
        const inside = file.uri.path.startsWith(`${oldUri.path}/`) ? file.uri.path.slice(oldUri.path.length) : undefined;
        if (file.uri.toString() === oldUri.toString()) file.uri = newUri;
        else if (inside !== undefined) file.uri = newUri.with({ path: newUri.path + inside });
        else continue;
        // The watcher may have reported the end of the old file before this: then the hunks were set aside.
        this.created(file.uri);
      }
    }
    this.reviews.changed();
  }

  private deleted(uri: vscode.Uri): void {
    const at = this.reviews.at(uri);
    if (at === undefined || at.file.kind !== 'edit') return;
    setAside(at.file);
    this.reviews.changed();
  }

  /** A file that comes back (undo of a delete, a branch switched back) has its hunks again. */
  private created(uri: vscode.Uri): void {
    const at = this.reviews.at(uri);
    if (at === undefined || at.file.kind !== 'edit') return;
    takeUp(at.file);
    vscode.workspace.openTextDocument(uri).then(
      (document) => this.opened(document),
      (caught) => this.log.debug(`Reading ${uri.fsPath} again: ${String(caught)}`),
    );
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}
