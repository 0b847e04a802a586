/**
 * Fields and items that hold lists, objects or null where the source asks which of them it has. Fields: under one key in all
 * dictionaries of a call, so that two of them meet, and picked by a text argument that names the key. Pure.
 */
import type { Value } from '../../function/values.ts';
import { slotsOf, valueAt } from './call-slots.ts';
import { type Draft, dictionary, itemsOf, kindOf, type Pair, pairsOf, sequence } from './data.ts';
import type { Grower } from './grow.ts';

const MOST_DEEP = 2;
const MOST_ITEMS = 3;
/** The keys of objects in calls that have none by themselves. */
const KEYS = ['a', 'b'];

/** The dictionaries that are an argument, or the rows of one. */
function rowsOf(value: Value): readonly Value[] {
  return kindOf(value) === 'dict' ? [value] : itemsOf(value).filter((item) => kindOf(item) === 'dict');
}

/** The keys of the dictionaries of some arguments that are texts, each once. */
export function keysIn(values: readonly Value[]): string[] {
  const keys = values.flatMap(rowsOf).flatMap((row) => pairsOf(row).map(([key]) => key));
  return [...new Set(keys.filter((key) => typeof key === 'string'))];
}

/**
 * The key or, where the source has a sign to join keys, the way to what the call has below it; often as a pattern of the source
 * takes it.
 */
export function nameFor(key: string, draft: Draft, grower: Grower): string {
  const { random, constants } = grower;
  const rows = slotsOf(draft).flatMap((slot) => rowsOf(valueAt(draft, slot) ?? null));
  const below = keysIn(rows.flatMap((row) => pairsOf(row).flatMap(([mine, item]) => (mine === key ? [item] : []))));
  const signs = constants.strs.filter((text) => /^[./]$/.test(text));
  const way = below.length > 0 && signs.length > 0 ? `${key}${random.pick(signs)}${random.pick(below)}` : key;
  return random.next() < 0.5 ? grower.formatted([way]) : way;
}

/** The argument with something else under that key in most of its dictionaries. */
export function nested(value: Value, key: string, keys: readonly string[], grower: Grower): Value {
  const { random } = grower;
  const change = (row: Value): Value => {
    if (kindOf(row) !== 'dict' || random.next() < 0.2) return row;
    const pairs = pairsOf(row);
    const known = pairs.find(([mine]) => mine === key)?.[1] ?? random.int(4);
    const map = typeof row === 'object' && row !== null && 'map' in row;
    return dictionary([...pairs, [key, nestedIn(known, keys, grower, 0)]], map);
  };
  const kind = kindOf(value);
  if (kind === 'dict') return change(value);
  return kind === 'list' || kind === 'tuple' ? sequence(kind, itemsOf(value).map(change)) : value;
}

/** For calls without dictionaries: the argument with lists or objects in place of some items. */
export function nestedItems(value: Value, grower: Grower): Value {
  const kind = kindOf(value);
  if (kind !== 'list' && kind !== 'tuple') return value;
  const items = itemsOf(value).map((item) => (grower.random.next() < 0.5 ? nestedIn(item, KEYS, grower, 0) : item));
  return sequence(kind, items);
}

/** A list, an object or null around what is there, of those that the source asks for; sometimes that itself. */
function nestedIn(known: Value, keys: readonly string[], grower: Grower, depth: number): Value {
  const { random, constants } = grower;
  const kinds = depth >= MOST_DEEP ? [] : constants.nests;
  const chosen = random.pick(['same', ...kinds, ...kinds, ...(constants.nulls ? ['null'] : [])]);
  const inner = (): Value => nestedIn(random.next() < 0.5 ? known : random.int(4), keys, grower, depth + 1);
  const size = random.int(MOST_ITEMS + 1);
  switch (chosen) {
    case 'null':
      return null;
    case 'list':
      return Array.from({ length: size }, () => (random.next() < 0.7 ? random.int(4) : inner()));
    case 'dict':
      return dictionary(Array.from({ length: size }, (): Pair => [random.pick(keys), inner()]));
    default:
      return known;
  }
}
