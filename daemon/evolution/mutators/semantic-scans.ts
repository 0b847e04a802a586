/** Finds searches: loops, comprehensions and callbacks that look at every item and act only on those that equal something. Pure. */
import { childOf, type SyntaxNode } from '../syntax/parse.ts';
import { callParts, comparisons, isPython, namesIn } from './semantic-shape.ts';
import { type Region, textOf } from './structural-region.ts';

export interface Scan {
  readonly node: SyntaxNode;
  /** What names the item. */
  readonly item: string;
  /** What is looked through, and where it stands. */
  readonly source: string;
  readonly sourceNode: SyntaxNode;
  readonly condition: SyntaxNode;
  /** The condition says which items are left out. */
  readonly negated: boolean;
}

interface Condition {
  readonly condition: SyntaxNode;
  readonly negated: boolean;
}

export function scans(region: Region): Scan[] {
  return region.nodes.flatMap((node): Scan[] => {
    if (node.type === 'for_statement' || node.type === 'for_in_statement') return loopScan(region, node);
    if (/comprehension$|^generator_expression$/.test(node.type)) return comprehensionScan(region, node);
    const call = callParts(region, node);
    if (call?.object === undefined || !/^(filter|find|findIndex|some|every)$/.test(call.method)) return [];
    const [arrow] = call.args;
    const item = arrow === undefined ? undefined : (childOf(arrow, 'parameter') ?? soleParameter(arrow));
    const condition = arrow === undefined ? undefined : childOf(arrow, 'body');
    if (item === undefined || condition === undefined || condition.type === 'statement_block') return [];
    const found = { node, item: textOf(region, item), source: textOf(region, call.object), sourceNode: call.object };
    return [{ ...found, condition, negated: call.method === 'every' }];
  });
}

function loopScan(region: Region, node: SyntaxNode): Scan[] {
  const [left, right, body] = [childOf(node, 'left'), childOf(node, 'right'), childOf(node, 'body')];
  const condition = body === undefined ? undefined : soleCondition(region, body);
  if (left === undefined || right === undefined || condition === undefined) return [];
  // "for (key in object)" runs over keys.
  if (!isPython(region) && !/\bof\s*$/.test(region.text.slice(left.end, right.start))) return [];
  return [{ node, item: textOf(region, left), source: textOf(region, right), sourceNode: right, ...condition }];
}

function comprehensionScan(region: Region, node: SyntaxNode): Scan[] {
  const clauses = node.children.filter(({ type }) => type === 'for_in_clause');
  const [clause] = clauses;
  const [left, right] = clause === undefined ? [] : [childOf(clause, 'left'), childOf(clause, 'right')];
  if (clauses.length !== 1 || left === undefined || right === undefined) return [];
  const found = { node, item: textOf(region, left), source: textOf(region, right), sourceNode: right };
  const condition = node.children.find(({ type }) => type === 'if_clause');
  if (condition !== undefined) return [{ ...found, condition, negated: false }];
  const asks = node.parent === undefined ? undefined : callParts(region, node.parent);
  const body = childOf(node, 'body');
  const name = asks?.name ?? soleCallName(region, node);
  return body !== undefined && /^(any|all)$/.test(name) ? [{ ...found, condition: body, negated: name === 'all' }] : [];
}

