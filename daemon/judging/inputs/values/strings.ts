/** Variants of a text: pieces, repetitions, other case, other letters, other spaces, words and tokens in another order. */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';
import { dictionary, isMap, itemsOf, kindOf, type Pair, pairsOf, sequence } from './data.ts';
import type { Constants, Grower } from './grow.ts';
import type { Shape } from './shape.ts';

const MOST_CHARS = 4000;

export function stringVariants(text: string, shape: Shape, grower: Grower): string[] {
  const { random, constants } = grower;
  const half = Math.floor(text.length / 2);
  const made = ['', text.slice(0, 1), text.slice(0, -1), text.slice(1), text.slice(0, half), text.slice(half)];
  // Numbers in a text have signs and may be nothing.
  if (/\d/.test(text)) made.push(text.replace(/\d+/g, '-$&'), text.replace(/\d+/g, '0'));
  made.push([...text].toReversed().join(''), text + text, text.toUpperCase(), text.toLowerCase(), swapCase(text));
  made.push(` ${text}`, `${text} `, ' ', text.replace(/\s+/g, '  '), respaced(text, grower));
  // Splits the text at the sign that separates its parts.
  if (/[,;:|=\n]/.test(text)) made.push(text.replace(/[,;:|=]/g, ' $& '), text.replace(/\n/g, ' \n '));
  // Within and outside of brackets, and of the marks that the source knows.
  if (/[[\](){}<>]/.test(text)) made.push(text.replace(/[[({<]/g, '$& ').replace(/[\])}>]/g, ' $&'));
  if (text !== '')
    made.push(`${text}  ${text}`, `${text}\t${text.slice(0, half)}`, ` ${text.slice(0, half)}  ${text.slice(half)} `);
  made.push(retokened(text, grower), retokened(text, grower), retokened(text, grower));
  made.push(doubled(text, grower), doubled(text, grower));
  const words = text.split(/(\s+)/);
  if (words.length > 1) {
    const own = words.filter((_, index) => index % 2 === 0);
    made.push(random.shuffle(own).join(' '), [...own, random.pick(own)].join(' '), random.pick(own), own.toReversed().join(' '));
    made.push([random.pick(own), random.pick(own), random.pick(own)].join(' '), own.join('\n'));
  }
  const at = random.int(text.length + 1);
  const other = random.int(text.length + 1);
  made.push(text.slice(0, at) + text.slice(at + 1), text.slice(0, at) + text.charAt(other) + text.slice(at));
  if ((constants.patterns ?? []).length > 0) made.push(grower.formatted(), grower.formatted(), text + grower.formatted());
  if (constants.strs.includes('\n')) made.push(grower.lines(), `${text}\n${grower.lines()}`, grower.lines());
  for (const piece of constants.strs.slice(0, 12)) {
    made.push(piece, text.slice(0, at) + piece + text.slice(at), text + piece, piece + text);
  }
  // A digit stays a digit, so that numbers in texts stay numbers.
  made.push(text.replace(/\d/g, () => String(random.int(10))));
  if (/[A-Za-z]/.test(text)) {
    made.push(text.replace(/[a-z]/g, (letter) => (random.next() < 0.3 ? 'a' : letter)));
    made.push(`${text}é`, text.replace(/[aeiou]/, 'ß'), `${text.slice(0, half)}漢${text.slice(half)}`);
  }
  const lengths = constants.ints.filter((one) => one > 1 && one < text.length).slice(0, 4);
  made.push(...lengths.flatMap((one) => [text.slice(-one), text.slice(0, one), text.slice(one)]));
  for (const sample of shape.strs.slice(0, 6)) made.push(sample, text + sample);
  return [...new Set(made)].filter((one) => one !== text && one.length <= Math.max(MOST_CHARS, text.length));
}

/** The text with some of the blanks between its words longer, or others. */
export function respaced(text: string, { random }: Grower): string {
  return text.replace(/[ \t]+/g, (blank) => (random.next() < 0.5 ? blank : random.pick([' ', '  ', '\t'])));
}

/** The piece alone, or somewhere in the text. */
function withPiece(text: string, piece: string, random: Random): string {
  const at = random.pick([0, random.int(text.length + 1), text.length]);
  return piece === '' || random.next() < 0.4 ? piece : text.slice(0, at) + piece + text.slice(at);
}

/** Whether `withDecisive` has anything to put into a text. */
export const hasDecisive = ({ decisiveTexts = [], spaces }: Constants): boolean => decisiveTexts.length > 0 || spaces === true;

