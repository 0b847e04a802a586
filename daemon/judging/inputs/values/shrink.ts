/**
 * Smaller versions of a call: fewer items, shorter texts, numbers nearer to 0. Kinds stay what they are, and so do the items
 * and fields of records: without them a call is not one that the function is made for.
 */
import type { Value } from '../../function/values.ts';
import { type CallSlot, slotsOf, valueAt, withValue } from './call-slots.ts';
import {
  type Draft,
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
  sequence,
  smallestFirst,
} from './data.ts';
import { emptyShape, type Shape } from './shape.ts';

const MOST_PLACES = 12;
const MOST_DEEP = 4;

/** Smaller versions of one value, the smallest first. */
function smaller(value: Value, language: Language, shape = emptyShape(), depth = 0): Value[] {
  const kind = kindOf(value);
  switch (kind) {
    case 'int':
      return towardsZero(numberIn(value));
    case 'float':
      return towardsZero(Math.trunc(numberIn(value))).map((one) => float(one, language === 'node' ? 'node' : 'python'));
    case 'str':
      return pieces([...String(value)]).map((letters) => letters.join(''));
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset': {
      const items = itemsOf(value);
      const known = shape.sequences.get(kind);
      const isRecord = known?.places !== undefined && known.places.length === items.length;
      const inner =
        depth > MOST_DEEP
          ? []
          : places(items.length).flatMap((at) =>
              smaller(items[at] ?? null, language, (isRecord ? known.places?.[at] : known?.item) ?? emptyShape(), depth + 1).map(
                (item) => items.with(at, item),
              ),
            );
      return [...(isRecord ? [] : pieces(items)), ...inner].map((list) => sequence(kind, list));
    }
    case 'dict': {
      const pairs = pairsOf(value);
      const { dict } = shape;
      const needed = ([key]: Pair): boolean => dict?.record === true && dict.fields.get(keyOf(key))?.always === true;
      const map = isMap(value);
      const inner =
        depth > MOST_DEEP
          ? []
          : places(pairs.length).flatMap((at) => {
              const [key, item] = pairs[at] ?? [null, null];
              const place = dict?.record === true ? dict.fields.get(keyOf(key))?.shape : dict?.values;
              return smaller(item, language, place ?? emptyShape(), depth + 1).map((one) => pairs.with(at, [key, one]));
            });
      const fewer = pieces(pairs).filter((left) => pairs.every((pair) => !needed(pair) || left.includes(pair)));
      return [...fewer, ...inner].map((list) => dictionary(list, map));
    }
    default:
      return [];
  }
}

function towardsZero(number: number): number[] {
  const wanted = [0, Math.sign(number), Math.trunc(number / 2), number - Math.sign(number), Math.abs(number)];
  return [...new Set(wanted)]
    .filter((one) => Math.abs(one) < Math.abs(number) || (number < 0 && one === -number))
    .map((one) => one + 0);
}

const places = (length: number): number[] => Array.from({ length: Math.min(length, MOST_PLACES) }, (_, at) => at);

/** The parts to try: none of the items, each half, and all but one. */
function pieces<T>(items: readonly T[]): T[][] {
  const { length } = items;
  if (length === 0) return [];
  const half = Math.floor(length / 2);
  const halves = length > 1 ? [items.slice(0, half), items.slice(half)] : [];
  const quarter = length > 8 ? [items.slice(half >> 1), items.slice(0, length - (half >> 1))] : [];
  return [[], ...halves, ...quarter, ...places(length).map((at) => items.toSpliced(at, 1))];
}

/** Smaller calls, the smallest first and each once. */
export function smallerCalls(draft: Draft, language: Language, shapeAt: (slot: CallSlot) => Shape = emptyShape): Draft[] {
  const found = slotsOf(draft).flatMap((slot) =>
    smaller(valueAt(draft, slot) ?? null, language, shapeAt(slot)).map((value) => withValue(draft, slot, value)),
  );
  const fewer = pieces(draft.before ?? []).map((before) => ({ ...draft, before }));
  const distinct = new Map([...fewer, ...found].map((one) => [keyOf(one), one]));
  distinct.delete(keyOf(draft));
  return smallestFirst([...distinct.values()], (one) => one);
}
