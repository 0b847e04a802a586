/**
 * Parses text into a plain syntax tree. The parser's own tree lives in WASM memory and is freed before `parse`
 * returns, so that nobody else has anything to dispose of.
 */
import { join } from 'node:path';
import { Language, Parser, type Tree, type TreeCursor } from 'web-tree-sitter';
import { PeagenError } from '../../../shared/errors.ts';
import { fileText, type Program } from '../../../shared/program.ts';
import { grammarDir, parserRuntime } from '../../assets.ts';
import { grammarOf } from './languages.ts';

/** Offsets are UTF-16 code units, half-open. */
export interface SyntaxNode {
  readonly type: string;
  /** False for punctuation and keywords. */
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  /** The name of this node's role in its parent. */
  readonly field: string | undefined;
  readonly parent: SyntaxNode | undefined;
  readonly children: readonly SyntaxNode[];
}

export interface SyntaxTree {
  readonly language: string;
  readonly text: string;
  readonly root: SyntaxNode;
  /** The first place that does not parse. */
  readonly error: { readonly offset: number; readonly what: string } | undefined;
}

/** Deeper trees are refused, so that whatever walks a tree may recurse. */
const maxDepth = 1000;

interface Loaded {
  readonly parser: Parser;
  readonly types: readonly string[];
  readonly fields: readonly (string | null)[];
  readonly named: readonly boolean[];
}

let runtime: Promise<void> | undefined;
const loading = new Map<string, Promise<Loaded>>();

async function load(wasm: string): Promise<Loaded> {
  runtime ??= Parser.init({ locateFile: () => parserRuntime });
  await runtime;
  const language = await Language.load(join(grammarDir, `tree-sitter-${wasm}.wasm`));
  const types = language.types;
  return {
    parser: new Parser().setLanguage(language),
    types,
    fields: language.fields,
    named: types.map((_, id) => language.nodeTypeIsNamed(id)),
  };
}

/** Trees parsed last, oldest first: mutator, duplicate check and syntax check look at the same child one after another. */
const recent = new Map<string, SyntaxTree>();
const recentLimit = 8;
const cachedLength = 200_000;

/** What is looked into. Nodes that lie outside have no children here, which makes large files affordable. */
export type Focus = readonly { readonly start: number; readonly end: number }[];

/** Without a focus the whole text is looked into. Throws `unsupported` for a language without a grammar. */
export async function parse(language: string, text: string, focus?: Focus): Promise<SyntaxTree> {
  await loadGrammar(language);
  return parseLoaded(language, text, focus);
}

/** One file of a program, looked into where it may change. */
export function parseFile(program: Program, path: string): Promise<SyntaxTree> {
  return parse(program.language, fileText(program, path) ?? '', focusOf(program, path));
}

export function focusOf(program: Program, path: string): Focus {
  return program.spans.filter((span) => span.path === path);
}

const ready = new Map<string, Loaded>();

/** After it, `parseLoaded` works for this language. Throws `unsupported` for a language without a grammar. */
export async function loadGrammar(language: string): Promise<void> {
  const grammar = grammarOf(language);
  if (grammar === undefined) {
    throw new PeagenError('unsupported', `There is no grammar for "${language}".`, {
      hint: 'Syntax trees are known for Python, JavaScript and TypeScript.',
    });
  }
  if (ready.has(language)) return;
  const loaded = loading.get(grammar.wasm) ?? load(grammar.wasm);
  loading.set(grammar.wasm, loaded);
  ready.set(language, await loaded);
}

/** The same as `parse`, at once, for a language whose grammar was loaded. */
export function parseLoaded(language: string, text: string, focus?: Focus): SyntaxTree {
  const key = `${language} ${focus?.map(({ start, end }) => `${start}-${end}`).join() ?? 'all'}\n${text}`;
  const known = recent.get(key);
  if (known !== undefined) return known;
  const loaded = ready.get(language);
  if (loaded === undefined) throw new PeagenError('internal', `The grammar of "${language}" was not loaded.`);
  const tree = read(loaded, language, text, focus);
  if (text.length <= cachedLength) {
    recent.set(key, tree);
    for (const oldest of recent.keys()) if (recent.size > recentLimit) recent.delete(oldest);
  }
  return tree;
}

