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
  readonly #open = new OpenReviews();
  readonly #stored: StoredReviews;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscriptions: vscode.Disposable[];

  constructor(peagen: Peagen) {
    this.#log = peagen.log;
    const following = new Following(this.#open, peagen.log);
    const surfaces = new Surfaces(this.#open, following);
    this.decisions = new Decisions(this.#open, peagen.log);
    this.navigation = new Navigation(this.#open, surfaces.threads);
    this.#stored = new StoredReviews(this.#open, peagen.extension.storageUri, peagen.log);
    peagen.underReview = (uri) => (this.#open.at(uri)?.review.open().length ?? 0) > 0;
    this.#subscriptions = [following, surfaces, this.#stored, this.#open];
  }

  /** Opens a proposal and goes to its first hunk. Reviews of the same files end. */
  async open(proposal: Proposal): Promise<void> {
    if (proposal.changes.length === 0) {
      throw new PeagenError('invalid_input', vscode.l10n.t('{0} does not differ from the original.', proposal.title));
    }
    const known = this.#open.get(proposal.id);
    if (known !== undefined) this.close(known);
    const review = await Review.create(proposal);
    this.#endOthers(review);
    for (const file of review.files) {
      if (file.kind === 'edit') readDocument(file, await vscode.workspace.openTextDocument(file.uri));
    }
    this.#open.put(review);
    const first = review.hunks().find(({ hunk }) => isOpen(hunk));
    if (first !== undefined) await this.navigation.reveal(review, first);
    else void vscode.window.showInformationMessage(vscode.l10n.t('{0} is already in the file.', proposal.title));
  }

  /** Brings back what was under review when the window closed, without moving the user's cursor. */
  async restore(): Promise<void> {
    for (const review of await this.#stored.read()) {
      if (this.#open.get(review.id) !== undefined) continue;
      this.#endOthers(review);
      for (const file of review.files) {
        if (file.kind !== 'edit') continue;
        try {
          readDocument(file, await vscode.workspace.openTextDocument(file.uri));
        } catch (caught) {
          this.#log.debug(`${file.uri.fsPath} of an earlier review: ${String(caught)}`);
          setAside(file);
        }
      }
      this.#open.put(review);
    }
  }

  close(review: Review): void {
    this.#open.close(review);
  }

  /** The review of the active editor, else the latest with something open. */
  current(): Review | undefined {
    return this.#open.current();
  }

  /** One file is in at most one review. */
  #endOthers({ files }: Review): void {
    for (const { uri } of files) {
      const other = this.#open.at(uri);
      if (other !== undefined) this.close(other.review);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
