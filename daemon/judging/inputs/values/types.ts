/** Examples of the values that a type annotation describes: Python's, TypeScript's, and the types named in comments. */
import { childOf } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import type { EntrySource } from '../source.ts';
import { dictionary, float, type Pair, sequence } from './data.ts';
import { decimals, moments } from './moments.ts';

/** Names that the file gives to types: interfaces and aliases, by name. */
export type TypeNames = ReadonlyMap<string, TypeNode>;

/** A type annotation, taken apart. `named`: everything with a name, with what stands in its brackets. */
export type TypeNode =
  | { readonly kind: 'union' | 'tuple'; readonly of: readonly TypeNode[] }
  | { readonly kind: 'list'; readonly item: TypeNode }
  | { readonly kind: 'record'; readonly fields: readonly TypedField[] }
  | { readonly kind: 'index'; readonly key: TypeNode; readonly value: TypeNode }
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'named'; readonly name: string; readonly of: readonly TypeNode[] }
  | { readonly kind: 'unknown' };

interface TypedField {
  readonly name: string;
  readonly optional: boolean;
  readonly type: TypeNode;
}

/** Orders with lines in a record in a list take six; a type that holds itself ends here, with empty lists. */
const MOST_DEEP = 7;

/** `unknown` for what is not understood, such as the type of a function. */
export function parseType(type: string, python: boolean): TypeNode {
  const text = type
    .trim()
    .replace(/^(["'])(.*)\1$/, python ? '$2' : '$&')
    .replace(/^readonly\s+/, '');
  const inner = (one: string): TypeNode => parseType(one, python);
  if (text === '' || (!text.startsWith('{') && text.includes('=>'))) return { kind: 'unknown' };
  const union = split(text, '|');
  if (union.length > 1) return { kind: 'union', of: union.map(inner) };
  if (/^\(.*\)$/.test(text) && split(text.slice(1, -1), ',').length === 1) return inner(text.slice(1, -1));
  if (!python) {
    const array = /^(.*)\[\]$/s.exec(text);
    if (array !== null) return { kind: 'list', item: inner(array[1] ?? '') };
    if (/^\[.*\]$/s.test(text)) return { kind: 'tuple', of: split(text.slice(1, -1), ',').map(inner) };
    if (/^\{.*\}$/s.test(text)) return parseFields(text.slice(1, -1), inner);
    if (/^(["']).*\1$|^-?\d+(?:\.\d+)?$/.test(text))
      return { kind: 'literal', value: JSON.parse(text.replace(/^'(.*)'$/, '"$1"')) as Value };
  }
  const generic = /^([\w.]+)\s*[[<](.*)[\]>]$/s.exec(text);
  const name = (generic?.[1] ?? text).replace(/^(?:typing|collections|abc|t)\./g, '').replace(/^abc\./, '');
  if (!/^[\w.]+$/.test(name)) return { kind: 'unknown' };
  const given = generic === null ? [] : split(generic[2] ?? '', ',');
  if (name === 'Literal')
    return {
      kind: 'union',
      of: given.map((one) => ({ kind: 'literal', value: /^["']/.test(one) ? one.slice(1, -1) : Number(one) })),
    };
  return { kind: 'named', name, of: given.map(inner) };
}

/** `x: number; y?: string`, or `[key: string]: number`. */
function parseFields(text: string, inner: (type: string) => TypeNode): TypeNode {
  const index = /^\s*\[\w+\s*:\s*(\w+)\]\s*:(.*)$/s.exec(text);
  if (index !== null)
    return { kind: 'index', key: inner(index[1] ?? 'string'), value: inner((index[2] ?? '').replace(/;\s*$/, '')) };
  const fields = split(text.replaceAll('\n', ';'), ';,').flatMap((one) => {
    const match = /^\s*(?:readonly\s+)?["']?(\w+)["']?(\?)?\s*:(.*)$/s.exec(one);
    return match === null ? [] : [{ name: match[1] ?? '', optional: match[2] === '?', type: inner(match[3] ?? '') }];
  });
  return { kind: 'record', fields };
}

/** What the interfaces and aliases of the file stand for. */
export function typeNames({ root, text }: EntrySource): TypeNames {
  const found = new Map<string, TypeNode>();
  for (const node of root.children.flatMap((child) => [child, ...child.children])) {
    if (node.type !== 'interface_declaration' && node.type !== 'type_alias_declaration') continue;
    const name = childOf(node, 'name');
    const value = childOf(node, 'value') ?? childOf(node, 'body');
    if (name !== undefined && value !== undefined)
      found.set(text.slice(name.start, name.end), parseType(text.slice(value.start, value.end), false));
  }
  return found;
}

/** A few values of that type, a typical one first; empty for a type that is not known. */
export function examplesOfType(type: string, python: boolean, names: TypeNames = new Map()): Value[] {
  return examplesOf(parseType(type, python), python, names, 0);
}

function examplesOf(type: TypeNode, python: boolean, names: TypeNames, depth: number): Value[] {
  if (depth > MOST_DEEP) return type.kind === 'list' ? [[]] : [];
  const inner = (one: TypeNode): Value[] => examplesOf(one, python, names, depth + 1);
  switch (type.kind) {
    case 'union':
      return type.of.flatMap((one) => inner(one).slice(0, 2));
    case 'tuple':
      return record(type.of.map(inner), 'list');
    case 'list':
      return lists(inner(type.item), 'list');
    case 'record':
      return records(type.fields, inner);
    case 'index':
      return dictionaries(inner(type.key), inner(type.value), false);
    case 'literal':
      return [type.value];
    case 'named':
      return (
        simple(type.name, python) ??
        collection(type.name, type.of, inner, python) ??
        inner(names.get(type.name) ?? { kind: 'unknown' })
      );
    case 'unknown':
      return [];
  }
}

function simple(name: string, python: boolean): Value[] | undefined {
  switch (name) {
    case 'int':
    case 'integer':
    case 'bigint':
      return name === 'bigint' ? [{ int: '3' }, { int: '0' }] : [3, 7, 0, 12];
    case 'Decimal':
    case 'decimal.Decimal':
      return python ? [...decimals] : undefined;
    case 'Date':
      return python ? undefined : moments('Date');
    case 'date':
    case 'datetime.date':
      return python ? moments('date') : undefined;
    case 'datetime':
    case 'datetime.datetime':
      return python ? moments('datetime') : undefined;
    case 'float':
    case 'double':
      return [1.5, 0.25, float(4, python ? 'python' : 'node')];
    case 'number':
      return [3, 7, 0, 12, 1.5];
    case 'str':
    case 'string':
    case 'String':
    case 'AnyStr':
      return texts;
    case 'bool':
    case 'boolean':
      return [true, false];
    case 'None':
    case 'null':
      return [null];
    case 'undefined':
      return [{ undefined: 1 }];
    case 'bytes':
      return [{ bytes: '616263' }, { bytes: '' }];
    case 'Any':
    case 'any':
    case 'unknown':
    case 'object':
    case 'T':
      return [3, 1, 2, 5];
    default:
      return undefined;
  }
}

const texts: readonly string[] & Value[] = ['the quick brown fox', 'a', 'Hello, World', 'aab b', '12'];

function collection(
  name: string,
  given: readonly TypeNode[],
  inner: (type: TypeNode) => Value[],
  python: boolean,
): Value[] | undefined {
  const named = (one: string): TypeNode => ({ kind: 'named', name: one, of: [] });
  const number = named(python ? 'int' : 'number');
  const [first = number, second] = given;
  switch (name) {
    case 'Optional':
      return [...inner(first), null];
    case 'Union':
      return given.flatMap((one) => inner(one).slice(0, 2));
    case 'Annotated':
    case 'Final':
    case 'Readonly':
    case 'Partial':
      return inner(first);
    case 'list':
    case 'List':
    case 'Sequence':
    case 'MutableSequence':
    case 'Iterable':
    case 'Collection':
    case 'Iterator':
    case 'Array':
    case 'ReadonlyArray':
    case 'array':
      return lists(inner(first), 'list');
    case 'set':
    case 'Set':
    case 'ReadonlySet':
    case 'AbstractSet':
    case 'frozenset':
    case 'FrozenSet':
      return lists(inner(first), /frozen/i.test(name) ? 'frozenset' : 'set');
    case 'tuple':
    case 'Tuple':
      if (given.length === 0 || isEllipsis(second)) return lists(inner(first), 'tuple');
      return record(given.map(inner), 'tuple');
    case 'dict':
    case 'Dict':
    case 'Mapping':
    case 'MutableMapping':
    case 'Record':
    case 'Map':
    case 'Object': {
      const keys = inner(given.length > 1 ? first : named(python ? 'str' : 'string'));
      const values = inner(second ?? number);
      return dictionaries(keys, values, name === 'Map');
    }
    default:
      return undefined;
  }
}

/** As in `tuple[int, ...]`: any number of items. */
export const isEllipsis = (type: TypeNode | undefined): boolean => type?.kind === 'named' && type.name === '...';

/** Lists of several lengths, with repetitions. */
export function lists(items: readonly Value[], kind: 'list' | 'set' | 'frozenset' | 'tuple'): Value[] {
  if (items.length === 0) return [];
  const at = (index: number): Value => items[index % items.length] ?? null;
  const of = (...places: number[]): Value => sequence(kind, places.map(at));
  return [of(1, 0, 2, 3, 1), of(0, 1, 2), of(), of(2), of(3, 3, 0, 1, 2, 2, 1, 0), of(0, 1)];
}

function record(places: readonly (readonly Value[])[], kind: 'list' | 'tuple'): Value[] {
  if (places.some(({ length }) => length === 0)) return [];
  return [0, 1, 2, 3].map((turn) =>
    sequence(
      kind,
      places.map((values, place) => values[(turn + place) % values.length] ?? null),
    ),
  );
}

export function dictionaries(keys: readonly Value[], values: readonly Value[], map: boolean): Value[] {
  if (keys.length === 0 || values.length === 0) return [];
  const pair = (at: number): Pair => [keys[at % keys.length] ?? null, values[at % values.length] ?? null];
  return [[0, 1, 2], [], [1], [3, 2, 1, 0]].map((places) => dictionary(places.map(pair), map));
}

/** Examples with the optional fields and without them. */
function records(fields: readonly TypedField[], inner: (type: TypeNode) => Value[]): Value[] {
  const known = fields.map((field) => ({ ...field, values: inner(field.type) })).filter(({ values }) => values.length > 0);
  // Two fields of one type most likely hold different things.
  const earlier = (type: TypeNode, end: number): number =>
    known.slice(0, end).filter((one) => JSON.stringify(one.type) === JSON.stringify(type)).length;
  return [0, 1, 2, 3].map((turn) =>
    dictionary(
      known.flatMap(({ name, optional, type, values }, at): Pair[] =>
        optional && turn === 1 ? [] : [[name, values[(turn + earlier(type, at)) % values.length] ?? null]],
      ),
    ),
  );
}

/** At separators that stand outside of brackets and quotes. */
function split(text: string, separators: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const letter of text) {
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if ('[({<'.includes(letter)) depth++;
    else if ('])}>'.includes(letter) && !(letter === '>' && part.endsWith('='))) depth--;
    if (depth === 0 && quote === '' && separators.includes(letter)) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  return [...parts, part.trim()].filter((one) => one !== '');
}

/** `@param {number[]} items`, `:type items: list of int`, `items (list[int]): …`, `items : int`, `items: dict of name to price`. */
export function documentedType(name: string, doc: string): string | undefined {
  const safe = name.replace(/[^\w]/g, '\\$&');
  const match =
    new RegExp(`@param\\s*\\{([^}]+)\\}\\s*\\[?${safe}\\b`).exec(doc) ??
    new RegExp(`:type\\s+${safe}\\s*:\\s*([^\\n]+)`).exec(doc) ??
    new RegExp(`:param\\s+([\\w\\[\\], .]+)\\s+${safe}\\s*:`).exec(doc) ??
    new RegExp(`^\\s*${safe}\\s*\\(([^)]+)\\)\\s*:`, 'm').exec(doc) ??
    new RegExp(`^\\s*${safe}\\s*:\\s*([\\w\\[\\], ]+)$`, 'm').exec(doc) ??
    new RegExp(`^\\s*${safe}\\s*:\\s*(?:an?\\s+)?(dict|list|str|int|float|bool)\\b(?! of \\w+s?$)`, 'm').exec(doc);
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
