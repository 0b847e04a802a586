/** Decisions on hunks: what to write where when some are accepted or taken back. Nothing here changes a text. */
import type { Hunk } from './hunk.ts';
import { type LineEdit, sameLines } from './lines.ts';

export interface EditPlan {
  /** Bottom to top, so that each leaves the places of the next alone. */
  readonly edits: LineEdit[];
  /** Hunks whose lines are not where they were; they are in conflict. */
  readonly conflicts: string[];
}

/** The edits that accept these hunks in a text of these lines. Hunks that are not pending are left out. */
export function planAccept(hunks: readonly Hunk[], lines: readonly string[], ids: ReadonlySet<string>): EditPlan {
  return plan(hunks, lines, ids, 'pending', (hunk) => [hunk.base.oldLines, hunk.newLines]);
}

/** The edits that take accepted hunks back. */
export function planRevert(hunks: readonly Hunk[], lines: readonly string[], ids: ReadonlySet<string>): EditPlan {
  return plan(hunks, lines, ids, 'accepted', (hunk) => [hunk.newLines, hunk.base.oldLines]);
}

function plan(
  hunks: readonly Hunk[],
  lines: readonly string[],
  ids: ReadonlySet<string>,
  state: Hunk['state'],
  sides: (hunk: Hunk) => [from: readonly string[], to: readonly string[]],
): EditPlan {
  const edits: LineEdit[] = [];
  const conflicts: string[] = [];
  for (const hunk of hunks) {
    if (!ids.has(hunk.id) || hunk.state !== state) continue;
    const [from, to] = sides(hunk);
    const { start, count } = hunk.place;
    if (sameLines(lines.slice(start, start + count), from)) edits.push({ start, oldCount: count, newLines: to });
    else conflicts.push(hunk.id);
  }
  return { edits: edits.sort((a, b) => b.start - a.start || b.oldCount - a.oldCount), conflicts };
}

/** The hunks with another state; where `from` is given, only those in that state. */
export function withState(hunks: readonly Hunk[], ids: ReadonlySet<string>, state: Hunk['state'], from?: Hunk['state']): Hunk[] {
  return hunks.map((hunk) => (ids.has(hunk.id) && (from === undefined || hunk.state === from) ? { ...hunk, state } : hunk));
}
