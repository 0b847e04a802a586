/**
 * Applies the edits of an answer to a program: all of them or none, never outside of the spans that may change, never
 * touching a byte that no edit asks for. Pure.
 */
import type { Program, ProgramFile, Span } from '../../../shared/program.ts';
import { replaceRange } from '../../../shared/program.ts';
import { type AnswerEdit, changes, type Op, searched } from './edits.ts';
import { reindent } from './indent.ts';
import { locate, NOT_FOUND, type Relaxation } from './locate.ts';

export type Applied =
  | { readonly program: Program; readonly edits: number; readonly relaxations: readonly Relaxation[] }
  | { readonly fault: string };

/** How many characters of a line are shown. */
const LINE = 80;

export function applyEdits(parent: Program, edits: readonly AnswerEdit[]): Applied {
  let program = parent;
  let applied = 0;
  const relaxations: Relaxation[] = [];
  for (const [index, edit] of edits.entries()) {
    if (!changes(edit)) continue;
    const left = leftOut(edit, parent);
    if (left !== undefined) return { fault: `${nth(index, edits)} leaves code out ("${left.trim()}")` };
    const next = applyOne(program, edit);
    if ('program' in next) {
      program = next.program;
      relaxations.push(next.relaxation);
      applied++;
      continue;
    }
    // An alternative to an edit that has been made is a second opinion, not a mistake.
    if (applied > 0 && program !== parent && 'program' in applyOne(parent, edit)) continue;
    return { fault: `${nth(index, edits)} does not apply: ${next.fault}` };
  }
  if (program.files.every((file, i) => file.text === parent.files[i]?.text)) return { fault: 'the answer changes nothing' };
  return { program, edits: applied, relaxations };
}

function nth(index: number, edits: readonly AnswerEdit[]): string {
  const edit = edits[index];
  const line = edit === undefined ? undefined : searched(edit).find((each) => each.trim() !== '');
  const about = line === undefined ? '' : ` (at "${line.trim().slice(0, LINE)}")`;
  return edits.length === 1 ? `the change${about}` : `change ${index + 1} of ${edits.length}${about}`;
}

/** "… rest as before …" in a comment, which the parent does not have. */
function leftOut(edit: AnswerEdit, parent: Program): string | undefined {
  const added = edit.ops.filter((op) => op.kind === 'add').map((op) => op.line);
  return added.find((line) => isElision(line) && !parent.files.some((file) => file.text.includes(line.trim())));
}

