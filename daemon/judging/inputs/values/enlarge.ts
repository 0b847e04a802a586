/**
 * Longer calls from a known one: as many copies as asked for of what its lists, dictionaries and texts hold, each copy with
 * numbers and names of its own. What is equal in two places of the known call is equal in each copy, so that lists of one length
 * stay so and an id still refers to its entry; what is sorted stays sorted; a number that is a length grows with it. Pure.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { type CallSlot, slotsOf, valueAt, withValue } from './call-slots.ts';
import {
  type Draft,
  dictionary,
  float,
  itemsOf,
  type Kind,
  keyOf,
  kindOf,
  type Language,
  numberIn,
  type Pair,
  pairsOf,
  type Sequence,
  sequence,
} from './data.ts';
import { type Shape, shapeOf } from './shape.ts';

/**
 * `linked`: copies refer to later copies too. `apart`: they do not, and what is looked for is in the last. `few`: what occurs
 * more than once is the same in all copies. `same`: only keys differ.
 */
export const manners = ['linked', 'apart', 'few', 'same'] as const;
export type Manner = (typeof manners)[number];

/** Values that differ do so in all copies, also where they occur more than once. */
export const keepsDistinct = (manner: Manner): boolean => manner === 'linked' || manner === 'apart';

/** What is known in addition to the call itself. */
export interface Surroundings {
  /** Calls whose values say what is a record, and what is always sorted. */
  readonly known: readonly Draft[];
  /** Texts of the source, which mean something to it. */
  readonly words: readonly string[];
  readonly language: Language;
}

/** Numbers of one call stay within what 32 bits hold. */
const LARGEST = 2 ** 30;
/** A list of at most this many items within another may be a row with places. */
const MOST_PLACES = 5;
/** One copy refers to another at most this far on, in half of the cases. */
const MOST_REACH = 4;
/** A text of this length, or of several words, grows next to lists too. */
const LEAST_TEXT = 12;
const LEAST_SORTED = 3;

const isSequence = (kind: Kind): kind is Sequence =>
  kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset';
const isLeaf = (kind: Kind): boolean => kind === 'int' || kind === 'float' || kind === 'str';

/** The call with `times` copies; undefined when nothing in it grows. */
export function enlarged(
  draft: Draft,
  times: number,
  manner: Manner,
  surroundings: Surroundings,
  random: Random,
): Draft | undefined {
  return new Enlarger(draft, times, manner, surroundings, random).enlarge();
}

/** Values that are no lists or dictionaries; of a text its words. */
export function leavesIn(value: Value): number {
  const kind = kindOf(value);
  if (isSequence(kind)) return itemsOf(value).reduce<number>((sum, item) => sum + leavesIn(item), 0);
  if (kind === 'dict') return pairsOf(value).reduce((sum, [key, item]) => sum + leavesIn(key) + leavesIn(item), 0);
  return kind === 'str' ? Math.max(1, Math.ceil(String(value).length / 6)) : 1;
}

class Enlarger {
  private readonly draft: Draft;
  private readonly times: number;
  private readonly manner: Manner;
  private readonly surroundings: Surroundings;
  private readonly random: Random;
  private readonly words: ReadonlySet<string>;
  /** Values by the place in which they occur, in the order of the call. */
  private readonly places = new Map<string, Set<string>>();
  private readonly occurs = new Map<string, number>();
  private readonly refers = new Set<string>();
  private readonly lengths = new Set<number>();
  /** The places of dictionaries whose keys are data. */
  private readonly maps = new Set<string>();
  private readonly shapes: readonly Shape[];
  private readonly step: { int: number; float: number };
  private readonly largest: number;
  private readonly longestText: number;
  private readonly hasLists: boolean;
  private grew = false;

