/**
 * What changes between two versions of a program, in the smallest parts that can be taken or left: single lines that
 * change, come or go.
 */
import { diffArrays } from 'diff';
import { PeagenError } from '../../shared/errors.ts';
import { type Program, replaceRange, spanText } from '../../shared/program.ts';
import { profileDistance, tokenProfile } from './distance.ts';
import { programSha } from './hash.ts';

/** One part of the change that can be taken or left: lines of one span of the original, and what stands there instead. */
export interface SpanHunk {
  readonly span: number;
  /** Index of the first line, and how many lines of the original go. */
  readonly line: number;
  readonly count: number;
  readonly lines: readonly string[];
}

/** The line end of a text in which all are the same; in a mixed one, `\r` counts as part of the line. */
function lineEnd(text: string): string {
  return /\r\n/.test(text) && !/[^\r]\n/.test(text) ? '\r\n' : '\n';
}

/** In the order of the text. Throws `invalid_input` when the two are not versions of one program. */
export function hunksBetween(original: Program, winner: Program): SpanHunk[] {
  const hunks = original.spans.flatMap((span, i) =>
    spanHunks(i, spanText(original, span), spanText(winner, winner.spans[i] ?? { ...span, end: span.start })),
  );
  if (original.spans.length !== winner.spans.length || programSha(build(original, hunks)) !== programSha(winner)) {
    throw new PeagenError('invalid_input', 'The two programs differ outside of what may change.', {
      hint: 'Minimise a candidate against the original of its own run.',
    });
  }
  return hunks;
}

function spanHunks(span: number, before: string, after: string): SpanHunk[] {
  const hunks: SpanHunk[] = [];
  let line = 0;
  const eol = lineEnd(before);
  const changes = diffArrays(before.split(eol), after.split(eol));
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i];
    if (change === undefined || !(change.added || change.removed)) {
      line += change?.value.length ?? 0;
      continue;
    }
    const following = changes[i + 1];
    const paired = following !== undefined && (following.added || following.removed) && following.added !== change.added;
    const removed = change.removed ? change.value : paired ? following.value : [];
    const added = change.added ? change.value : paired ? following.value : [];
    if (paired) i++;
    hunks.push(...pieces(span, line, removed, added));
    line += removed.length;
  }
  return hunks;
}

export const indentation = (text: string) => text.length - text.trimStart().length;

/** Above it, lines are not aligned one by one: the table of costs would be too large. */
const maxCells = 40_000;

/** Half the cost of replacing a line by one that has nothing in common with it. */
const gap = 0.5;

/** The smallest changes that make up one: lines that are alike change, the others come or go, each by itself. */
function pieces(span: number, line: number, removed: readonly string[], added: readonly string[]): SpanHunk[] {
  if (removed.length * added.length > maxCells) return [{ span, line, count: removed.length, lines: added }];
  const before = removed.map(tokenProfile);
  const after = added.map(tokenProfile);
  // costs[i][j]: the cheapest way to turn the lines from i on into those from j on.
  const costs = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  const cost = (i: number, j: number): number => costs[i]?.[j] ?? Number.POSITIVE_INFINITY;
  const change = (i: number, j: number): number => {
    const [old, now] = [before[i], after[j]];
    return old === undefined || now === undefined ? Number.POSITIVE_INFINITY : cost(i + 1, j + 1) + profileDistance(old, now);
  };
  for (let i = removed.length; i >= 0; i--) {
    for (let j = added.length; j >= 0; j--) {
      const row = costs[i];
      if (row === undefined || (i === removed.length && j === added.length)) continue;
      row[j] = Math.min(change(i, j), gap + cost(i + 1, j), gap + cost(i, j + 1));
    }
  }
  const hunks: SpanHunk[] = [];
  for (let i = 0, j = 0; i < removed.length || j < added.length; ) {
    // Lines that have nothing in common, not even the indentation, are removed and added.
    const alike = indentation(removed[i] ?? '') === indentation(added[j] ?? '');
    const apart = Math.min(gap + cost(i + 1, j), gap + cost(i, j + 1));
    const changes = alike ? change(i, j) <= apart : change(i, j) < apart;
    const goes = changes || gap + cost(i + 1, j) <= cost(i, j);
    const comes = changes || !goes;
    hunks.push({ span, line: line + i, count: goes ? 1 : 0, lines: comes ? added.slice(j, j + 1) : [] });
    if (goes) i++;
    if (comes) j++;
  }
  return hunks;
}

/** A line of the original by its index in the span, or of a hunk by its index in that. */
export interface Line {
  readonly text: string;
  readonly hunk: SpanHunk | undefined;
  readonly at: number;
}

/** The lines of one span with these of its hunks, which are in the order of the text. */
export function linesWith(lines: readonly string[], hunks: readonly SpanHunk[]): Line[] {
  const result: Line[] = [];
  let line = 0;
  const upTo = (end: number) => {
    for (; line < end; line++) result.push({ text: lines[line] ?? '', hunk: undefined, at: line });
  };
  for (const hunk of hunks) {
    upTo(hunk.line);
    result.push(...hunk.lines.map((text, at) => ({ text, hunk, at })));
    line += hunk.count;
  }
  upTo(lines.length);
  return result;
}

/** The lines of each span. */
export function spanLines(program: Program): string[][] {
  return program.spans.map((span) => {
    const text = spanText(program, span);
    return text.split(lineEnd(text));
  });
}

/** The original with these hunks, which are in the order of the text. */
export function build(original: Program, hunks: readonly SpanHunk[]): Program {
  let program = original;
  original.spans.forEach((span, i) => {
    const before = spanText(original, span);
    const eol = lineEnd(before);
    const lines = linesWith(
      before.split(eol),
      hunks.filter((hunk) => hunk.span === i),
    );
    program = replaceRange(program, program.spans[i] ?? span, lines.map(({ text }) => text).join(eol));
  });
  return program;
}
