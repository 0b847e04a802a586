/**
 * Blocks of lines, as their indentation shows them in any language: which parts of a change go together, and which would
 * put a line that stays into a block where it never was.
 */
import type { Program } from '../../shared/program.ts';
import { indentation, type Line, linesWith, type SpanHunk, spanLines } from './hunks.ts';

/** At the indentation of a block's first line, these still belong to it. */
const goesOn = /^\s*([)}\]]|(else|elif|except|finally|catch)\b)/;

/** Lines that come, or that go, one after the other: each block of them, its first line and what is nested in it, is one. */
export function blocks(original: Program, hunks: readonly SpanHunk[]): SpanHunk[][] {
  const textOf = changedLine(original);
  const found: SpanHunk[][] = [];
  for (const hunk of hunks) {
    const block = found.at(-1);
    const [first, last] = [block?.[0], block?.at(-1)];
    if (block !== undefined && first !== undefined && last !== undefined && follows(last, hunk)) {
      const [head, text] = [indentation(textOf(first)), textOf(hunk)];
      const nested = text.trim() === '' || indentation(text) > head || (indentation(text) === head && goesOn.test(text));
      if (nested) {
        block.push(hunk);
        continue;
      }
    }
    found.push([hunk]);
  }
  return together(original, found);
}

/** Each by itself, but for lines that move in or out with the block they are in. */
export function singles(original: Program, hunks: readonly SpanHunk[]): SpanHunk[][] {
  return together(
    original,
    hunks.map((hunk) => [hunk]),
  );
}

const identifier = /[\p{ID_Start}_$][\p{ID_Continue}$]*/gu;
/** What declares the name behind it, and what makes a value of the name before it. */
const declares = /\b(?:const|let|var|def|function|class|import|as|for)\s+$/;
const assigned = /^\s*(?::[^=]*)?:?=(?![=>])/;

/** For each variable or function that the change introduces, all of its hunks that mention it. */
export function newNames(original: Program, hunks: readonly SpanHunk[]): Set<SpanHunk>[] {
  const known = new Set(spanLines(original).flatMap((lines) => lines.join('\n').match(identifier) ?? []));
  const mentions = new Map<string, Set<SpanHunk>>();
  const introduced = new Set<string>();
  for (const hunk of hunks) {
    for (const { 0: name, index, input } of hunk.lines.flatMap((line) => [...line.matchAll(identifier)])) {
      if (known.has(name)) continue;
      mentions.set(name, (mentions.get(name) ?? new Set()).add(hunk));
      const isNew = declares.test(input.slice(0, index)) || assigned.test(input.slice(index + name.length));
      if (isNew) introduced.add(name);
    }
  }
  return [...introduced].map((name) => mentions.get(name) ?? new Set());
}

/**
 * What only changes its indentation, by as much as the line before it that does, is one with it: half a block that moved
 * may parse, and nobody would write it so. Lines between them that stay where they are end it, unless they are empty.
 */
function together(original: Program, units: readonly SpanHunk[][]): SpanHunk[][] {
  const spans = spanLines(original);
  const textOf = changedLine(original);
  const found: SpanHunk[][] = [];
  let open: { readonly unit: SpanHunk[]; readonly shift: number } | undefined;
  let last: SpanHunk | undefined;
  for (const unit of units) {
    const [hunk] = unit;
    if (hunk === undefined) continue;
    const between = last?.span === hunk.span ? spans[hunk.span]?.slice(last.line + last.count, hunk.line) : undefined;
    if (between?.every((text) => text.trim() === '') !== true) open = undefined;
    last = unit.at(-1);
    const [was, now] = [textOf(hunk), hunk.lines[0] ?? ''];
    const shift = unit.length === 1 && hunk.count === 1 && was.trim() === now.trim() ? indentation(now) - indentation(was) : 0;
    if (shift !== 0 && open?.shift === shift) {
      open.unit.push(hunk);
      continue;
    }
    found.push([...unit]);
    const added = found.at(-1);
    if (shift !== 0 && added !== undefined) open = { unit: added, shift };
  }
  return found;
}

/** The line of the original that a hunk takes away or changes, or the first that it adds. */
function changedLine(original: Program): (hunk: SpanHunk) => string {
  const spans = spanLines(original);
  return ({ span, line, count, lines }) => (count === 0 ? lines[0] : spans[span]?.[line]) ?? '';
}

/** Both come at the same place, or go from neighbouring lines. */
function follows(hunk: SpanHunk, next: SpanHunk): boolean {
  if (hunk.span !== next.span) return false;
  const come = hunk.count === 0 && next.count === 0 && next.line === hunk.line;
  const go = hunk.count === 1 && next.count === 1 && next.line === hunk.line + 1;
  return come || (go && hunk.lines.length === 0 && next.lines.length === 0);
}

/**
 * Returns whether, with some of the hunks, each line is in a block in which it is with none or with all of them. A line that
 * stays when the loop around it goes may still parse, as a part of whatever comes before.
 */
export function keepsNesting(original: Program, hunks: readonly SpanHunk[]): (part: readonly SpanHunk[]) => boolean {
  const spans = spanLines(original);
  const numbers = new Map(hunks.map((hunk, i) => [hunk, i]));
  const homes = (part: readonly SpanHunk[]) =>
    spans.map((lines, span) => {
      const here = part.filter((hunk) => hunk.span === span);
      return homesOf(linesWith(lines, here), ({ hunk, at }) => (hunk === undefined ? `${at}` : `${numbers.get(hunk)}+${at}`));
    });
  const [before, after] = [homes([]), homes(hunks)];
  const heads = before.map((_, span) =>
    sameHeads(span, numbers, new Set(before[span]?.values()), new Set(after[span]?.values())),
  );
  return (part) =>
    homes(part).every((now, span) => {
      const sameAs = (home: string) => heads[span]?.get(home) ?? home;
      const stands = (line: string, home: string, version?: Map<string, string>) =>
        version?.has(line) === true && sameAs(version.get(line) ?? '') === sameAs(home);
      return [...now].every(([line, home]) => stands(line, home, before[span]) || stands(line, home, after[span]));
    });
}

/** First lines of blocks that only changed, with the name that they had: the block is the same. */
function sameHeads(
  span: number,
  numbers: ReadonlyMap<SpanHunk, number>,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Map<string, string> {
  const changed = [...numbers].filter(([hunk]) => hunk.span === span && hunk.count === 1 && hunk.lines.length === 1);
  const names = changed.map(([hunk, number]): [string, string] => [`${number}+0`, `${hunk.line}`]);
  return new Map(names.filter(([now, was]) => before.has(was) && after.has(now)));
}

/** For each line that is not empty, returns the line whose block it is in: the nearest before it that is indented less. */
function homesOf(lines: readonly Line[], nameOf: (line: Line) => string): Map<string, string> {
  const homes = new Map<string, string>();
  const around: { readonly name: string; readonly depth: number }[] = [];
  for (const line of lines) {
    if (line.text.trim() === '') continue;
    const depth = indentation(line.text);
    while ((around.at(-1)?.depth ?? -1) >= depth) around.pop();
    homes.set(nameOf(line), around.at(-1)?.name ?? '');
    around.push({ name: nameOf(line), depth });
  }
  return homes;
}
