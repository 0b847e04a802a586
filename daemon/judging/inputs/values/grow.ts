/** Fresh values of a shape, small ones more often than large ones, with repetitions and ties. */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { dictionary, float, itemsOf, type Kind, type Language, numberIn, type Pair, type Sequence, sequence } from './data.ts';
import { momentVariants } from './moments.ts';
import { matching } from './patterns.ts';
import { type DictShape, isRecursive, mergeShapes, type SequenceShape, type Shape } from './shape.ts';
import { retokened } from './strings.ts';

/** Numbers and texts of the source, such as what it compares with. */
export interface Constants {
  readonly ints: readonly number[];
  readonly floats: readonly number[];
  readonly strs: readonly string[];
  /** Regular expressions of the source. */
  readonly patterns?: readonly string[];
  /** Something is compared with null, so that items and fields may be null. */
  readonly nulls: boolean;
  /** The source treats lists or dictionaries in another way than other values, so that fields may hold them. */
  /** Names of what it asks whether it is a list or an object. */
  readonly asked?: readonly string[];
  readonly nests: readonly ('list' | 'dict')[];
  /** The source asks whether a number is whole, so that it may not be. */
  readonly fractions?: boolean;
  /** The source asks of what kind something is, so that it may be of another one. */
  readonly kinds?: boolean;
  /** The source compares the kinds of two values, so that what is equal may be of two. */
  readonly twins?: boolean;
  /** The source removes blanks, or treats any number of them as one: texts are made that differ in them only. */
  readonly spaces?: boolean;
  /** The empty text where the source compares with it, and texts that one of two programs has more often than the other. */
  readonly decisiveTexts?: readonly string[];
  /** The source counts in decimals, which a fraction of two digits is only nearly. */
  readonly decimals?: boolean;
  /** The source asks whether an argument is NaN. */
  readonly mayBeNaN?: boolean;
  /** Only one of two programs works on 32 bits of a number: they differ beyond. */
  readonly wide?: boolean;
}

/** Beyond what 32 bits hold, with a sign and without. */
export const WIDE = [2 ** 31, 2 ** 32 + 5, -(2 ** 31) - 1] as const;

/** The largest magnitude that occurs in a place; small places may hold a few more. */
export function mostOf(shape: Shape): number {
  return Math.max(3, ...shape.ints.map(Math.abs));
}

const LARGEST_DRAWN = 2 ** 31;
const MOST_DEEP = 5;
/** A whole number may be a size: a constant of the source that is larger is only tried where calls have larger ones. */
export const LARGEST_CONSTANT = 10_000;
/** Lists and texts get as long as a number of the source up to this one. */
const MOST_BY_CONSTANT = 64;
/** Lists and dictionaries may grow to this size, however small the known ones are: what two items do not show, nine may. */
export const LEAST_MOST = 9;

const closing: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };

export class Grower {
  readonly random: Random;
  readonly language: Language;
  readonly constants: Constants;
  /** Texts of all known calls: one place of a call may refer to another, as a key or a name does. */
  private readonly words: readonly string[];
  /** Texts of the source that are no words, such as brackets and separators. */
  private readonly signs: readonly string[];

  constructor(random: Random, language: Language, constants: Constants, words: readonly string[] = []) {
    this.random = random;
    this.language = language;
    this.constants = constants;
    this.words = words;
    this.signs = constants.strs.filter((text) => /^[^\p{L}\p{N}\s]{1,2}$/u.test(text));
  }

  /**
   * Whether null may stand where these kinds occur: the source compares something with null. Not for a number of JavaScript,
   * which takes null for 0 without a word.
   */
  mayBeNull(kinds: Iterable<Kind>): boolean {
    const isNumber = (kind: Kind): boolean => kind === 'int' || kind === 'float';
    return this.constants.nulls && !(this.language === 'node' && [...kinds].some(isNumber));
  }

