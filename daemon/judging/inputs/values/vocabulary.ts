/**
 * Calls whose texts and whole numbers come from one small vocabulary, so that keys, items, fields and arguments refer to each
 * other: a graph leads on to its own keys, an order to its customer, and a query is the name of an item, or the beginning of one.
 * Pure.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { slotsOf, valueAt } from './call-slots.ts';
import { type Draft, dictionary, itemsOf, keyOf, kindOf, NAN, type Pair, pairsOf, sequence } from './data.ts';
import type { Constants, Grower } from './grow.ts';
import { type DictShape, emptyShape, type Shape } from './shape.ts';

const name = /^\p{L}[\p{L}\p{N}_]*$/u;
const LETTERS = [...'abcdefgh'];
/** Names that a call draws from: fewer make all of them equal, more make them differ. */
const LEAST_WORDS = 4;
const MOST_WORDS = 7;
const [LEAST_NUMBERS, MOST_NUMBERS] = [3, 5];
/** How many lists that stand under a key are read: short ones make long ways through a dictionary. */
const MOST_THIN = 2;
/** How many texts of a format one place draws from. */
const MOST_FORMATS = 4;
/** How many texts of several parts a call draws from. */
const MOST_JOINED = 4;

const MOST_KNOWN = 60;

/** The texts in some calls, keys too, each once. */
export function wordsOf(drafts: readonly Draft[]): string[] {
  const found = new Set<string>();
  const collect = (value: Value): void => {
    const kind = kindOf(value);
    if (kind === 'str') {
      if (value !== '' && String(value).length <= 40) found.add(String(value));
    } else if (kind === 'dict') pairsOf(value).flat().forEach(collect);
    else if (kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset') itemsOf(value).forEach(collect);
  };
  for (const draft of drafts) for (const slot of slotsOf(draft)) collect(valueAt(draft, slot) ?? null);
  return [...found].slice(0, MOST_KNOWN);
}

/** Four to seven names, some of the known calls among them; often some begin with another one, or with a capital letter. */
export function vocabularyOf(words: readonly string[], random: Random): string[] {
  const known = random.shuffle([...new Set(words.filter((word) => name.test(word)))]).slice(0, MOST_WORDS / 2);
  const size = LEAST_WORDS + random.int(MOST_WORDS - LEAST_WORDS + 1);
  const drawn = random.shuffle([...new Set([...known, ...LETTERS])]).slice(0, size);
  const names = random.next() < 0.5 ? drawn : drawn.map((one, at) => (at % 2 === 0 ? one : capital(one)));
  if (random.next() < 0.5) return names;
  const stem = random.pick(names);
  return [...new Set([stem, stem + random.pick(LETTERS), stem + random.pick(names), ...names])].slice(0, size);
}

/** Three to five whole numbers, some of the known calls among them; in half of the calls none, which leaves all as they are. */
export function numbersFor(known: readonly number[], random: Random, { mayBeNaN }: Constants): Value[] {
  if (random.next() < 0.5) return [];
  const size = LEAST_NUMBERS + random.int(MOST_NUMBERS - LEAST_NUMBERS + 1);
  const some: Value[] = random.shuffle([...new Set(known)]).slice(0, size - 1);
  if (mayBeNaN === true) return [...some.slice(1), NAN];
  return random.shuffle([...new Set([...some, 0, 1, 2, 3])]).slice(0, size);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The value with texts of the vocabulary, and some of its numbers if there are any; a dictionary whose keys are data is made from it. */
export function respelled(
  value: Value,
  shape: Shape,
  vocabulary: readonly string[],
  numbers: readonly Value[],
  grower: Grower,
): Value {
  const { random } = grower;
  const thin = random.next() < 0.75;
  const strict = random.next() < 0.8;
  const joined = joinedOf(vocabulary, grower);
  const asKnown = random.next() < 0.6;
  const formats = new Map<Shape, readonly string[]>();
  const formatsAt = (known: Shape): readonly string[] => {
    const some = formats.get(known) ?? random.shuffle(known.strs.filter(hasFormat)).slice(0, MOST_FORMATS);
    formats.set(known, some);
    return some;
  };
  const textAt = (text: string, known: Shape): string => {
    const some = asKnown && hasFormat(text) ? formatsAt(known) : [];
    if (some.length > 0) return random.pick(some);
    if (joined.length === 0 || random.next() >= 0.4) return random.pick(vocabulary);
    // What is in two places is equal only where both draw from a few.
    return random.next() < 0.5 ? random.pick(joined) : wordsJoined(vocabulary, grower);
  };
  const respell = (one: Value, known: Shape, below: boolean): Value => {
    const kind = kindOf(one);
    switch (kind) {
      case 'str':
        return redrawn(String(one), strict, grower) ? textAt(String(one), known) : one;
      case 'int':
        return numbers.length > 0 && (strict || random.next() < 0.5) ? random.pick(numbers) : one;
      case 'list':
      case 'tuple':
      case 'set':
      case 'frozenset': {
        const { item, places } = known.sequences.get(kind) ?? { item: emptyShape(), places: undefined };
        // A null among the items would hide what the texts show, unless the known calls have one there.
        const there = itemsOf(one).filter((each) => each !== null || places !== undefined || item.kinds.has('null'));
        const items = there.slice(0, thin && below && places === undefined ? 1 + random.int(MOST_THIN) : undefined);
        return sequence(
          kind,
          items.map((each, at) => respell(each, places?.[at] ?? item, below)),
        );
      }
      case 'dict': {
        const { dict } = known;
        if (dict === undefined) return one;
        if (!hasDataKeys(dict)) {
          const field = (key: Value): Shape => dict.fields.get(keyOf(key))?.shape ?? emptyShape();
          return dictionary(
            pairsOf(one).map(([key, item]): Pair => [key, respell(item, dict.record ? field(key) : dict.values, below)]),
            dict.map,
          );
        }
        const keys = random.shuffle(vocabulary).slice(random.next() < 0.7 ? 0 : random.int(vocabulary.length));
        return dictionary(
          keys.map((key): Pair => [key, respell(grower.grow(dict.values, 1), dict.values, true)]),
          dict.map,
        );
      }
      default:
        return one;
    }
  };
  return respell(value, shape, false);
}

const separator = /^[^\p{L}\p{N}_]$/u;

/** Texts such as dates, times and sentences. */
const hasFormat = (text: string): boolean => text !== '' && !name.test(text);

/** A few texts with signs of the source between words, one of them the same as another but for its signs; none without signs. */
function joinedOf(vocabulary: readonly string[], grower: Grower): string[] {
  const signs = signsOf(grower);
  if (signs.length === 0) return [];
  const some = Array.from({ length: MOST_JOINED - 1 }, () => wordsJoined(vocabulary, grower));
  const [first = ''] = some;
  return [...some, first.replace(/[^\p{L}\p{N}_]/gu, () => grower.random.pick(signs))];
}

const signsOf = ({ constants: { strs } }: Grower): string[] => strs.filter((one) => separator.test(one));

/** Several names and texts of the source with a sign of it between them. */
function wordsJoined(vocabulary: readonly string[], grower: Grower): string {
  const { random, constants } = grower;
  const own = constants.strs.filter((one) => name.test(one));
  const part = () => random.pick(own.length > 0 && random.next() < 0.4 ? own : vocabulary);
  return Array.from({ length: 2 + random.int(3) }, part).join(random.pick(signsOf(grower)));
}

/** A text of the source has a meaning, and one that is not a name may have a format: these may stay. */
function redrawn(text: string, strict: boolean, { random, constants }: Grower): boolean {
  if (constants.strs.includes(text)) return random.next() < 0.3;
  return strict || text === '' || name.test(text);
}

/** Whether keys are names of things: they are no fields, or its own values refer to them. */
function hasDataKeys({ record, keys, values }: DictShape): boolean {
  if (keys.kinds.size !== 1 || !keys.kinds.has('str')) return false;
  if (!record) return true;
  const items = values.kinds.size === 1 ? [...values.sequences.values()].flatMap(({ item }) => item.strs) : [];
  return items.some((text) => keys.strs.includes(text));
}
