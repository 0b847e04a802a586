/**
 * A hunk is one place where a candidate differs from the text it was made from, and what became of it in review.
 * Lines are zero-based. Hunks of one file never touch: at least one common line lies between two of them.
 */
import { diffArrays } from 'diff';
import { splitLines } from './lines.ts';

/**
 * `conflict`: the old lines are not there any more (they may come back); `stale`: the file is gone, or another
 * candidate is being reviewed in it.
 */
export type HunkState = 'pending' | 'accepted' | 'rejected' | 'conflict' | 'stale';

export interface Hunk {
  readonly id: string;
  readonly base: { readonly start: number; readonly oldLines: readonly string[] };
  readonly newLines: readonly string[];
  /** Up to three lines of the base around the hunk, top to bottom. */
  readonly contextBefore: readonly string[];
  readonly contextAfter: readonly string[];
  readonly state: HunkState;
  /** The lines it holds in the present text: its old lines while pending, its new ones once accepted. */
  readonly place: { readonly start: number; readonly count: number };
}

export const CONTEXT_LINES = 3;
/** Beyond this many changed lines, or this many milliseconds, one hunk from the first to the last difference says it better. */
const MAX_EDIT_LENGTH = 5000;
const DIFF_TIMEOUT_MS = 2000;

/** Line endings and byte order marks are no differences. O(n·d) time in lines n and differing lines d. */
export function diffHunks(before: string, after: string): Hunk[] {
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  const parts = diffArrays(oldLines, newLines, { maxEditLength: MAX_EDIT_LENGTH, timeout: DIFF_TIMEOUT_MS });
  if (parts === undefined) return [hunkBetween(oldLines, newLines, 0, ...coarse(oldLines, newLines))];
  const hunks: Hunk[] = [];
  let oldAt = 0;
  let newAt = 0;
  let open: { oldStart: number; newStart: number } | undefined;
  const close = () => {
    if (open !== undefined) hunks.push(hunkBetween(oldLines, newLines, hunks.length, open.oldStart, oldAt, open.newStart, newAt));
    open = undefined;
  };
  for (const part of parts) {
    if (!part.added && !part.removed) close();
    else open ??= { oldStart: oldAt, newStart: newAt };
    if (!part.added) oldAt += part.value.length;
    if (!part.removed) newAt += part.value.length;
  }
  close();
  return hunks;
}

/** From the first to the last difference, as `[oldStart, oldEnd, newStart, newEnd]`. */
function coarse(a: readonly string[], b: readonly string[]): [number, number, number, number] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [start, a.length - end, start, b.length - end];
}

function hunkBetween(
  oldLines: readonly string[],
  newLines: readonly string[],
  index: number,
  oldStart: number,
  oldEnd: number,
  newStart: number,
  newEnd: number,
): Hunk {
  return {
    id: `h${index + 1}`,
    base: { start: oldStart, oldLines: oldLines.slice(oldStart, oldEnd) },
    newLines: newLines.slice(newStart, newEnd),
    contextBefore: oldLines.slice(Math.max(0, oldStart - CONTEXT_LINES), oldStart),
    contextAfter: oldLines.slice(oldEnd, oldEnd + CONTEXT_LINES),
    state: 'pending',
    place: { start: oldStart, count: oldEnd - oldStart },
  };
}
