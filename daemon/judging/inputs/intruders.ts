/**
 * Values that do not belong where they are put: a fraction among whole numbers, a negative one, a text for a number. They
 * find what the original rejects on purpose; what it does with them by accident says nothing about a candidate.
 */
import type { Value } from '../function/values.ts';
import { dictionary, float, itemsOf, kindOf, numberIn, pairsOf, sequence } from './values/data.ts';
import type { Grower } from './values/grow.ts';

const MOST_LEAVES = 60;

/** The numbers and texts in a value, keys of dictionaries among them. */
export function leavesOf(value: Value): Value[] {
  const kind = kindOf(value);
  if (kind === 'int' || kind === 'float' || kind === 'str') return [value];
  const inner = kind === 'dict' ? pairsOf(value).flat() : itemsOf(value);
  return inner.flatMap(leavesOf).slice(0, MOST_LEAVES);
}

/** The value with an intruder in its place, or in the place of something in it. */
export function intruderIn(value: Value, grower: Grower): Value {
  const { random } = grower;
  const kind = kindOf(value);
  if (random.next() < 0.75) {
    if (kind === 'list' || kind === 'tuple') {
      const items = itemsOf(value);
      if (items.length > 0) {
        const at = random.int(items.length);
        return sequence(kind, items.with(at, intruderIn(items[at] ?? null, grower)));
      }
    } else if (kind === 'dict') {
      const pairs = pairsOf(value);
      const at = random.int(Math.max(1, pairs.length));
      const [key = null, item] = pairs[at] ?? [];
      const map = typeof value === 'object' && value !== null && 'map' in value;
      if (item !== undefined) return dictionary(pairs.with(at, [key, intruderIn(item, grower)]), map);
    }
  }
  return random.pick(strangersTo(value, grower));
}

/**
 * No list for a number or a text: it cannot be a key, which fails by accident in most programs. No number for a text where the
 * source does not ask for kinds: it equals nothing, and what parses it fails.
 */
function strangersTo(value: Value, { language, random, constants }: Grower): Value[] {
  const strange: Value[] = [null, '', 'x', true, -1, 0, float(0.5, language), float(2.5, language)];
  const texts = strange.filter((one) => one === null || typeof one === 'string');
  switch (kindOf(value)) {
    case 'int':
    case 'float': {
      const number = numberIn(value);
      const near = [float(number + 0.5, language), -number, float(-number - 0.5, language), 0, -1, 10_000];
      return random.next() < 0.8 ? near : strange;
    }
    case 'str': {
      const text = String(value);
      return random.next() < 0.8
        ? ['', ' ', `${text}!`, `-${text}`, `${text}x`, `${text} ${text}`, text.slice(1)]
        : constants.kinds === true
          ? strange
          : texts;
    }
    case 'dict':
    case 'list':
      // What has items too answers "in", which is no use that the original means.
      return strange.filter((one) => typeof one !== 'string');
    default:
      return [...strange, []];
  }
}