  constructor(draft: Draft, times: number, manner: Manner, surroundings: Surroundings, random: Random) {
    this.draft = draft;
    this.times = times;
    this.manner = manner;
    this.surroundings = surroundings;
    this.random = random;
    this.words = new Set(surroundings.words);
    const found = { int: [] as number[], float: [] as number[] };
    const slots = slotsOf(draft).map((slot) => valueAt(draft, slot) ?? null);
    this.hasLists = slots.some((value) => !isLeaf(kindOf(value)) && leavesIn(value) > 1);
    this.longestText = Math.max(0, ...slots.map((value) => (typeof value === 'string' ? value.length : 0)));
    this.shapes = slotsOf(draft).map((slot) => shapeOf(this.knownAt(slot)));
    for (const [at, value] of slots.entries()) {
      if (!isLeaf(kindOf(value))) this.collect(value, `${at}`, this.shapes[at], found);
    }
    const span = (numbers: readonly number[]): number =>
      numbers.length === 0 ? 1 : Math.max(...numbers) - Math.min(...numbers) + 1;
    this.step = {
      int: Math.min(span(found.int), Math.floor(LARGEST / times)),
      float: Math.min(span(found.float), LARGEST / times),
    };
    const least = Math.min(0, ...found.int);
    this.largest = found.int.length > 0 && least >= 0 ? Math.max(...found.int) : Number.NaN;
    const seen = new Set<string>();
    for (const [place, values] of this.places) {
      const known = [...values].filter((value) => seen.has(value)).length;
      if (known * 2 >= values.size) this.refers.add(place);
      for (const value of values) seen.add(value);
    }
  }

  private knownAt(slot: CallSlot): Value[] {
    const values = [...this.surroundings.known, this.draft].map((each) => valueAt(each, slot));
    return values.filter((value) => value !== undefined);
  }

  private collect(value: Value, place: string, shape: Shape | undefined, found: { int: number[]; float: number[] }): void {
    const kind = kindOf(value);
    if (isLeaf(kind)) {
      const key = keyOf(value);
      this.places.set(place, (this.places.get(place) ?? new Set()).add(key));
      this.occurs.set(key, (this.occurs.get(key) ?? 0) + 1);
      if (kind === 'int' || kind === 'float') found[kind].push(numberIn(value));
    } else if (isSequence(kind)) {
      const items = itemsOf(value);
      if (/^\d+$/.test(place)) this.lengths.add(items.length);
      const item = shape?.sequences.get(kind)?.item;
      for (const [at, each] of items.entries()) this.collect(each, inner(place, items.length, at), item, found);
    } else if (kind === 'dict') {
      const pairs = pairsOf(value);
      if (/^\d+$/.test(place)) this.lengths.add(pairs.length);
      if (shape?.dict?.record === false) this.maps.add(place);
      for (const [key, item] of pairs) {
        this.collect(key, `${place}{}`, undefined, found);
        const field = shape?.dict?.record === true ? shape.dict.fields.get(keyOf(key))?.shape : shape?.dict?.values;
        this.collect(item, this.under(place, key), field, found);
      }
    }
  }

  /** The place of what a key holds. */
  private under(place: string, key: Value): string {
    return this.maps.has(place) ? `${place}.*` : `${place}.${keyOf(key)}`;
  }

  enlarge(): Draft | undefined {
    const { draft } = this;
    const sought = slotsOf(draft).filter((slot) => this.occurs.has(keyOf(valueAt(draft, slot) ?? null)));
    let made = draft;
    for (const [at, slot] of slotsOf(draft).entries()) {
      const value = valueAt(draft, slot) ?? null;
      const grown = isLeaf(kindOf(value))
        ? this.argument(value, slot, sought)
        : this.grown(value, this.shapes[at], `${at}`, this.knownAt(slot));
      made = withValue(made, slot, grown);
    }
    if (!this.grew && !this.hasLists) made = this.multiplied();
    return this.grew && keyOf(made) !== keyOf(draft) ? made : undefined;
  }

  /** Multiplies the first number, or all, of a call that has numbers alone. */
  private multiplied(): Draft {
    if (!keepsDistinct(this.manner)) return this.draft;
    let made = this.draft;
    for (const slot of slotsOf(this.draft)) {
      const value = valueAt(this.draft, slot) ?? null;
      if (kindOf(value) !== 'int' || numberIn(value) < 2 || (this.grew && this.manner === 'linked')) continue;
      const number = Math.min(LARGEST, numberIn(value) * this.times);
      this.grew = true;
      made = withValue(made, slot, number);
    }
    return made;
  }