/** A comment that stands for code: `# ... rest unchanged`, `// existing code`, `[...]`, `…`. */
export function isElision(line: string): boolean {
  return (
    /^\s*(#|\/\/|\/\*|--|<!--)\s*(\.{3}|…)/.test(line) ||
    /^\s*(#|\/\/|\/\*)\s*(the )?(rest of|remaining|existing|same as|unchanged)\b.*\b(code|function|above|before|original|implementation|unchanged|same)\b/i.test(
      line,
    ) ||
    /^\s*(\[\.{3}\]|…)\s*$/.test(line)
  );
}

function applyOne(program: Program, edit: AnswerEdit): { program: Program; relaxation: Relaxation } | { fault: string } {
  let fault: string | undefined;
  for (const file of filesFor(program, edit.path)) {
    const result = applyToFile(program, file, edit);
    if ('program' in result) return result;
    fault ??= result.fault;
  }
  return { fault: fault === NOT_FOUND ? whatIsMissing(program, edit) : (fault ?? 'the program has no file') };
}

/** In the words of a user who sends the answer back. */
function whatIsMissing(program: Program, edit: AnswerEdit): string {
  const there = new Set(program.files.flatMap((file) => file.text.split('\n').map((line) => line.trim())));
  const missing = searched(edit).find((line) => !there.has(line.trim()));
  if (missing === undefined) return 'its lines are in the program, but not one after the other';
  return `its line "${missing.trim().slice(0, LINE)}" is not in the program`;
}

/** The file that the answer names first, by its path or its last part; then all the others, since names are often wrong. */
function filesFor(program: Program, path: string | undefined): ProgramFile[] {
  if (path === undefined) return program.files;
  const name = path.replaceAll('\\', '/').split('/').at(-1);
  const rank = (file: ProgramFile) => (file.path === path ? 0 : file.path.split('/').at(-1) === name ? 1 : 2);
  return program.files.toSorted((a, b) => rank(a) - rank(b));
}

function applyToFile(
  program: Program,
  file: ProgramFile,
  edit: AnswerEdit,
): { program: Program; relaxation: Relaxation } | { fault: string } {
  const { lines, offsets } = splitLines(file.text);
  const spans = program.spans.filter((span) => span.path === file.path);
  // Lines that touch a span may be looked at; what is really changed is checked below.
  const touches = (from: number, to: number) =>
    spans.some((span) => (offsets[from] ?? 0) <= span.end && (offsets[to] ?? file.text.length) >= span.start);
  const located = locate(lines, edit, touches);
  if ('fault' in located) return located;
  const { line, ops, relaxation } = located.place;
  const eol = file.text.includes('\r\n') ? '\r\n' : '\n';
  const count = ops.filter((op) => op.kind !== 'add').length;
  const start = offsets[line] ?? 0;
  const end = offsets[line + count] ?? file.text.length;
  const old = file.text.slice(start, end);
  const written = relaxation === 'exact' ? ops : ops.map((op) => (op.kind === 'add' ? { ...op, line: op.line.trimEnd() } : op));
  const made = rewritten(written, lines.slice(line, line + count), old.split(/(?<=\n)/), eol);
  const ended = old.endsWith('\n') || made === '' ? made : made.replace(/\r?\n$/, '');
  const range = narrowed(file.path, start, old, ended, spans);
  if (range === undefined) return { fault: 'it changes what must not change' };
  return { program: replaceRange(program, range.span, range.text), relaxation };
}

/** Kept lines stay as they are in the file, with their own ends; added ones take over the indentation that is found there. */
function rewritten(ops: readonly Op[], found: readonly string[], raw: readonly string[], eol: string): string {
  const wanted = ops.filter((op) => op.kind !== 'add').map((op) => op.line);
  let at = 0;
  let text = '';
  for (const op of ops) {
    if (op.kind === 'add') {
      const indented = reindent(op.line, wanted, found);
      if (text !== '' && !text.endsWith('\n')) text += eol;
      text += indented + eol;
    } else {
      if (op.kind === 'keep') text += raw[at] ?? '';
      at++;
    }
  }
  return text;
}

/** The part that really differs, grown from either side so that it lies in a span. Undefined: it cannot. */
function narrowed(
  path: string,
  start: number,
  old: string,
  made: string,
  spans: readonly Span[],
): { span: Span; text: string } | undefined {
  for (const prefixFirst of [true, false]) {
    const shortest = Math.min(old.length, made.length);
    let prefix = 0;
    let suffix = 0;
    const growPrefix = () => {
      while (prefix + suffix < shortest && old[prefix] === made[prefix]) prefix++;
    };
    const growSuffix = () => {
      while (prefix + suffix < shortest && old[old.length - 1 - suffix] === made[made.length - 1 - suffix]) suffix++;
    };
    if (prefixFirst) growPrefix();
    growSuffix();
    growPrefix();
    const span: Span = { path, start: start + prefix, end: start + old.length - suffix };
    if (spans.some((home) => home.start <= span.start && span.end <= home.end)) {
      return { span, text: made.slice(prefix, made.length - suffix) };
    }
  }
  return undefined;
}

/** Lines without their ends, and the offset of each, with one more for the end of the text. */
function splitLines(text: string): { lines: string[]; offsets: number[] } {
  const parts = text.split(/(?<=\n)/);
  const offsets: number[] = [];
  let at = 0;
  for (const part of parts) {
    offsets.push(at);
    at += part.length;
  }
  offsets.push(at);
  return { lines: parts.map((part) => part.replace(/\r?\n$/, '')), offsets };
}
