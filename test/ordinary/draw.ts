/** Seeded draws for the calls that a fixture's own generator makes. It shares no code with the product's derivation. */

const letters = 'abcdefghijklmnopqrstuvwxyz';
const syllables = ['ka', 'to', 'mi', 'ran', 'el', 'su', 'por', 'ne', 'vi', 'ost', 'da', 'lum'];
const names = ['Ann', 'Bob', 'Carla', 'Dieter', 'Eve', 'Zoë', 'José', "O'Neil", 'Li'];

export class Draw {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 to below 1, by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    const item = items[Math.floor(this.next() * items.length)];
    // Null is an item like any other.
    return item === undefined ? items[0] : item;
  }

  /** Short lists are as frequent as long ones. */
  list<T>(longest: number, make: (index: number) => T): T[] {
    const length = this.int(0, this.chance(0.5) ? Math.min(4, longest) : longest);
    return Array.from({ length }, (_, index) => make(index));
  }

  /** A number with two digits behind the point. */
  cents(low: number, high: number): number {
    return this.int(low * 100, high * 100) / 100;
  }

  letter(): string {
    return letters.charAt(this.int(0, letters.length - 1));
  }

  word(): string {
    return Array.from({ length: this.int(1, 4) }, () => this.pick(['ka', ...syllables])).join('');
  }

  name(): string {
    return this.pick(['Ann', ...names]);
  }

  /** Few different words, so that they repeat. */
  words(count: number): string[] {
    const known = Array.from({ length: this.int(1, 8) }, () => this.word());
    return Array.from({ length: count }, () => this.pick(['the', ...known]));
  }

  /** At the end of a list of arguments: all of the optional ones, or only the first of them. */
  optional<T>(...values: T[]): T[] {
    return values.slice(0, this.int(0, values.length));
  }
}
