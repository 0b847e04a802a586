/**
 * Puts whole functions (or a whole evolvable part) from an answer into a program: functions of the same name are
 * replaced where they stand, new ones and their imports go before the first of them. Nothing outside of the spans changes.
 */
import { type Entry, type Program, replaceRange, type Span, spanText } from '../../../shared/program.ts';
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';
import { functionsOf } from '../syntax/functions.ts';
import { grammarOf } from '../syntax/languages.ts';
import { type Applied, isElision } from './apply.ts';
import type { CodeBlock } from './edits.ts';
import { indentOf, shiftTo } from './indent.ts';

/** A block together with the functions in it. */
interface Code {
  readonly text: string;
  readonly functions: readonly FunctionInfo[];
}

export async function placeCode(program: Program, blocks: readonly CodeBlock[], entry: Entry | undefined): Promise<Applied> {
  const candidates = blocks.filter((block) => !/^(diff|patch|bash|sh|shell|console|text|json|output)$/.test(block.language));
  const name = entry?.fn.split('.').at(-1);
  let fault = 'the answer holds no code';
  // What comes last is what the model has settled on.
  for (const block of candidates.toReversed()) {
    const code = await readCode(program.language, block.text);
    if (name !== undefined && grammarOf(program.language) !== undefined && !code.functions.some((fn) => lastName(fn) === name)) {
      fault = `the code in the answer has no function "${name}"`;
      continue;
    }
    const left = code.text
      .split('\n')
      .find((line) => isElision(line) && !program.files.some((file) => file.text.includes(line.trim())));
    if (left !== undefined) return { fault: `the answer leaves code out ("${left.trim()}")` };
    const placed = await placeOne(program, code, entry);
    if ('program' in placed) return placed;
    fault = placed.fault;
  }
  return { fault };
}

async function readCode(language: string, raw: string): Promise<Code> {
  const text = raw
    .split('\n')
    .filter((line) => !/EVOLVE-BLOCK-(START|END)/.test(line))
    .join('\n');
  if (grammarOf(language) === undefined) return { text, functions: [] };
  // Indented as a whole, as a method often is, it would not parse.
  const flat = shiftTo(text, '');
  return { text: flat, functions: await functionsOf(language, flat) };
}

async function placeOne(program: Program, code: Code, entry: Entry | undefined): Promise<Applied> {
  const span = program.spans.find((each) => each.path === entry?.path) ?? program.spans[0];
  if (span === undefined) return { fault: 'the program has nothing that may change' };
  const whole = program.files.find((file) => file.path === span.path)?.text ?? '';
  const all = grammarOf(program.language) === undefined ? [] : await functionsOf(program.language, whole);
  const inside = all.filter((fn) => span.start <= fn.start && fn.end <= span.end);
  const outside = new Set(all.filter((fn) => !inside.includes(fn)).map((fn) => fn.name));
  const names = new Set(code.functions.map(lastName));
  const method = inside.length === 1 && (inside[0]?.name.includes('.') ?? false);
  const complete = inside.every((fn) => names.has(lastName(fn)));
  const made =
    method || !complete
      ? replaceEach(program, span, code, inside)
      : replaceSpan(program, span, kept(code, outside, whole, inside));
  if (made === undefined) return { fault: 'the code in the answer has none of the functions that may change' };
  if (made.files.every((file, i) => file.text === program.files[i]?.text)) return { fault: 'the answer changes nothing' };
  return { program: made, edits: 1, relaxations: [] };
}

function lastName(fn: FunctionInfo): string {
  return fn.name.split('.').at(-1) ?? fn.name;
}

/** The block up to the end of its last function, without what the file has outside of the span already. */
function kept(code: Code, outside: ReadonlySet<string>, whole: string, inside: readonly FunctionInfo[]): string {
  const last = Math.max(0, ...code.functions.map((fn) => fn.end));
  // A whole file, or a part without functions, may go on behind its last function; a lone function's example calls may not.
  let text = inside.length > 0 && inside.length === code.functions.length ? code.text.slice(0, last) : code.text;
  if (inside.length === 1) text = code.text.slice(0, last);
  for (const fn of code.functions.toReversed()) {
    if (outside.has(fn.name) && !inside.some((each) => each.name === fn.name))
      text = text.slice(0, fn.start) + text.slice(fn.end);
  }
  const lines = text.split('\n').filter((line) => !(isImport(line) && outsideHas(whole, line, inside)));
  return lines
    .join('\n')
    .replaceAll(/\n{4,}/g, '\n\n\n')
    .trim();
}

function isImport(line: string): boolean {
  return /^(import\s|from\s+\S+\s+import\s|const\s+.*=\s*require\()/.test(line);
}

/** Whether the file has the line already, at its top. */
function outsideHas(whole: string, line: string, inside: readonly FunctionInfo[]): boolean {
  const first = Math.min(whole.length, ...inside.map((fn) => fn.start));
  return whole.slice(0, first).split(/\r?\n/).includes(line);
}

function replaceSpan(program: Program, span: Span, text: string): Program | undefined {
  if (text === '') return undefined;
  const old = spanText(program, span);
  const first = old.split('\n').find((line) => line.trim() !== '') ?? '';
  const lead = /^\s*\n/.exec(old)?.[0] ?? '';
  const tail = /\s*$/.exec(old)?.[0] ?? '';
  return replaceRange(program, span, lead + ends(program, span, shiftTo(text, indentOf(first))) + tail);
}

function replaceEach(program: Program, span: Span, code: Code, inside: readonly FunctionInfo[]): Program | undefined {
  let result = program;
  let replaced = 0;
  for (const fn of inside.toReversed()) {
    const source = code.functions.findLast((each) => lastName(each) === lastName(fn));
    if (source === undefined) continue;
    const range = { path: span.path, start: fn.start, end: fn.end };
    const old = spanText(program, range);
    const text = shiftTo(code.text.slice(source.start, source.end), indentOf(old));
    result = replaceRange(result, range, ends(program, span, text));
    replaced++;
  }
  return replaced === 0 ? undefined : result;
}

/** With the line ends of the file. */
function ends(program: Program, span: Span, text: string): string {
  const crlf = program.files.find((file) => file.path === span.path)?.text.includes('\r\n') === true;
  return crlf ? text.replaceAll('\n', '\r\n') : text;
}
