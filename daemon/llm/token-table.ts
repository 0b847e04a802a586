/**
 * A byte-pair vocabulary in a form that is used as it is read, because most of its readers live for one question: where
 * each token starts, a hash table over them, and their bytes. Numbers are of 32 bits, in the order of the machine that
 * builds it: little-endian wherever it ships. As JavaScript, the same vocabulary takes a hundred times as long.
 */

/** In front: how many ranks, and how many slots of the hash table. */
const HEAD = 2;

export class TokenTable {
  private readonly bytes: Uint8Array;
  /** Where each token starts, the end behind the last. */
  private readonly starts: Uint32Array;
  /** A hash table with open addressing: rank + 1, or 0. */
  private readonly slots: Uint32Array;

  /** `data` as `tableOf` made it. */
  constructor(data: Uint8Array) {
    // What was read from a file may begin anywhere in its memory.
    const { buffer, byteOffset } = data.byteOffset % 4 === 0 ? data : Uint8Array.from(data);
    const [ranks = 0, slots = 0] = new Uint32Array(buffer, byteOffset, HEAD);
    this.starts = new Uint32Array(buffer, byteOffset + 4 * HEAD, ranks + 1);
    this.slots = new Uint32Array(buffer, this.starts.byteOffset + this.starts.byteLength, slots);
    this.bytes = new Uint8Array(buffer, this.slots.byteOffset + this.slots.byteLength);
  }

  /** The rank of the token that these bytes are; undefined when they are none. */
  rank(text: Uint8Array, from: number, to: number): number | undefined {
    const { slots, starts, bytes } = this;
    const mask = slots.length - 1;
    for (let slot = hash(text, from, to) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) return undefined;
      const start = starts[entry - 1] ?? 0;
      if ((starts[entry] ?? 0) - start !== to - from) continue;
      let at = from;
      while (at < to && text[at] === bytes[start + at - from]) at++;
      if (at === to) return entry - 1;
    }
  }
}

/** `tokens` by rank; a rank that stands for nothing is a hole. */
export function tableOf(tokens: readonly (string | readonly number[] | undefined)[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = Array.from(tokens, (token) =>
    token === undefined ? new Uint8Array() : typeof token === 'string' ? encoder.encode(token) : Uint8Array.from(token),
  );
  const starts = new Uint32Array(parts.length + 1);
  for (const [rank, part] of parts.entries()) starts[rank + 1] = (starts[rank] ?? 0) + part.length;
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, parts.length) * 2)));
  for (const [rank, part] of parts.entries()) {
    if (part.length === 0) continue;
    let slot = hash(part, 0, part.length) & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = rank + 1;
  }
  const bytes = Buffer.concat(parts);
  const numbers = Uint32Array.from([parts.length, slots.length, ...starts, ...slots]);
  return Buffer.concat([new Uint8Array(numbers.buffer), bytes]);
}

/** FNV-1a, with its high bits mixed in: only the low ones are used. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let at = from; at < to; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193);
  return value ^ (value >>> 15);
}

const NONE = 0x7fffffff;

/** How many tokens a piece of text becomes: the pair of lowest rank is merged, again and again, until there is none. */
export function countPiece(table: TokenTable, piece: Uint8Array): number {
  let parts = piece.length;
  if (parts <= 1 || table.rank(piece, 0, parts) !== undefined) return Math.min(1, parts);
  // Where each part starts, the end behind the last; and the rank of each together with the next.
  const starts = Int32Array.from({ length: parts + 1 }, (_, index) => index);
  const ranks = new Int32Array(parts);
  const rankAt = (index: number): number =>
    index + 2 > parts ? NONE : (table.rank(piece, starts[index] ?? 0, starts[index + 2] ?? 0) ?? NONE);
  for (let index = 0; index < parts; index++) ranks[index] = rankAt(index);
  for (;;) {
    let lowest = 0;
    let rank = NONE;
    for (let index = 0; index < parts; index++) {
      const own = ranks[index] ?? NONE;
      if (own >= rank) continue;
      rank = own;
      lowest = index;
    }
    if (rank === NONE) return parts;
    starts.copyWithin(lowest + 1, lowest + 2, parts + 1);
    ranks.copyWithin(lowest + 1, lowest + 2, parts);
    parts--;
    ranks[lowest] = rankAt(lowest);
    if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1);
  }
}