function read(loaded: Loaded, language: string, text: string, focus: Focus | undefined): SyntaxTree {
  const tree = loaded.parser.parse(text);
  if (tree === null) throw new PeagenError('internal', `The ${language} parser gave no tree.`);
  try {
    const copy = copyTree(loaded, tree, text, focus);
    // An error outside of the focus is rare, and worth the walk: it has to be named.
    const found = copy.error !== undefined || focus === undefined || !tree.rootNode.hasError;
    return { language, text, root: copy.root, error: found ? copy.error : copyTree(loaded, tree, text, undefined).error };
  } finally {
    tree.delete();
  }
}

type OpenNode = SyntaxNode & { readonly children: SyntaxNode[] };

function copyTree(loaded: Loaded, tree: Tree, text: string, focus: Focus | undefined): Pick<SyntaxTree, 'root' | 'error'> {
  const cursor = tree.walk();
  try {
    return copyFrom(loaded, cursor, text, focus);
  } finally {
    cursor.delete();
  }
}

function copyFrom(
  loaded: Loaded,
  cursor: TreeCursor,
  text: string,
  focus: Focus | undefined,
): Pick<SyntaxTree, 'root' | 'error'> {
  let error: SyntaxTree['error'];
  // One error within another says better where it is: the outer one holds all that could not be joined.
  let within = Number.POSITIVE_INFINITY;
  const make = (parent: OpenNode | undefined): OpenNode => {
    const id = cursor.nodeTypeId;
    const type = loaded.types[id] ?? 'ERROR';
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    if (type === 'ERROR' && (error === undefined || end <= within)) {
      error = { offset: start, what: `unexpected ${excerpt(text.slice(start, end))}` };
      within = end;
    } else if (start === end && cursor.nodeIsMissing) error ??= { offset: start, what: `missing "${type}"` };
    const field = loaded.fields[cursor.currentFieldId] ?? undefined;
    const node: OpenNode = { type, named: loaded.named[id] ?? true, start, end, field, parent, children: [] };
    parent?.children.push(node);
    return node;
  };
  const looksInto = ({ start, end }: OpenNode): boolean =>
    focus === undefined || focus.some((range) => start < range.end && range.start < end);
  let node = make(undefined);
  const root = node;
  const open = [root];
  for (;;) {
    if (open.length < maxDepth && looksInto(node) && cursor.gotoFirstChild()) {
      node = make(node);
      open.push(node);
      continue;
    }
    if (open.length >= maxDepth) error ??= { offset: cursor.startIndex, what: `nested more than ${maxDepth} levels deep` };
    for (;;) {
      open.pop();
      if (open.length === 0) return { root, error };
      if (cursor.gotoNextSibling()) break;
      cursor.gotoParent();
    }
    node = make(open.at(-1));
    open.push(node);
  }
}

function excerpt(text: string): string {
  const line = text.split('\n', 1)[0]?.trim() ?? '';
  if (line === '') return 'end of line';
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 40)}…` : line);
}

/** Zero-based. */
export function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** `path:line` (from 1) and what is wrong, for the first file that does not parse. Files without a grammar pass. */
export async function syntaxError(program: Program): Promise<string | undefined> {
  if (grammarOf(program.language) === undefined) return undefined;
  for (const file of program.files) {
    const { error } = await parseFile(program, file.path);
    if (error !== undefined) return `${file.path}:${lineOf(file.text, error.offset) + 1}: ${error.what}`;
  }
  return undefined;
}

/** The node and everything under it, in the order of the text, parents first. */
export function descendants(node: SyntaxNode): SyntaxNode[] {
  const all: SyntaxNode[] = [];
  const visit = (each: SyntaxNode): void => {
    all.push(each);
    each.children.forEach(visit);
  };
  visit(node);
  return all;
}

export function childOf(node: SyntaxNode, field: string): SyntaxNode | undefined {
  return node.children.find((child) => child.field === field);
}
