/**
 * The new lines of each open hunk, in green right under its old lines. A comment thread holds them: the stable API has nothing
 * else that makes room between lines. A thread's widget follows edits by itself but its range does not, so ranges are written
 * again when a document is shown.
 */
import * as vscode from 'vscode';
import type { Hunk } from '../../shared/patch/hunk.ts';
import { sideUri } from './content.ts';
import { proposedLines } from './proposed-lines.ts';
import { type HunkAt, type HunkKey, isOpen, type Review, type ReviewFile } from './review.ts';

interface Shown {
  readonly thread: vscode.CommentThread;
  readonly text: string;
  readonly uri: string;
}

export class ReviewThreads implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('peagen.review', vscode.l10n.t('Peagen proposals'));
  private readonly shown = new Map<string, Shown>();
  private readonly hunks = new WeakMap<vscode.CommentThread, { reviewId: string; hunkId: HunkKey }>();

  /** The hunk a thread's button was pressed for. */
  hunkOf(thread: unknown): { reviewId: string; hunkId: HunkKey } | undefined {
    return typeof thread === 'object' && thread !== null ? this.hunks.get(thread as vscode.CommentThread) : undefined;
  }

  /** Shows the open hunks of these reviews, and no others. */
  sync(reviews: readonly Review[]): void {
    const wanted = new Set<string>();
    for (const review of reviews) {
      const withFacts = new Set<ReviewFile>();
      for (const [index, at] of review.hunks().entries()) {
        if (!isOpen(at.hunk)) continue;
        const id = `${review.id} ${at.key}`;
        wanted.add(id);
        // They belong to the whole candidate: once for each file, at its first open change.
        const facts = withFacts.has(at.file) ? [] : [review.proposal.metrics, review.proposal.why];
        withFacts.add(at.file);
        this.show(id, review, at, index + 1, facts);
      }
    }
    for (const [id, { thread }] of this.shown) {
      if (wanted.has(id)) continue;
      thread.dispose();
      this.shown.delete(id);
    }
  }

  /** Puts the threads of a file where its hunks are now. */
  move(review: Review, file: ReviewFile): void {
    for (const { key, hunk } of review.hunks().filter((at) => at.file === file)) {
      const shown = this.shown.get(`${review.id} ${key}`);
      if (shown !== undefined && shown.thread.range?.start.line !== anchorLine(hunk)) shown.thread.range = anchor(hunk);
    }
  }

  private show(id: string, review: Review, at: HunkAt, number: number, facts: readonly string[]): void {
    const { file, hunk, key } = at;
    const uri = file.kind === 'edit' ? file.uri : sideUri(review, file, file.kind === 'create' ? 'after' : 'before');
    const body = bodyOf(at, facts);
    const before = this.shown.get(id);
    if (before !== undefined && before.uri === uri.toString() && before.text === body.value) return;
    before?.thread.dispose();
    const thread = this.controller.createCommentThread(uri, file.kind === 'edit' ? anchor(hunk) : new vscode.Range(0, 0, 0, 0), [
      { body, mode: vscode.CommentMode.Preview, author: { name: 'Peagen' } },
    ]);
    const total = review.hunks().length;
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    thread.contextValue = hunk.state === 'conflict' ? 'peagenConflict' : 'peagenHunk';
    thread.label = vscode.l10n.t('Change {0} of {1} · {2}', number, total, review.proposal.title);
    this.hunks.set(thread, { reviewId: review.id, hunkId: key });
    this.shown.set(id, { thread, text: body.value, uri: uri.toString() });
  }

  dispose(): void {
    for (const { thread } of this.shown.values()) thread.dispose();
    this.controller.dispose();
  }
}

function anchorLine({ place }: Hunk): number {
  return Math.max(0, place.start + place.count - 1);
}

function anchor(hunk: Hunk): vscode.Range {
  return new vscode.Range(anchorLine(hunk), 0, anchorLine(hunk), 0);
}

function bodyOf({ hunk, file }: HunkAt, facts: readonly string[]): vscode.MarkdownString {
  const body = new vscode.MarkdownString();
  // For the colours of the new lines; the editor lets nothing through that could act.
  body.supportHtml = true;
  const heading = headingOf(hunk, file);
  if (heading !== undefined) body.appendMarkdown(`**${plain(heading)}**\n\n`);
  if (file.kind === 'edit' && hunk.newLines.length > 0)
    body.appendMarkdown(proposedLines(hunk.base.oldLines, hunk.newLines, file.path));
  body.appendMarkdown(
    facts
      .filter((text) => text.trim() !== '')
      .map(plain)
      .join('  \n'),
  );
  return body;
}

/** What the change is, where its new lines alone do not say it. */
function headingOf(hunk: Hunk, { kind }: ReviewFile): string | undefined {
  if (hunk.state === 'conflict') return vscode.l10n.t('These lines have changed since. The candidate has here:');
  if (kind === 'create') return vscode.l10n.t('Creates this file.');
  if (kind === 'delete') return vscode.l10n.t('Deletes this file.');
  if (hunk.newLines.length > 0) return undefined;
  return hunk.base.oldLines.length === 1 ? vscode.l10n.t('Deletes this line.') : vscode.l10n.t('Deletes these lines.');
}

/** Text that reads as it is, and wraps: `appendText` keeps every space from breaking. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!<>|~&$:]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
