/**
 * Typed operators: changed versions of one value, all of kinds that its shape knows. Systematic variants come in a fixed
 * order, small ones first; `vary` draws one at any depth.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import {
  dictionary,
  float,
  isMap,
  itemsOf,
  keyOf,
  kindOf,
  type Language,
  numberIn,
  type Pair,
  pairsOf,
  type Sequence,
  sequence,
} from './data.ts';
import { type Grower, LARGEST_CONSTANT, LEAST_MOST, mostOf, multipleNear, rising, WIDE } from './grow.ts';
import { momentVariants } from './moments.ts';
import { emptyShape, isRecursive, type Shape } from './shape.ts';
import { stringVariants } from './strings.ts';

const MOST_CONSTANTS = 8;

/** Returns all direct variants of a value. */
export function variants(value: Value, shape: Shape, grower: Grower): Value[] {
  const kind = kindOf(value);
  // Null comes first, as some callers take only the first few: what a source compares with null may be null anywhere.
  const others: Value[] = [];
  if (kind !== 'null' && (shape.kinds.has('null') || grower.mayBeNull([kind]))) others.push(null);
  switch (kind) {
    case 'bool':
      return [...others, value !== true];
    case 'int':
      return [
        ...others,
        ...intVariants(numberIn(value), shape, grower.constants.ints),
        ...multiples(numberIn(value), grower),
        ...(grower.constants.fractions === true ? [float(numberIn(value) + 0.5, grower.language)] : []),
        ...(grower.constants.wide === true ? WIDE : []),
      ];
    case 'float':
      return [...others, ...floatVariants(numberIn(value), shape, grower.language)];
    case 'str':
      return [...others, ...choicesAt(value, shape, grower), ...stringVariants(String(value), shape, grower)];
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
      return [...others, ...sequenceVariants(kind, value, shape, grower)];
    case 'dict':
      return [...others, ...dictVariants(value, shape, grower)];
    case 'null':
    case 'undefined':
      return shape.kinds.size > 1 ? [grower.grow(shape)] : [];
    case 'other':
      return [...others, ...shape.others, ...momentVariants(value, grower.random)];
  }
}

/** The other texts of a place where most stand in the source: it is a choice of a few. */
function choicesAt(value: Value, { strs }: Shape, { constants }: Grower): string[] {
  const known = strs.filter((text) => constants.strs.includes(text));
  return known.length > 1 && known.length * 2 >= strs.length ? known.filter((text) => text !== value) : [];
}

/** Whole numbers that may be sizes stay within twice the largest that occurs or that the source compares with. */
export function intVariants(number: number, shape: Shape, constants: readonly number[] = []): number[] {
  const near = constants.filter((one) => Math.abs(one) <= LARGEST_CONSTANT).slice(0, MOST_CONSTANTS);
  const most = mostOf(shape);
  const signed = shape.ints.some((one) => one < 0) ? [-number, -most, -1] : number > 0 ? [-1] : [];
  const wanted = [
    0,
    1,
    2,
    number - 1,
    number + 1,
    ...signed,
    number * 2,
    Math.floor(number / 2),
    3,
    ...shape.ints.slice(0, 12),
    most,
  ];
  const around = near.flatMap((one) => [one, one + 1, one - 1]);
  // What is too large for a size may be larger still: more digits take other ways.
  const large = [number * 1000].filter((one) => most > LARGEST_CONSTANT && Number.isSafeInteger(one));
  return [...new Set([...wanted.filter((one) => Math.abs(one) <= most * 2 + 1), ...around, ...large])]
    .filter((one) => one !== number)
    .map((one) => (one === 0 ? 0 : one));
}

/** Multiples of the source's numbers near the number; small numbers have those among their other variants. */
function multiples(number: number, { constants, random }: Grower): number[] {
  const divisors = constants.ints.filter((one) => one > 1 && one <= Math.max(1, Math.abs(number))).slice(0, MOST_CONSTANTS);
  return [...new Set(divisors.map((one) => multipleNear(number, one, random)))].filter((one) => one !== number);
}

/** Multiples of an eighth, so that sums do not depend on their order, near what occurs. */
function floatVariants(number: number, shape: Shape, language: Language): Value[] {
  const signed = shape.floats.some((one) => one < 0) || shape.ints.some((one) => one < 0);
  const most = Math.max(1, ...shape.floats.map(Math.abs), ...shape.ints.map(Math.abs));
  const wanted = [0, 1, number + 0.125, number - 0.125, Math.round(number), Math.floor(number * 4) / 8, number * 2, 0.5, most];
  const allowed = wanted.filter((one) => one !== number && (signed || one >= 0 || number < 0) && Math.abs(one) <= most * 2 + 1);
  // A float is not a size, so that it may be large.
  const large = number > 0 ? [number * 1000, 1_234_567.125] : [];
  return [...new Set([...allowed, ...(signed ? [-number] : []), ...large])].map((one) => float(one, language));
}

