/** The entry function in its syntax tree: its parameters, those of its constructor, its text, and the constants in its file. */
import { functionsOf } from '../../evolution/syntax/functions.ts';
import { type Grammar, grammarOf } from '../../evolution/syntax/languages.ts';
import { childOf, descendants, lineOf, parse, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import type { Value } from '../function/values.ts';
import { constantsOf, isPattern, nestsOf } from './constants.ts';
import type { Constants } from './values/grow.ts';
import { literalOf } from './values/literals.ts';
import { samplesOf } from './values/patterns.ts';

export interface Parameter {
  readonly name: string;
  /** The text of its type annotation. */
  readonly type: string | undefined;
  /** What TypeScript takes it to be without an annotation. */
  readonly implied?: string | undefined;
  /** Its default, when that is a literal. */
  readonly fallback: Value | undefined;
  readonly optional: boolean;
  /** It can only be given by name, in Python. */
  readonly named: boolean;
  /** It takes all further arguments: `*rest` and `...rest` a list of them, `**rest` those with names. */
  readonly rest?: 'list' | 'dict' | undefined;
  /** What it is taken apart into, where it is an object pattern of JavaScript. */
  readonly fields?: readonly Parameter[] | undefined;
}

/** A method of the entry's class that its users may call. */
export interface Method {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly parameters: readonly Parameter[];
}

export interface EntrySource {
  readonly language: string;
  readonly grammar: Grammar;
  readonly text: string;
  readonly root: SyntaxNode;
  readonly node: SyntaxNode;
  /** The entry, and the functions that may change along with it. */
  readonly parts: readonly SyntaxNode[];
  /** First and last line of each part, from 1. */
  readonly lines: readonly (readonly [first: number, last: number])[];
  readonly parameters: readonly Parameter[];
  /** Parameters of the constructor, for a method; undefined for a function. */
  readonly init: readonly Parameter[] | undefined;
  /** The constructor and its class. */
  readonly maker: { readonly node: SyntaxNode; readonly owner: SyntaxNode } | undefined;
  /** The methods of its class, itself among them; none for a function. */
  readonly methods: readonly Method[];
  /** The docstring, or the comment before it. */
  readonly doc: string;
  readonly constants: Constants;
  /** The texts among the constants of what it reaches in its file, and some that its regular expressions match. */
  readonly words: readonly string[];
}

/**
 * Undefined when the function is not found by its name, such as one that is made by another. `along`: names of the functions that
 * may change with it.
 */
export async function entrySource(
  language: string,
  text: string,
  fn: string,
  along: readonly string[] = [],
): Promise<EntrySource | undefined> {
  const grammar = grammarOf(language);
  if (grammar === undefined) return undefined;
  const infos = await functionsOf(language, text);
  const { root } = await parse(language, text);
  const nodeOf = (name: string): SyntaxNode | undefined => {
    const info = infos.findLast((each) => each.name === name);
    if (info === undefined) return undefined;
    const inside = descendants(root).filter(
      ({ type, start, end }) => grammar.functions.has(type) && start >= info.start && end <= info.end,
    );
    return inside.reduce<SyntaxNode | undefined>(
      (best, each) => (best === undefined || each.end - each.start > best.end - best.start ? each : best),
      undefined,
    );
  };
  const node = nodeOf(fn);
  if (node === undefined) return undefined;
  const owner = fn.includes('.') ? fn.slice(0, fn.lastIndexOf('.')) : undefined;
  const python = language === 'python';
  const decorators = node.parent?.type === 'decorated_definition' ? text.slice(node.parent.start, node.start) : '';
  const isStatic = python
    ? /@(?:staticmethod|classmethod)\b/.test(decorators)
    : /^static\b/.test(text.slice(node.start, node.start + 7));
  const maker = owner === undefined ? undefined : nodeOf(`${owner}.${python ? '__init__' : 'constructor'}`);
  const method = owner !== undefined && !isStatic;
  const methods = infos.flatMap(({ name }): Method[] => {
    const member = name.slice(name.lastIndexOf('.') + 1);
    const each = method && name === `${owner}.${member}` ? nodeOf(name) : undefined;
    if (each === undefined || !isPublic(member, each, text)) return [];
    return [{ name: member, node: each, parameters: parametersOf(each, text, language).slice(python ? 1 : 0) }];
  });
  const parts = [node, ...along.flatMap((name) => nodeOf(name) ?? [])];
  const reached = reachedFrom(root, node, text);
  const doc = docOf(node, text, python);
  const constants = constantsOf(root, node, text, python, doc);
  const parameters = parametersOf(node, text, language).slice(
    python && owner !== undefined && !/@staticmethod\b/.test(decorators) ? 1 : 0,
  );
  return {
    language,
    grammar,
    text,
    root,
    node,
    parts,
    lines: parts.map(({ start, end, parent }) => {
      const first = parent?.type === 'decorated_definition' ? parent.start : start;
      return [lineOf(text, first) + 1, lineOf(text, end) + 1];
    }),
    parameters,
    init: method ? (maker === undefined ? [] : parametersOf(maker, text, language).slice(python ? 1 : 0)) : undefined,
    maker: method && maker !== undefined ? { node: maker, owner: ownerOf(maker) } : undefined,
    methods: [...new Map(methods.map((each) => [each.name, each])).values()],
    doc,
    constants: {
      ...constants,
      asked: constants.asked?.filter((name) => !parameters.some((parameter) => parameter.name === name)) ?? [],
      nests: nestsOf(root, node, text, parameters),
      spaces: reached.some(({ start, end }) => spaced.test(text.slice(start, end))),
      mayBeNaN: asksForNaN(parameters, text.slice(node.start, node.end)),
      decisiveTexts: reached.some(({ start, end }) => comparesEmpty.test(text.slice(start, end))) ? [''] : [],
    },
    words: reached.flatMap((part) =>
      descendants(part).flatMap((each) => {
        if (each.type === 'regex_pattern') return samplesOf(text.slice(each.start, each.end));
        const value = each.type === 'string' ? literalOf(each, text, python) : undefined;
        if (typeof value !== 'string') return [];
        return isPattern(each, text) ? samplesOf(value) : [value];
      }),
    ),
  };
}

/** What takes blanks away, or any number of them for one. */
const spaced = /\\s|\.split\(\)|\.[lr]?strip\(\)|\.trim(?:Start|End)?\(\)/;

/** Whether one of the parameters itself may be NaN: `Number.isNaN(a)`. */
const asksForNaN = (parameters: readonly Parameter[], text: string): boolean =>
  [...text.matchAll(/\bis(?:NaN|nan)\((\w+)\)/g)].some(([, name]) => parameters.some((parameter) => parameter.name === name));

/** `x == ""`, `'' !== x`. */
const comparesEmpty = /[!=]=\s*(?:""|'')(?!["'])|(?<!["'])(?:""|'')\s*[!=]=/;

/** The statement of the file that holds the node, and those that give a value to a name that one of them has. */
function reachedFrom(root: SyntaxNode, node: SyntaxNode, text: string): SyntaxNode[] {
  const reached = root.children.filter(({ start, end }) => start <= node.start && end >= node.end);
  const open = new Set(root.children.filter((each) => !reached.includes(each)));
  for (const part of reached) {
    const names = new Set(text.slice(part.start, part.end).match(/[\w$]+/g));
    for (const each of open) {
      const [, made, set] = declares.exec(text.slice(each.start, each.end)) ?? [];
      if (!names.has(made ?? set ?? '')) continue;
      open.delete(each);
      reached.push(each);
    }
  }
  return reached;
}

const declares =
  /^(?:@.*\n)*(?:export )?(?:default )?(?:async )?(?:(?:const|let|var|class|function\*?|def|enum) ([\w$]+)|(\w+)(?:: [^=\n]+)? = )/;

/** The class that a method stands in. */
function ownerOf(method: SyntaxNode): SyntaxNode {
  let node = method;
  while (node.parent !== undefined && !/^class/.test(node.type)) node = node.parent;
  return node;
}

/** Neither the constructor, nor an accessor or a static method, nor one that is meant for the class alone. */
function isPublic(name: string, node: SyntaxNode, text: string): boolean {
  const { parent } = node;
  const before =
    parent?.type === 'decorated_definition' ? text.slice(parent.start, node.start) : text.slice(node.start, node.end);
  const isOther =
    /^(?:static|get|set|private|protected|declare)\s|^\s*@(?:property|\w+\.setter|(?:\w+\.)?cached_property|staticmethod|classmethod)\b/m;
  return !/^(?:_|#|constructor$)/.test(name) && !isOther.test(before.split('\n{')[0]?.slice(0, 400) ?? '');
}

/** What TypeScript takes a parameter to be that has this default. */
function typeOfLiteral(value: SyntaxNode | undefined): string | undefined {
  if (value === undefined || !/^(?:string|number|true|false)$/.test(value.type)) return undefined;
  return /^(?:true|false)$/.test(value.type) ? 'boolean' : value.type;
}

function parametersOf(node: SyntaxNode, text: string, language: string): Parameter[] {
  const python = language === 'python';
  const single = childOf(node, 'parameter');
  const list = childOf(node, 'parameters');
  const of = (one: SyntaxNode | undefined): string | undefined =>
    one === undefined ? undefined : text.slice(one.start, one.end);
  if (single !== undefined) {
    return [{ name: of(single) ?? '', type: undefined, fallback: undefined, optional: false, named: false }];
  }
  const found: Parameter[] = [];
  let named = false;
  for (const child of list?.children ?? []) {
    if (child.type === 'keyword_separator' || child.type === 'list_splat_pattern') named = true;
    if (!child.named || /comment|_separator$/.test(child.type)) continue;
    const bare =
      childOf(child, 'name') ??
      childOf(child, 'pattern') ??
      childOf(child, 'left') ??
      (python ? child.children.find((one) => one.named) : undefined);
    const value = childOf(child, 'value') ?? childOf(child, 'right');
    const rest = /splat|rest/.test(child.type) || /splat|rest/.test(bare?.type ?? '');
    const isNamed = rest && /dictionary/.test(`${child.type} ${bare?.type ?? ''}`);
    found.push({
      name: (of(bare) ?? of(child) ?? '').replace(/^(?:\.\.\.|\*+)/, ''),
      type: of(childOf(child, 'type'))?.replace(/^:\s*/, ''),
      implied: language === 'typescript' ? typeOfLiteral(value) : undefined,
      fallback: value === undefined ? undefined : literalOf(value, text, python),
      optional: value !== undefined || child.type === 'optional_parameter' || rest,
      named: named && !(rest && !isNamed),
      rest: rest ? (isNamed ? 'dict' : 'list') : undefined,
      fields: fieldsOf(bare ?? child, text),
    });
  }
  return found;
}

/** `{ a, b = 2, c: d, e: { f } = {} }`; undefined for what is no such pattern. */
export function fieldsOf(pattern: SyntaxNode, text: string): Parameter[] | undefined {
  if (pattern.type !== 'object_pattern') return undefined;
  return pattern.children.flatMap((child) => {
    const held = childOf(child, 'value') ?? child;
    const [bare, value] = [childOf(held, 'left') ?? held, childOf(held, 'right')];
    const key = childOf(child, 'key') ?? bare;
    if (!/identifier|string/.test(key.type)) return [];
    return {
      name: text.slice(key.start, key.end).replace(/^(["'])(.*)\1$/, '$2'),
      type: undefined,
      fallback: value === undefined ? undefined : literalOf(value, text, false),
      optional: value !== undefined,
      named: false,
      fields: fieldsOf(bare, text),
    };
  });
}

function docOf(node: SyntaxNode, text: string, python: boolean): string {
  if (python) {
    const first = childOf(node, 'body')?.children.find(({ named }) => named);
    const value = first?.type === 'expression_statement' ? first.children[0] : undefined;
    return value?.type === 'string' ? text.slice(value.start, value.end) : '';
  }
  const before = text.slice(0, node.start);
  return /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*[\w\s=(:.]*$/.exec(before.slice(-4000))?.[1] ?? '';
}
