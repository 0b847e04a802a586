/**
 * Islands: archives that evolve apart and now and then send copies of their best to the next one in a ring (D. Whitley, S.
 * Rana, R. Heckendorn, "The island model genetic algorithm", 1999). Next to them, one archive holds the best of all, for a view
 * of the run as a whole.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { Added, ArchiveEntry, EvoDB } from '../evodb.ts';

interface IslandOptions {
  /** Generations between two migrations. */
  readonly interval: number;
  /** Champions that each island sends. */
  readonly migrants: number;
}

export class Islands {
  /** All that entered any island. */
  readonly whole: EvoDB;
  readonly islands: readonly EvoDB[];
  private readonly options: IslandOptions;
  /** The generation of the last migration. */
  private migrated = 0;

  /** Archives of the same axes; at least one island. */
  constructor(options: IslandOptions, whole: EvoDB, islands: readonly EvoDB[]) {
    if (islands.length === 0) throw new PeagenError('invalid_input', 'Islands need at least one archive.');
    this.options = options;
    this.whole = whole;
    this.islands = islands;
  }

  /** The island of a candidate by its index in the run: they take turns. */
  of(index: number): EvoDB {
    const island = this.islands[index % this.islands.length];
    if (island === undefined) throw new PeagenError('internal', `No island has the candidate ${index}.`);
    return island;
  }

  /** Offers an entry to its island and to the whole. What no slot made (index −1), the original first, starts on all islands. */
  add(entry: ArchiveEntry): { island: Added; whole: Added } {
    const whole = this.whole.add(entry);
    if (entry.index >= 0) return { island: this.of(entry.index).add(entry), whole };
    const [island = whole] = this.islands.map((each) => each.add(entry));
    return { island, whole };
  }

  /** Migrates when it is time, once a generation at most. Returns how many champions settled on another island. */
  endGeneration(generation: number): number {
    if (generation - this.migrated < this.options.interval) return 0;
    this.migrated = generation;
    // All leave before any arrives: nobody crosses two islands at once.
    const leaving = this.islands.map((island) =>
      Array.from({ length: this.options.migrants }, (_, rank) => island.ranked(rank)).filter((elite) => elite !== undefined),
    );
    let settled = 0;
    this.islands.forEach((island, i) => {
      const arriving = leaving[(i + leaving.length - 1) % leaving.length] ?? [];
      for (const elite of arriving) if (island.add(elite).status !== 'rejected') settled++;
    });
    return settled;
  }

  /**
   * Empties the worst island, where the best program is the worst of all and then the least is found, and settles the best
   * program of all on it. Returns its index; undefined where all are equally good.
   */
  restartWorst(): number | undefined {
    const merits = this.islands.map((island, index) => ({ index, ...island.stats() }));
    const worth = (best: number | null) => best ?? -Number.MAX_VALUE;
    const order = merits.sort((a, b) => worth(b.best) - worth(a.best) || b.qd_score - a.qd_score || a.index - b.index);
    const [first, last] = [order[0], order.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    if (first.best === last.best && first.qd_score === last.qd_score) return undefined;
    const best = this.islands[first.index]?.best();
    const worst = this.islands[last.index];
    if (best === undefined || worst === undefined) return undefined;
    worst.clear();
    worst.add(best);
    return last.index;
  }
}
