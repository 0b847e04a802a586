/**
 * The archive of a search: MAP-Elites (J.-B. Mouret, J. Clune, "Illuminating search spaces by mapping elites", 2015).
 * Each niche holds its champion and a short history. Only correct programs are offered to it. Pure: the same entries
 * in the same order give the same archive. An insert costs the same whatever the archive holds (see test/bench/archive).
 */

import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import type { ArchiveStats, Elite, FeatureAxis, NicheId } from '../../shared/niche.ts';
import type { Geometry } from './archive/geometry.ts';
import { Grid } from './archive/grid.ts';
import { Ranking } from './archive/ranking.ts';
import { type ArchiveSnapshot, packArchive, unpackArchive } from './archive/snapshot.ts';

/** Former champions that a niche remembers, newest first. */
const HISTORY = 5;

export type ArchiveEntry = Omit<Elite, 'niche'>;

export interface Added {
  /** `new`: the niche was empty. `improved`: its champion was beaten. */
  readonly status: 'new' | 'improved' | 'rejected';
  readonly niche: NicheId;
  /** Why, in words. */
  readonly reason: string;
}

/** What a niche holds; a view, not a copy. */
export interface Niche {
  readonly id: NicheId;
  readonly champion: Elite;
  /** Former champions, newest first. */
  readonly history: readonly Elite[];
  /** Generation of the present champion: how long it has stood is the niche's age. */
  readonly since: number;
  /** Entries that were offered to the niche. */
  readonly offered: number;
}

/** A niche with its place in the archive's orders. */
export interface Cell {
  id: NicheId;
  champion: Elite;
  history: Elite[];
  since: number;
  offered: number;
  /** Rank among equals: when the champion entered. */
  order: number;
  /** Index in `champions`. */
  place: number;
}

export class Archive {
  readonly axes: readonly FeatureAxis[];
  readonly geometry: Geometry;
  private cells = new Map<NicheId, Cell>();
  private order: Elite[] = [];
  private ranking = new Ranking<Cell>(byFitness);
  /** All that ever were champions, by program: lineage stays reachable when a champion is replaced. */
  private readonly known = new Map<Sha256, Elite>();
  private sequence = 0;
  private qd = 0;

  constructor(axes: readonly FeatureAxis[], geometry: Geometry = new Grid(axes)) {
    this.axes = axes;
    this.geometry = geometry;
  }

  /** Offers an entry to its niche. Of equals the first stays. Throws `invalid_input` for an entry that has no place. */
  add(entry: ArchiveEntry): Added {
    this.check(entry);
    if (this.geometry.observe(entry.features)) this.rearrange();
    const elite: Elite = { ...entry, niche: this.geometry.place(entry.features) };
    const added = this.offer(elite);
    if (added.status !== 'rejected') this.known.set(elite.sha256, elite);
    return added;
  }

  private check(entry: ArchiveEntry): void {
    if (entry.features.length !== this.axes.length) {
      throw new PeagenError(
        'invalid_input',
        `An entry has ${entry.features.length} features; the archive has ${this.axes.length} axes.`,
      );
    }
    const bad = entry.features.findIndex((value) => !Number.isFinite(value));
    const what = Number.isFinite(entry.fitness) ? this.axes[bad]?.name : 'fitness';
    if (what !== undefined) {
      const value = what === 'fitness' ? entry.fitness : entry.features[bad];
      throw new PeagenError(
        'invalid_input',
        `The ${what} of ${entry.sha256.slice(0, 12)} is ${value}; expected a finite number.`,
      );
    }
  }

  private offer(elite: Elite): Added {
    const { niche, fitness } = elite;
    const cell = this.cells.get(niche);
    const order = this.sequence++;
    if (cell === undefined) {
      const made: Cell = {
        id: niche,
        champion: elite,
        history: [],
        since: elite.generation,
        offered: 1,
        order,
        place: this.order.length,
      };
      this.cells.set(niche, made);
      this.order.push(elite);
      this.ranking.add(made);
      this.qd += fitness;
      return { status: 'new', niche, reason: 'the niche was empty' };
    }
    cell.offered++;
    const before = cell.champion;
    if (fitness <= before.fitness) {
      const reason = fitness === before.fitness ? 'equal to the champion, which came first' : 'below the champion';
      return { status: 'rejected', niche, reason: `fitness ${show(fitness)} is ${reason} (${show(before.fitness)})` };
    }
    this.ranking.remove(cell);
    cell.history = [before, ...cell.history.slice(0, HISTORY - 1)];
    cell.champion = elite;
    cell.since = elite.generation;
    cell.order = order;
    this.ranking.add(cell);
    this.order[cell.place] = elite;
    this.qd += fitness - before.fitness;
    return { status: 'improved', niche, reason: `fitness ${show(fitness)} beats ${show(before.fitness)}` };
  }