function sequenceVariants(kind: Sequence, value: Value, shape: Shape, grower: Grower): Value[] {
  const items = itemsOf(value);
  const known = shape.sequences.get(kind);
  if (known === undefined) return [];
  // A record keeps its number of items.
  if (known.places !== undefined && known.places.length === items.length) {
    const placed = known.places.flatMap((place, at) =>
      variants(items[at] ?? null, place, grower)
        .slice(0, 4)
        .map((item) => sequence(kind, known.ordered ? rising(items.with(at, item)) : items.with(at, item))),
    );
    // A function that takes rising pairs often says what it does with others.
    return known.ordered ? [sequence(kind, items.toReversed()), ...placed] : placed;
  }
  const { random } = grower;
  const made: (readonly Value[])[] = [[]];
  const most = Math.max(...known.sizes, LEAST_MOST);
  const { length } = items;
  if (length === 0) made.push([grower.grow(known.item)], [grower.grow(known.item), grower.grow(known.item)]);
  else {
    const half = Math.floor(length / 2);
    const at = random.int(length);
    const other = random.int(length);
    const one = items[at] ?? null;
    made.push(items.slice(0, 1), items.slice(-1), items.slice(0, -1), items.slice(1), items.slice(0, half), items.slice(half));
    made.push(items.toReversed(), items.toSpliced(at, 1), items.toSpliced(other, 0, one), items.with(other, one));
    made.push(
      [one, one],
      items.map(() => one),
      random.shuffle(items),
      items.toSpliced(at, 0, grower.grow(known.item)),
    );
    made.push(items.with(at, grower.grow(known.item)), items.slice(Math.min(at, other), Math.max(at, other) + 1));
    const inOrder = sorted(items);
    made.push(inOrder, inOrder.toReversed());
    made.push(
      [...items, ...items],
      items.flatMap((item) => [item, item]),
    );
    // What comes first of two that are equal in one field may hang on another one.
    made.push(
      items.toSpliced(at, 0, vary(one, known.item, grower)),
      tied(items, known.item, random),
      tied(items, known.item, random),
    );
  }
  if (isRecursive(known) && length > 0 && (kind === 'list' || kind === 'tuple')) {
    const at = random.int(length);
    const wrapped = sequence(kind, [items[at] ?? null]);
    made.push(items.with(at, wrapped), [...items, sequence(kind, [wrapped, ...items.slice(0, 2)])], [value]);
  }
  if (grower.constants.nulls && length > 0) made.push(items.with(random.int(length), null), [...items, null]);
  const rows = known.item.sequences.get('list');
  if (rows !== undefined && rows.places === undefined) made.push(...rectangular(items));
  made.push(
    itemsOf(grower.sequence(kind, known)),
    Array.from({ length: most }, () => grower.grow(known.item)),
  );
  // A set of one size may not be empty in principle; the original decides.
  return made.filter((list) => list.length <= most * 2).map((list) => sequence(kind, list));
}

/** The items, one of which has a field as another one has it; in half of the cases the two exchange it. */
function tied(items: readonly Value[], shape: Shape, random: Random): Value[] {
  const [at = 0, other = 0] = random.shuffle([...items.keys()]);
  const [mine, theirs] = [entriesOf(items[at] ?? null), entriesOf(items[other] ?? null)];
  const differing = mine.flatMap(([key, item], place) => {
    const there = theirs.findIndex(([each]) => keyOf(each) === keyOf(key));
    const [, wanted = item] = theirs[there] ?? [];
    return keyOf(wanted) === keyOf(item) ? [] : [{ place, item, there, wanted }];
  });
  if (differing.length === 0) return [...items];
  const { place, item, there, wanted } = random.pick(differing);
  const made = items.with(at, withEntry(items[at] ?? null, place, wanted, shape));
  return random.next() < 0.5 ? made : made.with(other, withEntry(items[other] ?? null, there, item, shape));
}

/** The fields of a record, or the places of a row. */
function entriesOf(value: Value): Pair[] {
  return kindOf(value) === 'dict' ? pairsOf(value) : itemsOf(value).map((item, at): Pair => [at, item]);
}

function withEntry(value: Value, at: number, item: Value, shape: Shape): Value {
  const kind = kindOf(value);
  if (kind === 'dict') return dictionary(pairsOf(value).with(at, [pairsOf(value)[at]?.[0] ?? null, item]), isMap(value));
  if (kind !== 'list' && kind !== 'tuple') return value;
  const items = itemsOf(value).with(at, item);
  return sequence(kind, shape.sequences.get(kind)?.ordered === true ? rising(items) : items);
}

