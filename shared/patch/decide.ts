/** Decisions on hunks: what to write where when some are accepted. Nothing here changes a text. */
import type { Hunk } from './hunk.ts';
import { type LineEdit, sameLines } from './lines.ts';

interface EditPlan {
  /** Bottom to top, so that each leaves the places of the next alone. */
  readonly edits: LineEdit[];
  /** Hunks whose lines are not where they were; they are in conflict. */
  readonly conflicts: string[];
}

/** The edits that accept these hunks in a text of these lines. Hunks that are not pending are left out. */
export function planAccept(hunks: readonly Hunk[], lines: readonly string[], ids: ReadonlySet<string>): EditPlan {
  const edits: LineEdit[] = [];
  const conflicts: string[] = [];
  for (const { id, state, place, base, newLines } of hunks) {
    if (!ids.has(id) || state !== 'pending') continue;
    const { start, count } = place;
    if (sameLines(lines.slice(start, start + count), base.oldLines)) edits.push({ start, oldCount: count, newLines });
    else conflicts.push(id);
  }
  return { edits: edits.sort((a, b) => b.start - a.start || b.oldCount - a.oldCount), conflicts };
}