  grow(shape: Shape, depth = 0): Value {
    const kinds = [...shape.kinds];
    if (kinds.length === 0) return this.random.int(4);
    const kind = this.random.pick(kinds);
    // An empty value is drawn less often than others.
    const chosen = kind === 'null' || kind === 'undefined' ? this.random.pick(kinds) : kind;
    return this.ofKind(chosen, shape, depth);
  }

  private ofKind(kind: Kind, shape: Shape, depth: number): Value {
    const { random } = this;
    switch (kind) {
      case 'null':
        return null;
      case 'undefined':
        return { undefined: 1 };
      case 'bool':
        return random.int(2) === 1;
      case 'int':
        // Sums of these are exact, in whatever order.
        if (this.constants.fractions === true && random.next() < 0.08)
          return float(random.int(Math.min(mostOf(shape), LARGEST_DRAWN)) + random.pick([0.5, 0.125, 0.375]), this.language);
        if (this.constants.decimals === true && random.next() < 0.3) return this.float(shape);
        return this.int(shape);
      case 'float':
        return this.float(shape);
      case 'str':
        return this.text(shape);
      case 'dict':
        return shape.dict === undefined ? dictionary([]) : this.dictionary(shape.dict, depth);
      case 'other':
        return this.other(shape);
      case 'list':
      case 'tuple':
      case 'set':
      case 'frozenset': {
        const known = shape.sequences.get(kind);
        return known === undefined ? sequence(kind, []) : this.sequence(kind, known, depth);
      }
    }
  }

  private other(shape: Shape): Value {
    if (shape.others.length === 0) return null;
    const one = this.random.pick(shape.others);
    return (this.random.next() < 0.5 ? momentVariants(one, this.random)[0] : undefined) ?? one;
  }

  private int(shape: Shape): number {
    const { random } = this;
    if (this.constants.wide === true && random.next() < 0.15) return random.pick(WIDE) + random.int(9);
    const most = mostOf(shape);
    const near = this.constants.ints.filter((one) => Math.abs(one) <= Math.max(LARGEST_CONSTANT, most * 4));
    const draw = random.next();
    if (near.length > 0 && draw < 0.2) return random.pick(near) + random.int(3) - 1;
    if (near.length > 0 && draw < 0.3) return multipleNear(random.pick([...shape.ints, most]), random.pick(near), random);
    if (shape.ints.length > 0 && draw < 0.45) return random.pick(shape.ints);
    if (draw < 0.6) return random.int(4);
    const number = random.int(Math.min(most, LARGEST_DRAWN) + 1);
    return number > 0 && shape.ints.some((one) => one < 0) && random.next() < 0.4 ? -number : number;
  }

  private float(shape: Shape): Value {
    const { random } = this;
    const seen = shape.floats.length > 0 && random.next() < 0.4 ? random.pick(shape.floats) : undefined;
    const most = Math.min(2 ** 27, Math.max(2, ...shape.floats.map(Math.abs)));
    const sign = shape.floats.some((one) => one < 0) && random.next() < 0.4 ? -1 : 1;
    // Eighths are exact in binary, hundredths are not.
    const parts = this.constants.decimals === true ? 100 : 8;
    return float(seen ?? (sign * random.int(Math.ceil(most * parts) + 1)) / parts, this.language);
  }

  /** Draws a text that occurs, a text of the source, or joins parts of them. */
  text(shape: Shape): string {
    const { random } = this;
    const pool = shape.strs.length === 0 ? ['a', 'b', 'ab', 'x y'] : shape.strs;
    const { strs, patterns = [] } = this.constants;
    const draw = random.next();
    if (this.words.length > 0 && random.next() < 0.2) return this.word();
    if (strs.includes('\n') && random.next() < 0.25) return this.lines();
    if (patterns.length > 0 && random.next() < 0.25) return this.formatted();
    if (draw < 0.35) return random.pick(pool);
    if (strs.length > 0 && draw < 0.55) return random.pick(strs);
    if (draw < 0.6) return '';
    if (draw < 0.75) return retokened(random.pick(pool), this);
    if (draw < 0.8) return this.sized(random.pick(pool));
    if (draw < 0.9 && this.signs.length > 1) return this.punctuated();
    const pieces = [random.pick(pool), random.pick(pool), ...(strs.length > 0 ? [random.pick(strs)] : [])];
    const cut = pieces.map((piece) => {
      const from = random.int(piece.length + 1);
      return random.next() < 0.5 ? piece.slice(0, from) : piece.slice(from);
    });
    const longest = Math.max(8, ...pool.map(({ length }) => length));
    return random.shuffle(cut).join('').slice(0, longest);
  }

