/** One candidate under review: its files, their hunks, and what became of them. Knows the editor's documents, not its surfaces. */
import * as vscode from 'vscode';
import { followChanges } from '../../shared/patch/follow.ts';
import { diffHunks, type Hunk, type HunkState } from '../../shared/patch/hunk.ts';
import { type LineEdit, rangeEdit, splitLines } from '../../shared/patch/lines.ts';
import { placeHunks } from '../../shared/patch/locate.ts';
import type { EliteDetail } from '../../shared/run.ts';

/** What a review is opened with. */
export interface Proposal {
  readonly id: string;
  readonly root: vscode.Uri;
  readonly title: string;
  /** What the mutator did, in its words. */
  readonly why: string;
  /** What was measured, in words. */
  readonly metrics: string;
  readonly changes: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  /** The candidate of a run, as it was then: its run may drop it once the file has changed. Not there after a reload of the window. */
  readonly elite?: EliteDetail;
}

/** `create` and `delete` are decided as a whole: such a file has one hunk. */
type FileKind = 'edit' | 'create' | 'delete';

export interface ReviewFile {
  uri: vscode.Uri;
  readonly path: string;
  readonly kind: FileKind;
  readonly before: string;
  readonly after: string;
  hunks: Hunk[];
  /** The document's lines while it is followed; undefined while no document is open. */
  lines: string[] | undefined;
}

/** A hunk of a review: `2/h1` is the first hunk of its third file. */
export type HunkKey = string;

export interface HunkAt {
  readonly key: HunkKey;
  readonly file: ReviewFile;
  readonly hunk: Hunk;
}

export class Review {
  readonly proposal: Proposal;
  readonly files: readonly ReviewFile[];

  private constructor(proposal: Proposal, files: ReviewFile[]) {
    this.proposal = proposal;
    this.files = files;
  }

  static async create(proposal: Proposal): Promise<Review> {
    const files = await Promise.all(
      proposal.changes.map(async ({ path, before, after }): Promise<ReviewFile> => {
        const uri = vscode.Uri.joinPath(proposal.root, path);
        const kind: FileKind = before === '' && !(await exists(uri)) ? 'create' : after === '' ? 'delete' : 'edit';
        return newFile(uri, path, kind, before, after);
      }),
    );
    return new Review(proposal, files);
  }

  /** As it was left: hunks are looked for in the text again, but what was decided stays decided. */
  static restored(
    proposal: Proposal,
    left: readonly { uri: vscode.Uri; kind: FileKind; states: Readonly<Record<string, HunkState>> }[],
  ): Review {
    const files = proposal.changes.flatMap(({ path, before, after }, index) => {
      const found = left[index];
      if (found === undefined) return [];
      const file = newFile(found.uri, path, found.kind, before, after);
      return { ...file, hunks: file.hunks.map((hunk) => ({ ...hunk, state: found.states[hunk.id] ?? hunk.state })) };
    });
    return new Review(proposal, files);
  }

  get id(): string {
    return this.proposal.id;
  }

  hunks(): HunkAt[] {
    return this.files.flatMap((file, index) => file.hunks.map((hunk) => ({ key: `${index}/${hunk.id}`, file, hunk })));
  }

  find(key: HunkKey): HunkAt | undefined {
    return this.hunks().find((at) => at.key === key);
  }

  pending(): HunkKey[] {
    return this.hunks()
      .filter(({ hunk }) => hunk.state === 'pending')
      .map(({ key }) => key);
  }

  /** Undecided: pending, or in conflict. */
  open(): HunkKey[] {
    return this.hunks()
      .filter(({ hunk }) => isOpen(hunk))
      .map(({ key }) => key);
  }

  fileOf(uri: vscode.Uri): ReviewFile | undefined {
    return this.files.find((file) => file.uri.toString() === uri.toString());
  }

  setState(keys: readonly HunkKey[], state: Hunk['state']): void {
    for (const [index, file] of this.files.entries()) {
      file.hunks = file.hunks.map((hunk) => (keys.includes(`${index}/${hunk.id}`) ? { ...hunk, state } : hunk));
    }
  }
}

function newFile(uri: vscode.Uri, path: string, kind: FileKind, before: string, after: string): ReviewFile {
  const hunks = diffHunks(before, after);
  return { uri, path, kind, before, after, hunks: kind === 'edit' ? hunks : hunks.slice(0, 1), lines: undefined };
}

/** The line that a change is shown at, with what can be done with it above: of lines that are only added, the one before them. */
export function lineOf({ place: { start, count } }: Pick<Hunk, 'place'>, lineCount: number): number {
  return Math.max(0, Math.min(count === 0 ? start - 1 : start, lineCount - 1));
}

export function isOpen(hunk: Hunk): boolean {
  return hunk.state === 'pending' || hunk.state === 'conflict';
}

/** Reads where the hunks are in a document that was not followed until now. */
export function readDocument(file: ReviewFile, document: vscode.TextDocument): void {
  if (file.kind !== 'edit') return;
  const lines = splitLines(document.getText());
  if (file.lines !== undefined && sameText(file.lines, lines)) return;
  file.lines = lines;
  file.hunks = placeHunks(file.hunks, lines);
}

/** The file is gone: nothing can be decided in it. */
export function setAside(file: ReviewFile): void {
  file.hunks = file.hunks.map((hunk) => (isOpen(hunk) ? { ...hunk, state: 'stale' } : hunk));
  file.lines = undefined;
}

/** The file is back. */
export function takeUp(file: ReviewFile): void {
  file.hunks = file.hunks.map((hunk) => (hunk.state === 'stale' ? { ...hunk, state: 'pending' } : hunk));
}

export function followDocument(file: ReviewFile, event: vscode.TextDocumentChangeEvent): void {
  if (file.lines === undefined) {
    readDocument(file, event.document);
    return;
  }
  const changes = event.contentChanges.map(({ range, text }) => ({ start: range.start, end: range.end, text }));
  const followed = followChanges(file.hunks, file.lines, changes);
  if (followed.lines.length === event.document.lineCount) Object.assign(file, followed);
  else {
    file.lines = undefined;
    readDocument(file, event.document);
  }
}

function sameText(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}

/** Adds line edits of a followed document to an edit that is about to be applied. */
export function addEdits(
  edit: vscode.WorkspaceEdit,
  file: ReviewFile,
  document: vscode.TextDocument,
  edits: readonly LineEdit[],
  metadata?: vscode.WorkspaceEditEntryMetadata,
): void {
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  for (const lineEdit of edits) {
    const { start, end, text } = rangeEdit(file.lines ?? [], lineEdit, eol);
    edit.replace(document.uri, new vscode.Range(start.line, start.character, end.line, end.character), text, metadata);
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
