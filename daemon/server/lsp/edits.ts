/** A candidate's change as edits of open documents: the lines that differ, found where they are now. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocumentEdit, type TextDocuments, type TextEdit, type WorkspaceEdit } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { PeagenError } from '../../../shared/errors.ts';
import { pathOf } from './documents.ts';

export interface Change {
  path: string;
  before: string;
  after: string;
}

/** Versioned, so that the client refuses it when the user has typed meanwhile. Throws `conflict` when the lines have changed. */
export async function workspaceEdit(
  root: string,
  changes: Change[],
  documents: TextDocuments<TextDocument>,
): Promise<WorkspaceEdit> {
  const documentChanges: TextDocumentEdit[] = [];
  for (const { path, before, after } of changes) {
    const file = join(root, path);
    const open = documents.all().find((document) => pathOf(document.uri) === file);
    const uri = open?.uri ?? pathToFileURL(file).href;
    const edit = lineEdit(before, after, open?.getText() ?? (await readFile(file, 'utf8')));
    if (edit === 'conflict') {
      throw new PeagenError('conflict', `The lines of ${path} that the candidate replaces have changed since the run began.`, {
        hint: 'Undo the change, or evolve again.',
      });
    }
    if (edit !== undefined) documentChanges.push(TextDocumentEdit.create({ uri, version: open?.version ?? null }, [edit]));
  }
  return { documentChanges };
}

/** Replaces, in `current`, the lines that differ between `before` and `after`. Undefined when nothing is to be done. */
export function lineEdit(before: string, after: string, current: string): TextEdit | 'conflict' | undefined {
  const [old, wanted, now] = [lines(before), lines(after), lines(current)];
  let head = 0;
  while (head < old.length && head < wanted.length && old[head] === wanted[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, wanted.length) - head && old.at(-1 - tail) === wanted.at(-1 - tail)) tail++;
  if (head === old.length && head === wanted.length) return undefined;
  const gone = old.slice(head, old.length - tail);
  const start = place(old, head, gone.length, now);
  if (start === undefined) return 'conflict';
  const fresh = wanted.slice(head, wanted.length - tail);
  const end = start + gone.length;
  // At the end of the text there is no line behind to begin at.
  if (end < now.length) return edit(start, 0, end, 0, fresh.map((line) => `${line}\n`).join(''));
  const above = start - 1;
  if (above < 0) return edit(0, 0, end - 1, now.at(-1)?.length ?? 0, fresh.join('\n'));
  return edit(above, now[above]?.length ?? 0, end - 1, now.at(-1)?.length ?? 0, fresh.map((line) => `\n${line}`).join(''));
}

/**
 * Where the replaced lines are now: at their old place when nothing above has changed, else the one place that has them with as
 * many of the lines around as it takes to leave no other.
 */
function place(old: string[], head: number, count: number, now: string[]): number | undefined {
  const placesOf = (from: number, to: number): number[] => {
    const window = old.slice(from, to);
    return now.flatMap((_, at) => (window.every((line, i) => now[at + i] === line) ? [at + head - from] : []));
  };
  if (old.slice(0, head + count + 1).every((line, i) => now[i] === line)) return head;
  for (let around = 1; around <= old.length; around++) {
    const [only, more] = placesOf(Math.max(0, head - around), head + count + around);
    if (more === undefined) return only;
  }
  return undefined;
}

function edit(startLine: number, startCharacter: number, endLine: number, endCharacter: number, newText: string): TextEdit {
  return {
    range: { start: { line: startLine, character: startCharacter }, end: { line: endLine, character: endCharacter } },
    newText,
  };
}

function lines(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
}
