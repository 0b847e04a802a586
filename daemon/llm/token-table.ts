/**
 * A byte-pair vocabulary in a form that is soon read and indexed: the lengths of all tokens in the order of their ranks,
 * and their bytes. As JavaScript, the same vocabulary takes ten times as long.
 */

/** In front: the number of ranks. */
const HEAD = 4;

export class TokenTable {
  private readonly bytes: Uint8Array;
  /** Where each token starts, the end behind the last. */
  private readonly starts: Uint32Array;
  /** A hash table with open addressing: rank + 1, or 0. */
  private readonly slots: Uint32Array;

  /** `data` as `tableOf` made it. */
  constructor(data: Uint8Array) {
    const ranks = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
    const bytes = data.subarray(HEAD + ranks);
    const starts = new Uint32Array(ranks + 1);
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, ranks) * 2)));
    const mask = slots.length - 1;
    for (let rank = 0, start = 0; rank < ranks; rank++) {
      const end = start + (data[HEAD + rank] ?? 0);
      starts[rank + 1] = end;
      if (end === start) continue;
      let slot = hash(bytes, start, end) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = rank + 1;
      start = end;
    }
    this.bytes = bytes;
    this.starts = starts;
    this.slots = slots;
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

/** `tokens` by rank; a rank that stands for nothing is a hole. Throws `RangeError` on a token of more than 255 bytes. */
export function tableOf(tokens: readonly (string | readonly number[] | undefined)[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = Array.from(tokens, (token) =>
    token === undefined ? new Uint8Array() : typeof token === 'string' ? encoder.encode(token) : Uint8Array.from(token),
  );
  const table = new Uint8Array(HEAD + parts.length + parts.reduce((sum, part) => sum + part.length, 0));
  new DataView(table.buffer).setUint32(0, parts.length, true);
  let at = HEAD + parts.length;
  for (const [rank, part] of parts.entries()) {
    if (part.length > 255) throw new RangeError(`Token ${rank} has ${part.length} bytes.`);
    table[HEAD + rank] = part.length;
    table.set(part, at);
    at += part.length;
  }
  return table;
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
