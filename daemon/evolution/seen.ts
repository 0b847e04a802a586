/**
 * The programs a run has seen, as a Bloom filter over their normal hashes: small enough to travel with every mutate task.
 * `has` never denies what was added; it is wrong about others for at most 1 in 1,000 while up to 10,000 were added.
 */
import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';

/** 18 KiB; with 10 probes, 10,000 entries give a rate of false positives of 0.08 % (B. Bloom, CACM 13(7), 1970). */
const BYTES = 18 * 1024;
const BITS = BYTES * 8;
const PROBES = 10;

export class Seen {
  private readonly bits: Uint8Array;
  private encoded: string | undefined;

  constructor(bits: Uint8Array = new Uint8Array(BYTES)) {
    this.bits = bits;
  }

  add(sha: Sha256): void {
    this.encoded = undefined;
    for (const bit of probes(sha)) this.bits[bit >>> 3] = (this.bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  has(sha: Sha256): boolean {
    for (const bit of probes(sha)) if (((this.bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    return true;
  }

  /** Base64, always of the same length. */
  encode(): string {
    const { buffer, byteOffset, byteLength } = this.bits;
    this.encoded ??= Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    return this.encoded;
  }

  /** Throws `invalid_input` for a text that `encode` did not make. */
  static decode(text: string): Seen {
    const bits = Buffer.from(text, 'base64');
    if (bits.length !== BYTES || bits.toString('base64') !== text) {
      throw new PeagenError(
        'invalid_input',
        `The filter of programs already seen is damaged: ${bits.length} bytes, expected ${BYTES}.`,
        {
          hint: 'It is made by this build only: run all workers on the same build.',
        },
      );
    }
    return new Seen(bits);
  }
}

/** Double hashing over the digest itself (A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance", 2006). */
function probes(sha: Sha256): number[] {
  const first = Number.parseInt(sha.slice(0, 12), 16);
  // Never zero, so that the probes never stand still.
  const step = 1 + (Number.parseInt(sha.slice(12, 24), 16) % (BITS - 1));
  return Array.from({ length: PROBES }, (_, i) => (first + i * step) % BITS);
}
