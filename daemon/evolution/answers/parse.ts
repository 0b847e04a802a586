/**
 * Reads a model's answer: SEARCH/REPLACE blocks, else unified diffs, else fenced code. The answer is hostile: anything
 * may stand around them, they may be cut off, and it may be very long. Pure; linear in the length of the text.
 */
import { diffArrays } from 'diff';
import type { Answer, AnswerEdit, CodeBlock, Op } from './edits.ts';
import { readDiff } from './unified.ts';

/** Longer answers are not looked at. */
const MAX_ANSWER_CHARS = 400_000;
/** Limit of what a diff may hold. */
const MAX_EDIT_CHARS = 200_000;

interface ParseOptions {
  /** The model was stopped in mid-answer. */
  readonly cut?: boolean;
}

export function parseAnswer(raw: string, options: ParseOptions = {}): Answer {
  if (raw.length > MAX_ANSWER_CHARS) return none(`the answer has ${raw.length} characters; the limit is ${MAX_ANSWER_CHARS}`);
  const text = withoutThinking(raw.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '').replaceAll('\u2028', '\n'));
  const lines = text.split('\n');
  const { blocks, open } = fencedBlocks(lines);
  const search = searchReplace(lines);
  if (search.broken !== undefined) return none(search.broken);
  const edits = search.edits.length > 0 ? search.edits : readDiff(lines);
  if (edits.length > 0) {
    if (options.cut === true && open) return none('the answer was cut off in its middle');
    const size = edits.reduce((sum, edit) => sum + edit.ops.reduce((n, op) => n + op.line.length + 1, 0), 0);
    if (size > MAX_EDIT_CHARS) return none(`the change has ${size} characters; the limit is ${MAX_EDIT_CHARS}`);
    return { kind: 'edits', edits, blocks };
  }
  if (open) return none('the answer was cut off in its middle');
  if (blocks.length > 0) return { kind: 'code', blocks };
  if (text.trim() === '') return none('the answer is empty');
  return none('the answer holds no SEARCH/REPLACE block, no diff and no code');
}

function none(reason: string): Answer {
  return { kind: 'none', reason };
}

/** Reasoning models think aloud; what they try out there is not their answer. What they think of may have lost its opening tag, or its end. */
export function withoutThinking(text: string): string {
  const tag = /<(\/?)(?:think|thinking|reasoning)>/gi;
  let kept = '';
  let depth = 0;
  let at = 0;
  for (const match of text.matchAll(tag)) {
    if (depth === 0) kept += text.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[1] === '') depth++;
    else if (depth > 0) depth--;
    else kept = '';
  }
  return depth === 0 ? kept + text.slice(at) : kept;
}

/** Fenced blocks, with three or more backticks or tildes; `open` when the last one never ends. */
export function fencedBlocks(lines: readonly string[]): { blocks: CodeBlock[]; open: boolean } {
  const blocks: CodeBlock[] = [];
  let fence: { mark: string; indent: number; language: string; from: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^( *)(`{3,}|~{3,})\s*([\w+#.-]*)(.*)$/.exec(line);
    if (mark === null) continue;
    const [, indent = '', ticks = '', language = '', rest = ''] = mark;
    if (fence === undefined) {
      if (!rest.includes('`')) fence = { mark: ticks, indent: indent.length, language: language.toLowerCase(), from: index + 1 };
    } else if (ticks.startsWith(fence.mark) && language === '' && rest.trim() === '') {
      const body = lines.slice(fence.from, index).map((each) => withoutIndent(each, fence?.indent ?? 0));
      blocks.push({ language: fence.language, text: body.join('\n') });
      fence = undefined;
    }
  }
  return { blocks, open: fence !== undefined };
}

/** A fence inside a list item is indented, and its code with it. */
function withoutIndent(line: string, indent: number): string {
  return line.slice(0, indent).trim() === '' ? line.slice(indent) : line;
}

const markers = {
  search: /^\s*<{4,}\s*(SEARCH|ORIGINAL|HEAD)\b.*$/i,
  middle: /^\s*={4,}\s*$/,
  replace: /^\s*>{4,}\s*(REPLACE|UPDATED|[\w/.-]*)\s*$/i,
};

function searchReplace(lines: readonly string[]): { edits: AnswerEdit[]; broken?: string } {
  const edits: AnswerEdit[] = [];
  let search: string[] | undefined;
  let replace: string[] | undefined;
  let path: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (markers.search.test(line)) {
      if (search !== undefined) return { edits, broken: 'a SEARCH block does not end before the next one begins' };
      search = [];
      path = pathAbove(lines, index);
    } else if (search !== undefined && replace === undefined && markers.middle.test(line)) {
      replace = [];
    } else if (search !== undefined && replace !== undefined && markers.replace.test(line)) {
      edits.push({ ops: opsOf(search, replace), ...(path === undefined ? {} : { path }) });
      search = undefined;
      replace = undefined;
    } else {
      (replace ?? search)?.push(line);
    }
  }
  return search === undefined ? { edits } : { edits, broken: 'the answer was cut off in the middle of a SEARCH/REPLACE block' };
}

/** A file name often stands alone on the line before the block, or before its fence. */
function pathAbove(lines: readonly string[], index: number): string | undefined {
  for (let at = index - 1; at >= Math.max(0, index - 2); at--) {
    const line = (lines[at] ?? '').replaceAll(/[`*#:]/g, '').trim();
    if (/^[\w./\\-]+\.\w{1,8}$/.test(line)) return line;
  }
  return undefined;
}

/** Above this, telling kept lines from changed ones is not worth quadratic time: all are replaced. */
const MAX_DIFF_LINES = 4000;

function opsOf(search: readonly string[], replace: readonly string[]): Op[] {
  if (search.length + replace.length > MAX_DIFF_LINES) {
    return [...search.map((line): Op => ({ kind: 'remove', line })), ...replace.map((line): Op => ({ kind: 'add', line }))];
  }
  return diffArrays([...search], [...replace]).flatMap(({ added, removed, value }) =>
    value.map((line): Op => ({ kind: added ? 'add' : removed ? 'remove' : 'keep', line })),
  );
}
