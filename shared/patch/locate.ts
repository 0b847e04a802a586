/** Finds hunks in a text that was not followed change by change: first opened, reopened, or changed on disk. */
import { CONTEXT_LINES, type Hunk } from './hunk.ts';

interface Match {
  readonly start: number;
  /** Context lines that agree, counted outwards from the hunk; 0 when only blank ones do, and not all. */
  readonly score: number;
}

/**
 * Places hunks in a text: where their context agrees best, the expected place first among equals. A hunk whose new
 * lines are already there is accepted; one that is not found, or found in several places, is in conflict.
 * Rejected and stale hunks keep their state.
 */
export function placeHunks(hunks: readonly Hunk[], lines: readonly string[]): Hunk[] {
  let drift = 0;
  return hunks.map((hunk, index) => {
    const expected = hunk.base.start + drift;
    const surroundings = surroundingsOf(hunk, hunks[index - 1], hunks[index + 1]);
    const old = bestMatch(surroundings, hunk.base.oldLines, lines, expected);
    const done = bestMatch(surroundings, hunk.newLines, lines, expected);
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

/** What may be around a hunk, outwards from it: the base's lines, or what they become when the neighbour there is accepted. */
interface Surroundings {
  readonly above: readonly (readonly string[])[];
  readonly below: readonly (readonly string[])[];
}

function surroundingsOf(hunk: Hunk, previous: Hunk | undefined, next: Hunk | undefined): Surroundings {
  const above = [[...hunk.contextBefore].reverse()];
  const below = [[...hunk.contextAfter]];
  if (previous !== undefined) {
    const between = hunk.base.start - endOf(previous);
    const lines = [...previous.contextBefore, ...previous.newLines].reverse();
    if (between < hunk.contextBefore.length)
      above.push([...(above[0]?.slice(0, between) ?? []), ...lines].slice(0, CONTEXT_LINES));
  }
  if (next !== undefined) {
    const between = next.base.start - endOf(hunk);
    const lines = [...next.newLines, ...next.contextAfter];
    if (between < hunk.contextAfter.length)
      below.push([...hunk.contextAfter.slice(0, between), ...lines].slice(0, CONTEXT_LINES));
  }
  return { above, below };
}

function endOf({ base }: Hunk): number {
  return base.start + base.oldLines.length;
}

/** O(lines · context) in the worst case. */
function bestMatch(
  surroundings: Surroundings,
  wanted: readonly string[],
  lines: readonly string[],
  expected: number,
): Match | undefined {
  let best: Match | undefined;
  let ties = 0;
  for (let start = 0; start + wanted.length <= lines.length; start++) {
    if (!wanted.every((line, i) => lines[start + i] === line)) continue;
    const match = { start, score: contextScore(surroundings, lines, start, start + wanted.length) };
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
  const alone = [...surroundings.above, ...surroundings.below].every((context) => context.length === 0);
  if (alone && lines.length === wanted.length) return best;
  return wanted.some(isText) && (alone || best.start === expected) ? best : undefined;
}

function contextScore({ above, below }: Surroundings, lines: readonly string[], start: number, end: number): number {
  const up = bestAgreement(above, (i) => lines[start - 1 - i]);
  const down = bestAgreement(below, (i) => lines[end + i]);
  return up.text || down.text || (up.whole && down.whole) ? up.count + down.count : 0;
}

interface Agreement {
  readonly count: number;
  readonly text: boolean;
  readonly whole: boolean;
}

function bestAgreement(contexts: readonly (readonly string[])[], lineAt: (i: number) => string | undefined): Agreement {
  let best: Agreement = { count: 0, text: false, whole: false };
  for (const context of contexts) {
    const differs = context.findIndex((line, i) => lineAt(i) !== line);
    const count = differs < 0 ? context.length : differs;
    const agreement = { count, text: context.slice(0, count).some(isText), whole: differs < 0 };
    if (count > best.count || (agreement.whole && !best.whole)) best = agreement;
  }
  return best;
}

function isText(line: string): boolean {
  return line.trim() !== '';
}
