/**
 * The new lines of a hunk as the diff editor shows them: green, each with a plus sign, with a stronger green where a line differs
 * from the lines that it replaces, and with words, numbers, texts and comments in colours. HTML for a Markdown text, whose spans
 * may have the colours of the theme. Pure.
 */
import { diffWordsWithSpace } from 'diff';

const LINE = 'var(--vscode-diffEditor-insertedLineBackground)';
/** A green that only high contrast themes have, which have no backgrounds: elsewhere the text keeps its colour. */
const HIGH_CONTRAST = 'var(--vscode-diffEditor-insertedTextBorder)';
const PART = 'var(--vscode-diffEditor-insertedTextBackground)';
/** Lines are filled to the longest of them, and to this many characters at least, so that they make one block. */
const BLOCK_WIDTH = 72;
const TAB = '    ';
/** Close to those of the theme's syntax, which an extension cannot ask for: the debugger shows values in them. */
const COLOURS: Readonly<Record<string, string>> = {
  text: 'var(--vscode-debugTokenExpression-string)',
  number: 'var(--vscode-debugTokenExpression-number)',
  word: 'var(--vscode-debugTokenExpression-boolean)',
  comment: 'var(--vscode-descriptionForeground)',
};
const WORDS =
  'and as assert async await break case catch class const continue def del do elif else except export extends false False finally ' +
  'for from function global if import in instanceof is lambda let new None nonlocal not null of or pass raise return static ' +
  'switch this throw true True try typeof undefined var void while with yield';
const TEXT = [`"`, `'`, '`'].map((quote) => String.raw`${quote}(?:[^${quote}\\]|\\.)*${quote}`).join('|');
const NUMBER = String.raw`(?<![\w$])\d[\w.]*`;
const WORD = String.raw`(?<![\w.$#])(?:${WORDS.replaceAll(' ', '|')})(?![\w$])`;
const tokens = (comment: string) =>
  new RegExp(`(?<text>${TEXT})|(?<number>${NUMBER})|(?<word>${WORD})|(?<comment>${comment})`, 'g');
/** Two slashes divide in Python. */
const PYTHON = tokens('#.*');
const OTHERS = tokens('//.*');
/** Words of longer hunks are not compared. */
const COMPARED_CHARACTERS = 20_000;

/** The language is that of `path`. */
export function proposedLines(oldLines: readonly string[], newLines: readonly string[], path: string): string {
  const [before, after] = [oldLines, newLines].map((lines) => lines.join('\n').replaceAll('\t', TAB));
  const marked = markedLines(before ?? '', after ?? '');
  const width = Math.max(BLOCK_WIDTH, ...marked.map((parts) => lengthOf(parts)));
  const lines = marked.map((parts) => {
    const text = coloured(parts, path.endsWith('.py') ? PYTHON : OTHERS).join('');
    return span(`color:${HIGH_CONTRAST};background-color:${LINE};`, `+ ${text}${' '.repeat(width - lengthOf(parts) + 1)}`);
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

/** The parts of a line as HTML, cut where the colour changes. */
function coloured(parts: readonly Part[], syntax: RegExp): string[] {
  const line = parts.map(({ value }) => value).join('');
  const colours = Array.from<string | undefined>({ length: line.length });
  for (const { 0: token, index, groups = {} } of line.matchAll(syntax)) {
    const kind = Object.keys(COLOURS).find((name) => groups[name] !== undefined);
    colours.fill(COLOURS[kind ?? ''], index, index + token.length);
  }
  let end = 0;
  return parts.flatMap(({ value, isNew }) => {
    const pieces: string[] = [];
    const last = end + value.length;
    for (let start = end; start < last; start = end) {
      while (end < last && colours[end] === colours[start]) end++;
      const colour = colours[start];
      const style = [...(colour === undefined ? [] : [`color:${colour};`]), ...(isNew ? [`background-color:${PART};`] : [])].join(
        '',
      );
      const text = escaped(line.slice(start, end));
      pieces.push(style === '' ? text : span(style, text));
    }
    return pieces;
  });
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { value }) => sum + value.length, 0);
}

function span(style: string, html: string): string {
  return `<span style="${style}">${html}</span>`;
}

/** A candidate's text is text: it can end neither the block nor a span. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
