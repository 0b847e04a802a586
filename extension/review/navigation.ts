/** Going through a review: which hunk a command means, the next and the previous one, and the diff editors. */
import * as vscode from 'vscode';
import { sideUri } from './content.ts';
import type { OpenReviews } from './open-reviews.ts';
import { type HunkAt, type HunkKey, isOpen, lineOf, type Review } from './review.ts';
import type { ReviewThreads } from './threads.ts';

interface HunkTarget {
  readonly review: Review;
  readonly hunk: HunkKey;
  /** Not named, but the nearest to the cursor. */
  readonly byCursor: boolean;
}

export class Navigation {
  private readonly reviews: OpenReviews;
  private readonly threads: ReviewThreads;
  /** A key pressed twice goes two changes on: the second move begins where the first one ended. */
  private moving: Promise<void> = Promise.resolve();

  constructor(reviews: OpenReviews, threads: ReviewThreads) {
    this.reviews = reviews;
    this.threads = threads;
  }

  /** What a command is about: `{reviewId, hunkId}`, a comment thread, or nothing, which means the cursor. */
  resolve(at: unknown): HunkTarget | undefined {
    const named = this.threads.hunkOf(at) ?? at;
    if (typeof named === 'object' && named !== null && 'reviewId' in named && 'hunkId' in named) {
      const review = this.reviews.get(String(named.reviewId));
      return review === undefined ? undefined : { review, hunk: String(named.hunkId), byCursor: false };
    }
    const editor = vscode.window.activeTextEditor;
    const found = editor === undefined ? undefined : this.reviews.at(editor.document.uri);
    if (editor === undefined || found === undefined) return undefined;
    const { review, file } = found;
    const line = editor.selection.active.line;
    const distance = ({ hunk: { place } }: HunkAt) =>
      Math.max(place.start - line, line - Math.max(place.start, place.start + place.count - 1), 0);
    const [nearest] = review
      .hunks()
      .filter((candidate) => candidate.file === file && isOpen(candidate.hunk))
      .sort((a, b) => distance(a) - distance(b));
    return nearest === undefined ? undefined : { review, hunk: nearest.key, byCursor: true };
  }

  /** Whether a user who decides by key can see it. */
  inSight({ review, hunk }: HunkTarget): boolean {
    const editor = vscode.window.activeTextEditor;
    const found = review.find(hunk)?.hunk;
    if (editor === undefined || found === undefined) return false;
    const { start, count } = found.place;
    const lines = new vscode.Range(lineOf(found, editor.document.lineCount), 0, Math.max(start, start + count - 1), 0);
    return editor.visibleRanges.some((seen) => seen.intersection(lines) !== undefined);
  }

  async goTo({ review, hunk }: HunkTarget): Promise<void> {
    const at = review.find(hunk);
    if (at !== undefined) await this.reveal(review, at);
  }

  /** To the next (1) or previous (−1) open hunk from the cursor, around the ends and over files. */
  move(direction: 1 | -1): Promise<void> {
    const moved = this.moving.then(() => this.moveNow(direction));
    this.moving = moved.catch(() => undefined);
    return moved;
  }

  private async moveNow(direction: 1 | -1): Promise<void> {
    const review = this.reviews.current();
    if (review === undefined) return;
    const open = review.hunks().filter(({ hunk }) => isOpen(hunk));
    const editor = vscode.window.activeTextEditor;
    const here = editor === undefined ? undefined : review.fileOf(editor.document.uri);
    const line = editor?.selection.active.line ?? 0;
    const lineCount = editor?.document.lineCount ?? 0;
    const order = direction === 1 ? open : [...open].reverse();
    const fileAt = (at: HunkAt) => review.files.indexOf(at.file);
    const beyond = order.find((at) => {
      if (here === undefined) return true;
      const files = (fileAt(at) - review.files.indexOf(here)) * direction;
      return files > 0 || (files === 0 && (lineOf(at.hunk, lineCount) - line) * direction > 0);
    });
    const target = beyond ?? order[0];
    if (target !== undefined) await this.reveal(review, target);
  }

  async reveal(review: Review, { file, hunk, key }: HunkAt): Promise<void> {
    if (file.kind !== 'edit') return await this.diff(review, key);
    const line = lineOf(hunk, file.lines?.length ?? 1);
    const position = new vscode.Position(line, 0);
    const editor = await vscode.window.showTextDocument(file.uri, { selection: new vscode.Range(position, position) });
    // The thread below it can be longer than the window.
    editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenter);
  }

  /** One file, both sides. */
  async diff(review: Review, key: HunkKey): Promise<void> {
    const at = review.find(key);
    if (at === undefined) return;
    const { file } = at;
    await vscode.commands.executeCommand(
      'vscode.diff',
      sideUri(review, file, 'before'),
      sideUri(review, file, 'after'),
      vscode.l10n.t('{0}: original ↔ {1}', file.path, review.proposal.title),
      { selection: new vscode.Range(at.hunk.base.start, 0, at.hunk.base.start, 0) },
    );
  }

  /** The whole candidate, all of its files in one editor. */
  async changes(review: Review): Promise<void> {
    await vscode.commands.executeCommand(
      'vscode.changes',
      review.proposal.title,
      review.files.map((file) => [file.uri, sideUri(review, file, 'before'), sideUri(review, file, 'after')]),
    );
  }
}
