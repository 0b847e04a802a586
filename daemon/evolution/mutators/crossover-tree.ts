/**
 * The `crossover-tree` mutator: a child of two programs, made by their syntax trees with no model asked. Some of the
 * places in which an inspiration differs from the parent are taken over, or one of its statements is grafted.
 */
import type { MutatePayload } from '../../../shared/payloads.ts';
import type { Random } from '../../random.ts';
import { differences } from './crossover-tree-differences.ts';
import type { Mutator } from './mutator.ts';
import { type Child, changed, drawChild, regionOf } from './structural-draw.ts';
import { before, brief, linesOf, reindent, type StructuralEdit, summaryOf } from './structural-edit.ts';
import { type Region, textOf } from './structural-region.ts';

export const crossoverTree: Mutator = {
  name: 'crossover-tree',
  requires: [],
  async mutate(payload, { signal }) {
    const mates = matesOf(payload);
    if (mates.length === 0) {
      const reason = 'there is no other program of the same files to cross the parent with';
      return { kind: 'rejected', reason, tokens: { prompt: 0, completion: 0 } };
    }
    return drawChild('crossover-tree', payload, signal, (random) => derive(payload, mates, random));
  },
};

type Mate = MutatePayload['inspirations'][number];

function matesOf({ parent, inspirations }: MutatePayload): Mate[] {
  const { language, spans } = parent.program;
  return inspirations.filter(
    ({ sha256, program }) =>
      sha256 !== parent.sha256 &&
      program.language === language &&
      program.spans.length === spans.length &&
      spans.every((span, i) => span.path === program.spans[i]?.path),
  );
}

async function derive(payload: MutatePayload, mates: readonly Mate[], random: Random): Promise<Child | string> {
  const mate = random.pick(mates);
  const { program: parent } = payload.parent;
  let program = parent;
  const summaries: string[] = [];
  let taken = 0;
  for (let i = 0; i < parent.spans.length; i++) {
    const [span, other] = [program.spans[i], mate.program.spans[i]];
    if (span === undefined || other === undefined) continue;
    const region = await regionOf(program, span);
    const edits = chosen(region, await regionOf(mate.program, other), random);
    if (edits.length === 0) continue;
    const next = await changed(
      program,
      span,
      region,
      edits.flatMap((edit) => edit.changes),
    );
    if (typeof next === 'string') return next;
    program = next;
    taken += edits.length;
    summaries.push(...edits.map((edit) => summaryOf(edit, region.text)));
  }
  if (taken === 0) return 'nothing was taken over';
  const more = taken > 3 ? `; and ${taken - 3} more` : '';
  return { program, summary: `${summaries.slice(0, 3).join('; ')}${more} (from ${mate.sha256.slice(0, 8)})` };
}

/** Some of the differences, at most all but one: with all of them the child would be the other program. */
function chosen(to: Region, from: Region, random: Random): StructuralEdit[] {
  const all = differences(to, from);
  if (all.length > 1 && random.next() < 0.75) {
    const some = random.shuffle(all).slice(0, 1 + random.int(all.length - 1));
    return all.filter((edit) => some.includes(edit));
  }
  const possible = grafts(to, from, random);
  return possible.length === 0 ? [] : [random.pick(possible)];
}

/** A statement of the other that we lack: before one of ours, or in the place of one of its kind. */
function grafts(to: Region, from: Region, random: Random): StructuralEdit[] {
  const own = new Set(to.statements.map((statement) => textOf(to, statement.node)));
  const lacking = from.statements.filter((other) => other.ownLines && !own.has(textOf(from, other.node)));
  if (lacking.length === 0) return [];
  const other = random.pick(lacking);
  const what = `copy from another candidate: ${brief(textOf(from, other.node))}`;
  return to.statements.flatMap((place): StructuralEdit[] => {
    if (!place.ownLines || (other.rigid && other.indent !== place.indent)) return [];
    const lines = reindent(linesOf(from, other), other.indent, place.indent);
    const edits: StructuralEdit[] = [{ what, at: place.node.start, changes: [before(to, place, lines)] }];
    if (other.node.type === place.node.type) {
      const change = { start: place.start, end: place.end, text: place.indent + lines };
      edits.push({ what: `${what} in the place of ${brief(textOf(to, place.node))}`, at: place.node.start, changes: [change] });
    }
    return edits;
  });
}
