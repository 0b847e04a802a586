/**
 * Whether a value is of the type that an annotation describes. Calls that break the types of a function are no calls of it:
 * what it does with them by accident says nothing about a candidate. What is not understood fits.
 */
import type { Value } from '../../function/values.ts';
import type { EntrySource, Parameter } from '../source.ts';
import { type Draft, dictionary, type Given, itemsOf, keyOf, kindOf, pairsOf, sequence } from './data.ts';
import { words } from './names.ts';
import { isEllipsis, parseType, type TypeNames, type TypeNode, typeNames } from './types.ts';

const MOST_DEEP = 8;

/**
 * Whether a call keeps to the annotations of the function. One that a known call breaks is not believed, and null may be
 * given as an argument that the source asks for, whether it is there.
 */
export function typeFilter(source: EntrySource | undefined, known: readonly Draft[]): (draft: Draft) => boolean {
  if (source === undefined) return () => true;
  const python = source.language === 'python';
  const names = typeNames(source);
  const fitsIn = (
    { name, optional, fallback, implied, type = implied }: Parameter,
    index: number,
  ): ((given: Given) => boolean) => {
    const isNullable = fallback === null || asksForNull(name, source.text);
    const valueIn = ({ args, kwargs }: Given): Value | undefined => (index < args.length ? args[index] : kwargs[name]);
    if (type === undefined) return (given) => isNullable || valueIn(given) !== null;
    const node = parseType(type, python);
    return (given) => {
      const value = valueIn(given);
      const kind = value === undefined ? 'undefined' : kindOf(value);
      if (kind === 'undefined' && (optional || value === undefined)) return true;
      if (kind === 'null' && isNullable) return true;
      return value === undefined || fitsType(value, node, names);
    };
  };
  const checks = (parameters: readonly Parameter[], givens: readonly Given[]) =>
    parameters
      .flatMap((parameter, index) => (parameter.rest !== undefined ? [] : [fitsIn(parameter, index)]))
      .filter((fits) => givens.every(fits));
  const call = checks(source.parameters, known);
  const init = checks(
    source.init ?? [],
    known.flatMap((draft) => draft.init ?? []),
  );
  const steps = known.flatMap(({ before = [] }) => before);
  const methods = new Map(
    source.methods.map(({ name, parameters }) => {
      const given = steps.filter(({ method }) => method === name);
      return [name, checks(parameters, given)] as const;
    }),
  );
  return (draft) =>
    (draft.before ?? []).every((step) => methods.get(step.method)?.every((fits) => fits(step)) !== false) &&
    call.every((fits) => fits(draft)) &&
    (draft.init === undefined || init.every((fits) => draft.init !== undefined && fits(draft.init)));
}

/** As `fits` where other values do not compile; elsewhere values of any kind may be passed, and rejected. */
export function mayIntrude(source: EntrySource | undefined, fits: (draft: Draft) => boolean): (draft: Draft) => boolean {
  return source?.language === 'typescript' ? fits : () => true;
}

/** Whether the source asks if what has this name is there: else null is not one of its values. */
function asksForNull(name: string, text: string): boolean {
  if (!/^[\w$]+$/.test(name)) return true;
  const own = name.replace('$', '\\$');
  const asks = [
    `\\b${own}\\s*(?:[!=]==?|is(?:\\s+not)?)\\s*(?:null|undefined|None)\\b`,
    `(?:!|\\bnot\\s+)${own}\\b(?!\\.\\w)`,
    `\\b${own}\\s*(?:\\?\\?|\\?\\.|\\|\\||\\bor\\b|\\?\\s)`,
    `\\bif\\s*\\(?\\s*${own}\\s*[):]`,
    `(?:&&|\\band|\\bif)\\s+${own}\\s*(?:[&):]|else\\b|and\\b)`,
  ];
  return new RegExp(asks.join('|')).test(text);
}

/** Exported for tests. */
/** The same with tuples and dictionaries where the type of Python has some: what a body does with them does not always tell them from lists. */
export function shapedAs(value: Value, type: TypeNode): Value {
  if (type.kind !== 'named') return value;
  const [first, second] = type.of;
  const isTuple = /^tuple$/i.test(type.name);
  if (kindOf(value) === 'list' && /^(?:dict|Mapping)$/i.test(type.name))
    return shapedAs(dictionary(itemsOf(value).map((item, at) => [words[at % words.length] ?? '', item])), type);
  if (kindOf(value) === 'list' && (isTuple || first !== undefined)) {
    const placed = (at: number): TypeNode => (isTuple && !isEllipsis(second) ? type.of[at] : first) ?? { kind: 'unknown' };
    return sequence(
      isTuple ? 'tuple' : 'list',
      itemsOf(value).map((item, at) => shapedAs(item, placed(at))),
    );
  }
  const isDict = kindOf(value) === 'dict' && second !== undefined;
  return isDict ? dictionary(pairsOf(value).map(([key, item]) => [key, shapedAs(item, second)])) : value;
}

