/**
 * Finds the smallest part of a winner's change that keeps its gain, so that a person reviews nothing else. Delta
 * debugging (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002) over the hunks
 * between original and winner. It judges nothing itself: the caller says of each program whether it keeps the gain.
 */
import { diffArrays } from 'diff';
import { PeagenError } from '../../shared/errors.ts';
import { type Program, replaceRange, spanText } from '../../shared/program.ts';
import { profileDistance, tokenProfile } from './distance.ts';
import { programSha } from './hash.ts';
import { normalHash } from './syntax/normal.ts';
import { syntaxError } from './syntax/parse.ts';

/** One part of the change that can be taken or left: lines of one span of the original, and what stands there instead. */
interface Hunk {
  readonly span: number;
  /** Index of the first line, and how many lines of the original go. */
  readonly line: number;
  readonly count: number;
  readonly lines: readonly string[];
}

/** Programs that are judged side by side. */
const WIDTH = 4;

/**
 * Yields programs between original and winner, several at a time: answer with whether each keeps the gain, in order. Returns
 * the smallest program that kept it, the winner when no smaller one did. At most about n² programs for n hunks, usually 2n.
 * Programs that do not parse are not asked for, and of those that differ in layout only one is. Throws `invalid_input` when
 * the two are not versions of one program.
 */
export async function* minimise(original: Program, winner: Program): AsyncGenerator<Program[], Program, readonly boolean[]> {
  const hunks = hunksBetween(original, winner);
  // A grammar that cannot read the original (newer syntax) says nothing about what lies between the two.
  const readable = (await syntaxError(original)) === undefined;
  const answers = new Map<string, boolean>([
    [await normalHash(original), false],
    [await normalHash(winner), true],
  ]);
  let kept = hunks;
  let count = 2;
  while (kept.length > 1) {
    const chunks = split(kept, Math.min(count, kept.length));
    const rests = chunks.map((chunk) => kept.filter((hunk) => !chunk.includes(hunk)));
    const parts = [...chunks, ...rests];
    let smaller: { hunks: Hunk[]; count: number } | undefined;
    for (let next = 0; smaller === undefined && next < parts.length; ) {
      const looked: { readonly index: number; readonly normal: string }[] = [];
      const open = new Map<string, Program>();
      // None after one that is known to do: it is taken, unless one before it is.
      for (let isFound = false; !isFound && open.size < WIDTH && next < parts.length; next++) {
        const program = build(original, parts[next] ?? []);
        if (readable && (await syntaxError(program)) !== undefined) continue;
        const normal = await normalHash(program);
        looked.push({ index: next, normal });
        isFound = answers.get(normal) === true;
        if (!answers.has(normal) && !open.has(normal)) open.set(normal, program);
      }
      const said = open.size === 0 ? [] : yield [...open.values()];
      for (const [at, normal] of [...open.keys()].entries()) answers.set(normal, said[at] === true);
      const index = looked.find(({ normal }) => answers.get(normal) === true)?.index;
      const part = index === undefined ? undefined : parts[index];
      if (index === undefined || part === undefined) continue;
      smaller = { hunks: part, count: index < chunks.length ? 2 : Math.max(chunks.length - 1, 2) };
    }
    if (smaller !== undefined) ({ hunks: kept, count } = smaller);
    else if (count >= kept.length) break;
    else count *= 2;
  }
  return kept.length === hunks.length ? winner : build(original, kept);
}

/** How many parts the change between the two has, each of which can be taken or left. Throws `invalid_input` as `minimise`. */
export function hunkCount(original: Program, program: Program): number {
  return hunksBetween(original, program).length;
}

function split<T>(items: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, i) =>
    items.slice(Math.floor((i * items.length) / count), Math.floor(((i + 1) * items.length) / count)),
  );
}

/** The line end of a text in which all are the same; in a mixed one, `\r` counts as part of the line. */
function lineEnd(text: string): string {
  return /\r\n/.test(text) && !/[^\r]\n/.test(text) ? '\r\n' : '\n';
}

function hunksBetween(original: Program, winner: Program): Hunk[] {
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

function spanHunks(span: number, before: string, after: string): Hunk[] {
  const hunks: Hunk[] = [];
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

/** Above it, lines are not aligned one by one: the table of costs would be too large. */
const maxCells = 40_000;

/** Half the cost of replacing a line by one that has nothing in common with it. */
const gap = 0.5;

/** The smallest changes that make up one: lines that are alike change, the others come or go, each by itself. */
function pieces(span: number, line: number, removed: readonly string[], added: readonly string[]): Hunk[] {
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
  const hunks: Hunk[] = [];
  for (let i = 0, j = 0; i < removed.length || j < added.length; ) {
    const changes = change(i, j) <= cost(i, j);
    const goes = changes || gap + cost(i + 1, j) <= cost(i, j);
    const comes = changes || !goes;
    hunks.push({ span, line: line + i, count: goes ? 1 : 0, lines: comes ? added.slice(j, j + 1) : [] });
    if (goes) i++;
    if (comes) j++;
  }
  return hunks;
}

/** The original with these hunks, which are in the order of the text. */
function build(original: Program, hunks: readonly Hunk[]): Program {
  let program = original;
  original.spans.forEach((span, i) => {
    const before = spanText(original, span);
    const eol = lineEnd(before);
    const lines = before.split(eol);
    const result: string[] = [];
    let at = 0;
    for (const hunk of hunks.filter((each) => each.span === i)) {
      result.push(...lines.slice(at, hunk.line), ...hunk.lines);
      at = hunk.line + hunk.count;
    }
    result.push(...lines.slice(at));
    program = replaceRange(program, program.spans[i] ?? span, result.join(eol));
  });
  return program;
}
