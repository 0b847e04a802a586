/**
 * The archive of a search: MAP-Elites (J.-B. Mouret, J. Clune, "Illuminating search spaces by mapping elites", 2015).
 * Each niche holds its champion and a short history. Only correct programs are offered to it. Pure: the same entries
 * in the same order give the same archive. An insert costs the same whatever the archive holds (see test/bench/archive).
 */

import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import type { ArchiveStats, Elite, FeatureAxis, NicheId } from '../../shared/niche.ts';
import { type Cell, championOf, type Held } from './evodb/cell.ts';
import { Crowding } from './evodb/crowding.ts';
import type { Geometry } from './evodb/geometry.ts';
import { Grid } from './evodb/grid.ts';
import { Ranking } from './evodb/ranking.ts';
import { type ArchiveSnapshot, packArchive, unpackArchive } from './evodb/snapshot.ts';

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

/** What a niche holds. */
interface Niche {
  readonly id: NicheId;
  readonly champion: Elite;
  /** Former champions, newest first. */
  readonly history: readonly Elite[];
  /** Entries that were offered to the niche since it has its present borders. */
  readonly offered: number;
}

export class EvoDB {
  readonly axes: readonly FeatureAxis[];
  readonly geometry: Geometry;
  private readonly capacity: number;
  private crowding: Crowding | undefined;
  private cells = new Map<NicheId, Cell>();
  private order: Elite[] = [];
  private ranking = new Ranking<Cell>(byFitness);
  /** All that ever were champions, by program: lineage stays reachable when a champion is replaced. */
  private readonly known = new Map<Sha256, Elite>();
  /** Entries offered so far. */
  private sequence = 0;
  private qd = 0;

  /** `capacity`: niches that are held at most. Of the two that are nearest to each other the one with the worse champion goes. */
  constructor(axes: readonly FeatureAxis[], geometry: Geometry = new Grid(axes), capacity = Number.POSITIVE_INFINITY) {
    this.axes = axes;
    this.geometry = geometry;
    this.capacity = capacity;
    this.crowding = this.newCrowding();
  }

  /** Undefined where there is room for all. */
  private newCrowding(): Crowding | undefined {
    return this.capacity === Number.POSITIVE_INFINITY ? undefined : new Crowding(this.geometry);
  }

  /** Offers an entry to its niche. Of equals the first stays. Throws `invalid_input` for an entry that has no place. */
  add(entry: ArchiveEntry): Added {
    this.check(entry);
    if (this.geometry.observe(entry.features)) this.rearrange();
    return this.enter(entry);
  }