export function fitsType(value: Value, type: TypeNode, names: TypeNames, depth = 0): boolean {
  if (depth > MOST_DEEP) return true;
  const fits = (one: Value, of: TypeNode): boolean => fitsType(one, of, names, depth + 1);
  switch (type.kind) {
    case 'unknown':
      return true;
    case 'union':
      return type.of.some((one) => fits(value, one));
    case 'literal':
      return keyOf(value) === keyOf(type.value);
    case 'list':
      return kindOf(value) === 'list' && itemsOf(value).every((item) => fits(item, type.item));
    case 'tuple': {
      const items = itemsOf(value);
      return kindOf(value) === 'list' && items.every((item, at) => fits(item, type.of[at] ?? { kind: 'unknown' }));
    }
    case 'record': {
      if (kindOf(value) !== 'dict') return false;
      const given = new Map(pairsOf(value).map(([key, item]) => [key, item]));
      return type.fields.every(({ name, optional, type: of }) => {
        const item = given.get(name);
        return item === undefined || kindOf(item) === 'undefined' ? optional : fits(item, of);
      });
    }
    case 'index':
      return kindOf(value) === 'dict' && pairsOf(value).every(([, item]) => fits(item, type.value));
    case 'named':
      return fitsNamed(value, type, fits, names);
  }
}

const sequences: Readonly<Record<string, readonly string[]>> = {
  list: ['list', 'List', 'MutableSequence', 'Array', 'ReadonlyArray', 'array'],
  tuple: ['tuple', 'Tuple'],
  set: ['set', 'Set', 'ReadonlySet', 'MutableSet'],
  frozenset: ['frozenset', 'FrozenSet'],
};
const dictionaries = new Set(['dict', 'Dict', 'Mapping', 'MutableMapping', 'Record', 'Map', 'ReadonlyMap']);

function fitsNamed(
  value: Value,
  { name, of: given }: Extract<TypeNode, { kind: 'named' }>,
  fits: (value: Value, type: TypeNode) => boolean,
  names: TypeNames,
): boolean {
  const kind = kindOf(value);
  const [first = { kind: 'unknown' }, second = { kind: 'unknown' }] = given;
  const kinds = sequences[kind];
  if (kinds?.includes(name) === true) {
    const items = itemsOf(value);
    if (kind !== 'tuple' || isEllipsis(given[1])) return items.every((item) => fits(item, first));
    return given.length === 0 || (items.length === given.length && items.every((item, at) => fits(item, given[at] ?? first)));
  }
  if (dictionaries.has(name))
    return kind === 'dict' && pairsOf(value).every(([key, item]) => fits(key, first) && fits(item, second));
  if (Object.values(sequences).some((each) => each.includes(name))) return false;
  switch (name) {
    case 'int':
    case 'integer':
      return kind === 'int';
    case 'float':
    case 'double':
    case 'number':
      return kind === 'int' || kind === 'float' || isNumber(value);
    case 'str':
    case 'string':
      return kind === 'str';
    case 'bool':
    case 'boolean':
      return kind === 'bool';
    case 'None':
    case 'null':
      return kind === 'null';
    case 'undefined':
    case 'void':
      return kind === 'undefined';
    case 'Date':
    case 'date':
    case 'datetime':
      return names.has(name) || kind === 'other';
    case 'Optional':
      return kind === 'null' || fits(value, first);
    case 'Union':
      return given.some((one) => fits(value, one));
    case 'Sequence':
    case 'Iterable':
    case 'Collection':
      return kinds === undefined ? kind === 'str' : itemsOf(value).every((item) => fits(item, first));
    case 'Readonly':
    case 'Annotated':
    case 'Final':
      return fits(value, first);
    default: {
      const declared = names.get(name);
      return declared === undefined || fits(value, declared);
    }
  }
}

/** NaN and the infinities, which have a tag of their own. */
const isNumber = (value: Value): boolean => typeof value === 'object' && value !== null && 'float' in value;
