/**
 * Numbers that follow from others of the same call. What a program compares is most often a number with the sum, the difference or
 * the product of others, and two programs that differ in what they do with equal ones differ nowhere else. And values that equal
 * others but are of another kind, for programs that compare kinds. Pure.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { slotsOf, valueAt, withValue } from './call-slots.ts';
import { type Draft, dictionary, float, itemsOf, kindOf, type Language, numberIn, type Pair, pairsOf, sequence } from './data.ts';

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

/** The call with one of its numbers as one of another kind that is equal to it: 1.0, true or, in JavaScript, "1" for 1. */
export function withTwin(draft: Draft, random: Random, language: Language): Draft {
  const slots = slotsOf(draft).filter((slot) => numbersIn(valueAt(draft, slot) ?? null).length > 0);
  if (slots.length === 0) return draft;
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

/** What is equal to it where the order of keys does not count. */
export function reordered(value: Value): Value {
  const kind = kindOf(value);
  if (kind === 'list') return itemsOf(value).map(reordered);
  if (kind !== 'dict') return value;
  const pairs = pairsOf(value).map(([key, item]): Pair => [key, reordered(item)]);
  return dictionary(pairs.toReversed(), typeof value === 'object' && value !== null && 'map' in value);
}