  private enter(entry: ArchiveEntry): Added {
    // Adding 0 turns −0 into 0: JSON and MessagePack do not tell them apart.
    const features = entry.features.map((value) => value + 0);
    const elite: Elite = { ...entry, fitness: entry.fitness + 0, features, niche: this.geometry.place(features) };
    return this.offer({ elite, order: this.sequence++ });
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

  private offer(held: Held): Added {
    const { niche, fitness } = held.elite;
    const cell = this.cells.get(niche);
    if (cell === undefined) {
      this.settle({ id: niche, held: [held], offered: 1, place: this.order.length });
      this.crowding?.add(niche);
      if (this.cells.size > this.capacity && this.dropLeastNovel() === niche)
        return {
          status: 'rejected',
          niche,
          reason: `fitness ${show(fitness)} is below that of the nearest niche, and there is no room for more`,
        };
      return { status: 'new', niche, reason: 'the niche was empty' };
    }
    cell.offered++;
    const before = championOf(cell).fitness;
    if (fitness <= before) {
      const reason = fitness === before ? 'equal to the champion, which came first' : 'below the champion';
      return { status: 'rejected', niche, reason: `fitness ${show(fitness)} is ${reason} (${show(before)})` };
    }
    this.ranking.remove(cell);
    this.qd -= before;
    cell.held = [held, ...cell.held.slice(0, HISTORY)];
    this.settle(cell);
    return { status: 'improved', niche, reason: `fitness ${show(fitness)} beats ${show(before)}` };
  }

  /** O(niches), which are as many as the capacity. Never drops the best. Returns which one went. */
  private dropLeastNovel(): NicheId | undefined {
    const best = this.ranking.at(0);
    const near = (this.crowding?.leastNovel() ?? []).flatMap((id) => this.cells.get(id) ?? []).filter((cell) => cell !== best);
    const worst = near.toSorted(byFitness).at(-1);
    if (worst === undefined) return undefined;
    this.crowding?.remove(worst.id);
    this.ranking.remove(worst);
    this.cells.delete(worst.id);
    this.order.splice(worst.place, 1);
    for (const cell of this.cells.values()) if (cell.place > worst.place) cell.place--;
    this.qd -= championOf(worst).fitness;
    return worst.id;
  }

  /** Enters a cell with its champion everywhere it can be found. */
  private settle(cell: Cell): void {
    const champion = championOf(cell);
    this.cells.set(cell.id, cell);
    this.order[cell.place] = champion;
    this.ranking.add(cell);
    this.qd += champion.fitness;
    this.known.set(champion.sha256, champion);
  }

  /**
   * Gives a program that was measured again its new fitness. The best that its niche holds is the champion from then on. False
   * when no niche holds it.
   */
  revise(sha256: Sha256, { fitness, metrics }: Pick<ArchiveEntry, 'fitness' | 'metrics'>): boolean {
    const revised = (elite: Elite): Elite => ({ ...elite, fitness: fitness + 0, metrics });
    const known = this.known.get(sha256);
    if (known !== undefined) this.known.set(sha256, revised(known));
    const cell = [...this.cells.values()].find(({ held }) => held.some(({ elite }) => elite.sha256 === sha256));
    if (cell === undefined) return false;
    this.ranking.remove(cell);
    this.qd -= championOf(cell).fitness;
    const held = cell.held.map((one) => (one.elite.sha256 === sha256 ? { ...one, elite: revised(one.elite) } : one));
    const [first, ...others] = held;
    if (first === undefined) throw new PeagenError('internal', `The niche ${cell.id} is empty.`);
    const champion = others.reduce((best, one) => (one.elite.fitness > best.elite.fitness ? one : best), first);
    cell.held = [champion, ...held.filter((one) => one !== champion)];
    this.settle(cell);
    return true;
  }

  /**
   * Takes a program out: of its niche's history the best comes back, and an empty niche goes. False when no niche holds
   * it. O(elites).
   */
  remove(sha256: Sha256): boolean {
    this.known.delete(sha256);
    const held = [...this.cells.values()].flatMap((cell) => cell.held);
    const left = held.filter(({ elite }) => elite.sha256 !== sha256);
    if (left.length === held.length) return false;
    this.rearrange(left);
    return true;
  }

  /** Empties all niches. What was in them stays known, for lineages. */
  clear(): void {
    this.rearrange([]);
  }

  /** Places elites again, after the geometry moved its niches or one went, in the order in which they came: the first stays. */
  private rearrange(elites = [...this.cells.values()].flatMap((cell) => cell.held)): void {
    const held = [...elites].sort((a, b) => a.order - b.order);
    this.cells = new Map();
    this.crowding = this.newCrowding();
    this.order = [];
    this.ranking = new Ranking<Cell>(byFitness);
    this.qd = 0;
    for (const { elite, order } of held) {
      const niche = this.geometry.place(elite.features);
      this.offer({ elite: niche === elite.niche ? elite : { ...elite, niche }, order });
    }
  }

  /** Entries offered so far, also those that were rejected. */
  get offered(): number {
    return this.sequence;
  }

  /** Champions in the order in which their niches were found. A live view: an insert changes it. */
  champions(): readonly Elite[] {
    return this.order;
  }

  /** The champion with this rank by fitness, from 0; of equals the earlier is first. */
  ranked(rank: number): Elite | undefined {
    const cell = this.ranking.at(rank);
    return cell === undefined ? undefined : championOf(cell);
  }

  best(): Elite | undefined {
    return this.ranked(0);
  }

  /** The champion of a niche. */
  get(niche: NicheId): Elite | undefined {
    return this.cells.get(niche)?.held[0]?.elite;
  }

  /** An elite by its program, also one that has been replaced. */
  find(sha256: Sha256): Elite | undefined {
    return this.known.get(sha256);
  }

  niche(id: NicheId): Niche | undefined {
    const cell = this.cells.get(id);
    return cell === undefined ? undefined : viewOf(cell);
  }

  niches(): Niche[] {
    return [...this.cells.values()].map(viewOf);
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

  /** Offers all that another archive of the same axes holds; of equals, this one's stay. Returns how many entered. */
  merge(other: EvoDB): number {
    let entered = 0;
    const held = [...other.cells.values()].flatMap((cell) => cell.held).sort((a, b) => a.order - b.order);
    // All are known before the first is placed: niches that moved in between would cost elites.
    const moved = held.filter(({ elite }) => this.geometry.observe(elite.features));
    if (moved.length > 0) this.rearrange();
    for (const { elite } of held) if (this.enter(elite).status !== 'rejected') entered++;
    // Ancestors come along, so that lineage stays whole.
    for (const [sha256, elite] of other.known) if (!this.known.has(sha256)) this.known.set(sha256, elite);
    return entered;
  }

  /** The whole archive as plain data that MessagePack can carry. */
  snapshot(): ArchiveSnapshot {
    const { axes, geometry, known, sequence, qd } = this;
    return packArchive({ axes, geometry, known, sequence, qd, cells: [...this.cells.values()] });
  }

  /** The archive that a snapshot was made of. Throws `invalid_input` for data that is none. */
  static restore(data: unknown): EvoDB {
    const { axes, geometry, known, sequence, qd, cells } = unpackArchive(data);
    const archive = new EvoDB(axes, geometry);
    // In this order, before the cells, so that lineage keeps the order in which it came.
    for (const [sha256, elite] of known) archive.known.set(sha256, elite);
    for (const cell of cells) archive.settle(cell);
    // `settle` found the champions known again; what was known last stays so.
    for (const [sha256, elite] of known) archive.known.set(sha256, elite);
    archive.sequence = sequence;
    archive.qd = qd;
    return archive;
  }
}

function viewOf(cell: Cell): Niche {
  const history = cell.held.slice(1).map(({ elite }) => elite);
  return { id: cell.id, champion: championOf(cell), history, offered: cell.offered };
}

function byFitness(a: Cell, b: Cell): number {
  return championOf(b).fitness - championOf(a).fitness || a.held[0].order - b.held[0].order;
}

function show(value: number): string {
  return String(Number(value.toPrecision(6)));
}
