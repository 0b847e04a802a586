/**
 * Values that follow from others of the same call, which chance alone hardly makes. Pure.
 * - Numbers that are the sum, the difference or the product of others: two programs that treat equal numbers differently differ
 *   nowhere else.
 * - Values that equal others but are of another kind, for programs that compare kinds.
 * - One value in place of another, wherever that stands.
 * - Items that name each other in a circle, for programs that follow names.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { slotsOf, valueAt, withValue } from './call-slots.ts';
import {
  type Draft,
  dictionary,
  float,
  isMap,
  itemsOf,
  keyOf,
  kindOf,
  type Language,
  NAN,
  numberIn,
  type Pair,
  pairsOf,
  sequence,
} from './data.ts';
import type { Grower } from './grow.ts';
import { vary } from './operators.ts';
import { shapeOf } from './shape.ts';

const isNumber = (value: Value): boolean => kindOf(value) === 'int' || kindOf(value) === 'float';

/** The call with one of its numbers made from two others; as it is where it has fewer than two. */
export function withRelated(draft: Draft, random: Random, language: Language): Draft {
  const slots = slotsOf(draft).map((slot) => ({ slot, numbers: numbersIn(valueAt(draft, slot) ?? null) }));
  const all = slots.flatMap(({ slot, numbers }) => numbers.map((number, at) => ({ slot, number, at })));
  if (all.length < 2) return draft;
  const { slot, at } = random.pick(all);
  const [one, other] = [random.pick(all), random.pick(all)].map(({ number }) => numberIn(number));
  if (one === undefined || other === undefined) return draft;
  const made = random.pick([one, one + other, Math.abs(one - other), one * other]);
  const most = 1 + 2 * Math.max(0, ...all.map(({ number }) => Math.abs(numberIn(number))));
  if (Math.abs(made) > most) return draft;
  return withValue(
    draft,
    slot,
    replaced(valueAt(draft, slot) ?? null, at, (old) => numberOf(kindOf(old), made, language) ?? old),
  );
}

/**
 * The call with one of its numbers as one of another kind that is equal to it: 1.0, true or, in JavaScript, "1" for 1. Or with one
 * of its lists as what has the same items: a tuple, or in JavaScript an object.
 */
export function withTwin(draft: Draft, random: Random, language: Language): Draft {
  const slots = slotsOf(draft).filter((slot) => numbersIn(valueAt(draft, slot) ?? null).length > 0);
  if (slots.length === 0 || random.next() < 0.5) {
    const lists = slotsOf(draft).filter((slot) => kindOf(valueAt(draft, slot) ?? null) === 'list');
    if (lists.length === 0) return draft;
    const slot = random.pick(lists);
    return withValue(draft, slot, unlisted(valueAt(draft, slot) ?? null, random, language));
  }
  const slot = random.pick(slots);
  const value = valueAt(draft, slot) ?? null;
  const twins = (old: Value): readonly [Value, ...Value[]] => {
    const number = numberIn(old) ?? 0;
    const truth: Value[] = number === 0 || number === 1 ? [number === 1] : [];
    if (language === 'node') return [String(number), ...truth];
    return [kindOf(old) === 'int' ? float(number, language) : (numberOf('int', number, language) ?? old), ...truth];
  };
  return withValue(
    draft,
    slot,
    replaced(value, random.int(numbersIn(value).length), (old) => random.pick(twins(old))),
  );
}

/** The same items as another kind, or one of the lists among the items so. */
function unlisted(value: Value, random: Random, language: Language): Value {
  const items = itemsOf(value);
  const inner = [...items.keys()].filter((at) => kindOf(items[at] ?? null) === 'list');
  if (inner.length > 0 && random.next() < 0.5) {
    const at = random.pick(inner);
    return items.with(at, unlisted(items[at] ?? null, random, language));
  }
  return language === 'node' ? dictionary(items.map((item, at): Pair => [String(at), item])) : sequence('tuple', items);
}

/** The number as one of that kind; undefined for a whole one that it is not. */
function numberOf(kind: string, number: number, language: Language): Value | undefined {
  if (kind === 'float') return float(number, language);
  return Number.isInteger(number) ? number : undefined;
}

function numbersIn(value: Value): Value[] {
  if (isNumber(value)) return [value];
  return partsOf(value).flatMap(numbersIn);
}

/** Items, or the values of a dictionary: its keys stay. */
function partsOf(value: Value): readonly Value[] {
  return kindOf(value) === 'dict' ? pairsOf(value).map(([, item]) => item) : itemsOf(value);
}

/** With what `make` gives for the number in that place. */
function replaced(value: Value, place: number, make: (old: Value) => Value): Value {
  if (isNumber(value)) return make(value);
  const kind = kindOf(value);
  let left = place;
  const parts = partsOf(value).map((part) => {
    const count = numbersIn(part).length;
    const isHere = left >= 0 && left < count;
    const next = isHere ? replaced(part, left, make) : part;
    left -= count;
    return next;
  });
  if (kind === 'dict') {
    const map = typeof value === 'object' && value !== null && 'map' in value;
    return dictionary(
      pairsOf(value).map(([key], at) => [key, parts[at] ?? null]),
      map,
    );
  }
  return kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset' ? sequence(kind, parts) : value;
}

/** The call with another number or text in every place that holds one of them: what is equal stays equal. */
export function withOtherEverywhere(draft: Draft, grower: Grower): Draft {
  const { random, constants } = grower;
  // Not the keys: they may be names of fields.
  const values = slotsOf(draft).map((slot) => valueAt(draft, slot) ?? null);
  const leaves = values.flatMap((value) => [...numbersIn(value), ...textsIn(value)]);
  if (leaves.length === 0) return draft;
  const old = random.pick([...new Map(leaves.map((leaf) => [keyOf(leaf), leaf])).values()]);
  const next = constants.mayBeNaN === true && isNumber(old) ? NAN : vary(old, shapeOf([old]), grower);
  return slotsOf(draft).reduce((made, slot) => withValue(made, slot, exchanged(valueAt(draft, slot) ?? null, old, next)), draft);
}

