/**
 * Values of calls while they are changed: the tagged form of function/values.ts throughout, whatever form the call was
 * given in. `readCall` and `writeCall` translate; a call that JSON can hold is written as plain JSON.
 */
import type { Arguments, Call } from '../../../../shared/judging.ts';
import type { Value } from '../../function/values.ts';

export type Language = 'python' | 'node';
export type Sequence = 'list' | 'tuple' | 'set' | 'frozenset';
export type Kind = 'null' | 'undefined' | 'bool' | 'int' | 'float' | 'str' | Sequence | 'dict' | 'other';

/** Not a number. */
export const NAN: Value = { float: 'nan' };

/** Arguments in tagged form. */
export interface Given {
  readonly args: readonly Value[];
  readonly kwargs: Readonly<Record<string, Value>>;
}

/** One of the calls before a call. */
export interface Step extends Given {
  readonly method: string;
}

/** A call in tagged form. */
export interface Draft extends Given {
  readonly init?: Given;
  /** Only with `init`. */
  readonly before?: readonly Step[];
}

type Tagged = { readonly [tag: string]: Value };

const isTagged = (value: Value): value is Tagged => typeof value === 'object' && value !== null && !Array.isArray(value);

export function kindOf(value: Value): Kind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'string') return 'str';
  if (Array.isArray(value)) return 'list';
  for (const tag of ['tuple', 'set', 'frozenset', 'dict'] as const) if (Array.isArray(value[tag])) return tag;
  if (typeof value['float'] === 'string' && Number.isFinite(Number(value['float']))) return 'float';
  return 'undefined' in value ? 'undefined' : 'other';
}

/** Returns the items of a list, tuple or set. */
export function itemsOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (!isTagged(value)) return [];
  for (const tag of ['tuple', 'set', 'frozenset'] as const) {
    const items = value[tag];
    if (Array.isArray(items)) return items;
  }
  return [];
}

/** A sequence of that kind; items of a set are kept once. */
export function sequence(kind: Sequence, items: readonly Value[]): Value {
  if (kind === 'list') return [...items];
  if (kind === 'tuple') return { tuple: [...items] };
  const distinct = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  return { [kind]: distinct };
}

export type Pair = readonly [key: Value, value: Value];

/** Entries of a dictionary, an object or a Map. */
export function pairsOf(value: Value): Pair[] {
  const pairs = isTagged(value) ? value['dict'] : undefined;
  if (!Array.isArray(pairs)) return [];
  return pairs.flatMap((pair) => (Array.isArray(pair) ? [[pair[0] ?? null, pair[1] ?? null] as const] : []));
}

/** A dictionary; a key that occurs twice keeps its first place and its last value. */
export function dictionary(pairs: readonly Pair[], map = false): Value {
  const kept = new Map(pairs.map((pair) => [JSON.stringify(pair[0]), pair] as const));
  return { dict: [...kept.values()].map(([key, value]) => [key, value]), ...(map ? { map: 1 } : {}) };
}

/** It is a Map of JavaScript. */
export const isMap = (value: Value): boolean => isTagged(value) && 'map' in value;

export function numberIn(value: Value): number {
  if (typeof value === 'number') return value;
  return isTagged(value) && typeof value['float'] === 'string' ? Number(value['float']) : 0;
}

/** A float: in Python a whole one has a tag, because JSON would make an int of it. */
export function float(number: number, language: Language): Value {
  if (language === 'node') return Object.is(number, -0) ? 0 : number;
  return Number.isInteger(number) ? { float: `${number === 0 ? 0 : number}.0` } : number;
}

export function keyOf(value: unknown): string {
  return JSON.stringify(value);
}

/** Tagged form of a plain JSON value. */
function tagged(value: Value): Value {
  if (Array.isArray(value)) return value.map(tagged);
  if (typeof value !== 'object' || value === null) return value;
  return { dict: Object.entries(value).map(([key, item]) => [key, tagged(item)]) };
}

export function readCall(call: Call): Draft {
  const read = (given: Arguments): Given => {
    const form = call.typed === true ? (value: Value) => value : tagged;
    return {
      args: given.args.map(form),
      kwargs: Object.fromEntries(Object.entries(given.kwargs).map(([name, value]) => [name, form(value)])),
    };
  };
  return {
    ...read(call),
    ...(call.init === undefined ? {} : { init: read(call.init) }),
    ...(call.before === undefined ? {} : { before: call.before.map((step) => ({ method: step.method, ...read(step) })) }),
  };
}

/** The plain JSON of a value; undefined when it needs a tag. */
function plain(value: Value): Value | undefined {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    return items.some((item) => item === undefined) ? undefined : items.map((item) => item ?? null);
  }
  if (!isTagged(value)) return value;
  if (!Array.isArray(value['dict']) || 'map' in value) return undefined;
  const fields: [string, Value][] = [];
  for (const [key, item] of pairsOf(value)) {
    const written = plain(item);
    // JavaScript moves keys that look like indices to the front, so their order would be lost.
    if (typeof key !== 'string' || key === '__proto__' || /^\d+$/.test(key) || written === undefined) return undefined;
    fields.push([key, written]);
  }
  return Object.fromEntries(fields);
}

export function writeCall(draft: Draft): Call {
  const parts = [draft, ...(draft.init === undefined ? [] : [draft.init]), ...(draft.before ?? [])];
  const values = parts.flatMap(({ args, kwargs }) => [...args, ...Object.values(kwargs)]);
  const typed = values.some((value) => plain(value) === undefined);
  const form = (value: Value): Value => (typed ? value : (plain(value) ?? null));
  const write = ({ args, kwargs }: Given) => ({
    args: args.map(form),
    kwargs: Object.fromEntries(Object.entries(kwargs).map(([name, value]) => [name, form(value)])),
  });
  return {
    ...write(draft),
    ...(draft.init === undefined ? {} : { init: write(draft.init) }),
    ...(draft.before === undefined ? {} : { before: draft.before.map((step) => ({ method: step.method, ...write(step) })) }),
    ...(typed ? { typed: true as const } : {}),
  };
}

/** How large a call is to read: the number of characters of its values. */
export function sizeOf(draft: Draft): number {
  const others = [draft.init, draft.before].map((part) => (part === undefined ? 0 : keyOf(part).length));
  return keyOf(draft.args).length + keyOf(draft.kwargs).length + others.reduce((sum, one) => sum + one, 0);
}

/** `draftOf`: the call that an item stands for. */
export function smallestFirst<T>(items: readonly T[], draftOf: (item: T) => Draft): T[] {
  const sized = items.map((item) => ({ item, size: sizeOf(draftOf(item)) }));
  return sized.sort((a, b) => a.size - b.size).map(({ item }) => item);
}
