/** Examples of the values that a type annotation describes: Python's, TypeScript's, and the types named in comments. */
import type { Value } from '../../function/values.ts';
import { dictionary, float, type Pair, sequence } from './data.ts';

/** Names that the file gives to types: interfaces and aliases, by name. */
export type TypeNames = ReadonlyMap<string, string>;

const MOST_DEEP = 4;

/** A few values of that type, a typical one first; empty for a type that is not known. */
export function examplesOfType(type: string, python: boolean, names: TypeNames = new Map(), depth = 0): Value[] {
  const text = type
    .trim()
    .replace(/^(["'])(.*)\1$/, python ? '$2' : '$&')
    .replace(/^readonly\s+/, '');
  const inner = (one: string): Value[] => examplesOfType(one, python, names, depth + 1);
  if (depth > MOST_DEEP || text === '') return [];
  const union = split(text, '|');
  if (union.length > 1) return union.flatMap((one) => inner(one).slice(0, 2));
  if (/^\(.*\)$/.test(text) && split(text.slice(1, -1), ',').length === 1) return inner(text.slice(1, -1));
  const array = /^(.*)\[\]$/s.exec(text);
  if (!python && array !== null) return lists(inner(array[1] ?? ''), 'list');
  if (!python && /^\[.*\]$/s.test(text)) return record(split(text.slice(1, -1), ',').map(inner), 'list');
  if (!python && /^\{.*\}$/s.test(text)) return fields(text.slice(1, -1), inner);
  if (!python && /^(["']).*\1$|^-?\d+(?:\.\d+)?$/.test(text)) return [JSON.parse(text.replace(/^'(.*)'$/, '"$1"')) as Value];
  const generic = /^([\w.]+)\s*[[<](.*)[\]>]$/s.exec(text);
  const name = (generic?.[1] ?? text).replace(/^(?:typing|collections|abc|t)\./g, '').replace(/^abc\./, '');
  const given = generic === null ? [] : split(generic[2] ?? '', ',');
  return simple(name, python) ?? collection(name, given, inner, python) ?? inner(names.get(name) ?? '');
}

function simple(name: string, python: boolean): Value[] | undefined {
  switch (name) {
    case 'int':
    case 'integer':
    case 'bigint':
      return name === 'bigint' ? [{ int: '3' }, { int: '0' }] : [3, 7, 0, 12];
    case 'float':
    case 'double':
    case 'Decimal':
      return name === 'Decimal' ? undefined : [1.5, 0.25, float(4, python ? 'python' : 'node')];
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
  given: readonly string[],
  inner: (type: string) => Value[],
  python: boolean,
): Value[] | undefined {
  const [first = python ? 'int' : 'number', second] = given;
  switch (name) {
    case 'Optional':
      return [...inner(first), null];
    case 'Union':
      return given.flatMap((one) => inner(one).slice(0, 2));
    case 'Literal':
      return given.map((one) => (/^["']/.test(one) ? one.slice(1, -1) : Number(one)));
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
      if (given.length === 0 || second === '...') return lists(inner(first), 'tuple');
      return record(given.map(inner), 'tuple');
    case 'dict':
    case 'Dict':
    case 'Mapping':
    case 'MutableMapping':
    case 'Record':
    case 'Map':
    case 'Object': {
      const keys = inner(given.length > 1 ? first : python ? 'str' : 'string');
      const values = inner(second ?? (python ? 'int' : 'number'));
      return dictionaries(keys, values, name === 'Map');
    }
    default:
      return undefined;
  }
}

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

/** `{x: number; y?: string}`: with the optional ones and without. */
function fields(text: string, inner: (type: string) => Value[]): Value[] {
  const found = split(text.replaceAll('\n', ';'), ';,').flatMap((one) => {
    const match = /^\s*(?:readonly\s+)?["']?(\w+)["']?(\?)?\s*:(.*)$/s.exec(one);
    return match === null ? [] : [{ name: match[1] ?? '', optional: match[2] === '?', values: inner(match[3] ?? '') }];
  });
  const index = /^\s*\[\w+\s*:\s*(\w+)\]\s*:(.*)$/s.exec(text);
  if (index !== null) return dictionaries(inner(index[1] ?? 'string'), inner((index[2] ?? '').replace(/;\s*$/, '')), false);
  const known = found.filter(({ values }) => values.length > 0);
  return [0, 1, 2].map((turn) =>
    dictionary(
      known
        .filter(({ optional }) => !optional || turn !== 1)
        .map(({ name, values }): Pair => [name, values[turn % values.length] ?? null]),
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
    else if ('])}>'.includes(letter)) depth--;
    if (depth === 0 && quote === '' && separators.includes(letter)) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  return [...parts, part.trim()].filter((one) => one !== '');
}
