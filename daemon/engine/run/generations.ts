/** Counts the slots of generations: which are settled, and how many of each came to a program. Pure. */
export class Generations {
  private readonly population: number;
  /** Slots without an end yet are not in here. */
  private readonly settled = new Map<number, number>();
  private readonly filled = new Map<number, number>();
  /** Settled as a whole, not closed yet. */
  private readonly closable: number[] = [];
  /** The last one that was closed. */
  done = 0;
  /** Generations in a row in which no slot yielded a new program. */
  barren = 0;

  /** Slots per generation. */
  constructor(population: number) {
    this.population = population;
  }

  /** A slot has come to a program. */
  fill(generation: number): void {
    this.filled.set(generation, (this.filled.get(generation) ?? 0) + 1);
  }

  /** A slot has come to its end. */
  settle(generation: number): void {
    const settled = (this.settled.get(generation) ?? 0) + 1;
    this.settled.set(generation, settled);
    if (settled < this.population) return;
    this.settled.delete(generation);
    this.barren = (this.filled.get(generation) ?? 0) === 0 ? this.barren + 1 : 0;
    this.filled.delete(generation);
    this.closable.push(generation);
  }

  /** The next generation to close, in order. */
  takeClosed(): number | undefined {
    const next = this.closable.indexOf(this.done + 1);
    return next < 0 ? undefined : this.closable.splice(next, 1)[0];
  }
}
