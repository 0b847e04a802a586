/** Variants of a text: pieces, repetitions, other case, other letters, words in another order. */
import type { Grower } from './grow.ts';
import type { Shape } from './shape.ts';

const LONGEST = 4000;

export function stringVariants(text: string, shape: Shape, grower: Grower): string[] {
  const { random, constants } = grower;
  const half = Math.floor(text.length / 2);
  const made = ['', text.slice(0, 1), text.slice(0, -1), text.slice(1), text.slice(0, half), text.slice(half)];
  made.push([...text].toReversed().join(''), text + text, text.toUpperCase(), text.toLowerCase(), swapCase(text));
  made.push(` ${text}`, `${text} `, ' ', text.replace(/\s+/g, '  '));
  const words = text.split(/(\s+)/);
  if (words.length > 1) {
    const own = words.filter((_, index) => index % 2 === 0);
    made.push(random.shuffle(own).join(' '), [...own, random.pick(own)].join(' '), random.pick(own), own.toReversed().join(' '));
    made.push([random.pick(own), random.pick(own), random.pick(own)].join(' '), own.join('\n'));
  }
  const at = random.int(text.length + 1);
  const other = random.int(text.length + 1);
  made.push(text.slice(0, at) + text.slice(at + 1), text.slice(0, at) + text.charAt(other) + text.slice(at));
  for (const piece of constants.strs.slice(0, 12)) {
    made.push(piece, text.slice(0, at) + piece + text.slice(at), text + piece, piece + text);
  }
  // A digit stays a digit, so that numbers in texts stay numbers.
  made.push(text.replace(/\d/g, () => String(random.int(10))));
  if (/[A-Za-z]/.test(text)) {
    made.push(text.replace(/[a-z]/g, (letter) => (random.next() < 0.3 ? 'a' : letter)));
    made.push(`${text}é`, text.replace(/[aeiou]/, 'ß'), `${text.slice(0, half)}漢${text.slice(half)}`);
  }
  for (const sample of shape.strs.slice(0, 6)) made.push(sample, text + sample);
  return [...new Set(made)].filter((one) => one !== text && one.length <= Math.max(LONGEST, text.length));
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
}
