/** Follows a text that a user edits: hunks move with it, fall into conflict, come back, are undone and redone. */
import type { Hunk } from './hunk.ts';
import { editLines, type LineEdit, lineEditsOf, type RangeEdit, sameLines, slides } from './lines.ts';

interface FollowedText {
  readonly hunks: Hunk[];
  readonly lines: string[];
}

/**
 * The hunks after an editor's changes, whose ranges are all in the text before. A hunk that was touched is judged by what is
 * now in its place: its new lines mean accepted (also by redo), its old lines pending (also by undo). Anything else is
 * a conflict for a pending hunk, and a user's own business in an accepted one.
 */
export function followChanges(hunks: readonly Hunk[], lines: readonly string[], changes: readonly RangeEdit[]): FollowedText {
  let text = [...lines];
  let moved: { hunk: Hunk; touched: boolean }[] = hunks.map((hunk) => ({ hunk, touched: false }));
  for (const effect of lineEditsOf(lines, changes)) {
    if (effect.oldCount === 0 && effect.newLines.length === 0) continue;
    const edit = likeliest(effect, text, moved);
    text = editLines(text, edit);
    const now = text;
    moved = moved.map(({ hunk, touched }) => {
      const next = movePlace(hunk, edit, now);
      return { hunk: { ...hunk, place: next.place }, touched: touched || next.touched };
    });
  }
  return { hunks: moved.map(({ hunk, touched }) => (touched ? judge(hunk, text) : hunk)), lines: text };
}

/** Chooses among edits with the same effect: the one that accepts or takes back a hunk, else one that touches none. */
function likeliest(effect: LineEdit, lines: readonly string[], moved: readonly { hunk: Hunk }[]): LineEdit {
  const edits = slides(lines, effect);
  const fits = (edit: LineEdit) => moved.some(({ hunk }) => decides(hunk, edit));
  const apart = (edit: LineEdit) =>
    moved.every(({ hunk: { place } }) => edit.start + edit.oldCount <= place.start || edit.start >= place.start + place.count);
  return edits.find(fits) ?? edits.find(apart) ?? effect;
}

function decides({ place, state, newLines, base }: Hunk, edit: LineEdit): boolean {
  const exact = edit.start === place.start && edit.oldCount === place.count;
  return exact && sameLines(edit.newLines, state === 'accepted' ? base.oldLines : newLines);
}

function movePlace(hunk: Hunk, edit: LineEdit, lines: readonly string[]): { place: Hunk['place']; touched: boolean } {
  const { start, count } = hunk.place;
  const end = start + count;
  const editEnd = edit.start + edit.oldCount;
  const delta = edit.newLines.length - edit.oldCount;
  const still = { place: hunk.place, touched: false };
  const shifted = { place: { start: start + delta, count }, touched: false };
  // An insertion where the hunk has no lines is the hunk's own, or on either side of it.
  if (count === 0 && edit.oldCount === 0 && edit.start === start) {
    if (decides(hunk, edit)) return { place: { start, count: edit.newLines.length }, touched: true };
    // Both sides of the new lines are possible; stay with the line that the hunk comes before.
    return hunk.contextAfter[0] !== undefined && lines[start + delta] === hunk.contextAfter[0] ? shifted : still;
  }
  if (editEnd <= start) return shifted;
  if (edit.start >= end) return still;
  const from = Math.min(start, edit.start);
  return { place: { start: from, count: Math.max(end, editEnd) + delta - from }, touched: true };
}

function judge(hunk: Hunk, lines: readonly string[]): Hunk {
  if (hunk.state === 'stale') return hunk;
  const there = lines.slice(hunk.place.start, hunk.place.start + hunk.place.count);
  if (sameLines(there, hunk.newLines)) return { ...hunk, state: 'accepted' };
  const inside = innerPlace(hunk, lines);
  if (hunk.state === 'rejected') return { ...hunk, place: inside ?? hunk.place };
  if (inside !== undefined) return { ...hunk, state: 'pending', place: inside };
  return hunk.state === 'accepted' ? hunk : { ...hunk, state: 'conflict' };
}

/** An edit across a hunk's border leaves more in its place than the hunk: its old lines may still be whole in there. */
function innerPlace(hunk: Hunk, lines: readonly string[]): Hunk['place'] | undefined {
  const { start, count } = hunk.place;
  const old = hunk.base.oldLines;
  if (old.length === 0) return count === 0 ? hunk.place : undefined;
  const found: number[] = [];
  for (let at = start; at + old.length <= start + count; at++) {
    if (old.every((line, i) => lines[at + i] === line)) found.push(at);
  }
  return found[0] !== undefined && found.length === 1 ? { start: found[0], count: old.length } : undefined;
}
