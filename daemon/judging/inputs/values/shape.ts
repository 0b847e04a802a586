/**
 * What is known about the values of one place (an argument, the items of a list): the kinds that occur there and samples
 * of each. Operators make values of these kinds only.
 */
import type { Value } from '../../function/values.ts';
import { isMap, itemsOf, type Kind, keyOf, kindOf, numberIn, pairsOf, type Sequence } from './data.ts';

export interface SequenceShape {
  item: Shape;
  /** The lengths that occur. */
  sizes: number[];
  /** Every one has the same number of items, and the items have places: a record such as `[name, price]`. */
  places: Shape[] | undefined;
  /** Its numbers do not fall, as in `[start, end]`: that is taken for a rule. */
  ordered: boolean;
}

export interface DictShape {
  map: boolean;
  /** Its keys are names of fields; otherwise keys are data, such as words. */
  record: boolean;
  fields: Map<string, { key: Value; shape: Shape; always: boolean }>;
  keys: Shape;
  values: Shape;
  sizes: number[];
}

export interface Shape {
  /** Kinds by how they come; at least one when anything is known. */
  kinds: Set<Kind>;
  ints: number[];
  floats: number[];
  strs: string[];
  sequences: Map<Sequence, SequenceShape>;
  dict: DictShape | undefined;
  others: Value[];
}

const MOST_SAMPLES = 60;
const MOST_FIELDS = 5;
const LEAST_ORDERED = 3;

export function emptyShape(): Shape {
  return { kinds: new Set(), ints: [], floats: [], strs: [], sequences: new Map(), dict: undefined, others: [] };
}

/** The shape of values that occur in one place. */
export function shapeOf(values: readonly Value[]): Shape {
  const shape = emptyShape();
  for (const value of values) shape.kinds.add(kindOf(value));
  const of = (kind: Kind): Value[] => values.filter((value) => kindOf(value) === kind);
  shape.ints = samples(of('int').map(numberIn));
  shape.floats = samples(of('float').map(numberIn));
  shape.strs = samples(of('str').map(String));
  shape.others = of('other').slice(0, MOST_SAMPLES);
  for (const kind of ['list', 'tuple', 'set', 'frozenset'] as const) {
    const found = of(kind);
    if (found.length > 0) shape.sequences.set(kind, sequenceShape(kind, found));
  }
  const dicts = of('dict');
  if (dicts.length > 0) shape.dict = dictShape(dicts);
  return shape;
}

/** Its items are sequences as well as other values, as in a tree. */
export function isRecursive({ item, places }: SequenceShape): boolean {
  return places === undefined && item.kinds.size > 1 && item.sequences.size > 0;
}

/** Whether the value holds only what occurs in its place, by kinds; anything where nothing is known of that. */
export function holdsKnown(value: Value, { kinds, sequences, dict }: Shape): boolean {
  const kind = kindOf(value);
  if (kinds.size === 0 || !kinds.has(kind)) return kinds.size === 0;
  if (kind !== 'dict') {
    const items = [...sequences].find(([each]) => each === kind)?.[1].item;
    return items === undefined || itemsOf(value).every((item) => holdsKnown(item, items));
  }
  return pairsOf(value).every(([key, item]) => {
    const field = dict?.record === true ? dict.fields.get(keyOf(key))?.shape : dict?.values;
    return holdsKnown(key, dict?.keys ?? emptyShape()) && holdsKnown(item, field ?? emptyShape());
  });
}

/** Whether a record in the value is without one of these fields, which all known records of its place have, or null stands for it. */
export function lacksField(value: Value, shape: Shape, names: ReadonlySet<string>): boolean {
  const { dict } = shape;
  const pairs = pairsOf(value);
  if (kindOf(value) !== 'dict' && !(value === null && !shape.kinds.has('null') && dict?.record === true)) {
    const items = [...shape.sequences.values()].find(({ item }) => item.kinds.size > 0);
    return itemsOf(value).some((item, at) => lacksField(item, items?.places?.[at] ?? items?.item ?? emptyShape(), names));
  }
  if (dict === undefined) return false;
  const isMissing = (key: Value): boolean => names.has(String(key)) && !pairs.some(([mine]) => mine === key);
  if (dict.record && [...dict.fields.values()].some(({ key, always }) => always && isMissing(key))) return true;
  return pairs.some(([key, item]) => {
    const field = dict.record ? dict.fields.get(keyOf(key))?.shape : dict.values;
    return lacksField(item, field ?? emptyShape(), names);
  });
}

function samples<T>(values: readonly T[]): T[] {
  return [...new Set(values)].slice(0, MOST_SAMPLES);
}

