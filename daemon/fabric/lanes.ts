/**
 * The order in which a worker looks through the lanes: what is marked as first, then most specific tags, then the kinds that
 * drain work in progress; one claim in eight looks from the other end, so that no lane starves.
 */
import { type CapTag, canClaim, FIRST_TAG, type Task, TaskKind } from '../../shared/task.ts';

export interface LaneName {
  readonly name: string;
  readonly kind: TaskKind;
  readonly tags: readonly CapTag[];
}

const REVERSE_EVERY = 8;

const kindRank: Record<TaskKind, number> = { evaluate: 0, execute: 1, mutate: 2, render: 3 };

/** The inverse of `laneOf`; undefined when the text names no lane that this build knows. */
export function parseLane(name: string): LaneName | undefined {
  const slash = name.indexOf('/');
  const kind = TaskKind.safeParse(name.slice(0, slash));
  if (!kind.success) return undefined;
  const tags = name.slice(slash + 1);
  return { name, kind: kind.data, tags: tags === '' ? [] : tags.split('+') };
}

/** The lanes a worker with these tags may claim from, in claim order. O(n log n). */
export function eligibleLanes<L extends LaneName>(lanes: Iterable<L>, caps: ReadonlySet<CapTag>): L[] {
  return [...lanes]
    .filter((lane) => canClaim(lane.tags, caps))
    .sort((a, b) => rank(a) - rank(b) || kindRank[a.kind] - kindRank[b.kind] || (a.name < b.name ? -1 : 1));
}

/** The first of them to be made. */
export function oldest(tasks: readonly Task[], limit: number): Task[] {
  return tasks.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).slice(0, limit);
}

/** A task requires 32 tags at most. */
const rank = ({ tags }: LaneName): number => (tags.includes(FIRST_TAG) ? -33 : -tags.length);

/** Counts claims and says which of them look from the other end. */
export class Fairness {
  private claims = 0;

  reversed(): boolean {
    this.claims = (this.claims + 1) % REVERSE_EVERY;
    return this.claims === 0;
  }
}
