/**
 * Likely values of a parameter when no call is known: by its annotation, its default, its documentation, what the body
 * does with it, and its name. Each family is a list of examples of one type; the original decides which it accepts.
 */
import { childOf, descendants, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import type { EntrySource, Parameter } from '../source.ts';
import { dictionary, float, kindOf, numberIn } from './data.ts';
import { dictionaries, examplesOfType, lists, type TypeNames } from './types.ts';

/** Examples of one type. */
export type Family = readonly Value[];

const ints: Family = [3, 1, 2, 5, 0, 8];
const words: Family = ['apple', 'b', 'kiwi', 'Apple', 'fig'];
const sentences: Family = ['the quick brown fox jumps over the lazy dog the end', 'a b a', 'Hello, World! hello', 'x', ''];
const graph: Value = dictionary([
  ['a', ['b', 'c']],
  ['b', ['d']],
  ['c', ['d']],
  ['d', []],
]);

/** The most likely first. */
export function familiesOf(parameter: Parameter, source: EntrySource): Family[] {
  const python = source.language === 'python';
  const found: Family[] = [];
  const names = typeNames(source);
  const types = [parameter.type, documentedType(parameter.name, source.doc)].filter((type) => type !== undefined);
  for (const type of types) found.push(examplesOfType(type, python, names));
  const fallback =
    parameter.fallback === undefined || parameter.fallback === null ? [] : aroundDefault(parameter.fallback, python);
  if (types.length === 0) found.push(fallback);
  found.push(...familiesInBody(parameter, source));
  found.push(...familiesByName(parameter.name, python));
  if (types.length === 0 || found.flat().length === 0) {
    found.push(lists(ints, 'list'), sentences, ints, lists(words, 'list'));
    found.push(lists(lists(ints, 'list').slice(0, 3), 'list'), dictionaries(words, ints, false), [
      1.5,
      0.25,
      float(2, python ? 'python' : 'node'),
    ]);
  }
  const distinct = new Map(found.filter(({ length }) => length > 0).map((family) => [JSON.stringify(family), family]));
  return [...distinct.values()];
}

/** By what the function does with the parameter alone: none where that says nothing. */
export function familiesInBody({ name }: Parameter, source: EntrySource): Family[] {
  const body = childOf(source.node, 'body');
  return body === undefined ? [] : familiesByUse(name, body, source, 0);
}

/** By its annotation alone. */
export function typedExamples({ type }: Parameter, source: EntrySource): Family {
  return type === undefined ? [] : examplesOfType(type, source.language === 'python', typeNames(source));
}

function aroundDefault(value: Value, python: boolean): Family {
  switch (kindOf(value)) {
    case 'int':
      return [...new Set([numberIn(value), 1, numberIn(value) + 1, 0, 2])];
    case 'float':
      return [value, 0.5, float(1, python ? 'python' : 'node')];
    case 'str':
      return [value, '', 'a', `${String(value)}x`];
    case 'bool':
      return [value, value !== true];
    case 'list':
      return Array.isArray(value) && value.length > 0 ? [value, []] : lists(ints, 'list');
    default:
      return [value];
  }
}

/** `@param {number[]} items`, `:type items: list of int`, `items (list[int]): …`, `items : int`. */
function documentedType(name: string, doc: string): string | undefined {
  const safe = name.replace(/[^\w]/g, '\\$&');
  const match =
    new RegExp(`@param\\s*\\{([^}]+)\\}\\s*\\[?${safe}\\b`).exec(doc) ??
    new RegExp(`:type\\s+${safe}\\s*:\\s*([^\\n]+)`).exec(doc) ??
    new RegExp(`:param\\s+([\\w\\[\\], .]+)\\s+${safe}\\s*:`).exec(doc) ??
    new RegExp(`^\\s*${safe}\\s*\\(([^)]+)\\)\\s*:`, 'm').exec(doc) ??
    new RegExp(`^\\s*${safe}\\s*:\\s*([\\w\\[\\], ]+)$`, 'm').exec(doc);
  const said = match?.[1]?.replace(/,\s*optional.*$/i, '').trim();
  const of = /^(?:an?\s+)?(list|array|set|tuple|sequence|iterable)s?\s+of\s+(\w+?)s?$/i.exec(said ?? '');
  if (of === null) return said;
  const item = /^int/i.test(of[2] ?? '')
    ? 'int'
    : /^str|^word/i.test(of[2] ?? '')
      ? 'str'
      : /^float/i.test(of[2] ?? '')
        ? 'float'
        : 'int';
  return `list[${item}]`;
}

function typeNames({ root, text }: EntrySource): TypeNames {
  const found = new Map<string, string>();
  for (const node of root.children.flatMap((child) => [child, ...child.children])) {
    if (node.type !== 'interface_declaration' && node.type !== 'type_alias_declaration') continue;
    const name = childOf(node, 'name');
    const value = childOf(node, 'value') ?? childOf(node, 'body');
    if (name !== undefined && value !== undefined)
      found.set(text.slice(name.start, name.end), text.slice(value.start, value.end));
  }
  return found;
}

const textMethods =
  /^(?:split|lower|upper|strip|lstrip|rstrip|startswith|endswith|splitlines|isdigit|isalpha|title|casefold|toLowerCase|toUpperCase|trim|charAt|charCodeAt|codePointAt|startsWith|endsWith|replace|replaceAll|match|matchAll|isalnum|encode|partition|substring)$/;
const dictMethods = /^(?:items|keys|values|get|setdefault)$/;
const listMethods =
  /^(?:append|sort|extend|pop|insert|remove|reverse|copy|push|map|filter|reduce|forEach|some|every|find|findIndex|flatMap|toSorted|shift|unshift|splice|at|join|flat)$/;

const MOST_DEEP = 2;

/** What the body does with a name says what it holds. */
function familiesByUse(name: string, body: SyntaxNode, source: EntrySource, depth: number): Family[] {
  const { text } = source;
  const python = source.language === 'python';
  const votes = new Set<string>();
  const keys = new Set<string>();
  const compared = new Set<string>();
  let items: Family[] = [];
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  for (const node of descendants(body)) {
    if (of(node) !== name || !/^identifier/.test(node.type) || node.parent === undefined) continue;
    const { parent } = node;
    if ((parent.type === 'attribute' || parent.type === 'member_expression') && node.field === 'object') {
      const member = of(childOf(parent, 'attribute') ?? childOf(parent, 'property'));
      const called = parent.field === 'function' && /call/.test(parent.parent?.type ?? '');
      if (textMethods.test(member)) votes.add('text');
      else if (python && dictMethods.test(member)) votes.add('dict');
      else if (listMethods.test(member)) votes.add('list');
      else if (!python && !called && member !== 'length' && member !== 'size') keys.add(member);
    } else if (/^subscript/.test(parent.type) && (node.field === 'value' || node.field === 'object')) {
      const at = childOf(parent, 'subscript') ?? childOf(parent, 'index');
      if (at?.type === 'string') keys.add(of(at).slice(1, -1));
      else votes.add('list');
    } else if (
      (parent.type === 'for_statement' || parent.type === 'for_in_statement' || parent.type === 'for_in_clause') &&
      node.field === 'right'
    ) {
      votes.add('list');
      const left = childOf(parent, 'left');
      const scope = parent.type === 'for_in_clause' ? (parent.parent ?? body) : parent;
      const names = left === undefined ? [] : /pattern/.test(left.type) ? left.children.filter(({ named }) => named) : [left];
      if (depth < MOST_DEEP && names.length === 1) items = familiesByUse(of(names[0]), scope, source, depth + 1);
      else if (depth < MOST_DEEP && names.length > 1) {
        const places = names.map((one) => familiesByUse(of(one), scope, source, depth + 1)[0] ?? ints);
        items = [[0, 1, 2, 3].map((turn) => ({ pair: places.map((values) => values[turn % values.length] ?? null) }).pair)];
      }
    } else if (parent.type === 'argument_list' || parent.type === 'arguments') {
      const called = of(childOf(parent.parent ?? parent, 'function'));
      if (/^(?:range|chr|Math\.\w+|abs|round|int|float)$/.test(called)) votes.add('int');
      else if (/^(?:sum|min|max|sorted|len|enumerate|list|set|reversed)$/.test(called)) votes.add('list');
    } else if (comparedTexts(parent, text).length > 0) {
      for (const one of comparedTexts(parent, text)) compared.add(one);
    } else if (/^(?:binary_operator|binary_expression|augmented_assignment|unary)/.test(parent.type)) votes.add('int');
    else if (parent.type === 'comparison_operator' && parent.children.some(({ type }) => type === 'integer')) votes.add('int');
  }
  const families: Family[] = [];
  if (compared.size > 0) families.push([...compared, 'x']);
  if (keys.size > 0) families.push(recordsOf([...keys], source, depth));
  if (votes.has('text')) families.push(depth === 0 ? sentences : words);
  if (votes.has('dict')) families.push(dictionaries(words, ints, false));
  if (votes.has('list') && !votes.has('text'))
    for (const item of items.length > 0 ? items : [ints]) families.push(lists(item, 'list'));
  if (votes.has('int')) families.push(ints);
  return families;
}

/** Texts that something is compared with: `code == "A"`, `code in ("A", "B")`. */
function comparedTexts(node: SyntaxNode, text: string): string[] {
  if (node.type !== 'comparison_operator' && node.type !== 'binary_expression') return [];
  return descendants(node)
    .filter(({ type }) => type === 'string')
    .map(({ start, end }) => text.slice(start + 1, end - 1));
}

function recordsOf(keys: readonly string[], source: EntrySource, depth: number): Family {
  const values = keys.map((key) => familiesByName(key, source.language === 'python')[0] ?? ints);
  return Array.from({ length: 4 }, (_, turn) =>
    dictionary(keys.slice(0, 12 - depth).map((key, at) => [key, values[at]?.[(turn + at) % (values[at]?.length ?? 1)] ?? turn])),
  );
}

const plural = /s$|list$|array$|arr$/i;

/** What a parameter of that name usually is. */
export function familiesByName(name: string, python: boolean): Family[] {
  const is = (pattern: RegExp): boolean => pattern.test(name);
  if (is(/^(?:graph|adj|adjacency|edges_by|neighbou?rs|tree|deps|dependencies)$/i)) {
    return [
      [graph, dictionary([]), dictionary([['a', []]])],
      lists(
        [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
        'list',
      ),
    ];
  }
  if (is(/matrix|grid|board|table|rows/i)) {
    return [
      [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        [[1]],
        [
          [0, 1],
          [1, 0],
          [1, 1],
        ],
        [],
      ],
    ];
  }
  if (is(/^(?:words|names|tokens|lines|strings|strs|tags|keys|labels)$/i)) return [lists(words, 'list')];
  if (
    is(
      /text|sentence|string|^str$|^s\d?$|line$|word$|name$|phrase|message|content|body|html|markdown|query|path|url|label|title|title|key$|pattern|prefix|suffix|char|category|type$|kind$|status/i,
    ) &&
    !is(/names$|lines$/)
  ) {
    return [/text|sentence|^s$|string|content|message|body|phrase/i.test(name) ? sentences : words];
  }
  if (
    is(
      /^(?:n|k|m|i|j|x|y|a|b|c)$|count|limit|size|length|num$|number$|index|depth|width|height|amount|total|max|min|start|stop|end$|step|year|month|day|age|qty|quantity|target|threshold|level|base|window|capacity/i,
    ) &&
    !is(/counts$|numbers$|amounts$/)
  ) {
    return [[3, 5, 1, 0, 7, 10]];
  }
  if (is(/price|rate|weight|ratio|cost|factor|score$|prob/i) && !is(plural))
    return [[1.5, 0.25, 10.75, float(2, python ? 'python' : 'node')], ints];
  if (is(/^(?:flag|is[A-Z_]\w*|has[A-Z_]\w*|reverse|strict|ascending|descending|verbose)$/)) return [[false, true]];
  if (is(/^(?:d|dict|mapping|obj|object|record|data|config|options|counts|inventory|scores)$/i)) {
    return [dictionaries(words, ints, false), lists(ints, 'list')];
  }
  if (is(/intervals|pairs|edges|points|ranges/i))
    return [
      lists(
        [
          [1, 3],
          [2, 6],
          [8, 10],
          [1, 3],
        ],
        'list',
      ),
    ];
  if (is(plural) || is(/^(?:items|values|numbers|nums|array|arr|list|lst|xs|seq|sequence)$/i))
    return [lists(ints, 'list'), lists(words, 'list')];
  return [];
}