/** Rows of one length lose, repeat or swap a column together. */
function rectangular(items: readonly Value[]): Value[][] {
  const kinds = new Set(items.map(kindOf));
  const [kind] = kinds;
  const widths = new Set(items.map((item) => itemsOf(item).length));
  const [width = 0] = widths;
  if (kinds.size !== 1 || kind !== 'list' || widths.size !== 1 || width < 2) return [];
  const rows = items.map(itemsOf);
  return [
    rows.map((row) => sequence(kind, row.slice(1))),
    rows.map((row) => sequence(kind, row.slice(0, 1))),
    rows.map((row) => sequence(kind, row.toReversed())),
    ...(rows.length <= 40 && width <= 40 && rows.length !== width
      ? [
          Array.from({ length: width }, (_, at) =>
            sequence(
              kind,
              rows.map((row) => row[at] ?? null),
            ),
          ),
        ]
      : []),
  ];
}

function sorted(items: readonly Value[]): Value[] {
  if (items.every((item) => ['int', 'float'].includes(kindOf(item)))) return items.toSorted((a, b) => numberIn(a) - numberIn(b));
  const written = items.map((item) => ({ item, text: keyOf(item) }));
  return written.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ item }) => item);
}

function dictVariants(value: Value, shape: Shape, grower: Grower): Value[] {
  const known = shape.dict;
  if (known === undefined) return [];
  const pairs = pairsOf(value);
  const made: Pair[][] = [];
  if (known.record) {
    // Which comes first of those that are equal is a matter of their order.
    const [first] = pairs;
    const alike = first !== undefined && pairs.every(([, item]) => kindOf(item) === kindOf(first[1]));
    if (alike && pairs.length > 1)
      made.push(
        pairs.toReversed().map(([key]) => [key, first[1]]),
        pairs.toReversed(),
      );
    for (const [at, [key]] of pairs.entries()) {
      // A field that every given one has may still be missing; the original says what that means.
      made.push(pairs.toSpliced(at, 1));
      if (grower.constants.nulls) made.push(pairs.with(at, [key, null]));
      const field = known.fields.get(JSON.stringify(key));
      const [, item = null] = pairs[at] ?? [];
      for (const other of variants(item, field?.shape ?? emptyShape(), grower).slice(0, 4))
        made.push(pairs.with(at, [key, other]));
    }
    for (const { key, shape: field } of known.fields.values()) {
      if (!pairs.some(([mine]) => JSON.stringify(mine) === JSON.stringify(key))) made.push([...pairs, [key, grower.grow(field)]]);
    }
  } else {
    const at = grower.random.int(Math.max(1, pairs.length));
    made.push([], pairs.slice(0, 1), pairs.slice(1), pairs.slice(0, -1), pairs.toReversed(), pairs.toSpliced(at, 1));
    made.push([...pairs, [grower.grow(known.keys), grower.grow(known.values)]]);
    const [first] = pairs;
    if (first !== undefined) made.push(pairs.map(([key]) => [key, first[1]]));
    made.push(pairs.map(([key]) => [key, grower.grow(known.values)]));
    const values = tied(
      pairs.map(([, item]) => item),
      known.values,
      grower.random,
    );
    made.push(pairs.map(([key], index) => [key, values[index] ?? null]));
  }
  return made.map((list) => dictionary(list, known.map));
}

/** One change at a random depth. The value itself when there is nothing to change. */
export function vary(value: Value, shape: Shape, grower: Grower, depth = 0): Value {
  const { random } = grower;
  const kind = kindOf(value);
  if (random.next() < 0.55 && depth < 6) {
    const inner = inside(value, kind, shape, grower, depth);
    if (inner !== undefined) return inner;
  }
  const choices = kind === 'str' ? choicesAt(value, shape, grower) : [];
  if (choices.length > 0 && random.next() < 0.5) return random.pick(choices);
  const all = variants(value, shape, grower);
  return all.length === 0 ? value : random.pick(all);
}

/** Changes one item or entry; returns undefined for a value that has none. */
function inside(value: Value, kind: ReturnType<typeof kindOf>, shape: Shape, grower: Grower, depth: number): Value | undefined {
  const { random } = grower;
  if (kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset') {
    const items = itemsOf(value);
    const known = shape.sequences.get(kind);
    if (items.length === 0 || known === undefined) return undefined;
    const at = random.int(items.length);
    const place = known.places?.length === items.length ? (known.places[at] ?? known.item) : known.item;
    const changed = items.with(at, vary(items[at] ?? null, place, grower, depth + 1));
    return sequence(kind, known.ordered ? rising(changed) : changed);
  }
  if (kind !== 'dict' || shape.dict === undefined) return undefined;
  const pairs = pairsOf(value);
  if (pairs.length === 0) return undefined;
  const at = random.int(pairs.length);
  const [key, item] = pairs[at] ?? [null, null];
  const place = shape.dict.record ? shape.dict.fields.get(JSON.stringify(key))?.shape : shape.dict.values;
  return dictionary(pairs.with(at, [key, vary(item, place ?? emptyShape(), grower, depth + 1)]), shape.dict.map);
}