/** `any` of `any(x for x in xs)`, whose arguments are the generator itself. */
export function soleCallName(region: Region, { parent, start }: SyntaxNode): string {
  return parent === undefined ? '' : (/(\w+)\s*\(?\s*$/.exec(region.text.slice(Math.max(0, start - 40), start))?.[1] ?? '');
}

function soleParameter(arrow: SyntaxNode): SyntaxNode | undefined {
  const named = childOf(arrow, 'parameters')?.children.filter((child) => child.named) ?? [];
  const [only] = named;
  return named.length === 1 && only !== undefined ? (childOf(only, 'pattern') ?? only) : undefined;
}

/** The condition of a body that is, behind its first statements, nothing but an `if` without an `else`, or begins by leaving items out. */
export function soleCondition(region: Region, body: SyntaxNode, behind = 0): Condition | undefined {
  const inner = body.children.filter((child) => child.named && !region.grammar.comments.has(child.type)).slice(behind);
  const first = body.type === 'if_statement' ? body : inner[0];
  if (first?.type !== 'if_statement' || childOf(first, 'alternative') !== undefined) return undefined;
  const [condition, then] = [childOf(first, 'condition'), childOf(first, 'consequence')];
  if (condition === undefined) return undefined;
  const skips = then !== undefined && /^\{?\s*continue\s*;?\s*\}?$/.test(textOf(region, then));
  if (!skips && first !== body && inner.length !== 1) return undefined;
  return { condition, negated: skips };
}

export interface Keyed {
  readonly key: string;
  readonly other: string;
  /** As in "key operator other". */
  readonly operator: string;
}

/** What must be equal for an item to be acted on; nothing where a condition can hold without it. */
export function equalities(
  region: Region,
  { condition, negated }: Pick<Scan, 'condition' | 'negated'>,
  items: ReadonlySet<string>,
) {
  const text = textOf(region, condition).replaceAll(/(["'`])(?:\\.|(?!\1).)*\1/g, '""');
  if ((negated ? /&&|\band\b/ : /\|\||\bor\b/).test(text)) return [];
  return keyed(region, condition, items, negated ? /^!==?$/ : /^={2,3}$/);
}

/** `key(item) == other`, solved for the part that holds the item: `a + x == t` looks up `t - a`. */
export function keyed(region: Region, condition: SyntaxNode, items: ReadonlySet<string>, operators: RegExp): Keyed[] {
  const has = (node: SyntaxNode) => [...namesIn(region, node)].some((name) => items.has(name));
  const text = (node: SyntaxNode) => textOf(region, node);
  const solved = (mine: SyntaxNode, other: SyntaxNode, operator: string): Keyed[] => {
    if (!has(mine) || has(other)) return [];
    const [a, plus, b] = mine.children;
    if (region.grammar.binary.has(mine.type) && a !== undefined && plus !== undefined && b !== undefined && text(plus) === '+') {
      if (has(a) && !has(b)) return [{ key: text(a), other: `${text(other)} - ${wrapped(text(b))}`, operator }];
      if (has(b) && !has(a)) return [{ key: text(b), other: `${text(other)} - ${wrapped(text(a))}`, operator }];
    }
    // A tuple can be the key of a dictionary, a list cannot.
    const listed = isPython(region) && [mine, other].some((side) => /^(sorted|list)\(|^\[/.test(text(side)));
    const hashable = (node: SyntaxNode) => (listed ? `tuple(${text(node)})` : text(node));
    return [{ key: hashable(mine), other: hashable(other), operator }];
  };
  const mirrored = (operator: string) => operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
  return comparisons(region, condition, operators).flatMap(([left, right, operator]) => [
    ...solved(left, right, operator),
    ...solved(right, left, mirrored(operator)),
  ]);
}

/** Reading a field of what may be nothing, or calling something. */
export const mayFail = (expression: string): boolean => /["'`.(]/.test(expression);

/**
 * What is filed in an index under the value that is looked for. Where nothing is filed, nothing was compared with it either, and
 * working it out may fail.
 */
export function filedUnder(region: Region, index: string, other: string): string {
  const plain = !mayFail(other);
  if (isPython(region)) return plain ? `${index}.get(${other}, ())` : `(${index}.get(${other}, ()) if ${index} else ())`;
  return plain ? `(${index}.get(${other}) ?? [])` : `((${index}.size > 0 ? ${index}.get(${other}) : undefined) ?? [])`;
}

const wrapped = (text: string): string => (/^[\w.[\]]+$/.test(text) ? text : `(${text})`);

/** Names in code, without those after a dot and those in strings. */
export const identifiers = (text: string): string[] =>
  text.replaceAll(/(["'`])(?:\\.|(?!\1).)*\1/g, '""').match(/(?<![\w.])[A-Za-z_]\w*/g) ?? [];
