/**
 * The reviews of this window: opens proposals, follows their documents, and decides hunks. A proposal never enters a
 * document before it is accepted; one file is in at most one review.
 */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { planAccept } from '../../shared/patch/decide.ts';
import type { Peagen } from '../peagen.ts';
import { plural } from '../words.ts';
import { REVIEW_SCHEME, ReviewContent, sideUri } from './content.ts';
import { Decorations } from './decorations.ts';
import { Lenses } from './lenses.ts';
import {
  addEdits,
  followDocument,
  type HunkAt,
  type HunkKey,
  isOpen,
  type Proposal,
  Review,
  type ReviewFile,
  readDocument,
} from './review.ts';
import { Threads } from './threads.ts';
import { assertWritable } from './writable.ts';

export interface HunkTarget {
  readonly review: Review;
  readonly hunk: HunkKey;
}

export class Reviews implements vscode.Disposable {
  readonly #peagen: Peagen;
  readonly #reviews = new Map<string, Review>();
  readonly #decorations = new Decorations();
  readonly #lenses = new Lenses((uri) => this.#reviewOf(uri));
  readonly #threads = new Threads();
  readonly #status = vscode.window.createStatusBarItem('peagen.review', vscode.StatusBarAlignment.Left, 9);
  readonly #subscriptions: vscode.Disposable[];
  /** Decisions are taken one after the other: each sees the text that the one before left. */
  #chain: Promise<unknown> = Promise.resolve();