  /** An argument that is a number or a text. */
  private argument(value: Value, slot: CallSlot, sought: readonly CallSlot[]): Value {
    const { times } = this;
    if (typeof value === 'string' && this.grows(value)) {
      this.grew = true;
      return this.text(value);
    }
    if (kindOf(value) === 'int' && this.hasLists) {
      const number = numberIn(value);
      if (number > 1 && this.lengths.has(number)) return number * times;
      if (number === this.largest + 1) return number + this.step.int * (times - 1);
    }
    const at = sought.findIndex((one) => one.of === slot.of && one.at === slot.at);
    const isLast = at > 0 || (at === 0 && sought.length === 1 && this.manner === 'apart');
    return isLast ? this.leaf(value, '', times - 1) : value;
  }

  private grows(text: string): boolean {
    if (text.length < 2 || this.words.has(text)) return false;
    if (this.hasLists) return /\s/.test(text) || text.length >= LEAST_TEXT;
    return text.length * 2 > this.longestText;
  }

  private text(text: string): string {
    const separator = /\r?\n|, ?|; ?|\s/.exec(text)?.[0] ?? '';
    const copies = Array.from({ length: this.times }, (_, block) => {
      if (this.manner === 'same' || this.manner === 'few' || block === 0) return text;
      return separator === ''
        ? text.replace(/[a-z]/g, (letter) => turned(letter, 'a', block)).replace(/[A-Z]/g, (letter) => turned(letter, 'A', block))
        : text.replace(/\p{L}{2,}/gu, (word) => (this.words.has(word) ? word : named(word, block)));
    });
    return copies.join(separator);
  }

  /** A list, a dictionary or a record that is an argument, or a field of such a record. */
  private grown(value: Value, shape: Shape | undefined, place: string, known: readonly Value[]): Value {
    const kind = kindOf(value);
    if (isSequence(kind)) {
      const of = shape?.sequences.get(kind);
      const isRow = of?.places !== undefined && (kind !== 'list' || of.ordered || of.item.kinds.size > 1);
      const items = itemsOf(value);
      if (isRow || items.length === 0) return value;
      this.grew = true;
      if (isSquare(items)) return this.square(items, place);
      const copies = this.blocks().flatMap((block) =>
        items.map((item, at) => this.copy(item, inner(place, items.length, at), block)),
      );
      return sequence(kind, sortedAs(known, copies));
    }
    if (kind === 'dict') {
      const isRecord = shape?.dict?.record === true;
      const isMap = typeof value === 'object' && value !== null && 'map' in value;
      const pairs = pairsOf(value);
      if (isRecord) {
        const fields = pairs.map(([key, item]): Pair => {
          return [key, this.grown(item, shape?.dict?.fields.get(keyOf(key))?.shape, this.under(place, key), [item])];
        });
        return dictionary(fields, isMap);
      }
      if (pairs.length === 0) return value;
      this.grew = true;
      const copies = this.blocks().flatMap((block) => pairs.map((pair) => this.entry(pair, place, block)));
      return dictionary(copies, isMap);
    }
    return value;
  }

  private entry([key, item]: Pair, place: string, block: number): Pair {
    // Two entries of one key would be one.
    const own = kindOf(key) === 'str' || kindOf(key) === 'int' ? this.renamed(key, block) : this.copy(key, `${place}{}`, block);
    return [own, this.copy(item, this.under(place, key), block)];
  }

  /** In their order where copies refer to later ones, else mixed: the first would be found first. */
  private blocks(): number[] {
    const all = Array.from({ length: this.times }, (_, block) => block);
    return this.manner === 'apart' || this.manner === 'few' ? [...all.slice(1), 0] : all;
  }

  /** A matrix of as many rows as columns stays one. */
  private square(rows: readonly Value[], place: string): Value {
    const side = Math.max(2, Math.round(Math.sqrt(this.times)));
    const across = Array.from({ length: side }, (_, block) => block);
    return across.flatMap((down) =>
      rows.map((row, at) =>
        across.flatMap((right) =>
          itemsOf(row).map((item, column) =>
            this.copy(item, inner(inner(place, rows.length, at), rows.length, column), down + right),
          ),
        ),
      ),
    );
  }

