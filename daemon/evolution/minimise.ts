/**
 * Finds the smallest part of a winner's change that keeps its gain, so that a user reviews nothing else. Delta
 * debugging (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002) over the hunks
 * between original and winner. It judges nothing itself: the caller says of each program whether it keeps the gain.
 */
import { PeagenError } from '../../shared/errors.ts';
import type { Program } from '../../shared/program.ts';
import { blocks, keepsNesting, newNames, singles } from './blocks.ts';
import { build, hunksBetween, indentation, type SpanHunk, spanLines } from './hunks.ts';
import { normalHash } from './syntax/normal.ts';
import { syntaxError } from './syntax/parse.ts';

/** Programs that are judged side by side. */
const WIDTH = 4;
/** A line that does nothing but give a plain value to a name, or change it by one. */
const ASSIGNS =
  /^\s*(?:const |let |var )?(\w+)(?:\s*:[^=]+)?\s*(?:(?:[-+*/%&|^]|\*\*|\/\/|<<|>>|\?\?|&&|\|\|)?=\s*[^=(]+|\+\+|--);?\s*$/;
/** A loop that does nothing. */
const IDLE = /\b(?:for|while)\b[^\n]*(?:\{\s*\}|:\s*pass\b)/g;

/**
 * Yields programs between original and winner, several at a time: answer with whether each keeps the gain, in order. Returns
 * the smallest program that kept it, the winner when no smaller one did. At most about n² programs for n hunks, usually 2n.
 * Programs that do not parse, or in which a line has slipped into another block, are not asked for, and of those that differ
 * in layout only one is. Throws `invalid_input` when the two are not versions of one program.
 */
export async function* minimise(original: Program, winner: Program): AsyncGenerator<Program[], Program, readonly boolean[]> {
  const hunks = hunksBetween(original, winner);
  // A grammar that cannot read the original (newer syntax) says nothing about what lies between the two.
  const readable = (await syntaxError(original)) === undefined;
  const answers = new Map<string, boolean>([
    [await normalHash(original), false],
    [await normalHash(winner), true],
  ]);
  const keeps = keepsNesting(original, hunks);
  let kept = withoutUnread(original, hunks);
  const inOrder = (units: readonly (readonly SpanHunk[])[]) => {
    const chosen = new Set(units.flat());
    return kept.filter((hunk) => chosen.has(hunk));
  };
  /** The place of the first part that keeps the gain. */
  async function* firstToKeep(
    parts: readonly (readonly SpanHunk[])[],
  ): AsyncGenerator<Program[], number | undefined, readonly boolean[]> {
    for (let next = 0; next < parts.length; ) {
      const looked: { readonly index: number; readonly normal: string }[] = [];
      const open = new Map<string, Program>();
      // None after one that is known to do: it is taken, unless one before it is.
      for (let isFound = false; !isFound && open.size < WIDTH && next < parts.length; next++) {
        const part = parts[next] ?? [];
        if (!keeps(part)) continue;
        const program = build(original, part);
        if (restoresDeadCode(original, winner, program)) continue;
        if (readable && (await syntaxError(program)) !== undefined) continue;
        const normal = await normalHash(program);
        looked.push({ index: next, normal });
        isFound = answers.get(normal) === true;
        if (!answers.has(normal) && !open.has(normal)) open.set(normal, program);
      }
      const said = open.size === 0 ? [] : yield [...open.values()];
      for (const [at, normal] of [...open.keys()].entries()) answers.set(normal, said[at] === true);
      const index = looked.find(({ normal }) => answers.get(normal) === true)?.index;
      if (index !== undefined) return index;
    }
    return undefined;
  }
  // All that mentions a new name goes first: its lines may lie far apart, and the program breaks without one of them.
  for (;;) {
    const parts = newNames(original, kept).flatMap((named) => [
      kept.filter((hunk) => !named.has(hunk)),
      // What stood in the place of such a line may have gone for another reason.
      kept.flatMap((hunk) => (!named.has(hunk) ? [hunk] : hunk.count === 0 ? [] : [{ ...hunk, lines: [] }])),
    ]);
    const index = yield* firstToKeep(parts);
    if (index === undefined) break;
    kept = parts[index] ?? kept;
  }
  // Whole blocks before lines: of what only goes together, no single line could be left out.
  for (const unitsOf of [blocks, singles]) {
    let units = unitsOf(original, kept);
    // What was chosen step by step contributes for the most part: first, each unit is left out by itself, once around.
    let isSwept = false;
    let from = 0;
    let count = units.length;
    while (units.length > 1) {
      const chunks = split(units, Math.min(count, units.length));
      const rests = chunks.map((chunk) => units.filter((unit) => !chunk.includes(unit)));
      const parts = isSwept ? [...chunks, ...rests] : [...rests.slice(from), ...rests.slice(0, from)];
      const index = yield* firstToKeep(parts.map(inOrder));
      const part = index === undefined ? undefined : parts[index];
      if (index !== undefined && part !== undefined) {
        if (!isSwept) from = (from + index) % chunks.length;
        [units, count] = [part, isSwept && index < chunks.length ? 2 : Math.max(chunks.length - 1, 2)];
      } else if (!isSwept) [isSwept, count] = [true, 2];
      else if (count >= units.length) break;
      else count *= 2;
    }
    kept = inOrder(units);
  }
  const isWhole = kept.length === hunks.length && kept.every((hunk, at) => hunk === hunks[at]);
  return isWhole ? winner : build(original, kept);
}

/** The share of the program's lines that are the original's. Throws `invalid_input` as `minimise`. */
export function sharedLines(original: Program, program: Program): number {
  const added = hunksBetween(original, program).reduce((sum, { lines }) => sum + lines.length, 0);
  const all = spanLines(program).reduce((sum, lines) => sum + lines.length, 0);
  return all === 0 ? 1 : 1 - added / all;
}

/**
 * Whether a program brings back code of the original that the winner did without and that nothing needs: a name that is only
 * given values, which nothing else reads, or a loop that does nothing.
 */
function restoresDeadCode(original: Program, winner: Program, program: Program): boolean {
  const [before, after] = [textOf(winner), textOf(program)];
  if (timesIn(after, IDLE) > timesIn(before, IDLE)) return true;
  const assigned = new Set(spanLines(original).flatMap((lines) => lines.flatMap((line) => ASSIGNS.exec(line)?.[1] ?? [])));
  return [...assigned].some((name) => {
    const mentions = new RegExp(`\\b${name}\\b`, 'g');
    if (timesIn(before, mentions) > 0) return false;
    const lines = after.split('\n').filter((line) => timesIn(line, mentions) > 0);
    return lines.length > 0 && lines.every((line) => ASSIGNS.exec(line)?.[1] === name);
  });
}

/** The hunks without the lines that give a new name a plain value which nothing reads: measuring cannot tell whether they help. */
function withoutUnread(original: Program, hunks: readonly SpanHunk[]): readonly SpanHunk[] {
  const before = linesOf(original);
  let after = linesOf(build(original, hunks));
  const isUnread = (line: string) => {
    const name = ASSIGNS.exec(line)?.[1];
    if (name === undefined) return false;
    const mentions = new RegExp(`\\b${name}\\b`);
    const reads = (each: string) => mentions.test(each) && ASSIGNS.exec(each)?.[1] !== name;
    if (before.some((each) => mentions.test(each)) || after.some(reads)) return false;
    // It stays where it is all that a block holds.
    const isOutside = (each: string | undefined) => indentation(each ?? '') < indentation(line);
    if (after.some((each, i) => each === line && isOutside(after[i - 1]) && isOutside(after[i + 1]))) return false;
    after = after.filter((each) => each !== line);
    return true;
  };
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.filter((line) => !isUnread(line));
    if (lines.length === hunk.lines.length) return [hunk];
    return lines.length === 0 && hunk.count === 0 ? [] : [{ ...hunk, lines }];
  });
}

