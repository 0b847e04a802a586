/**
 * The `structural` mutator: edits of the syntax tree, with no model asked. It draws an operator by weight, then one
 * of its edits; a child that does not parse, cannot run, or was seen before is drawn again.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import { fileText, type Program, replaceRange, type Span } from '../../../shared/program.ts';
import { createRandom, type Random } from '../random.ts';
import { Seen } from '../seen.ts';
import { grammarOf } from '../syntax/languages.ts';
import { normalHash } from '../syntax/normal.ts';
import { parse } from '../syntax/parse.ts';
import type { Mutated, Mutator } from './mutator.ts';
import { doomed } from './structural-checks.ts';
import { applyChanges, type Edit, type Operator, summaryOf } from './structural-edit.ts';
import {
  changeArithmetic,
  changeBound,
  changeComparison,
  changeConstant,
  negateCondition,
  replaceByLike,
  takePart,
  unwrapCall,
} from './structural-expressions.ts';
import { extractExpression } from './structural-extract.ts';
import { type Region, survey } from './structural-region.ts';
import {
  breakWhenUnchanged,
  copyStatement,
  deleteCompound,
  deleteStatement,
  deleteVariable,
  dropBranch,
  guardedExit,
  hoistStatement,
  moveStatement,
  swapStatements,
  unwrapStatement,
} from './structural-statements.ts';

/** How often an operator is drawn, relative to the others: those that take work away come first. */
const operators: readonly (readonly [weight: number, operator: Operator])[] = [
  [12, deleteCompound],
  [12, changeBound],
  [10, deleteStatement],
  [10, unwrapCall],
  [7, extractExpression],
  [6, breakWhenUnchanged],
  [6, guardedExit],
  [5, hoistStatement],
  [5, takePart],
  [4, deleteVariable],
  [4, changeConstant],
  [4, replaceByLike],
  [3, unwrapStatement],
  [3, changeComparison],
  [3, moveStatement],
  [3, swapStatements],
  [2, dropBranch],
  [1, copyStatement],
  [1, negateCondition],
  [1, changeArithmetic],
];

/** Children drawn before giving up. */
const maxDraws = 40;

export const structural: Mutator = { name: 'structural', requires: [], mutate };

async function mutate(payload: MutatePayload, context: { readonly signal: AbortSignal }): Promise<Mutated> {
  const parent = payload.parent.program;
  const tokens = { prompt: 0, completion: 0 };
  if (grammarOf(parent.language) === undefined) {
    const reason = `the structural mutator has no grammar for ${parent.language}; use an LLM mutator (patch, rewrite)`;
    return { kind: 'rejected', reason, tokens };
  }
  const random = createRandom('structural', payload.seed);
  const seen = payload.seen === undefined ? undefined : Seen.decode(payload.seen);
  const parentNormal = await normalHash(parent);
  const isKnown = (normal: Sha256): boolean => normal === parentNormal || seen?.has(normal) === true;
  const deriver = new Deriver(parent, random);
  const misses = new Map<string, number>();
  for (let draw = 0; draw < maxDraws; draw++) {
    context.signal.throwIfAborted();
    const child = await deriver.derive();
    if (typeof child === 'string') {
      misses.set(child, (misses.get(child) ?? 0) + 1);
    } else if (isKnown(await normalHash(child.program))) {
      misses.set('seen before', (misses.get('seen before') ?? 0) + 1);
    } else {
      const origin = { mutator: 'structural', summary: child.summaries.join('; ') };
      return { kind: 'child', program: child.program, origin, tokens };
    }
  }
  const [reason, count] = [...misses].sort((a, b) => b[1] - a[1])[0] ?? ['no edit applies', 0];
  return { kind: 'rejected', reason: `no new child in ${maxDraws} draws; most often (${count}): ${reason}`, tokens };
}

interface Child {
  readonly program: Program;
  readonly summaries: readonly string[];
}

/** Draws children of one parent. What is known of the parent is worked out once. */
class Deriver {
  private readonly parent: Program;
  private readonly random: Random;
  private readonly regions = new Map<Span, Region>();
  private readonly lists = new WeakMap<Region, Map<Operator, Edit[]>>();

  constructor(parent: Program, random: Random) {
    this.parent = parent;
    this.random = random;
  }

  /** A child by one edit, sometimes two or three; else why this draw came to nothing. */
  async derive(): Promise<Child | string> {
    const draw = this.random.next();
    const steps = draw < 0.7 ? 1 : draw < 0.92 ? 2 : 3;
    let program = this.parent;
    const summaries: string[] = [];
    for (let step = 0; step < steps; step++) {
      const span = this.pickSpan(program.spans);
      const region = await this.regionOf(program, span);
      const edit = this.pickEdit(region);
      if (edit === undefined) return 'no edit applies';
      const text = editedSpan(region, edit);
      if (text === undefined) return 'the edit does not apply';
      const next = replaceRange(program, span, text);
      const nextSpan = { ...span, end: span.start + text.length };
      const tree = await parse(next.language, textAt(next, span.path));
      if (tree.error !== undefined) return `does not parse: ${tree.error.what}`;
      const reason = doomed(region, survey(tree, region.grammar, nextSpan));
      if (reason !== undefined) return reason;
      summaries.push(summaryOf(edit, region.text));
      program = next;
    }
    return { program, summaries };
  }

  /** Longer spans more often. */
  private pickSpan(spans: readonly Span[]): Span {
    return weighted(spans, (span) => span.end - span.start, this.random);
  }

  private async regionOf(program: Program, span: Span): Promise<Region> {
    const known = this.regions.get(span);
    if (known !== undefined) return known;
    const grammar = grammarOf(program.language);
    if (grammar === undefined) throw new Error(`no grammar for ${program.language}`);
    const region = survey(await parse(program.language, textAt(program, span.path)), grammar, span);
    if (program === this.parent) this.regions.set(span, region);
    return region;
  }

  private pickEdit(region: Region): Edit | undefined {
    const lists = this.lists.get(region) ?? new Map<Operator, Edit[]>();
    this.lists.set(region, lists);
    // An operator with nothing to do here gives its turn to another.
    for (let turn = 0; turn < operators.length; turn++) {
      const [, operator] = weighted(operators, ([weight]) => weight, this.random);
      const edits = lists.get(operator) ?? operator(region);
      lists.set(operator, edits);
      if (edits.length > 0) return weighted(edits, (edit) => heat(region, edit), this.random);
    }
    return undefined;
  }
}

/** Time goes by in loops: an edit counts more the more of them are around it or in it. */
function heat({ loops }: Region, { changes: [first] }: Edit): number {
  if (first === undefined) return 0;
  const near = loops.filter((loop) => loop.start < first.end && first.start < loop.end).length;
  return (1 + near) ** 2;
}

/** One of the items, each as often as its weight says. */
function weighted<T>(items: readonly T[], weight: (item: T) => number, random: Random): T {
  let at = random.next() * items.reduce((sum, item) => sum + weight(item), 0);
  for (const item of items) {
    at -= weight(item);
    if (at < 0) return item;
  }
  return random.pick(items);
}

function textAt(program: Program, path: string): string {
  return fileText(program, path) ?? '';
}

/** The new text of the region's span; undefined when the changes overlap or reach out of it. */
function editedSpan({ span, text }: Region, edit: Edit): string | undefined {
  if (edit.changes.some((change) => change.start < span.start || change.end > span.end)) return undefined;
  const edited = applyChanges(text, edit.changes);
  return edited?.slice(span.start, edited.length - (text.length - span.end));
}
