/**
 * The new lines of a hunk as the diff editor shows them: green, each with a plus sign, and with a stronger green where a line
 * differs from the lines that it replaces. HTML for a Markdown text, whose spans may have the colours of the theme. Pure.
 */
import { diffWordsWithSpace } from 'diff';

const LINE = 'var(--vscode-diffEditor-insertedLineBackground)';
const PART = 'var(--vscode-diffEditor-insertedTextBackground)';
/** Lines are filled to the longest of them, and to this many characters at least, so that they make one block. */
const BLOCK_WIDTH = 72;
const TAB = '    ';
/** Words of longer hunks are not compared. */
const COMPARED_CHARACTERS = 20_000;

export function proposedLines(oldLines: readonly string[], newLines: readonly string[]): string {
  const [before, after] = [oldLines, newLines].map((lines) => lines.join('\n').replaceAll('\t', TAB));
  const marked = markedLines(before ?? '', after ?? '');
  const width = Math.max(BLOCK_WIDTH, ...marked.map((parts) => lengthOf(parts)));
  const lines = marked.map((parts) => {
    const text = parts.map(({ value, isNew }) => (isNew ? span(PART, escaped(value)) : escaped(value))).join('');
    return span(LINE, `+ ${text}${' '.repeat(width - lengthOf(parts) + 1)}`);
  });
  return `<pre>${lines.join('\n')}</pre>\n\n`;
}

interface Part {
  readonly value: string;
  readonly isNew: boolean;
}

/** The parts of each line of `after`. Nothing is marked where nothing is replaced, or nothing stays. */
function markedLines(before: string, after: string): Part[][] {
  const whole = [{ value: after, isNew: false }];
  const compared = before !== '' && before.length + after.length < COMPARED_CHARACTERS;
  const changes = compared ? diffWordsWithSpace(before, after) : [];
  const kept = changes.filter(({ added, removed }) => !added && !removed);
  const found = kept.some(({ value }) => value.trim() !== '')
    ? changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ value, isNew: added }))
    : whole;
  const lines: Part[][] = [[]];
  for (const { value, isNew } of found) {
    for (const [i, text] of value.split('\n').entries()) {
      if (i > 0) lines.push([]);
      // Spaces at the edge of a change do not look like a part of it.
      if (text !== '') lines.at(-1)?.push({ value: text, isNew: isNew && text.trim() !== '' });
    }
  }
  return lines;
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { value }) => sum + value.length, 0);
}

function span(color: string, html: string): string {
  return `<span style="background-color:${color};">${html}</span>`;
}

/** A candidate's text is text: it can end neither the block nor a span. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