  /** Places all elites anew after the geometry moved its niches: in the order in which they came, so that the first stays. */
  private rearrange(): void {
    const cells = [...this.cells.values()].sort((a, b) => a.order - b.order);
    const elites = cells.flatMap((cell) => [...cell.history].reverse()).concat(cells.map((cell) => cell.champion));
    this.cells = new Map();
    this.order = [];
    this.ranking = new Ranking<Cell>(byFitness);
    this.qd = 0;
    for (const elite of elites) this.offer({ ...elite, niche: this.geometry.place(elite.features) });
    for (const { champion } of this.cells.values()) this.known.set(champion.sha256, champion);
  }

  /** Champions in the order in which their niches were found. A live view: an insert changes it. */
  champions(): readonly Elite[] {
    return this.order;
  }

  /** The champion with this rank by fitness, from 0; of equals the earlier is first. */
  ranked(rank: number): Elite | undefined {
    return this.ranking.at(rank)?.champion;
  }

  best(): Elite | undefined {
    return this.ranked(0);
  }

  /** The champion of a niche. */
  get(niche: NicheId): Elite | undefined {
    return this.cells.get(niche)?.champion;
  }

  /** An elite by its program, also one that has been replaced. */
  find(sha256: Sha256): Elite | undefined {
    return this.known.get(sha256);
  }

  niche(id: NicheId): Niche | undefined {
    return this.cells.get(id);
  }

  niches(): IterableIterator<Niche> {
    return this.cells.values();
  }

  /** From the elite back through its first parents, as far as the archive knows them; the elite itself is first. */
  lineage(sha256: Sha256): Elite[] {
    const path = new Map<Sha256, Elite>();
    for (let at = this.known.get(sha256); at !== undefined && !path.has(at.sha256); ) {
      path.set(at.sha256, at);
      const [parent] = at.parents;
      at = parent === undefined ? undefined : this.known.get(parent);
    }
    return [...path.values()];
  }

  stats(): ArchiveStats {
    return { coverage: this.cells.size, qd_score: this.qd, best: this.best()?.fitness ?? null };
  }

  /** Offers all that another archive of the same axes knows; of equals, this one's stay. Answers how many entered. */
  merge(other: Archive): number {
    let entered = 0;
    for (const [sha256, elite] of other.known) {
      const { niche: _, ...entry } = elite;
      if (this.add(entry).status !== 'rejected') entered++;
      else if (!this.known.has(sha256)) this.known.set(sha256, { ...elite, niche: this.geometry.place(elite.features) });
    }
    return entered;
  }

  /** The whole archive as plain data that MessagePack can carry. */
  snapshot(): ArchiveSnapshot {
    const { axes, geometry, known, sequence, qd } = this;
    return packArchive({ axes, geometry, known, sequence, qd, cells: [...this.cells.values()] });
  }

  /** The archive that a snapshot was made of. Throws `invalid_input` for data that is none. */
  static restore(data: unknown): Archive {
    const { axes, geometry, known, sequence, qd, cells } = unpackArchive(data);
    const archive = new Archive(axes, geometry);
    for (const [sha256, elite] of known) archive.known.set(sha256, elite);
    for (const cell of cells) {
      cell.place = archive.order.push(cell.champion) - 1;
      archive.cells.set(cell.id, cell);
      archive.ranking.add(cell);
    }
    archive.sequence = sequence;
    archive.qd = qd;
    return archive;
  }
}

function byFitness(a: Cell, b: Cell): number {
  return b.champion.fitness - a.champion.fitness || a.order - b.order;
}

function show(value: number): string {
  return String(Number(value.toPrecision(6)));
}
