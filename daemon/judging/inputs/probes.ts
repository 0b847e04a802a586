/**
 * Probes in a JavaScript text: before each statement and in each branch a call that counts. They add no line, so that line
 * numbers in errors stay as they are.
 */
import { childOf, descendants, lineOf, parse, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import type { MutantEdit } from './mutants.ts';

export interface Probes {
  readonly edits: readonly MutantEdit[];
  /** Line of each probe, from 1; its number is the place in this list. */
  readonly lines: readonly number[];
  /** Numbers of the probes of statements inside the given ranges. */
  readonly inside: ReadonlySet<number>;
}

const bodies = /^(?:if_statement|else_clause|for_statement|for_in_statement|while_statement|do_statement)$/;

export async function probesOf(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
): Promise<Probes> {
  const { root } = await parse('javascript', text);
  const edits: MutantEdit[] = [];
  const lines: number[] = [];
  const inside = new Set<number>();
  const probe = (node: SyntaxNode, at = node.start): string => {
    const number = lines.push(lineOf(text, at) + 1) - 1;
    if (ranges.some(({ start, end }) => at >= start && at < end)) inside.add(number);
    return `__peagenProbe(${number})`;
  };
  const insert = (at: number, added: string): void => void edits.push({ start: at, end: at, text: added });
  for (const node of descendants(root)) {
    if (node.type === 'statement_block') {
      const statements = node.children.filter(({ named, type }) => named && type !== 'comment');
      if (statements.length === 0) insert(node.start + 1, `${probe(node)};`);
      for (const statement of statements) {
        if (statement.type === 'function_declaration' || isDirective(statement)) continue;
        insert(statement.start, `${probe(statement)};`);
      }
    } else if (node.type === 'switch_case' || node.type === 'switch_default') {
      for (const statement of node.children.filter(({ field, named }) => field === 'body' && named)) {
        insert(statement.start, `${probe(statement)};`);
      }
    } else if (bodies.test(node.type)) {
      for (const body of bodiesOf(node)) {
        if (body.type === 'statement_block' || body.type === 'if_statement') continue;
        insert(body.start, `{${probe(body)};`);
        insert(body.end, '}');
      }
    } else if (node.type === 'arrow_function') {
      const body = childOf(node, 'body');
      if (body !== undefined && body.type !== 'statement_block') wrap(body);
    } else if (node.type === 'ternary_expression') {
      for (const field of ['consequence', 'alternative']) {
        const branch = childOf(node, field);
        if (branch !== undefined) wrap(branch);
      }
    }
  }
  function wrap(node: SyntaxNode): void {
    insert(node.start, `(${probe(node)},`);
    insert(node.end, ')');
  }
  return { edits: nested(edits), lines, inside };
}

function bodiesOf(node: SyntaxNode): SyntaxNode[] {
  if (node.type === 'else_clause') return node.children.filter(({ named, type }) => named && type !== 'comment').slice(-1);
  return ['body', 'consequence'].flatMap((field) => childOf(node, field) ?? []);
}

function isDirective({ type, children }: SyntaxNode): boolean {
  return type === 'expression_statement' && children[0]?.type === 'string';
}

/** Insertions at one place: closing ones come first, the inner one before the outer one; opening ones the other way round. */
function nested(edits: readonly MutantEdit[]): MutantEdit[] {
  const place = (edit: MutantEdit, index: number): readonly [number, number, number] => {
    const closes = /^[)}]/.test(edit.text);
    return [edit.start, closes ? 0 : 1, closes ? -index : index];
  };
  return edits
    .map((edit, index) => ({ edit, at: place(edit, index) }))
    .sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2])
    .map(({ edit }) => edit);
}

/** Lines of the functions that may change that can run and that ran, by their numbers in the file; without probes, `runnable` says which can. */
export function linesOf(
  probes: Probes | undefined,
  runnable: readonly number[],
  seen: readonly { readonly lines: readonly number[] }[],
) {
  const ran = new Set(seen.flatMap(({ lines }) => lines));
  if (probes === undefined) {
    const missed = runnable.filter((line) => !ran.has(line));
    const hit = runnable.filter((line) => ran.has(line));
    return { lines: { hit: hit.length, of: runnable.length }, missed, ran: hit };
  }
  const byLine = new Map<number, boolean>();
  for (const probe of probes.inside) {
    const line = probes.lines[probe] ?? 0;
    byLine.set(line, (byLine.get(line) ?? false) || ran.has(probe));
  }
  const missed = [...byLine].filter(([, hit]) => !hit).map(([line]) => line);
  const hit = [...byLine].filter(([, each]) => each).map(([line]) => line);
  return { lines: { hit: hit.length, of: byLine.size }, missed, ran: hit };
}
