/** Reads calls, conditions and repetitions from a surveyed span, for operators that replace one idiom by another. Pure. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import { namesOf } from '../structural-names.ts';
import { type Region, type Statement, statementAt, textOf } from '../structural-region.ts';

export const isPython = (region: Region): boolean => region.grammar.layout === 'indent';

export const isTypeScript = ({ grammar }: Region): boolean => /^ts|^typescript/.test(grammar.wasm);

export const within = (inner: SyntaxNode, outer: SyntaxNode): boolean => inner.start >= outer.start && inner.end <= outer.end;

/** A name that does not occur in the file. */
export function freshName(region: Region, base: string): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? base : `${base}_${i}`;
    if (!new RegExp(`\\b${name}\\b`).test(region.text)) return name;
  }
}

interface CallParts {
  readonly node: SyntaxNode;
  /** `sum` of `sum(x)`; empty for a method. */
  readonly name: string;
  /** `xs` and `append` of `xs.append(x)`. */
  readonly object: SyntaxNode | undefined;
  readonly method: string;
  readonly args: readonly SyntaxNode[];
}

export function callParts(region: Region, node: SyntaxNode): CallParts | undefined {
  if (!region.grammar.calls.has(node.type)) return undefined;
  const called = childOf(node, 'function');
  const list = childOf(node, 'arguments');
  if (called === undefined || list === undefined) return undefined;
  const args = list.children.filter((child) => child.named && !region.grammar.comments.has(child.type));
  const object = childOf(called, 'object');
  const member = childOf(called, 'attribute') ?? childOf(called, 'property');
  if (object !== undefined && member !== undefined) return { node, name: '', object, method: textOf(region, member), args };
  return called.type === 'identifier' ? { node, name: textOf(region, called), object: undefined, method: '', args } : undefined;
}

export function callsIn(region: Region): CallParts[] {
  return region.nodes.flatMap((node) => callParts(region, node) ?? []);
}

/** The names that an expression reads. */
export function namesIn(region: Region, ...nodes: readonly SyntaxNode[]): ReadonlySet<string> {
  return namesOf(nodes.flatMap(descendants), region.text).used;
}

/** The names that the node reads and does not declare itself. */
export function readIn(region: Region, node: SyntaxNode): string[] {
  const { used, declared } = namesOf(descendants(node), region.text);
  return [...used].filter((name) => !declared.has(name));
}

const callbacks = /^(map|filter|forEach|reduce|some|every|find|findIndex|flatMap|sort|toSorted)$/;

/** Whether the node makes what is in it happen again and again: a loop, a comprehension, the callback of an array method. */
function repeats(region: Region, node: SyntaxNode): boolean {
  if (region.grammar.loops.has(node.type) || /comprehension$|^generator_expression$/.test(node.type)) return true;
  if (node.type === 'lambda') return isCallback(node);
  const call = callParts(region, node);
  return call !== undefined && callbacks.test(call.method) && call.args.some((arg) => /function|arrow/.test(arg.type));
}

/** A function that is written where it is handed over: as in `xs.map((x) => …)` and `sorted(xs, key=lambda x: …)`. */
function isCallback({ type, parent }: SyntaxNode): boolean {
  return parent?.type === 'arguments' || (type === 'lambda' && /^(argument_list|keyword_argument)$/.test(parent?.type ?? ''));
}

/** How many loops, comprehensions and callbacks repeat the node; comparing in a sort counts as two. */
export function repeatsAround(region: Region, node: SyntaxNode): number {
  let count = 0;
  for (let at = node, up = node.parent; up !== undefined && up.start >= region.span.start; at = up, up = up.parent) {
    if (repeats(region, up) && !isHeader(region, up, at, node))
      count += /^(sort|toSorted)$/.test(callParts(region, up)?.method ?? '') ? 2 : 1;
    if (region.grammar.functions.has(up.type) && !isCallback(up)) break;
  }
  return count;
}

/** Statements around the node that repeat it, outermost first; those of an enclosing function only through a callback. */
export function repetitions(region: Region, node: SyntaxNode): Statement[] {
  const found: Statement[] = [];
  let repeated = false;
  for (let at = node, up = node.parent; up !== undefined && up.start >= region.span.start; at = up, up = up.parent) {
    // The sequence that a loop runs over is computed once.
    if (repeats(region, up) && !isHeader(region, up, at, node)) repeated = true;
    const statement = region.statementOf.get(up);
    if (repeated && statement?.ownLines === true) found.unshift(statement);
    if (region.grammar.functions.has(up.type) && !isCallback(up)) break;
  }
  // Statements that only contain the repetition are not outside of anything it does not repeat.
  const outer = found.findIndex(
    ({ node: each }) => region.grammar.loops.has(each.type) || !region.grammar.wrappers.has(each.type),
  );
  return outer < 0 ? [] : found.slice(outer);
}

/** Whether the node, which lies in this child of what repeats, is evaluated once all the same. */
function isHeader(region: Region, up: SyntaxNode, child: SyntaxNode, node: SyntaxNode): boolean {
  if (region.grammar.loops.has(up.type))
    return child.field === 'right' || child.field === 'left' || child.field === 'initializer';
  // A comprehension evaluates the sequence of its first clause once.
  if (child.type === 'for_in_clause' && child === up.children.find(({ type }) => type === 'for_in_clause')) {
    const sequence = childOf(child, 'right');
    return sequence !== undefined && within(node, sequence);
  }
  return child.field === 'function';
}

