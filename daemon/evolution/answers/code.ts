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
    const code = await readCode(program, block.text);
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

async function readCode({ language, files, spans: [span] }: Program, raw: string): Promise<Code> {
  let text = withoutMarkers(raw)
    .replace(/^\s*\n/, '')
    .trimEnd();
  const whole = files.find((file) => file.path === span?.path)?.text;
  if (whole !== undefined && span !== undefined) {
    // What is around the changeable part of a whole file is not asked for.
    const around = [whole.slice(0, span.start), whole.slice(span.end)].map((each) => withoutMarkers(each).trim());
    const [above = '', below = ''] = around;
    if (above !== '' && text.startsWith(`${above}\n`)) text = text.slice(above.length);
    if (below !== '' && text.endsWith(`\n${below}`)) text = text.slice(0, -below.length);
  }
  if (grammarOf(language) === undefined) return { text, functions: [] };
  // Indented as a whole, as a method often is, it would not parse.
  const flat = shiftTo(text, '');
  return { text: flat, functions: await functionsOf(language, flat) };
}

const withoutMarkers = (text: string): string =>
  text
    .split(/\r?\n/)
    .filter((line) => !/EVOLVE-BLOCK-(START|END)/.test(line))
    .join('\n');

async function placeOne(program: Program, code: Code, entry: Entry | undefined): Promise<Applied> {
  const span = program.spans.find((each) => each.path === entry?.path) ?? program.spans[0];
  if (span === undefined) return { fault: 'the program has nothing that may change' };
  const whole = program.files.find((file) => file.path === span.path)?.text ?? '';
  const all = grammarOf(program.language) === undefined ? [] : await functionsOf(program.language, whole);
  const parts = program.spans.filter((each) => each.path === span.path);
  const inside = all.filter((fn) => parts.some((part) => part.start <= fn.start && fn.end <= part.end));
  const outside = new Set(all.filter((fn) => !inside.includes(fn)).map((fn) => fn.name));
  const names = new Set(code.functions.map(lastName));
  const method = inside.length === 1 && (inside[0]?.name.includes('.') ?? false);
  const complete = inside.every((fn) => names.has(lastName(fn)));
  const made =
    method || !complete || parts.length > 1
      ? replaceEach(program, span, code, inside, method ? '' : newParts(code, all, whole))
      : replaceSpan(program, span, kept(code, outside, { whole, span, inside }));
  if (made === undefined) return { fault: 'the code in the answer has none of the functions that may change' };
  if (made.files.every((file, i) => file.text === program.files[i]?.text)) return { fault: 'the answer changes nothing' };
  return { program: made, edits: 1, relaxations: [] };
}

function lastName(fn: FunctionInfo): string {
  return fn.name.split('.').at(-1) ?? fn.name;
}

interface Place {
  readonly whole: string;
  readonly span: Span;
  readonly inside: readonly FunctionInfo[];
}

/**
 * The block up to the end of its last function, without what the file has outside of the span already, and with the
 * imports of the span that it needs and leaves out.
 */
function kept(code: Code, outside: ReadonlySet<string>, { whole, span, inside }: Place): string {
  const last = Math.max(0, ...code.functions.map((fn) => fn.end));
  // A whole file, or a part without functions, may go on behind its last function; a lone function's example calls may not.
  let text = inside.length > 0 && inside.length === code.functions.length ? code.text.slice(0, last) : code.text;
  if (inside.length === 1) text = code.text.slice(0, last);
  for (const fn of code.functions.toReversed()) {
    if (outside.has(fn.name) && !inside.some((each) => each.name === fn.name))
      text = text.slice(0, fn.start) + text.slice(fn.end);
  }
  const above = whole.slice(0, span.start).split(/\r?\n/);
  const lines = text.split('\n').filter((line) => !(isImport(line) && above.includes(line)));
  const own = whole.slice(span.start, span.end).split(/\r?\n/);
  const bound = new Set(lines.filter(isImport).flatMap(boundNames));
  const lost = own.filter((line) => isImport(line) && boundNames(line).some((name) => !bound.has(name) && uses(text, name)));
  return [...lost, ...(lost.length > 0 ? ['', ''] : []), ...lines]
    .join('\n')
    .replaceAll(/\n{4,}/g, '\n\n\n')
    .trim();
}

/** Functions of an answer that the file does not have, after the imports that it does not have. */
function newParts(code: Code, all: readonly FunctionInfo[], whole: string): string {
  const names = new Set(all.map((fn) => fn.name));
  const fresh = code.functions.filter((fn) => !fn.name.includes('.') && !names.has(fn.name));
  const present = new Set(whole.split(/\r?\n/));
  const imports = code.text.split('\n').filter((line) => isImport(line) && !present.has(line));
  const parts = [imports.join('\n'), ...fresh.map((fn) => code.text.slice(fn.start, fn.end))];
  return parts.flatMap((part) => (part === '' ? [] : [`${part}\n\n\n`])).join('');
}

/** A whole one: of one over several lines no line can be left out. */
function isImport(line: string): boolean {
  return /^(import\s|from\s+\S+\s+import\s|const\s+.*=\s*require\()/.test(line) && !/[({\\]\s*$/.test(line);
}

/** Names that an import on one line gives to the program: of `import numpy as np, os.path` they are `np` and `os`. */
function boundNames(line: string): string[] {
  const list =
    /^(?:from\s+\S+\s+import|import|const)\s+(.*?)(?:\s+from\s+['"].*|\s*=\s*require.*|\s*#.*)?$/.exec(line)?.[1] ?? '';
  return list.split(',').flatMap((part) => /^[\s({]*(?:.*(?:\sas\s|:))?\s*([\w$]+)/.exec(part)?.[1] ?? []);
}

const uses = (text: string, name: string): boolean => text.split(/[^\w$]+/).includes(name);

function replaceSpan(program: Program, span: Span, text: string): Program | undefined {
  if (text === '') return undefined;
  const old = spanText(program, span);
  const first = old.split('\n').find((line) => line.trim() !== '') ?? '';
  const lead = /^\s*\n/.exec(old)?.[0] ?? '';
  const tail = /\s*$/.exec(old)?.[0] ?? '';
  return replaceRange(program, span, lead + ends(program, span, shiftTo(text, indentOf(first))) + tail);
}

function replaceEach(
  program: Program,
  span: Span,
  code: Code,
  inside: readonly FunctionInfo[],
  before: string,
): Program | undefined {
  let result = program;
  let replaced = 0;
  const first = inside.find((fn) => code.functions.some((each) => lastName(each) === lastName(fn)));
  for (const fn of inside.toReversed()) {
    const source = code.functions.findLast((each) => lastName(each) === lastName(fn));
    if (source === undefined) continue;
    const range = { path: span.path, start: fn.start, end: fn.end };
    const old = spanText(program, range);
    const text = shiftTo(code.text.slice(source.start, source.end), indentOf(old));
    result = replaceRange(result, range, ends(program, span, fn === first ? before + text : text));
    replaced++;
  }
  return replaced === 0 ? undefined : result;
}

/** With the line ends of the file. */
function ends(program: Program, span: Span, text: string): string {
  const crlf = program.files.find((file) => file.path === span.path)?.text.includes('\r\n') === true;
  return crlf ? text.replaceAll('\n', '\r\n') : text;
}
