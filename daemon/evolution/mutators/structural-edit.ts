/** An edit of a text: what is replaced by what, and the building blocks that keep lines and indentation in order. */
import { lineOf, type SyntaxNode } from '../syntax/parse.ts';
import type { Region, Statement } from './structural-region.ts';

export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface StructuralEdit {
  /** Changes of one text, none overlapping another. */
  readonly changes: readonly TextChange[];
  /** What is done, for a user, without the place. */
  readonly what: string;
  /** Offset of the place. */
  readonly at: number;
}

/** Lists every edit of one kind. Pure: choosing among them is for the caller. */
export type Operator = (region: Region) => StructuralEdit[];

/** One line: `delete statement at line 12: data = list(data)`. */
export function summaryOf(edit: StructuralEdit, text: string): string {
  const [verb, detail] = split(edit.what);
  return `${verb} at line ${lineOf(text, edit.at) + 1}${detail}`;
}

/** `what` of the only edit that a summary describes, or something that no edit is. */
export const withoutPlace = (summary: string): string => summary.replace(/ at line \d+(?=: )/, '');

function split(what: string): [string, string] {
  const colon = what.indexOf(': ');
  return colon === -1 ? [what, ''] : [what.slice(0, colon), what.slice(colon)];
}

/** The first line of a text, cut to a length that reads well in a list. */
export function brief(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line === text.trim() ? line : `${line} …`;
}

/** Undefined when changes overlap. */
export function applyChanges(text: string, changes: readonly TextChange[]): string | undefined {
  const sorted = [...changes].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const change of sorted) {
    if (change.start < at) return undefined;
    result += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  return result + text.slice(at);
}

/** The lines of a statement, without the first line's indentation and the last line's end. */
export function linesOf(region: Region, statement: Statement): string {
  return region.text.slice(statement.start + statement.indent.length, statement.end);
}

/** Text whose lines but the first are indented by `from`, indented by `to` instead. */
export function reindent(text: string, from: string, to: string): string {
  if (from === to) return text;
  return text
    .split('\n')
    .map((line, i) => (i > 0 && line.startsWith(from) ? to + line.slice(from.length) : line))
    .join('\n');
}

/** Takes a statement out. An emptied block keeps its right to stand: `pass`. */
export function removal(region: Region, statement: Statement): TextChange {
  const { node, block } = statement;
  const alone = block.children.filter((child) => child.named && !region.grammar.comments.has(child.type)).length === 1;
  if (alone && region.grammar.layout === 'indent') return { start: node.start, end: node.end, text: 'pass' };
  if (!statement.ownLines) return { start: node.start, end: node.end, text: '' };
  if (statement.start > region.span.start) {
    const before = region.text[statement.start - 2] === '\r' ? 2 : 1;
    return { start: statement.start - before, end: statement.end, text: '' };
  }
  const end = region.text.startsWith(region.eol, statement.end) ? statement.end + region.eol.length : statement.end;
  return { start: statement.start, end: Math.min(end, region.span.end), text: '' };
}

/** Other text in the place of a node. */
export const replacing = ({ start, end }: SyntaxNode, text: string): TextChange => ({ start, end, text });

/** Puts text, indented like the statement, on lines of its own before it. */
export function before(region: Region, statement: Statement, text: string): TextChange {
  return { start: statement.start, end: statement.start, text: `${statement.indent}${text}${region.eol}` };
}

/** The same after it. */
export function after(region: Region, statement: Statement, text: string): TextChange {
  return { start: statement.end, end: statement.end, text: `${region.eol}${statement.indent}${text}` };
}
