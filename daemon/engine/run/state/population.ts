/**
 * What a run has found: one archive, or islands and the archive of all, and the Pareto front when there are several
 * objectives. Pure: the same calls in the same order give the same population.
 */
import type { Sha256 } from '../../../../shared/ids.ts';
import type { Elite } from '../../../../shared/niche.ts';
import type { RunSpec } from '../../../../shared/run-spec.ts';
import { Cvt } from '../../../evolution/evodb/cvt.ts';
import { Islands } from '../../../evolution/evodb/islands.ts';
import { ParetoFront } from '../../../evolution/evodb/pareto.ts';
import { type Added, type ArchiveEntry, EvoDB } from '../../../evolution/evodb.ts';
import type { EventOf } from './slots.ts';

/** Elites that the feature `diversity` measures the distance to. */
const NEIGHBOURS = 16;

/** What of a run shapes its population. */
type Shape = Pick<RunSpec, 'axes' | 'cvt' | 'seed' | 'islands' | 'objectives' | 'capacity'>;

export class Population {
  /** All that entered, whatever island it lives on. */
  readonly whole: EvoDB;
  private readonly islands: Islands | undefined;
  private readonly front: ParetoFront | undefined;
  private readonly pinned = new Set<Sha256>();
  private original: ArchiveEntry | undefined;

  constructor(spec: Shape) {
    this.whole = emptyArchive(spec);
    const { islands, objectives } = spec;
    if (islands !== undefined) {
      const each = Array.from({ length: islands.count }, () => emptyArchive(spec, islands.count));
      this.islands = new Islands(islands, this.whole, each);
    }
    if (objectives !== undefined && objectives.of.length > 1) this.front = new ParetoFront(objectives.of);
  }

  /** Returns what came of it in the archive of all. */
  add(entry: ArchiveEntry): Added {
    const added = this.islands === undefined ? this.whole.add(entry) : this.islands.add(entry).whole;
    this.front?.add(entry);
    return added;
  }

  /** The original, the first entry, to which a population falls back that has lost everything else. */
  begin(original: ArchiveEntry): void {
    this.original = original;
    this.add(original);
  }

  /** The archive that the slot's parents come from. */
  home(index: number): EvoDB {
    return this.islands?.of(index) ?? this.whole;
  }

  /** Takes a program out everywhere. */
  remove(sha256: Sha256): void {
    this.pinned.delete(sha256);
    const archives = [this.whole, ...this.each()];
    for (const archive of archives) {
      if (archive.remove(sha256) && archive.best() === undefined && this.original !== undefined) archive.add(this.original);
    }
    if (this.front?.remove(sha256) !== true) return;
    for (const { champion, history } of this.whole.niches()) for (const elite of [champion, ...history]) this.front.add(elite);
  }

  /** Gives a program that was measured again its new fitness everywhere. */
  revise(sha256: Sha256, measured: Pick<ArchiveEntry, 'fitness' | 'metrics'>): void {
    for (const archive of [this.whole, ...this.each()]) archive.revise(sha256, measured);
    const elite = this.whole.find(sha256);
    if (elite !== undefined && this.front?.remove(sha256) === true) this.front.add(elite);
  }

  /** A pinned elite counts among the elites, whatever beats it. */
  pin(sha256: Sha256, pinned: boolean): void {
    if (pinned) this.pinned.add(sha256);
    else this.pinned.delete(sha256);
  }

  isPinned(sha256: Sha256): boolean {
    return this.pinned.has(sha256);
  }

  /** In the order in which they were pinned. */
  pins(): Sha256[] {
    return [...this.pinned];
  }

  /** Champions, best first, then pinned elites that were beaten. */
  elites(): Elite[] {
    const champions = [...this.whole.champions()].sort((a, b) => b.fitness - a.fitness);
    const names = new Set(champions.map(({ sha256 }) => sha256));
    const beaten = this.pins().flatMap((sha256) => (names.has(sha256) ? [] : (this.whole.find(sha256) ?? [])));
    return [...champions, ...beaten].map((elite) => (this.pinned.has(elite.sha256) ? { ...elite, pinned: true } : elite));
  }

  /** The Pareto front, in the order in which its members came; empty with one objective. */
  paretoFront(): Elite[] {
    return (this.front?.members() ?? []).map(({ entry }) => ({ ...entry, niche: this.whole.geometry.place(entry.features) }));
  }

  /** Undefined with one objective. */
  get frontSize(): number | undefined {
    return this.front?.members().length;
  }

  /** The islands' archives, in ring order; none without islands. */
  each(): readonly EvoDB[] {
    return this.islands?.islands ?? [];
  }

  /**
   * Migrates when it is time, and lets the worst island begin again where that is asked for. Returns
   * how many champions settled on another island and which island was restarted; nothing without islands.
   */
  endGeneration(generation: number, restart: boolean): Pick<EventOf<'generation'>, 'migrated' | 'restarted'> {
    if (this.islands === undefined) return {};
    const migrated = this.islands.endGeneration(generation);
    const restarted = restart ? this.islands.restartWorst() : undefined;
    return { migrated, ...(restarted === undefined ? {} : { restarted }) };
  }

  /** Champions spread evenly over the ranks, the best first. O(log niches). */
  neighbours(): Sha256[] {
    const count = this.whole.champions().length;
    const taken = Math.min(count, NEIGHBOURS);
    return Array.from({ length: taken }, (_, i) => this.whole.ranked(Math.floor((i * count) / taken))).flatMap((elite) =>
      elite === undefined ? [] : [elite.sha256],
    );
  }
}

/** The seed of the run spreads the niches of a CVT archive; islands have the same ones. */
function emptyArchive({ axes, cvt, seed, capacity }: Shape, islands = 1): EvoDB {
  const geometry = cvt === undefined ? undefined : new Cvt(axes, { niches: cvt.niches, seed });
  return new EvoDB(axes, geometry, capacity === undefined ? undefined : Math.ceil(capacity / islands));
}
