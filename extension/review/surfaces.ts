/** Everything that shows reviews: threads, lenses, colours, the status item and the context keys that commands depend on. */
import * as vscode from 'vscode';
import { byCount } from '../words.ts';
import { REVIEW_SCHEME, ReviewContent } from './content.ts';
import { Decorations } from './decorations.ts';
import type { Following } from './following.ts';
import { Lenses } from './lenses.ts';
import type { OpenReviews } from './open-reviews.ts';
import { ReviewThreads } from './threads.ts';

export class Surfaces implements vscode.Disposable {
  readonly threads = new ReviewThreads();
  private readonly reviews: OpenReviews;
  private readonly decorations = new Decorations();
  private readonly lenses: Lenses;
  private readonly status = vscode.window.createStatusBarItem('peagen.review', vscode.StatusBarAlignment.Left, 9);
  private readonly subscriptions: vscode.Disposable[];

  constructor(reviews: OpenReviews, following: Following) {
    this.reviews = reviews;
    this.lenses = new Lenses((uri) => reviews.at(uri)?.review);
    this.status.name = vscode.l10n.t('Peagen review');
    this.status.command = 'peagen.review.next';
    const { workspace, window } = vscode;
    this.subscriptions = [
      workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, new ReviewContent((id) => reviews.get(id))),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this.lenses),
      reviews.onDidChange(() => this.sync()),
      following.onDidRead(({ review, file }) => this.threads.move(review, file)),
      window.onDidChangeVisibleTextEditors(() => this.paint()),
      window.onDidChangeActiveTextEditor(() => this.paint()),
      this.decorations,
      this.lenses,
      this.threads,
      this.status,
    ];
  }

  private sync(): void {
    this.threads.sync(this.reviews.list());
    this.lenses.refresh(this.reviews.list());
    this.paint();
  }

  private paint(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const at = this.reviews.at(editor.document.uri);
      this.decorations.paint(editor, at?.file, (at?.review.open().length ?? 0) > 0);
    }
    const active = vscode.window.activeTextEditor?.document.uri;
    const here = active === undefined ? undefined : this.reviews.at(active)?.review;
    vscode.commands.executeCommand('setContext', 'peagen.reviewInEditor', (here?.open().length ?? 0) > 0);
    const review = this.reviews.current();
    const open = review?.open().length ?? 0;
    vscode.commands.executeCommand('setContext', 'peagen.reviewing', open > 0);
    if (review === undefined || open === 0) {
      this.status.hide();
      return;
    }
    const text = byCount(open, vscode.l10n.t('{0} change to review', open), vscode.l10n.t('{0} changes to review', open));
    const tooltip = vscode.l10n.t('{0}: go to the next change', review.proposal.title);
    this.status.text = `$(diff) ${text}`;
    this.status.tooltip = tooltip;
    this.status.accessibilityInformation = { label: `${text}. ${tooltip}`, role: 'button' };
    this.status.show();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}