  constructor(peagen: Peagen) {
    this.#peagen = peagen;
    this.#status.name = 'Peagen review';
    this.#status.command = 'peagen.review.next';
    const { workspace, window } = vscode;
    const watcher = workspace.createFileSystemWatcher('**/*', false, true, false);
    this.#subscriptions = [
      workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, new ReviewContent((id) => this.#reviews.get(id))),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this.#lenses),
      workspace.onDidChangeTextDocument((event) => this.#follow(event)),
      workspace.onDidOpenTextDocument((document) => this.#read(document)),
      workspace.onDidCloseTextDocument((document) => this.#leave(document)),
      workspace.onDidRenameFiles(({ files }) => this.#renamed(files)),
      watcher,
      watcher.onDidDelete((uri) => this.#deleted(uri)),
      watcher.onDidCreate((uri) => this.#created(uri)),
      window.onDidChangeVisibleTextEditors(() => this.#show()),
      window.onDidChangeActiveTextEditor(() => this.#show()),
      this.#decorations,
      this.#lenses,
      this.#threads,
      this.#status,
    ];
  }

  /** Opens a proposal and goes to its first hunk. Reviews of the same files end. */
  async open(proposal: Proposal): Promise<void> {
    if (proposal.changes.length === 0) {
      throw new PeagenError('invalid_input', `${proposal.title} does not differ from the original.`);
    }
    const known = this.#reviews.get(proposal.id);
    if (known !== undefined) this.close(known);
    const review = await Review.create(proposal);
    for (const file of review.files) {
      const other = this.#reviewOf(file.uri);
      if (other !== undefined) this.close(other);
    }
    for (const file of review.files) {
      if (file.kind === 'edit') readDocument(file, await vscode.workspace.openTextDocument(file.uri));
    }
    this.#reviews.set(review.id, review);
    this.#changed();
    const first = review.hunks().find(({ hunk }) => isOpen(hunk));
    if (first !== undefined) await this.#reveal(review, first);
    else void vscode.window.showInformationMessage(`${proposal.title} is already in the file.`);
  }

  close(review: Review): void {
    review.setState(review.open(), 'stale');
    this.#reviews.delete(review.id);
    this.#changed();
  }

  /** The review of the active editor, else the latest with something open. */
  current(): Review | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    const here = active === undefined ? undefined : this.#reviewOf(active);
    return here ?? [...this.#reviews.values()].reverse().find((review) => review.open().length > 0);
  }

  /** What a command is about: `{reviewId, hunkId}`, a comment thread, or nothing, which means the cursor. */
  resolve(at: unknown): HunkTarget | undefined {
    const named = this.#threads.hunkOf(at) ?? at;
    if (typeof named === 'object' && named !== null && 'reviewId' in named && 'hunkId' in named) {
      const review = this.#reviews.get(String(named.reviewId));
      return review === undefined ? undefined : { review, hunk: String(named.hunkId) };
    }
    const editor = vscode.window.activeTextEditor;
    const review = editor === undefined ? undefined : this.#reviewOf(editor.document.uri);
    if (editor === undefined || review === undefined) return undefined;
    const file = review.fileOf(editor.document.uri);
    const line = editor.selection.active.line;
    const distance = ({ hunk: { place } }: HunkAt) =>
      Math.max(place.start - line, line - Math.max(place.start, place.start + place.count - 1), 0);
    const [nearest] = review
      .hunks()
      .filter((candidate) => candidate.file === file && isOpen(candidate.hunk))
      .sort((a, b) => distance(a) - distance(b));
    return nearest === undefined ? undefined : { review, hunk: nearest.key };
  }

  accept(review: Review, keys: readonly HunkKey[]): Promise<void> {
    return this.#serially(() => this.#accept(review, keys));
  }

  reject(review: Review, keys: readonly HunkKey[]): Promise<void> {
    return this.#serially(async () => {
      review.setState(keys, 'rejected');
      this.#changed();
    });
  }

  async #accept(review: Review, keys: readonly HunkKey[]): Promise<void> {
    const files = review.files.filter((file, index) =>
      keys.some((key) => key.startsWith(`${index}/`) && isOpenKey(review, key) && file),
    );
    const documents = new Map<ReviewFile, vscode.TextDocument>();
    for (const file of files) {
      if (file.kind !== 'edit') continue;
      const document = await vscode.workspace.openTextDocument(file.uri);
      await assertWritable(document);
      documents.set(file, document);
    }
    // From here to applyEdit nothing waits: the edit is for the text as it is now.
    const edit = new vscode.WorkspaceEdit();
    const clean: vscode.TextDocument[] = [];
    const wanted: HunkKey[] = [];
    const conflicts: HunkKey[] = [];
    for (const file of files) {
      const prefix = `${review.files.indexOf(file)}/`;
      const document = documents.get(file);
      const ids = new Set(keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
      if (document === undefined) {
        if (file.kind === 'create') edit.createFile(file.uri, { contents: new TextEncoder().encode(file.after) });
        else edit.deleteFile(file.uri);
        wanted.push(...[...ids].map((id) => prefix + id));
        continue;
      }
      readDocument(file, document);
      const plan = planAccept(file.hunks, file.lines ?? [], ids);
      addEdits(edit, file, document, plan.edits);
      conflicts.push(...plan.conflicts.map((id) => prefix + id));
      const pending = file.hunks.filter(
        (hunk) => ids.has(hunk.id) && hunk.state === 'pending' && !plan.conflicts.includes(hunk.id),
      );
      wanted.push(...pending.map((hunk) => prefix + hunk.id));
      if (!document.isDirty && plan.edits.length > 0) clean.push(document);
    }
    review.setState(conflicts, 'conflict');
    if (wanted.length > 0) await this.#apply(review, edit, wanted, clean, documents);
    this.#changed();
    const left = keys.filter((key) => review.find(key)?.hunk.state === 'conflict').length;
    if (left > 0) {
      void vscode.window.showWarningMessage(`${plural(left, 'change')} could not be placed: the lines have changed since.`);
    }
  }

  async #apply(
    review: Review,
    edit: vscode.WorkspaceEdit,
    wanted: readonly HunkKey[],
    clean: readonly vscode.TextDocument[],
    documents: ReadonlyMap<ReviewFile, vscode.TextDocument>,
  ): Promise<void> {
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new PeagenError(
        'conflict',
        `The editor refused to change ${[...documents.keys()].map((file) => file.path).join(', ')}.`,
        {
          hint: 'The file may be read-only, or was being changed at the same time; try again.',
        },
      );
    }
    for (const [file, document] of documents) readDocument(file, document);
    review.setState(
      wanted.filter((key) => review.find(key)?.file.kind !== 'edit'),
      'accepted',
    );
    for (const document of clean) {
      if (!(await document.save())) this.#peagen.log.warn(`${document.fileName} was changed but could not be saved.`);
    }
  }

  /** To the next (1) or previous (−1) open hunk from the cursor, around the ends and over files. */
  async move(direction: 1 | -1): Promise<void> {
    const review = this.current();
    if (review === undefined) return;
    const open = review.hunks().filter(({ hunk }) => isOpen(hunk));
    const editor = vscode.window.activeTextEditor;
    const here = editor === undefined ? undefined : review.fileOf(editor.document.uri);
    const line = editor?.selection.active.line ?? 0;
    const order = direction === 1 ? open : [...open].reverse();
    const fileAt = (at: HunkAt) => review.files.indexOf(at.file);
    const beyond = order.find((at) => {
      if (here === undefined) return true;
      const files = (fileAt(at) - review.files.indexOf(here)) * direction;
      return files > 0 || (files === 0 && (at.hunk.place.start - line) * direction > 0);
    });
    const target = beyond ?? order[0];
    if (target !== undefined) await this.#reveal(review, target);
  }

  async diff(review: Review, key: HunkKey): Promise<void> {
    const at = review.find(key);
    if (at === undefined) return;
    const { file } = at;
    await vscode.commands.executeCommand(
      'vscode.diff',
      sideUri(review, file, 'before'),
      sideUri(review, file, 'after'),
      `${file.path}: original ↔ ${review.proposal.title}`,
      { selection: new vscode.Range(at.hunk.base.start, 0, at.hunk.base.start, 0) },
    );
  }

  async #reveal(review: Review, { file, hunk, key }: HunkAt): Promise<void> {
    if (file.kind !== 'edit') return await this.diff(review, key);
    const line = Math.min(hunk.place.start, Math.max(0, (file.lines?.length ?? 1) - 1));
    const position = new vscode.Position(line, 0);
    const editor = await vscode.window.showTextDocument(file.uri, { selection: new vscode.Range(position, position) });
    editor.revealRange(
      new vscode.Range(line, 0, line + hunk.place.count + hunk.newLines.length, 0),
      vscode.TextEditorRevealType.InCenter,
    );
  }

  #reviewOf(uri: vscode.Uri): Review | undefined {
    return [...this.#reviews.values()].find((review) => review.fileOf(uri) !== undefined);
  }

  #follow(event: vscode.TextDocumentChangeEvent): void {
    const review = this.#reviewOf(event.document.uri);
    const file = review?.fileOf(event.document.uri);
    if (file === undefined || event.contentChanges.length === 0) return;
    followDocument(file, event);
    this.#changed();
  }

  #read(document: vscode.TextDocument): void {
    const review = this.#reviewOf(document.uri);
    const file = review?.fileOf(document.uri);
    if (review === undefined || file === undefined) return;
    readDocument(file, document);
    this.#threads.move(review, file);
    this.#changed();
  }

  #leave(document: vscode.TextDocument): void {
    const file = this.#reviewOf(document.uri)?.fileOf(document.uri);
    if (file !== undefined) file.lines = undefined;
  }