const growing = 'append|push';
const mutators =
  'pop|add|insert|remove|extend|shift|unshift|splice|sort|reverse|clear|update|discard|appendleft|popleft|fill|set|delete';

/** Whether code in the node rebinds the name, or changes what it holds by a method or an item; `growing`: beyond adding at its end. */
export function changes(region: Region, node: SyntaxNode, name: string, allowed?: 'growing'): boolean {
  return namesOf(descendants(node), region.text).changed.has(name) || mutates(region, node, name, allowed);
}

/** Whether code in the node changes what the name, or the part of what it names, holds by a method or an item. */
export function mutates(region: Region, node: SyntaxNode, name: string, allowed?: 'growing'): boolean {
  const text = textOf(region, node);
  const methods = allowed === undefined ? `${growing}|${mutators}` : mutators;
  const path = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.])${path}\\s*(\\.\\s*(${methods})\\s*\\(|\\[[^\\]]*\\]\\s*([-+*/%|&]|\\*\\*|//)?=[^=])`).test(text);
}

/** The outermost repeating statement in which none of these names changes; undefined when there is none. */
export function outside(region: Region, node: SyntaxNode, names: Iterable<string>): Statement | undefined {
  const all = [...names];
  const stays = (statement: Statement) => !all.some((name) => changes(region, statement.node, name));
  const helper = helperAround(region, node);
  return helper !== undefined && stays(helper) ? helper : repetitions(region, node).find(stays);
}

/** The functions of the span around the node, the innermost first. */
export function functionsAround(region: Region, node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let up = node.parent; up !== undefined && up.start >= region.span.start; up = up.parent) {
    if (region.grammar.functions.has(up.type)) found.push(up);
  }
  return found;
}

/** The declaration of a function, as a statement in the function around it. */
function declarationOf(region: Region, fn: SyntaxNode): { own: SyntaxNode; name: SyntaxNode } | undefined {
  const isValue = fn.field === 'value' && fn.parent?.type === 'variable_declarator';
  const own = isValue ? fn.parent?.parent : fn;
  const name = isValue && fn.parent !== undefined ? childOf(fn.parent, 'name') : childOf(fn, 'name');
  const isLocal = own?.parent?.parent !== undefined && functionsAround(region, own).length > 0;
  return own === undefined || name === undefined || !isLocal ? undefined : { own, name };
}

/**
 * A local function around the node that is called again and again, with all that stands behind its declaration: what never changes
 * there can be made before the declaration.
 */
function helperAround(region: Region, node: SyntaxNode): Statement | undefined {
  for (let fn = node.parent; fn !== undefined && fn.start >= region.span.start; fn = fn.parent) {
    const found = region.grammar.functions.has(fn.type) ? declarationOf(region, fn) : undefined;
    const block = found?.own.parent;
    if (found === undefined || block === undefined) continue;
    const { own } = found;
    const name = textOf(region, found.name);
    const calls = callsIn(region).filter((call) => call.name === name);
    const inOther = (call: SyntaxNode) =>
      region.nodes.some((each) => region.grammar.functions.has(each.type) && within(each, block) && within(call, each));
    const isRepeated = calls.some((call) => inOther(call.node) || repetitions(region, call.node).length > 0) || calls.length > 1;
    // A function may be called before it is declared.
    if (!isRepeated || calls.some((call) => call.node.start < own.start)) return undefined;
    const rest = { ...block, start: own.start, children: block.children.slice(block.children.indexOf(own)) };
    const statement = statementAt(own, block, region.text, region.span);
    return { ...statement, node: rest, ownLines: statement.indent !== '' };
  }
  return undefined;
}

/** Lines of code, indented like the statement, as they stand before it. */
export function block(region: Region, statement: Statement, lines: readonly string[]): string {
  return lines.join(`${region.eol}${statement.indent}`);
}

/** The function's first statement that does something, where an import or a helper can be put. */
export function firstStatement(region: Region, node: SyntaxNode): Statement | undefined {
  let found: Statement | undefined;
  for (const statement of region.statements) {
    if (!statement.ownLines || statement.node.start > node.start) break;
    const owner = statement.block.parent;
    if (owner !== undefined && region.grammar.functions.has(owner.type) && within(node, owner)) found ??= statement;
  }
  return found;
}

/** The statements of a block. */
export function statementsOf(region: Region, body: SyntaxNode): Statement[] {
  return region.statements.filter((statement) => statement.block === body);
}

/** The comparisons in a node by one of the operators: `a == b`, each as its two sides and the operator. */
export function comparisons(region: Region, node: SyntaxNode, operators: RegExp): [SyntaxNode, SyntaxNode, string][] {
  return descendants(node).flatMap((each): [SyntaxNode, SyntaxNode, string][] => {
    const [left, operator, right, more] = each.children;
    if (!region.grammar.binary.has(each.type) || left === undefined || operator === undefined || right === undefined) return [];
    const text = textOf(region, operator);
    return more === undefined && operators.test(text) ? [[left, right, text]] : [];
  });
}