  /** What a regular expression of the source looks for; several of them, in lines where the source knows lines. */
  formatted(words: readonly string[] = this.words): string {
    const { random, constants } = this;
    const { patterns = [] } = constants;
    if (patterns.length === 0) return random.pick(words);
    const one = (): string => matching(random.pick(patterns), random, words);
    if (random.next() < 0.5) return one();
    const between = random.pick(['', ' ', ...constants.strs.filter((text) => /^[^\p{L}\p{N}]{1,2}$/u.test(text))]);
    return Array.from({ length: 2 + random.int(4) }, () => (random.next() < 0.7 ? one() : this.punctuated())).join(between);
  }

  /** A few different lines in any order: what a pattern looks for, two words with a sign between them, or one that is moved in. */
  lines(): string {
    const { random, constants, signs } = this;
    const { patterns = [] } = constants;
    const words = [
      ...this.words.filter((word) => word.length < 12),
      'a',
      'b',
      ...constants.strs.filter((text) => /^\p{L}+$/u.test(text)),
    ];
    const one = (): string => {
      const draw = random.next();
      if (patterns.length > 0 && draw < 0.35) return matching(random.pick(patterns), random, this.words);
      if (signs.length > 0 && draw < 0.6) return random.pick(words) + random.pick(signs) + random.pick(words);
      const [opening] = ['[', '(', '{', '<'].filter((sign) => signs.includes(sign));
      if (opening !== undefined && draw < 0.8) return `${opening}${random.pick(words)}${closing[opening] ?? ''}`;
      return random.pick(['  ', '', '']) + random.pick(words);
    };
    // What a program strips shows where there are spaces, around the line and its signs and within its brackets; and a line that is
    // moved in may belong to the one before.
    const spaced = (line: string): string => line.replace(/[^\p{L}\p{N}\s]/gu, ' $& ');
    const some = Array.from({ length: 2 + random.int(3) }, one);
    const shown = (line: string): string => {
      const draw = random.next();
      return draw < 0.2 ? spaced(line) : draw < 0.4 ? `  ${line}` : line;
    };
    return Array.from({ length: 2 + random.int(5) }, () => shown(random.pick(some))).join('\n');
  }

