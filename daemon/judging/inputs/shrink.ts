/** Smaller versions of a call: fewer items, shorter texts, numbers nearer to 0. Kinds stay what they are. */
import type { Value } from '../function/values.ts';
import { slotsOf, valueAt, withValue } from './candidates.ts';
import {
  type Draft,
  dictionary,
  float,
  itemsOf,
  keyOf,
  kindOf,
  type Language,
  numberIn,
  pairsOf,
  sequence,
  sizeOf,
} from './data.ts';

const MOST_PLACES = 12;
const DEEPEST = 4;

/** Smaller versions of one value, the smallest first. */
export function smaller(value: Value, language: Language, depth = 0): Value[] {
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
      const inner =
        depth > DEEPEST
          ? []
          : places(items.length).flatMap((at) =>
              smaller(items[at] ?? null, language, depth + 1).map((item) => items.with(at, item)),
            );
      return [...pieces(items), ...inner].map((list) => sequence(kind, list));
    }
    case 'dict': {
      const pairs = pairsOf(value);
      const map = keyOf(value).endsWith(',"map":1}');
      const inner =
        depth > DEEPEST
          ? []
          : places(pairs.length).flatMap((at) => {
              const [key, item] = pairs[at] ?? [null, null];
              return smaller(item, language, depth + 1).map((one) => pairs.with(at, [key, one]));
            });
      return [...pieces(pairs), ...inner].map((list) => dictionary(list, map));
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

/** Nothing, halves, and all but one. */
function pieces<T>(items: readonly T[]): T[][] {
  const { length } = items;
  if (length === 0) return [];
  const half = Math.floor(length / 2);
  const halves = length > 1 ? [items.slice(0, half), items.slice(half)] : [];
  const quarter = length > 8 ? [items.slice(half >> 1), items.slice(0, length - (half >> 1))] : [];
  return [[], ...halves, ...quarter, ...places(length).map((at) => items.toSpliced(at, 1))];
}

/** Smaller calls, the smallest first and each once. */
export function smallerCalls(draft: Draft, language: Language): Draft[] {
  const found = slotsOf(draft).flatMap((slot) =>
    smaller(valueAt(draft, slot) ?? null, language).map((value) => withValue(draft, slot, value)),
  );
  const distinct = new Map(found.map((one) => [keyOf(one), one]));
  distinct.delete(keyOf(draft));
  return [...distinct.values()].toSorted((a, b) => sizeOf(a) - sizeOf(b));
}
