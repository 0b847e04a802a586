/**
 * The Pareto front: programs that no other beats in one objective without losing in another. Kept next to the grid, and
 * bounded: when it is full, the one that is nearest to its neighbours goes (crowding distance of K. Deb et al.,
 * "A fast and elitist multiobjective genetic algorithm: NSGA-II", 2002). The best of each objective always stays.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import type { Objective } from '../../../shared/judging.ts';
import type { ArchiveEntry } from '../evodb.ts';
import { objectiveValues } from '../objectives.ts';

interface FrontMember {
  readonly entry: ArchiveEntry;
  /** One per objective, turned so that higher is better. */
  readonly values: readonly number[];
}

export class ParetoFront {
  private readonly objectives: readonly Objective[];
  private readonly capacity: number;
  private held: FrontMember[] = [];

  /** `capacity` at least 2 per objective, for the extremes. */
  constructor(objectives: readonly Objective[], capacity = 256) {
    this.objectives = objectives;
    this.capacity = Math.max(capacity, 2 * objectives.length);
  }

  /** In the order in which they came. */
  members(): readonly FrontMember[] {
    return this.held;
  }

  /** True when it was a member. Those that only it had covered may be offered again. */
  remove(sha256: Sha256): boolean {
    const before = this.held.length;
    this.held = this.held.filter(({ entry }) => entry.sha256 !== sha256);
    return this.held.length < before;
  }

  /** False when a member is as good or better in everything, or the entry lacks an objective. O(members · objectives). */
  add(entry: ArchiveEntry): boolean {
    const values = objectiveValues(this.objectives, entry.metrics);
    if (values === undefined || this.held.some((member) => covers(member.values, values))) return false;
    const added: FrontMember = { entry, values };
    this.held = [...this.held.filter((member) => !covers(values, member.values)), added];
    if (this.held.length > this.capacity) this.thin();
    return this.held.includes(added);
  }

  /** Drops the most crowded; of equals the newest. */
  private thin(): void {
    const distances = new Map<FrontMember, number>(this.held.map((member) => [member, 0]));
    this.objectives.forEach((_, axis) => {
      const line = [...this.held].sort((a, b) => (a.values[axis] ?? 0) - (b.values[axis] ?? 0));
      const range = (line.at(-1)?.values[axis] ?? 0) - (line[0]?.values[axis] ?? 0);
      line.forEach((member, i) => {
        const before = line[i - 1]?.values[axis];
        const after = line[i + 1]?.values[axis];
        const gap =
          before === undefined || after === undefined || range === 0 ? Number.POSITIVE_INFINITY : (after - before) / range;
        distances.set(member, (distances.get(member) ?? 0) + gap);
      });
    });
    const crowded = [...distances].reduce((least, one) => (one[1] <= least[1] ? one : least));
    this.held = this.held.filter((member) => member !== crowded[0]);
  }
}

/** As good or better in everything. */
function covers(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, i) => value >= (b[i] ?? Number.NEGATIVE_INFINITY));
}
