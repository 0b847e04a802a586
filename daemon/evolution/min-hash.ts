/**
 * Sketches: how alike two programs are, from 512 bytes each. A MinHash (A. Broder, "On the resemblance and containment
 * of documents", 1997) over runs of three tokens in the part that may change: names, numbers and signs, without layout.
 */
import { createHash } from 'node:crypto';
import { PeagenError } from '../../shared/errors.ts';
import { type Program, spanText } from '../../shared/program.ts';
import { tokenProfile } from './distance.ts';

/** Hash functions; the error of a distance is about 1/√128, 9 %. */
const WIDTH = 128;

/** Base64; equal for programs that differ in layout only. O(length of the text · 128). */
export function minHashOf(program: Program): string {
  const least = new Uint32Array(WIDTH).fill(0xffffffff);
  for (const run of tokenProfile(program.spans.map((span) => spanText(program, span)).join('\n')).grams.keys()) {
    const digest = createHash('sha1').update(run).digest();
    const [first, second] = [digest.readUInt32LE(0), digest.readUInt32LE(4) | 1];
    for (let i = 0; i < WIDTH; i++) {
      const hash = mix((first + Math.imul(i, second)) >>> 0);
      if (hash < (least[i] ?? 0)) least[i] = hash;
    }
  }
  return Buffer.from(least.buffer).toString('base64');
}

/** From 0 (the same runs of tokens) to 1 (none in common). Throws `invalid_input` for what is not a sketch. */
export function minHashDistance(a: string, b: string): number {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  let equal = 0;
  for (let i = 0; i < WIDTH; i++) if (one[i] === other[i]) equal++;
  return 1 - equal / WIDTH;
}

function wordsOf(sketch: string): Uint32Array {
  const bytes = new Uint8Array(Buffer.from(sketch, 'base64'));
  if (bytes.length !== 4 * WIDTH) {
    throw new PeagenError('invalid_input', `A sketch of a program has ${bytes.length} bytes; expected ${4 * WIDTH}.`);
  }
  return new Uint32Array(bytes.buffer);
}

/** The finaliser of MurmurHash3 (A. Appleby). */
function mix(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
