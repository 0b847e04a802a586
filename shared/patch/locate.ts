/** Finds hunks in a text that was not followed change by change: first opened, reopened, or changed on disk. */
import type { Hunk } from './hunk.ts';

interface Match {
  readonly start: number;
  /** Context lines that agree, counted outwards from the hunk; 0 when only blank ones do, and not all. */
  readonly score: number;
}

/**
 * Places hunks in a text: where their context agrees best, the expected place first among equals. A hunk whose new
 * lines are already there is accepted; one that is nowhere, or in several places alike, is in conflict.
 * Rejected and stale hunks keep their state.
 */
export function placeHunks(hunks: readonly Hunk[], lines: readonly string[]): Hunk[] {
  let drift = 0;
  return hunks.map((hunk) => {
    const expected = hunk.base.start + drift;
    const old = bestMatch(hunk, hunk.base.oldLines, lines, expected);
    const done = bestMatch(hunk, hunk.newLines, lines, expected);
    const applied = done !== undefined && (old === undefined || done.score > old.score);
    const match = applied ? done : old;
    if (match === undefined) return { ...hunk, state: settledState(hunk, 'conflict'), place: clamp(expected, lines) };
    const count = applied ? hunk.newLines.length : hunk.base.oldLines.length;
    drift = match.start + count - (hunk.base.start + hunk.base.oldLines.length);
    return { ...hunk, state: settledState(hunk, applied ? 'accepted' : 'pending'), place: { start: match.start, count } };
  });
}

function settledState(hunk: Hunk, found: Hunk['state']): Hunk['state'] {
  return hunk.state === 'rejected' || hunk.state === 'stale' ? hunk.state : found;
}

function clamp(line: number, lines: readonly string[]): Hunk['place'] {
  return { start: Math.max(0, Math.min(line, lines.length)), count: 0 };
}

/** O(lines · context) in the worst case. */
function bestMatch(hunk: Hunk, wanted: readonly string[], lines: readonly string[], expected: number): Match | undefined {
  let best: Match | undefined;
  let ties = 0;
  for (let start = 0; start + wanted.length <= lines.length; start++) {
    if (!wanted.every((line, i) => lines[start + i] === line)) continue;
    const match = { start, score: contextScore(hunk, lines, start, start + wanted.length) };
    if (best === undefined || match.score > best.score) {
      best = match;
      ties = 1;
    } else if (match.score === best.score) {
      ties++;
      if (start === expected) best = match;
    }
  }
  if (best === undefined || (ties > 1 && best.start !== expected)) return undefined;
  if (best.score > 0) return best;
  // Nothing around it agrees: only its own lines at the expected place, or a hunk that never had a context, are enough.
  const alone = hunk.contextBefore.length + hunk.contextAfter.length === 0;
  if (alone && lines.length === wanted.length) return best;
  return wanted.some(isText) && (alone || best.start === expected) ? best : undefined;
}

function contextScore(hunk: Hunk, lines: readonly string[], start: number, end: number): number {
  let score = 0;
  let text = false;
  const above = [...hunk.contextBefore].reverse();
  for (const [i, line] of above.entries()) {
    if (lines[start - 1 - i] !== line) break;
    score++;
    text ||= isText(line);
  }
  for (const [i, line] of hunk.contextAfter.entries()) {
    if (lines[end + i] !== line) break;
    score++;
    text ||= isText(line);
  }
  return text || score === above.length + hunk.contextAfter.length ? score : 0;
}

function isText(line: string): boolean {
  return line.trim() !== '';
}
