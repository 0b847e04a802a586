/**
 * Accepting and rejecting hunks, one decision after the other: each sees the text that the one before left. An edit is
 * built for the text as it is at that moment, because the editor stamps it with the version at `applyEdit`.
 */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { planAccept } from '../../shared/patch/decide.ts';
import { byCount } from '../words.ts';
import type { OpenReviews } from './open-reviews.ts';
import { addEdits, type HunkKey, isOpen, type Review, type ReviewFile, readDocument } from './review.ts';
import { assertWritable } from './writable.ts';

interface Prepared {
  readonly edit: vscode.WorkspaceEdit;
  /** Hunks that the edit accepts. */
  readonly wanted: HunkKey[];
  readonly conflicts: HunkKey[];
  /** Documents to save afterwards: they were clean before. */
  readonly clean: vscode.TextDocument[];
}

export class Decisions {
  private readonly reviews: OpenReviews;
  private readonly log: vscode.LogOutputChannel;
  private chain: Promise<unknown> = Promise.resolve();

  constructor(reviews: OpenReviews, log: vscode.LogOutputChannel) {
    this.reviews = reviews;
    this.log = log;
  }

  /** `preview`: the user confirms each change in the Refactor Preview before anything is written. */
  accept(review: Review, keys: readonly HunkKey[], preview = false): Promise<void> {
    return this.serially(() => this.acceptNow(review, keys, preview));
  }

  reject(review: Review, keys: readonly HunkKey[]): Promise<void> {
    return this.serially(async () => {
      review.setState(keys, 'rejected');
      this.reviews.changed();
    });
  }

  private async acceptNow(review: Review, keys: readonly HunkKey[], preview: boolean): Promise<void> {
    const files = review.files.filter((_, index) =>
      keys.some((key) => {
        const hunk = key.startsWith(`${index}/`) ? review.find(key)?.hunk : undefined;
        return hunk !== undefined && isOpen(hunk);
      }),
    );
    const documents = new Map<ReviewFile, vscode.TextDocument>();
    for (const file of files) {
      if (file.kind !== 'edit') continue;
      const document = await vscode.workspace.openTextDocument(file.uri);
      await assertWritable(document);
      documents.set(file, document);
    }
    // From here to applyEdit nothing waits: the edit is for the text as it is now.
    const prepared = prepare(review, files, documents, keys, preview);
    review.setState(prepared.conflicts, 'conflict');
    if (prepared.wanted.length > 0) await this.apply(review, prepared, documents, preview);
    this.reviews.changed();
    const left = keys.filter((key) => review.find(key)?.hunk.state === 'conflict');
    if (left.length > 0) void tellConflicts(review, left);
  }

  private async apply(
    review: Review,
    { edit, wanted, clean }: Prepared,
    documents: ReadonlyMap<ReviewFile, vscode.TextDocument>,
    preview: boolean,
  ): Promise<void> {
    if (!(await vscode.workspace.applyEdit(edit, { isRefactoring: preview }))) {
      // In a preview, that is the user's own answer.
      if (preview) return;
      const names = [...documents.keys()].map((file) => file.path).join(', ');
      throw new PeagenError('conflict', vscode.l10n.t('The editor refused to change {0}.', names), {
        hint: vscode.l10n.t('The file may be read-only, or was being changed at the same time; try again.'),
      });
    }
    for (const [file, document] of documents) readDocument(file, document);
    const whole = wanted.filter((key) => review.find(key)?.file.kind !== 'edit');
    review.setState(preview ? await done(review, whole) : whole, 'accepted');
    for (const document of clean) {
      if (document.isDirty && !(await document.save())) this.log.warn(`${document.fileName} was changed but could not be saved.`);
    }
  }

  private serially<T>(decide: () => Promise<T>): Promise<T> {
    const done = this.chain.then(decide);
    this.chain = done.catch(() => undefined);
    return done;
  }
}

function prepare(
  review: Review,
  files: readonly ReviewFile[],
  documents: ReadonlyMap<ReviewFile, vscode.TextDocument>,
  keys: readonly HunkKey[],
  preview: boolean,
): Prepared {
  const prepared: Prepared = { edit: new vscode.WorkspaceEdit(), wanted: [], conflicts: [], clean: [] };
  const metadata = preview ? { needsConfirmation: true, label: review.proposal.title } : undefined;
  for (const file of files) {
    const prefix = `${review.files.indexOf(file)}/`;
    const document = documents.get(file);
    const ids = new Set(keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
    if (document === undefined) {
      if (file.kind === 'create')
        prepared.edit.createFile(file.uri, { contents: new TextEncoder().encode(file.after) }, metadata);
      else prepared.edit.deleteFile(file.uri, undefined, metadata);
      prepared.wanted.push(...[...ids].map((id) => prefix + id));
      continue;
    }
    readDocument(file, document);
    const plan = planAccept(file.hunks, file.lines ?? [], ids);
    addEdits(prepared.edit, file, document, plan.edits, metadata);
    prepared.conflicts.push(...plan.conflicts.map((id) => prefix + id));
    const pending = file.hunks.filter(
      (hunk) => ids.has(hunk.id) && hunk.state === 'pending' && !plan.conflicts.includes(hunk.id),
    );
    prepared.wanted.push(...pending.map((hunk) => prefix + hunk.id));
    if (!document.isDirty && plan.edits.length > 0) prepared.clean.push(document);
  }
  return prepared;
}

/** After a preview: the files that were really created or deleted. */
async function done(review: Review, keys: readonly HunkKey[]): Promise<HunkKey[]> {
  const found = await Promise.all(
    keys.map(async (key) => {
      const file = review.find(key)?.file;
      if (file === undefined) return [];
      const there = await vscode.workspace.fs.stat(file.uri).then(
        () => true,
        () => false,
      );
      return there === (file.kind === 'create') ? [key] : [];
    }),
  );
  return found.flat();
}

/** The lines that a change was for are not there any more: the diff shows what it wanted. */
async function tellConflicts({ id: reviewId }: Review, keys: readonly HunkKey[]): Promise<void> {
  const diff = vscode.l10n.t('Show Diff');
  const answer = await vscode.window.showWarningMessage(
    byCount(
      keys.length,
      vscode.l10n.t('{0} change could not be placed: the lines have changed since.', keys.length),
      vscode.l10n.t('{0} changes could not be placed: the lines have changed since.', keys.length),
    ),
    diff,
  );
  if (answer === diff) await vscode.commands.executeCommand('peagen.review.diff', { reviewId, hunkId: keys[0] });
}
