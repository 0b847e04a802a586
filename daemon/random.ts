/**
 * Seeded random numbers: the same parts give the same sequence on every machine. Not for secrets.
 * Generator: xoshiro128** 1.1 (D. Blackman, S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47(4), 2021).
 */
import { hash } from 'node:crypto';

export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /** Uniform integer in [0, n), without bias. Throws RangeError unless n is an integer from 1 to 2³². */
  int(n: number): number;
  /** One of the items. Throws RangeError when there is none. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy (Fisher and Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

/** A generator whose seed is a hash of the parts; `('a', 'b')` and `('ab')` differ, and so do `1` and `'1'`. */
export function createRandom(...parts: (number | string)[]): Random {
  const seed = hash('sha256', JSON.stringify(parts.map(part)), 'buffer');
  // An all-zero state is the one xoshiro never leaves; the constant rules it out.
  const state = Uint32Array.of(seed.readUInt32LE(0), seed.readUInt32LE(4), seed.readUInt32LE(8), seed.readUInt32LE(12) | 1);
  return new Xoshiro(state);
}

/** JSON turns NaN and the infinities into null; as text they stay different. */
function part(value: number | string): number | string | string[] {
  return typeof value === 'number' && !Number.isFinite(value) ? [String(value)] : value;
}

/** The generator itself, from a state of four words that are not all zero. */
export class Xoshiro implements Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  constructor(state: Uint32Array) {
    [this.a = 0, this.b = 0, this.c = 0, this.d = 1] = state;
  }

  next(): number {
    return ((this.word() >>> 5) * 67_108_864 + (this.word() >>> 6)) / 9_007_199_254_740_992;
  }

  int(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) throw new RangeError(`int(${n}): expected an integer from 1 to 2^32.`);
    // Values from the last, incomplete multiple of n are drawn again.
    const limit = 2 ** 32 - (2 ** 32 % n);
    let word = this.word();
    while (word >= limit) word = this.word();
    return word % n;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('pick: expected at least one item.');
    return items[this.int(items.length)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
    }
    return copy;
  }

  /** The next 32 bits. */
  word(): number {
    const result = Math.imul(rotate(Math.imul(this.b, 5), 7), 9) >>> 0;
    const t = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= t;
    this.d = rotate(this.d, 11);
    return result;
  }
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
