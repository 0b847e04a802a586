/**
 * A byte-pair vocabulary in a form that needs no indexing: the tokens of each length together, in the order of their bytes,
 * so that one is found by bisection where it lies, and then their ranks. As JavaScript, the same vocabulary takes ten times
 * as long to read.
 */

/** Tokens have fewer bytes. */
const LENGTHS = 256;
/** In front: how many tokens there are of each length, four bytes each. */
const HEAD = 4 * LENGTHS;

export class TokenTable {
  private readonly data: Uint8Array;
  /** For each length, says how many tokens there are, where their bytes start, and how many are shorter. */
  private readonly counts = new Uint32Array(LENGTHS);
  private readonly starts = new Uint32Array(LENGTHS);
  private readonly shorter = new Uint32Array(LENGTHS);
  /** Where the ranks start: first the low bytes of all, then the middle ones, then the high ones. */
  private readonly ranks: number;
  private readonly size: number;

  /** `data` as `tableOf` made it. */
  constructor(data: Uint8Array) {
    const head = new DataView(data.buffer, data.byteOffset);
    let [start, size] = [HEAD, 0];
    for (let length = 1; length < LENGTHS; length++) {
      const count = head.getUint32(4 * length, true);
      this.counts[length] = count;
      this.starts[length] = start;
      this.shorter[length] = size;
      start += count * length;
      size += count;
    }
    this.data = data;
    this.ranks = start;
    this.size = size;
  }

  /** The rank of the token with these bytes; undefined when there is no such token. */
  rank(text: Uint8Array, from: number, to: number): number | undefined {
    const { data, ranks, size } = this;
    const length = to - from;
    const start = this.starts[length] ?? 0;
    let low = 0;
    let high = this.counts[length] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const token = start + middle * length;
      let at = 0;
      while (at < length && data[token + at] === text[from + at]) at++;
      if (at === length) {
        const place = ranks + (this.shorter[length] ?? 0) + middle;
        return (data[place] ?? 0) + 256 * (data[place + size] ?? 0) + 65_536 * (data[place + 2 * size] ?? 0);
      }
      if ((data[token + at] ?? 0) < (text[from + at] ?? 0)) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }
}

/** `tokens` by rank; a rank that stands for nothing is a hole. Throws `RangeError` on a token of more than 255 bytes. */
export function tableOf(tokens: readonly (string | readonly number[] | undefined)[]): Uint8Array {
  // A character for each byte: strings are sorted faster than bytes are.
  const ranks = new Map<string, number>();
  for (const [rank, token] of tokens.entries()) {
    const bytes = (typeof token === 'string' ? Buffer.from(token) : Buffer.from(token ?? [])).toString('latin1');
    if (bytes.length >= LENGTHS) throw new RangeError(`Token ${rank} has ${bytes.length} bytes.`);
    if (bytes !== '') ranks.set(bytes, rank);
  }
  const sorted = [...ranks.keys()].sort();
  const groups = Array.from({ length: LENGTHS }, (): string[] => []);
  for (const bytes of sorted) groups[bytes.length]?.push(bytes);
  const head = new DataView(new ArrayBuffer(HEAD));
  for (const [length, group] of groups.entries()) head.setUint32(4 * length, group.length, true);
  const inOrder = groups.flat();
  const planes = [0, 8, 16].map((shift) => Uint8Array.from(inOrder, (bytes) => ((ranks.get(bytes) ?? 0) >>> shift) & 0xff));
  return Buffer.concat([new Uint8Array(head.buffer), Buffer.from(inOrder.join(''), 'latin1'), ...planes]);
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
