/** The reviews of this window: opens proposals, brings back those of the last session, and owns what shows and decides them. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import type { Peagen } from '../peagen.ts';
import { Decisions } from './decisions.ts';
import { Following } from './following.ts';
import { Navigation } from './navigation.ts';
import { OpenReviews } from './open-reviews.ts';
import { isOpen, type Proposal, Review, readDocument, setAside } from './review.ts';
import { StoredReviews } from './stored.ts';
import { Surfaces } from './surfaces.ts';

export class Reviews implements vscode.Disposable {
  readonly decisions: Decisions;
  readonly navigation: Navigation;
  private readonly openReviews = new OpenReviews();
  private readonly stored: StoredReviews;
  private readonly log: vscode.LogOutputChannel;
  private readonly subscriptions: vscode.Disposable[];

  constructor(peagen: Peagen) {
    this.log = peagen.log;
    const following = new Following(this.openReviews, peagen.log);
    const surfaces = new Surfaces(this.openReviews, following);
    this.decisions = new Decisions(this.openReviews, peagen.log);
    this.navigation = new Navigation(this.openReviews, surfaces.threads);
    this.stored = new StoredReviews(this.openReviews, peagen.extension.storageUri, peagen.log);
    peagen.underReview = (uri) => (this.openReviews.at(uri)?.review.open().length ?? 0) > 0;
    this.subscriptions = [following, surfaces, this.stored, this.openReviews];
  }

  /** Opens a proposal and goes to its first hunk. Reviews of the same files end. */
  async open(proposal: Proposal): Promise<void> {
    if (proposal.changes.length === 0) {
      throw new PeagenError('invalid_input', vscode.l10n.t('{0} does not differ from the original.', proposal.title));
    }
    const known = this.openReviews.get(proposal.id);
    if (known !== undefined) this.close(known);
    const review = await Review.create(proposal);
    this.endOthers(review);
    for (const file of review.files) {
      if (file.kind === 'edit') readDocument(file, await vscode.workspace.openTextDocument(file.uri));
    }
    this.openReviews.put(review);
    const first = review.hunks().find(({ hunk }) => isOpen(hunk));
    if (first !== undefined) await this.navigation.reveal(review, first);
    else void vscode.window.showInformationMessage(vscode.l10n.t('{0} is already in the file.', proposal.title));
  }

  /** Brings back what was under review when the window closed, without moving the user's cursor. */
  async restore(): Promise<void> {
    for (const review of await this.stored.read()) {
      if (this.openReviews.get(review.id) !== undefined) continue;
      this.endOthers(review);
      for (const file of review.files) {
        if (file.kind !== 'edit') continue;
        try {
          readDocument(file, await vscode.workspace.openTextDocument(file.uri));
        } catch (caught) {
          this.log.debug(`${file.uri.fsPath} of an earlier review: ${String(caught)}`);
          setAside(file);
        }
      }
      this.openReviews.put(review);
    }
  }

  close(review: Review): void {
    this.openReviews.close(review);
  }

  /** The review of the active editor, else the latest with something open. */
  current(): Review | undefined {
    return this.openReviews.current();
  }

  /** One file is in at most one review. */
  private endOthers({ files }: Review): void {
    for (const { uri } of files) {
      const other = this.openReviews.at(uri);
      if (other !== undefined) this.close(other.review);
    }
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}
