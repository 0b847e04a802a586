/**
 * Text as lines, and edits of whole lines. A line has no line ending; a text that ends with a newline has an empty
 * last line, so that a missing final newline is an ordinary difference. A text has at least one line.
 */

/** Splits at `\r\n`, `\n` and `\r`; a byte order mark is not part of the first line. */
export function splitLines(text: string): string[] {
  return withoutMark(text).split(/\r\n|\n|\r/);
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The ending most lines have, `\n` when there is none. */
function dominantEol(text: string): '\n' | '\r\n' | '\r' {
  const count = { '\n': 0, '\r\n': 0, '\r': 0 };
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) count[ending as keyof typeof count]++;
  if (count['\r\n'] > count['\n']) return '\r\n';
  return count['\r'] > count['\n'] ? '\r' : '\n';
}

/** Lines `start` to `start + oldCount` (exclusive, zero-based) become `newLines`. */
export interface LineEdit {
  readonly start: number;
  readonly oldCount: number;
  readonly newLines: readonly string[];
}

/** A position as editors count: zero-based line, and UTF-16 units in it. */
export interface LinePosition {
  readonly line: number;
  readonly character: number;
}

/** The edit of a text between two positions. */
export interface RangeEdit {
  readonly start: LinePosition;
  readonly end: LinePosition;
  readonly text: string;
}

/**
 * The smallest range edit that does a line edit in a text of these lines. It touches no line ending but those that
 * come or go with the lines themselves.
 */
export function rangeEdit(lines: readonly string[], edit: LineEdit, eol: string): RangeEdit {
  const { start, oldCount, newLines } = edit;
  const endOf = (line: number): LinePosition => ({ line, character: lines[line]?.length ?? 0 });
  const startOf = (line: number): LinePosition => ({ line, character: 0 });
  const last = start + oldCount;
  if (oldCount > 0 && newLines.length > 0) {
    return { start: startOf(start), end: endOf(last - 1), text: newLines.join(eol) };
  }
  if (newLines.length > 0) {
    if (start < lines.length) return { start: startOf(start), end: startOf(start), text: newLines.join(eol) + eol };
    const end = endOf(lines.length - 1);
    return { start: end, end, text: eol + newLines.join(eol) };
  }
  if (last < lines.length) return { start: startOf(start), end: startOf(last), text: '' };
  return { start: start > 0 ? endOf(start - 1) : startOf(0), end: endOf(lines.length - 1), text: '' };
}

/** Does a line edit in a raw text: byte order mark and the endings of all other lines stay as they are. */
export function editText(text: string, edit: LineEdit): string {
  const lines = splitLines(text);
  const { start, end, text: replacement } = rangeEdit(lines, edit, dominantEol(text));
  const offsets = lineOffsets(text);
  const at = (position: LinePosition) => (offsets[position.line] ?? text.length) + position.character;
  return text.slice(0, at(start)) + replacement + text.slice(at(end));
}

function lineOffsets(text: string): number[] {
  const offsets = [text.length - withoutMark(text).length];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) offsets.push(match.index + match[0].length);
  return offsets;
}

export function editLines(lines: readonly string[], edit: LineEdit): string[] {
  const edited = [...lines.slice(0, edit.start), ...edit.newLines, ...lines.slice(edit.start + edit.oldCount)];
  return edited.length === 0 ? [''] : edited;
}

/**
 * An editor's changes as edits of whole lines, bottom to top. All ranges are in the text before; changes that share a
 * line become one edit, for editors cut a replacement of lines into the characters that differ.
 */
export function lineEditsOf(lines: readonly string[], changes: readonly RangeEdit[]): LineEdit[] {
  const groups: RangeEdit[] = [];
  const ascending = [...changes].sort((a, b) => a.start.line - b.start.line || a.start.character - b.start.character);
  for (const change of ascending) {
    const last = groups.at(-1);
    if (last === undefined || last.end.line < change.start.line) groups.push(change);
    else
      groups[groups.length - 1] = {
        start: last.start,
        end: change.end,
        text: last.text + between(lines, last.end, change.start) + change.text,
      };
  }
  return groups.reverse().map((group) => lineEditOf(lines, group));
}

function between(lines: readonly string[], from: LinePosition, to: LinePosition): string {
  const part = lines.slice(from.line, to.line + 1);
  if (part.length === 0) return '';
  part[part.length - 1] = (part.at(-1) ?? '').slice(0, to.character);
  part[0] = (part[0] ?? '').slice(from.character);
  return part.join('\n');
}

/**
 * Leaves out lines that stay as they were: typing a new line above a hunk does not touch the hunk. Among equal lines
 * it may name another one; see `slides`.
 */
function lineEditOf(lines: readonly string[], change: RangeEdit): LineEdit {
  const first = lines[change.start.line] ?? '';
  const last = lines[change.end.line] ?? '';
  const text = first.slice(0, change.start.character) + change.text + last.slice(change.end.character);
  const newLines = text.split(/\r\n|\n|\r/);
  let start = change.start.line;
  let end = change.end.line + 1;
  let from = 0;
  let to = newLines.length;
  for (; end > start && to > from && lines[end - 1] === newLines[to - 1]; end--) to--;
  for (; start < end && from < to && lines[start] === newLines[from]; start++) from++;
  return { start, oldCount: end - start, newLines: newLines.slice(from, to) };
}

/**
 * All edits with the same effect as this one: a line inserted into, or deleted from, a row of equal lines could be any
 * of them. The edit itself comes first.
 */
export function slides(lines: readonly string[], edit: LineEdit): LineEdit[] {
  const all = [edit];
  if (edit.oldCount > 0 === edit.newLines.length > 0) return all;
  const block = edit.oldCount > 0 ? lines.slice(edit.start, edit.start + edit.oldCount) : edit.newLines;
  const moved = (start: number, turned: readonly string[]): LineEdit =>
    edit.oldCount > 0 ? { start, oldCount: edit.oldCount, newLines: [] } : { start, oldCount: 0, newLines: turned };
  let up = [...block];
  for (let start = edit.start; start > 0 && lines[start - 1] === up.at(-1); start--) {
    up = [...up.slice(-1), ...up.slice(0, -1)];
    all.push(moved(start - 1, up));
  }
  let down = [...block];
  for (let start = edit.start; lines[start + edit.oldCount] !== undefined && lines[start + edit.oldCount] === down[0]; start++) {
    down = [...down.slice(1), ...down.slice(0, 1)];
    all.push(moved(start + 1, down));
  }
  return all;
}

export function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