/** The value with `next` in each place that holds `old`, keys of dictionaries among them. */
function exchanged(value: Value, old: Value, next: Value): Value {
  if (keyOf(value) === keyOf(old)) return next;
  const kind = kindOf(value);
  if (kind === 'dict')
    return dictionary(
      pairsOf(value).map(([key, item]): Pair => [exchanged(key, old, next), exchanged(item, old, next)]),
      isMap(value),
    );
  const isSequence = kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset';
  return isSequence
    ? sequence(
        kind,
        itemsOf(value).map((item) => exchanged(item, old, next)),
      )
    : value;
}

/** What is equal to it where the order of keys does not count. */
export function reordered(value: Value): Value {
  const kind = kindOf(value);
  if (kind === 'list') return itemsOf(value).map(reordered);
  if (kind !== 'dict') return value;
  const pairs = pairsOf(value).map(([key, item]): Pair => [key, reordered(item)]);
  return dictionary(pairs.toReversed(), typeof value === 'object' && value !== null && 'map' in value);
}

const MOST_TEXTS = 200;

/** Something with a name, and what may name others: an entry of a dictionary, or a record of a list. */
interface Named {
  readonly name: Value;
  readonly body: Value;
}

interface Holder {
  readonly items: readonly Named[];
  /** The same value with other bodies. */
  readonly made: (bodies: readonly Value[]) => Value;
}

/** Whether an argument holds items that name each other. */
export function hasNames(draft: Draft): boolean {
  return slotsOf(draft).some((slot) => namesIn(valueAt(draft, slot) ?? null).length > 0);
}

/** The call with two or three items that name each other in a circle; as it is where nothing names another. */
export function withCircle(draft: Draft, random: Random): Draft {
  for (const slot of random.shuffle(slotsOf(draft))) {
    const value = valueAt(draft, slot) ?? null;
    const naming = namesIn(value);
    const holder = holderOf(value);
    if (holder === undefined || naming.length === 0) continue;
    const { items, made } = holder;
    const length = Math.min(items.length, 2 + random.int(2));
    const circle = random.shuffle([...items.keys()]).slice(0, length);
    const model = items[random.pick(naming as [number])]?.body ?? null;
    const names = new Set(items.map(({ name }) => name));
    const bodies = items.map(({ body }, at) => {
      const place = circle.indexOf(at);
      if (place < 0) return body;
      const next = items[circle[(place + 1) % length] ?? 0]?.name ?? null;
      const own = naming.includes(at) ? body : model;
      const all = textsIn(own).filter((text) => names.has(text)).length;
      return renamed(own, names, next, { left: random.int(all) });
    });
    return withValue(draft, slot, made(bodies));
  }
  return draft;
}

/** The places of the items of a value that name another one, or themselves. */
function namesIn(value: Value): number[] {
  const { items = [] } = holderOf(value) ?? {};
  const names = new Set(items.map(({ name }) => name));
  return items.flatMap(({ body }, at) => (textsIn(body).some((text) => names.has(text)) ? [at] : []));
}

function holderOf(value: Value): Holder | undefined {
  const pairs = pairsOf(value);
  if (kindOf(value) === 'dict' && pairs.length > 1 && pairs.every(([name]) => typeof name === 'string')) {
    const map = typeof value === 'object' && value !== null && 'map' in value;
    return {
      items: pairs.map(([name, body]) => ({ name, body })),
      made: (bodies) =>
        dictionary(
          pairs.map(([name], at) => [name, bodies[at] ?? null]),
          map,
        ),
    };
  }
  const records = kindOf(value) === 'list' ? itemsOf(value) : [];
  const key = records.length < 2 ? undefined : nameKeyOf(records);
  if (key === undefined) return undefined;
  const nameOf = (record: Value): Value => pairsOf(record).find(([each]) => each === key)?.[1] ?? null;
  return {
    items: records.map((record) => ({
      name: nameOf(record),
      body: dictionary(pairsOf(record).filter(([each]) => each !== key)),
    })),
    made: (bodies) =>
      sequence(
        'list',
        records.map((record, at) => dictionary([[key, nameOf(record)], ...pairsOf(bodies[at] ?? null)])),
      ),
  };
}

/** The field that has another text in each of the records. */
function nameKeyOf(records: readonly Value[]): Value | undefined {
  const [first = null] = records;
  return pairsOf(first).find(([key]) => {
    const names = records.map((record) => pairsOf(record).find(([each]) => each === key)?.[1]);
    return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  })?.[0];
}

/** Not the keys of dictionaries. */
function textsIn(value: Value): Value[] {
  return kindOf(value) === 'str' ? [value] : partsOf(value).flatMap(textsIn).slice(0, MOST_TEXTS);
}

/** With `next` in the place of one of the names in it, the one that `left` others stand before. */
function renamed(value: Value, names: ReadonlySet<Value>, next: Value, place: { left: number }): Value {
  if (names.has(value)) return place.left-- === 0 ? next : value;
  const kind = kindOf(value);
  if (kind === 'dict') return dictionary(pairsOf(value).map(([key, item]): Pair => [key, renamed(item, names, next, place)]));
  if (kind !== 'list' && kind !== 'tuple') return value;
  return sequence(
    kind,
    itemsOf(value).map((item) => renamed(item, names, next, place)),
  );
}