  private copy(value: Value, place: string, block: number): Value {
    const kind = kindOf(value);
    if (isLeaf(kind)) return this.leaf(value, place, block);
    if (isSequence(kind)) {
      const items = itemsOf(value);
      const copies = items.map((item, at) => this.copy(item, inner(place, items.length, at), block));
      return sequence(kind, sortedAs([value], copies));
    }
    if (kind !== 'dict') return value;
    const isMap = typeof value === 'object' && value !== null && 'map' in value;
    const pairs = pairsOf(value).map(([key, item]): Pair => {
      // The names of fields are the same in each entry, and keys that occur elsewhere refer to something.
      const refers = (this.places.get(`${place}{}`)?.size ?? 0) > 1 && this.refers.has(`${place}{}`);
      return [refers ? this.leaf(key, `${place}{}`, block) : key, this.copy(item, this.under(place, key), block)];
    });
    return dictionary(pairs, isMap);
  }

  private leaf(value: Value, place: string, block: number): Value {
    if (this.manner === 'same') return value;
    if (this.manner === 'few' && (this.occurs.get(keyOf(value)) ?? 0) > 1) return value;
    const crosses = this.manner === 'linked' && this.refers.has(place) && this.random.next() < 0.5;
    return this.renamed(value, crosses ? Math.min(this.times - 1, block + this.random.int(MOST_REACH + 1)) : block);
  }

  private renamed(value: Value, block: number): Value {
    if (block === 0) return value;
    if (typeof value === 'string') return this.words.has(value) ? value : named(value, block);
    if (kindOf(value) === 'int') return numberIn(value) + block * this.step.int;
    return float(Number((numberIn(value) + block * this.step.float).toFixed(6)), this.surroundings.language);
  }
}

/** The place of an item: its own in a row of few, that of all in a list. */
function inner(place: string, length: number, at: number): string {
  return place.includes('[') && length <= MOST_PLACES ? `${place}.${at}` : `${place}[]`;
}

function isSquare(rows: readonly Value[]): boolean {
  return (
    rows.length >= LEAST_SORTED &&
    rows.every(
      (row) => Array.isArray(row) && row.length === rows.length && row.every((item) => /^(?:int|float)$/.test(kindOf(item))),
    )
  );
}

function turned(letter: string, first: string, by: number): string {
  const from = first.charCodeAt(0);
  return String.fromCharCode(((letter.charCodeAt(0) - from + by) % 26) + from);
}

/** The text with another name in it: letters after its first word, or a larger number where it is one. */
function named(text: string, block: number): string {
  const word = /\p{L}+/u.exec(text);
  if (word === null) {
    return /^\d{1,9}$/.test(text) ? String(Number(text) + block * 10 ** text.length).padStart(text.length, '0') : text;
  }
  let letters = '';
  for (let rest = block; rest > 0; rest = Math.floor((rest - 1) / 26)) letters = turned('a', 'a', rest - 1) + letters;
  const end = word.index + word[0].length;
  const isUpper = word[0].length > 1 && word[0] === word[0].toUpperCase();
  return text.slice(0, end) + (isUpper ? letters.toUpperCase() : letters) + text.slice(end);
}

type SortKey = (item: Value) => Value | undefined;

/** In order where all known values of the place are, by their items or by one field of those. */
function sortedAs(known: readonly Value[], items: Value[]): Value[] {
  const lists = known.map(itemsOf).filter(({ length }) => length > 1);
  if (!lists.some(({ length }) => length >= LEAST_SORTED)) return items;
  const [first = null] = lists[0] ?? [];
  const keys: SortKey[] = isLeaf(kindOf(first))
    ? [(item) => item]
    : [
        ...itemsOf(first).map(
          (_, at): SortKey =>
            (item) =>
              itemsOf(item)[at],
        ),
        ...pairsOf(first).map(
          ([name]): SortKey =>
            (item) =>
              pairsOf(item).find(([key]) => keyOf(key) === keyOf(name))?.[1],
        ),
      ];
  for (const key of keys) {
    for (const sign of [1, -1]) {
      const compare = (a: Value, b: Value): number => sign * compared(key(a) ?? null, key(b) ?? null);
      const isSorted = (list: readonly Value[]): boolean =>
        list.every((item, at) => isLeaf(kindOf(key(item) ?? null)) && (at === 0 || compare(list[at - 1] ?? null, item) <= 0));
      const varies = lists.some((list) => compare(list[0] ?? null, list.at(-1) ?? null) !== 0);
      if (varies && lists.every(isSorted)) return items.toSorted(compare);
    }
  }
  return items;
}

function compared(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'string' || typeof b === 'string' ? Number.NaN : numberIn(a) - numberIn(b);
}