/** A fifth of the texts in the value, at random, gets a decisive text, or other blanks between its words. */
export function withDecisive(value: Value, grower: Grower): Value {
  const { random, constants } = grower;
  const { decisiveTexts = [], spaces } = constants;
  const kind = kindOf(value);
  if (kind === 'str') {
    if (random.next() > 0.2) return value;
    const text = String(value);
    return spaces === true && (decisiveTexts.length === 0 || random.next() < 0.5)
      ? respaced(text, grower)
      : withPiece(text, random.pick(decisiveTexts), random);
  }
  if (kind === 'dict') {
    const pairs = pairsOf(value).map(([key, item]): Pair => [key, withDecisive(item, grower)]);
    return dictionary(pairs, isMap(value));
  }
  const isSequence = kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset';
  return isSequence
    ? sequence(
        kind,
        itemsOf(value).map((item) => withDecisive(item, grower)),
      )
    : value;
}

/** Words, numbers and single signs. */
function tokensOf(text: string): string[] {
  return text.match(/\d+|\p{L}+|\s+|[^\d\p{L}\s]/gu) ?? [];
}

/** The text with one to three of its tokens left out, repeated, moved or replaced, as a format of its own needs it. */
export function retokened(text: string, grower: Grower): string {
  const { random, constants } = grower;
  let tokens = tokensOf(text);
  const short = constants.strs.filter(({ length }) => length <= 8);
  const fresh = (): string => {
    const draw = random.next();
    if (draw < 0.35 && short.length > 0) return random.pick(short);
    if (draw < 0.6) return String(random.pick([0, 1, 2, 3, 7, 9, 10, 12, 31, 60, 99, 100]));
    return tokens.length > 0 ? random.pick(tokens) : ' ';
  };
  for (let step = 1 + random.int(3); step > 0; step--) {
    const at = random.int(tokens.length + 1);
    const other = random.int(tokens.length + 1);
    const draw = random.int(10);
    if (draw === 9) {
      tokens = tokensOf(doubled(tokens.join(''), grower));
      continue;
    }
    const numbers = tokens.flatMap((token, place) => (/^\d+$/.test(token) ? [place] : []));
    if (draw >= 6 && numbers.length > 0) {
      const place = random.pick(numbers);
      tokens = tokens.with(place, otherNumber(tokens[place] ?? '0', grower));
    } else if (draw === 0) tokens = tokens.toSpliced(at, 1);
    else if (draw === 1) tokens = tokens.toSpliced(at, 0, fresh());
    else if (draw === 2 && at < tokens.length) tokens = tokens.with(at, fresh());
    else if (draw === 3) tokens = [...tokens.slice(0, at), ...tokens.slice(Math.min(at, other))];
    else if (draw === 4) tokens = tokens.slice(Math.min(at, other), Math.max(at, other));
    else tokens = [...tokens.slice(at), ...tokens.slice(0, at)];
  }
  return tokens.join('').slice(0, MOST_CHARS);
}

/** A piece of the text twice, the second time with another word or number in it: a key that comes again with another value. */
function doubled(text: string, { random, constants }: Grower): string {
  const tokens = tokensOf(text);
  if (tokens.length === 0) return text;
  const from = random.int(tokens.length);
  const to = Math.min(tokens.length, from + 1 + random.int(8));
  const copy = tokens.slice(from, to);
  const places = copy.flatMap((token, place) => (/^(?:\d+|\p{L}+)$/u.test(token) ? [place] : []));
  const place = places.length > 0 ? (random.next() < 0.6 ? places.at(-1) : random.pick(places)) : undefined;
  if (place !== undefined) {
    const token = copy[place] ?? '';
    const letters = constants.strs.filter((one) => /^\p{L}+$/u.test(one));
    copy[place] = /\d/.test(token) ? String(Number(token) + 1) : random.pick(['x', `${token}a`, ...letters.slice(0, 6)]);
  }
  return [...tokens.slice(0, to), ...copy, ...tokens.slice(to)].join('').slice(0, MOST_CHARS);
}

/** Another way to write a number, or another number: also one that begins as one of the source does, or next to it. */
function otherNumber(token: string, { random, constants }: Grower): string {
  const leads = constants.ints.map(String).filter((one) => /^\d+$/.test(one) && one.length < token.length);
  if (leads.length > 0 && random.next() < 0.4) {
    const lead = String(Math.max(0, Number(random.pick(leads)) + random.int(3) - 1));
    return lead + token.slice(lead.length);
  }
  const forms = [`-${token}`, '0', String(Number(token) + 1), `${token}0`, `0${token}`, `${token}.5`, token.slice(1)];
  return random.pick(forms);
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
}