const linesOf = ({ files }: Program): string[] => files.flatMap(({ text }) => text.split('\n'));
const textOf = (program: Program): string => spanLines(program).flat().join('\n');
const timesIn = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

/** How many parts the change between the two has, each of which can be taken or left. Throws `invalid_input` as `minimise`. */
export function hunkCount(original: Program, program: Program): number {
  return hunksBetween(original, program).length;
}

/**
 * Which of these versions, the oldest first, brought in something of the change that `program` has: their indices. Versions
 * of another original, as they are when that was edited, bring nothing.
 */
export function broughtBy(original: Program, versions: readonly Program[], program: Program): number[] {
  const left = partsOf(original, program);
  return versions.flatMap((version, i) => {
    const found = [...partsOf(original, version)].filter((part) => left.delete(part));
    return found.length > 0 ? [i] : [];
  });
}

function partsOf(original: Program, program: Program): Set<string> {
  try {
    return new Set(hunksBetween(original, program).map((hunk) => JSON.stringify(hunk)));
  } catch (caught) {
    if (PeagenError.from(caught).code === 'invalid_input') return new Set();
    throw caught;
  }
}

function split<T>(items: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, i) =>
    items.slice(Math.floor((i * items.length) / count), Math.floor(((i + 1) * items.length) / count)),
  );
}
