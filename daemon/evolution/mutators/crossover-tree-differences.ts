/**
 * Where two versions of one program differ, by their syntax trees: each difference is an edit of the first that makes
 * it like the second in one place. Pure.
 */
import { diffArrays } from 'diff';
import type { SyntaxNode } from '../syntax/parse.ts';
import { after, before, brief, linesOf, reindent, removal, type StructuralEdit } from './structural-edit.ts';
import { type Region, type Statement, statementAt, textOf } from './structural-region.ts';

/** In the order of the text of `to`; none overlaps another. */
export function differences(to: Region, from: Region): StructuralEdit[] {
  const [a, b] = [to.nodes[0], from.nodes[0]];
  if (a === undefined || b === undefined) return [];
  // The span may hold several top-level statements: then what holds them is compared.
  const [outerA, outerB] = [holder(to, a), holder(from, b)];
  return compare(to, from, outerA, outerB);
}

/** The smallest node that all of the span lies in. */
function holder(region: Region, first: SyntaxNode): SyntaxNode {
  const last = region.nodes.at(-1) ?? first;
  let node = first;
  while (node.parent !== undefined && node.end < last.end) node = node.parent;
  return node;
}

function compare(to: Region, from: Region, a: SyntaxNode, b: SyntaxNode): StructuralEdit[] {
  const [textA, textB] = [textOf(to, a), textOf(from, b)];
  if (textA === textB) return [];
  if (a.type !== b.type) return [replacement(to, from, a, b)];
  if (to.grammar.blocks.has(a.type)) return compareBlocks(to, from, a, b);
  const [partsA, partsB] = [parts(to, a), parts(from, b)];
  const alike = partsA.length === partsB.length && partsA.every((part, i) => part.type === partsB[i]?.type);
  if (!alike || !partsA.some((part) => holdsBlock(to, part))) return [replacement(to, from, a, b)];
  return partsA.flatMap((part, i) => compare(to, from, part, partsB[i] ?? part));
}

function parts(region: Region, node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((child) => !region.grammar.comments.has(child.type));
}

function holdsBlock(region: Region, node: SyntaxNode): boolean {
  return region.grammar.blocks.has(node.type) || node.children.some((child) => holdsBlock(region, child));
}

function replacement(to: Region, from: Region, a: SyntaxNode, b: SyntaxNode): StructuralEdit {
  const text = reindent(textOf(from, b), indentAt(from, b), indentAt(to, a));
  return {
    what: `take from another candidate: ${brief(textOf(to, a))} → ${brief(text)}`,
    at: a.start,
    changes: [{ start: a.start, end: a.end, text }],
  };
}

/** The blanks that the node's line begins with. */
function indentAt({ text }: Region, node: SyntaxNode): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', node.start - 1) + 1, node.start))?.[0] ?? '';
}

function statementsOf(region: Region, block: SyntaxNode): Statement[] {
  return block.children
    .filter((child) => child.named && !region.grammar.comments.has(child.type))
    .filter((child) => child.end > region.span.start && child.start < region.span.end)
    .map((child) => statementAt(child, block, region.text, region.span));
}

/** Statements that are the same in both anchor the others. */
function compareBlocks(to: Region, from: Region, a: SyntaxNode, b: SyntaxNode): StructuralEdit[] {
  const [ours, theirs] = [statementsOf(to, a), statementsOf(from, b)];
  // An empty block has no statement that others could be put next to.
  if (ours.length === 0 && theirs.length > 0) return [replacement(to, from, a, b)];
  const plain = (region: Region) => (each: Statement) => textOf(region, each.node).replaceAll(/\s+/g, ' ');
  const edits: StructuralEdit[] = [];
  let i = 0;
  let j = 0;
  let gone: Statement[] = [];
  let come: Statement[] = [];
  const close = (): void => {
    edits.push(...compareRuns(to, from, gone, come, ours[i - gone.length - 1], ours[i]));
    gone = [];
    come = [];
  };
  for (const change of diffArrays(ours.map(plain(to)), theirs.map(plain(from)))) {
    const count = change.value.length;
    if (change.removed) gone = ours.slice(i, i + count);
    else if (change.added) come = theirs.slice(j, j + count);
    else close();
    if (!change.added) i += count;
    if (!change.removed) j += count;
  }
  close();
  return edits;
}

/** Statements of ours against those of theirs in one place, between two that are the same in both. */
function compareRuns(
  to: Region,
  from: Region,
  gone: readonly Statement[],
  come: readonly Statement[],
  previous: Statement | undefined,
  next: Statement | undefined,
): StructuralEdit[] {
  const edits: StructuralEdit[] = [];
  let [g, c] = [0, 0];
  // Statements of one type are versions of each other, as long as their order allows; what lies between two such pairs is swapped.
  for (;;) {
    const pair = nextPair(gone, come, g, c);
    const [oldOnes, newOnes] = [gone.slice(g, pair.g), come.slice(c, pair.c)];
    oldOnes.forEach((old, i) => {
      const other = newOnes[i];
      if (other !== undefined) edits.push(replacement(to, from, old.node, other.node));
      else edits.push({ what: `drop: ${brief(textOf(to, old.node))}`, at: old.node.start, changes: [removal(to, old)] });
    });
    const [above, below] = [gone[pair.g - 1] ?? previous, gone[pair.g] ?? next];
    for (const other of newOnes.slice(oldOnes.length)) edits.push(...insertion(to, from, other, above, below));
    const [old, other] = [gone[pair.g], come[pair.c]];
    if (old === undefined || other === undefined) return edits;
    edits.push(...compare(to, from, old.node, other.node));
    [g, c] = [pair.g + 1, pair.c + 1];
  }
}

/** The nearest two statements of one type from `g` and `c` on; the ends when there are none. */
function nextPair(gone: readonly Statement[], come: readonly Statement[], g: number, c: number): { g: number; c: number } {
  let best = { g: gone.length, c: come.length };
  let distance = Number.POSITIVE_INFINITY;
  for (let i = g; i < gone.length; i++) {
    const j = come.findIndex((other, at) => at >= c && other.node.type === gone[i]?.node.type);
    if (j === -1 || i - g + (j - c) >= distance) continue;
    best = { g: i, c: j };
    distance = i - g + (j - c);
  }
  return best;
}

function insertion(
  to: Region,
  from: Region,
  other: Statement,
  above: Statement | undefined,
  below: Statement | undefined,
): StructuralEdit[] {
  const anchor = above?.ownLines ? above : below;
  if (!anchor?.ownLines || !other.ownLines || (other.rigid && other.indent !== anchor.indent)) return [];
  const text = reindent(linesOf(from, other), other.indent, anchor.indent);
  const change = anchor === above ? after(to, anchor, text) : before(to, anchor, text);
  return [{ what: `take from another candidate: ${brief(textOf(from, other.node))}`, at: anchor.node.start, changes: [change] }];
}
