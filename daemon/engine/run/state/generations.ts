/** Counts the slots of generations: which are settled, and how many of each came to a program. Pure. */
export class Generations {
  private readonly population: number;
  /** Slots without an end yet are not in here. */
  private readonly settled = new Map<number, number>();
  private readonly filled = new Map<number, number>();
  /** Settled as a whole, not closed yet. */
  private readonly complete = new Set<number>();
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
    this.complete.add(generation);
  }

  /** The next generation to close, in order. */
  get closable(): number | undefined {
    return this.complete.has(this.done + 1) ? this.done + 1 : undefined;
  }

  close(generation: number): void {
    this.done = generation;
    this.complete.delete(generation);
  }
}
