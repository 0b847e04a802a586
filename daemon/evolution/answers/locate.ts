/**
 * Finds where the lines of an edit stand in a text. Relaxations, in this order, each only when the ones before it find
 * nothing: the lines exactly; without blanks at line ends; without indentation and blank lines at the edges; and
 * relocation, by the changed lines alone, when they occur once. Pure.
 */
import { type AnswerEdit, type Op, searched } from './edits.ts';

const relaxations = ['exact', 'trailing blanks', 'indentation', 'unique context'] as const;
export type Relaxation = (typeof relaxations)[number];

interface EditPlace {
  /** First line, zero-based. */
  readonly line: number;
  readonly relaxation: Relaxation;
  /** The edit's operations as they apply there, one for each line from `line` on that is kept or removed. */
  readonly ops: readonly Op[];
}

type Located = { readonly place: EditPlace } | { readonly fault: string };

type Same = (a: string, b: string) => boolean;
const comparisons: readonly (readonly [Relaxation, Same])[] = [
  ['exact', (a, b) => a === b],
  ['trailing blanks', (a, b) => a.trimEnd() === b.trimEnd()],
  ['indentation', (a, b) => a.trim() === b.trim()],
];

export const NOT_FOUND = 'its lines are not in the program';

/** `allowed` says whether a change of the lines [from, to) may be made. */
export function locate(lines: readonly string[], edit: AnswerEdit, allowed: (from: number, to: number) => boolean): Located {
  if (searched(edit).every((line) => line.trim() === '')) return { fault: 'it does not say what to replace' };
  let outside = false;
  for (const [ops, relaxation, same] of attempts(edit.ops)) {
    const found = occurrences(lines, ops, same);
    const inside = found.filter((line) => allowed(line, line + spanOf(ops)));
    outside ||= found.length > inside.length;
    if (inside.length === 0) continue;
    if (inside.length === 1) return { place: { line: inside[0] ?? 0, relaxation, ops } };
    // A line number decides between equals only when it is right.
    const hinted = inside.find((line) => line === edit.line);
    if (hinted !== undefined && relaxation !== 'unique context') return { place: { line: hinted, relaxation, ops } };
    return { fault: `its lines occur ${inside.length} times` };
  }
  return { fault: outside ? 'it changes what must not change' : NOT_FOUND };
}

function* attempts(ops: readonly Op[]): Generator<readonly [readonly Op[], Relaxation, Same]> {
  for (const [relaxation, same] of comparisons) yield [ops, relaxation, same];
  const inner = withoutBlankEdges(ops);
  for (const [, same] of comparisons) yield [inner, 'indentation', same];
  for (const core of cores(inner)) for (const [, same] of comparisons) yield [core, 'unique context', same];
}

/** The edit without the kept lines around its changes; one that only adds keeps the line before it, or after it. */
function cores(ops: readonly Op[]): Op[][] {
  const first = ops.findIndex((op) => op.kind !== 'keep');
  const last = ops.findLastIndex((op) => op.kind !== 'keep');
  if (first < 0) return [];
  const removes = ops.some((op) => op.kind === 'remove' && op.line.trim() !== '');
  const core = (from: number, to: number) => {
    const part = ops.slice(from, to + 1);
    return part.some((op) => op.kind !== 'add' && op.line.trim().length > 3) ? [part] : [];
  };
  if (removes) return core(first, last);
  return [...(first > 0 ? core(first - 1, last) : []), ...(last + 1 < ops.length ? core(first, last + 1) : [])];
}

function withoutBlankEdges(ops: readonly Op[]): readonly Op[] {
  const solid = (op: Op) => op.kind === 'add' || op.line.trim() !== '';
  return ops.slice(ops.findIndex(solid), ops.findLastIndex(solid) + 1);
}

function spanOf(ops: readonly Op[]): number {
  return ops.filter((op) => op.kind !== 'add').length;
}

/** O(lines × searched lines) at worst; the first comparison nearly always decides. */
function occurrences(lines: readonly string[], ops: readonly Op[], same: Same): number[] {
  const wanted = ops.filter((op) => op.kind !== 'add').map((op) => op.line);
  const found: number[] = [];
  if (wanted.length === 0) return found;
  for (let line = 0; line + wanted.length <= lines.length; line++) {
    if (wanted.every((want, i) => same(want, lines[line + i] ?? ''))) found.push(line);
  }
  return found;
}