  #renamed(files: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[]): void {
    for (const { oldUri, newUri } of files) {
      for (const file of [...this.#reviews.values()].flatMap((review) => review.files)) {
        const inside = file.uri.path.startsWith(`${oldUri.path}/`) ? file.uri.path.slice(oldUri.path.length) : undefined;
        if (file.uri.toString() === oldUri.toString()) file.uri = newUri;
        else if (inside !== undefined) file.uri = newUri.with({ path: newUri.path + inside });
      }
    }
    this.#changed();
  }

  #deleted(uri: vscode.Uri): void {
    const file = this.#reviewOf(uri)?.fileOf(uri);
    if (file === undefined || file.kind !== 'edit') return;
    file.hunks = file.hunks.map((hunk) => (isOpen(hunk) ? { ...hunk, state: 'stale' } : hunk));
    file.lines = undefined;
    this.#changed();
  }

  /** A file that comes back (undo of a delete, a branch switched back) has its hunks again. */
  #created(uri: vscode.Uri): void {
    const file = this.#reviewOf(uri)?.fileOf(uri);
    if (file === undefined || file.kind !== 'edit') return;
    file.hunks = file.hunks.map((hunk) => (hunk.state === 'stale' ? { ...hunk, state: 'pending' } : hunk));
    vscode.workspace.openTextDocument(uri).then(
      (document) => this.#read(document),
      (caught) => this.#peagen.log.debug(`Reading ${uri.fsPath} again: ${String(caught)}`),
    );
  }

  #changed(): void {
    this.#threads.sync([...this.#reviews.values()]);
    this.#lenses.refresh();
    this.#show();
  }

  #show(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const review = this.#reviewOf(editor.document.uri);
      this.#decorations.paint(editor, review?.fileOf(editor.document.uri), (review?.open().length ?? 0) > 0);
    }
    const active = vscode.window.activeTextEditor?.document.uri;
    const here = active === undefined ? undefined : this.#reviewOf(active);
    vscode.commands.executeCommand('setContext', 'peagen.reviewInEditor', (here?.open().length ?? 0) > 0);
    const review = this.current();
    const open = review?.open().length ?? 0;
    vscode.commands.executeCommand('setContext', 'peagen.reviewing', open > 0);
    if (review === undefined || open === 0) {
      this.#status.hide();
      return;
    }
    this.#status.text = `$(diff) ${plural(open, 'change')} to review`;
    this.#status.tooltip = `${review.proposal.title}: go to the next change`;
    this.#status.show();
  }

  #serially<T>(decide: () => Promise<T>): Promise<T> {
    const done = this.#chain.then(decide);
    this.#chain = done.catch(() => undefined);
    return done;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

function isOpenKey(review: Review, key: HunkKey): boolean {
  const hunk = review.find(key)?.hunk;
  return hunk !== undefined && isOpen(hunk);
}