  /** Words and signs of the source in any order, as in a template or a formula. */
  private punctuated(): string {
    const { random, signs } = this;
    const words = this.words.length > 0 ? this.words : ['a', 'b'];
    const quotes = signs.filter((sign) => /^["'`]$/.test(sign));
    if (quotes.length > 0 && random.next() < 0.3) {
      const quote = random.pick(quotes);
      const inner = Array.from({ length: 1 + random.int(5) }, () => random.pick(random.next() < 0.6 ? signs : words));
      return quote + inner.join('') + quote;
    }
    return Array.from({ length: 2 + random.int(6) }, () =>
      random.pick(signs.length > 0 && random.next() < 0.6 ? signs : words),
    ).join('');
  }

  /** A text as long as a number of the source, or one more or less. */
  private sized(text: string): string {
    const length = this.lengthByConstant();
    return length === undefined || text === '' ? text : text.repeat(Math.ceil(length / text.length)).slice(0, length);
  }

  private lengthByConstant(): number | undefined {
    const sizes = this.constants.ints.filter((one) => one > 1 && one <= MOST_BY_CONSTANT);
    return sizes.length === 0 ? undefined : this.random.pick(sizes) + this.random.int(3) - 1;
  }

  /** A text of a known call as it is, in other letters, its beginning, or with another letter. */
  private word(): string {
    const { random } = this;
    const word = random.pick(this.words);
    const letter = 'abcdef'.charAt(random.int(6));
    const forms = [
      word,
      word,
      word.toUpperCase(),
      word.toLowerCase(),
      word.slice(0, 1 + random.int(word.length)),
      word + letter,
      letter,
    ];
    return random.pick(forms);
  }

  sequence(kind: Sequence, known: SequenceShape, depth = 0): Value {
    const { random } = this;
    const { places, sizes, ordered } = known;
    // Lists among the items of a list may hold what that one holds: a tree is deeper than the known calls show.
    const item = isRecursive(known) ? deepened(known) : known.item;
    if (places !== undefined) {
      const items = places.map((place) =>
        ordered || !this.mayBeNull(place.kinds) ? this.grow(place, depth + 1) : this.value(place, depth + 1),
      );
      return sequence(kind, ordered ? rising(items) : items);
    }
    if (depth >= MOST_DEEP) return sequence(kind, []);
    const most = Math.max(LEAST_MOST, ...sizes);
    const drawn =
      isRecursive(known) && depth > 0
        ? random.int(4)
        : random.next() < 0.7
          ? random.int(Math.min(most, 8) + 1)
          : random.int(Math.min(most, 400) + 1);
    const length = depth === 0 && random.next() < 0.1 ? (this.lengthByConstant() ?? drawn) : drawn;
    // Many functions look for what is equal, so that few distinct items are more decisiveTexts than many.
    const distinct =
      random.next() < 0.5 ? Array.from({ length: random.int(3) + 1 }, () => this.grow(item, depth + 1)) : undefined;
    const items: Value[] = [];
    const width =
      item.sequences.get('list')?.places === undefined && random.next() < 0.7 ? this.grow(item, depth + 1) : undefined;
    for (let at = 0; at < length; at++) {
      let next = distinct === undefined ? this.grow(item, depth + 1) : random.pick(distinct);
      if (this.constants.nulls && random.next() < 0.1) next = null;
      // Rows of a table have one length.
      if (Array.isArray(width) && Array.isArray(next)) next = fitted(next, width);
      items.push(next);
    }
    return sequence(kind, items);
  }

  /** A value under a key or in a row: null now and then where the source compares something with null. */
  private value(shape: Shape, depth: number): Value {
    return this.constants.nulls && this.random.next() < 0.08 ? null : this.grow(shape, depth);
  }

  private dictionary({ map, record, fields, keys, values, sizes }: DictShape, depth: number): Value {
    const { random } = this;
    const pairs: Pair[] = [];
    if (record) {
      for (const { key, shape, always } of fields.values()) {
        if (always || random.next() < 0.5) pairs.push([key, this.value(shape, depth + 1)]);
      }
    } else if (depth < MOST_DEEP) {
      const size = random.int(Math.min(40, Math.max(LEAST_MOST, ...sizes)) + 1);
      for (let at = 0; at < size; at++) pairs.push([this.grow(keys, depth + 1), this.value(values, depth + 1)]);
    }
    return dictionary(pairs, map);
  }
}

/** A multiple of a number of the source: what it divides by has other results there. */
export function multipleNear(number: number, constant: number, random: Random): number {
  if (Math.abs(constant) < 2) return number;
  const multiple = (Math.round(number / constant) + random.int(3) - 1) * constant;
  return multiple < 0 && number >= 0 ? 0 : multiple + 0;
}

/** The shape of an item, in which an inner sequence may hold whatever the outer one does. */
function deepened({ item }: SequenceShape): Shape {
  const inner = [...item.sequences].map(([kind, one]) => [kind, { ...one, item: mergeShapes(one.item, item) }] as const);
  return { ...item, sequences: new Map(inner) };
}

/** Sorts them by their numbers. */
export function rising(items: readonly Value[]): Value[] {
  return items.toSorted((a, b) => numberIn(a) - numberIn(b));
}

/** Gives it as many items as the other. */
function fitted(row: readonly Value[], like: readonly Value[]): Value[] {
  return Array.from({ length: like.length }, (_, at) => row[at] ?? itemsOf([...like])[at] ?? null);
}
