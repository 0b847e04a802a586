/**
 * Items that name each other in a circle, for programs that follow names: of two that only differ in how they notice one, by chance
 * hardly any call has a circle of several items. Pure.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { slotsOf, valueAt, withValue } from './call-slots.ts';
import { type Draft, dictionary, itemsOf, kindOf, type Pair, pairsOf, sequence } from './data.ts';

const MOST_LEAVES = 200;

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
      const all = leavesOf(own).filter((leaf) => names.has(leaf)).length;
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
  return items.flatMap(({ body }, at) => (leavesOf(body).some((leaf) => names.has(leaf)) ? [at] : []));
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
function leavesOf(value: Value): Value[] {
  const kind = kindOf(value);
  if (kind === 'str') return [value];
  const parts = kind === 'dict' ? pairsOf(value).map(([, item]) => item) : itemsOf(value);
  return parts.flatMap(leavesOf).slice(0, MOST_LEAVES);
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