function sequenceShape(kind: Sequence, found: readonly Value[]): SequenceShape {
  const lists = found.map(itemsOf);
  const sizes = samples(lists.map(({ length }) => length));
  const [size = 0] = sizes;
  const item = shapeOf(lists.flat().slice(0, 2000));
  const fixed = (kind === 'list' || kind === 'tuple') && sizes.length === 1 && size > 0 && size <= MOST_FIELDS;
  // One list of two numbers may be any list of numbers; one tuple or a list of mixed kinds is a record.
  const record = fixed && (kind === 'tuple' || item.kinds.size > 1 || lists.length > 2);
  const places = Array.from({ length: size }, (_, at) => shapeOf(lists.flatMap((list) => list.slice(at, at + 1))));
  const rises = (list: readonly Value[]): boolean =>
    list.every((one, at) => /^(?:int|float)$/.test(kindOf(one)) && (at === 0 || numberIn(list[at - 1] ?? null) <= numberIn(one)));
  const ordered = record && size > 1 && lists.length >= LEAST_ORDERED && lists.every(rises);
  return { item, sizes, places: record ? places : undefined, ordered };
}

function dictShape(found: readonly Value[]): DictShape {
  const all = found.map(pairsOf);
  const pairs = all.flat().slice(0, 2000);
  const map = found.some(isMap);
  const byKey = new Map<string, { key: Value; values: Value[] }>();
  for (const [key, value] of pairs) {
    const known = byKey.get(keyOf(key)) ?? { key, values: [] };
    byKey.set(keyOf(key), known);
    known.values.push(value);
  }
  const shared = [...byKey.values()].filter(({ values }) => values.length > 1).length;
  const kinds = new Set([...byKey.values()].flatMap(({ values }) => values.map(kindOf)));
  const named = [...byKey.values()].every(({ key }) => typeof key === 'string' && /^[A-Za-z_]\w*$/.test(key));
  const filled = all.filter(({ length }) => length > 0).length;
  // Options are often given one at a time, each of its own kind.
  const together = filled > 1 ? shared * (kinds.size > 1 ? 3 : 2) >= byKey.size : kinds.size > 1;
  const record = named && !map && together && byKey.size > 0;
  const fields = [...byKey].map(
    ([name, { key, values }]) => [name, { key, shape: shapeOf(values), always: values.length >= found.length }] as const,
  );
  return {
    map,
    record,
    fields: new Map(fields.slice(0, MOST_SAMPLES)),
    keys: shapeOf(pairs.map(([key]) => key)),
    values: shapeOf(pairs.map(([, value]) => value)),
    sizes: samples(all.map(({ length }) => length)),
  };
}

/** What both know; samples of the first come first. */
export function mergeShapes(one: Shape, other: Shape): Shape {
  const sequences = new Map(one.sequences);
  for (const [kind, theirs] of other.sequences) {
    const mine = sequences.get(kind);
    sequences.set(
      kind,
      mine === undefined
        ? theirs
        : {
            item: mergeShapes(mine.item, theirs.item),
            sizes: samples([...mine.sizes, ...theirs.sizes]),
            places: mine.places,
            ordered: mine.ordered,
          },
    );
  }
  return {
    kinds: new Set([...one.kinds, ...other.kinds]),
    ints: samples([...one.ints, ...other.ints]),
    floats: samples([...one.floats, ...other.floats]),
    strs: samples([...one.strs, ...other.strs]),
    sequences,
    dict: one.dict === undefined ? other.dict : other.dict === undefined ? one.dict : mergeDicts(one.dict, other.dict),
    others: [...one.others, ...other.others].slice(0, MOST_SAMPLES),
  };
}

type Field = DictShape['fields'] extends Map<string, infer F> ? F : never;

/** A field as it occurs, which may be null or missing where the other one may. */
function orNull(field: Field, other: Field | undefined): Field {
  if (other === undefined) return field;
  const kinds = new Set([...field.shape.kinds, ...(other.shape.kinds.has('null') ? (['null'] as const) : [])]);
  return { ...field, shape: { ...field.shape, kinds }, always: field.always && other.always };
}

function mergeDicts(one: DictShape, other: DictShape): DictShape {
  return {
    map: one.map,
    record: one.record || (other.record && [...one.fields.keys()].every((key) => other.fields.has(key))),
    fields: new Map([
      ...other.fields,
      ...[...one.fields].map(([key, field]) => [key, orNull(field, other.fields.get(key))] as const),
    ]),
    keys: mergeShapes(one.keys, other.keys),
    values: mergeShapes(one.values, other.values),
    sizes: samples([...one.sizes, ...other.sizes]),
  };
}
