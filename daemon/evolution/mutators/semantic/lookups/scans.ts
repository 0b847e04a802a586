/** Finds searches: loops, comprehensions and callbacks that look at every item and act only on those that equal something. Pure. */
import { childOf, type SyntaxNode } from '../../../syntax/parse.ts';
import { roleOf } from '../../structural-names.ts';
import { type Region, textOf } from '../../structural-region.ts';
import { callParts, comparisons, isPython, namesIn, within } from '../shape.ts';

export interface Scan extends Condition {
  readonly node: SyntaxNode;
  /** What names the item. */
  readonly item: string;
  /** What is looked through, and where it stands. */
  readonly source: string;
  readonly sourceNode: SyntaxNode;
}

export interface Condition {
  readonly condition: SyntaxNode;
  /** The condition says which items are left out. */
  readonly negated: boolean;
  /** What the body calls parts of the item before it asks, by name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Nothing stands before the condition in the body, and nothing behind what it guards. */
  readonly alone: boolean;
}

const NO_ALIASES: ReadonlyMap<string, string> = new Map();

export function scans(region: Region): Scan[] {
  return region.nodes.flatMap((node): Scan[] => {
    if (node.type === 'for_statement' || node.type === 'for_in_statement') return loopScan(region, node);
    if (/comprehension$|^generator_expression$/.test(node.type)) return comprehensionScan(region, node);
    const call = callParts(region, node);
    const [arrow] = call?.args ?? [];
    const body = arrow === undefined ? undefined : childOf(arrow, 'body');
    if (call?.object === undefined || arrow === undefined || body === undefined) return [];
    const [first, second] = parametersOf(arrow);
    const sums = call.method === 'reduce';
    const item = sums ? second : first;
    // The place of an item means nothing elsewhere.
    if (item === undefined || (!sums && second !== undefined)) return [];
    const found = { node, item: textOf(region, item), source: textOf(region, call.object), sourceNode: call.object };
    const conditions = callbackConditions(region, call.method, arrow, inParentheses(body), textOf(region, first ?? item));
    return conditions.map((each) => ({ ...found, ...each }));
  });
}

/** The conditions without which a callback of an array method does nothing with the item. */
function callbackConditions(region: Region, method: string, arrow: SyntaxNode, body: SyntaxNode, first: string): Condition[] {
  if (method === 'forEach') return body.type === 'statement_block' ? conditionsOf(region, arrow, body, []) : [];
  if (method === 'reduce') {
    const added = /^binary/.test(body.type) && textOf(region, body).startsWith(`${first} + (`) ? body.children[2] : undefined;
    const choice = inParentheses(added ?? body);
    const condition = choice.type === 'ternary_expression' ? childOf(choice, 'condition') : undefined;
    const otherwise = childOf(choice, 'alternative');
    if (condition === undefined || otherwise === undefined) return [];
    return textOf(region, otherwise) === (added === undefined ? first : '0') ? [plainCondition(condition, false, false)] : [];
  }
  if (!/^(filter|find|findIndex|some|every)$/.test(method)) return [];
  const [only, more] = body.type === 'statement_block' ? body.children.filter((child) => child.named) : [];
  const condition =
    body.type !== 'statement_block'
      ? body
      : only?.type === 'return_statement' && more === undefined
        ? only.children[1]
        : undefined;
  return condition === undefined ? [] : [plainCondition(condition, method === 'every')];
}

const inParentheses = (node: SyntaxNode): SyntaxNode =>
  node.type === 'parenthesized_expression' ? (node.children.find((child) => child.named) ?? node) : node;

const plainCondition = (condition: SyntaxNode, negated: boolean, alone = true): Condition => ({
  condition,
  negated,
  aliases: NO_ALIASES,
  alone,
});

function loopScan(region: Region, node: SyntaxNode): Scan[] {
  const [left, right, body] = [childOf(node, 'left'), childOf(node, 'right'), childOf(node, 'body')];
  if (left === undefined || right === undefined || body === undefined) return [];
  // "for (key in object)" runs over keys.
  if (!isPython(region) && !/\bof\s*$/.test(region.text.slice(left.end, right.start))) return [];
  const item = textOf(region, left);
  const found = { node, item, source: textOf(region, right), sourceNode: right };
  return conditionsOf(region, node, body, identifiers(item)).map((each) => ({ ...found, ...each }));
}

function comprehensionScan(region: Region, node: SyntaxNode): Scan[] {
  const clauses = node.children.filter(({ type }) => type === 'for_in_clause');
  const [clause] = clauses;
  const [left, right] = clause === undefined ? [] : [childOf(clause, 'left'), childOf(clause, 'right')];
  if (clauses.length !== 1 || left === undefined || right === undefined) return [];
  const found = { node, item: textOf(region, left), source: textOf(region, right), sourceNode: right };
  const condition = node.children.find(({ type }) => type === 'if_clause');
  if (condition !== undefined) return [{ ...found, ...plainCondition(condition, false) }];
  const asks = node.parent === undefined ? undefined : callParts(region, node.parent);
  const body = childOf(node, 'body');
  const name = asks?.name ?? soleCallName(region, node);
  if (body !== undefined && /^(any|all)$/.test(name)) return [{ ...found, ...plainCondition(body, name === 'all') }];
  const [, , test, , otherwise] = body?.type === 'conditional_expression' ? body.children : [];
  const adds = name === 'sum' && test !== undefined && otherwise !== undefined && textOf(region, otherwise) === '0';
  return adds ? [{ ...found, ...plainCondition(test, false, false) }] : [];
}

/** `any` of `any(x for x in xs)`, whose arguments are the generator itself. */
export function soleCallName(region: Region, { parent, start }: SyntaxNode): string {
  return parent === undefined ? '' : (/(\w+)\s*\(?\s*$/.exec(region.text.slice(Math.max(0, start - 40), start))?.[1] ?? '');
}

/** The patterns that a callback names what it is given by. */
function parametersOf(arrow: SyntaxNode): SyntaxNode[] {
  const only = childOf(arrow, 'parameter');
  if (only !== undefined) return [only];
  const named = childOf(arrow, 'parameters')?.children.filter((child) => child.named) ?? [];
  return named.map((each) => childOf(each, 'pattern') ?? each);
}

/** Calls and operators that do more than compute a value. */
const ACTS =
  /\b(append|push|pop|shift|unshift|insert|add|set|delete|remove|extend|update|setdefault|next|popleft|appendleft|clear|splice)\s*\(|:=|\+\+|--|\bawait\b|\byield\b/;

/**
 * The conditions without which a pass of the loop does nothing: those that skip the rest of the body, and that of an `if` without an
 * `else` that is all that follows. Names for parts of the item may be given before.
 */
export function conditionsOf(region: Region, loop: SyntaxNode, body: SyntaxNode, items: readonly string[]): Condition[] {
  const found: Condition[] = [];
  const aliases = new Map<string, string>();
  // Python's loops leave their names behind: one that is read later must get its value as before.
  if (isPython(region) && items.some((name) => isReadBehind(region, loop, name))) return [];
  const inner =
    body.type === 'if_statement'
      ? [body]
      : body.children.filter((child) => child.named && !region.grammar.comments.has(child.type));
  for (const [at, statement] of inner.entries()) {
    const made = aliasesOf(textOf(region, statement), aliases);
    if (made !== undefined) {
      if (isPython(region) && made.some(([name]) => isReadBehind(region, loop, name))) break;
      for (const [name, value] of made) aliases.set(name, value);
      continue;
    }
    const [condition, then] = [childOf(statement, 'condition'), childOf(statement, 'consequence')];
    if (statement.type !== 'if_statement' || childOf(statement, 'alternative') !== undefined) break;
    if (condition === undefined || then === undefined || ACTS.test(textOf(region, condition))) break;
    const skip = region.grammar.loops.has(loop.type) ? 'continue' : 'return';
    const negated = new RegExp(`^\\{?\\s*${skip}\\s*;?\\s*\\}?$`).test(textOf(region, then));
    if (negated || at === inner.length - 1)
      found.push({ condition, negated, aliases: new Map(aliases), alone: inner.length === 1 });
    if (!negated) break;
  }
  return found;
}

/** Names that a statement gives to parts of something, with what they stand for. */
function aliasesOf(text: string, known: ReadonlyMap<string, string>): [string, string][] | undefined {
  const [, name, value = ''] = /^(?:const |let )?(\w+) = ([\w.[\]"']+);?$/.exec(text) ?? [];
  if (name !== undefined) return /^[a-zA-Z_]/.test(value) ? [[name, withAliases(value, known)]] : undefined;
  const [, names, whole = ''] = /^(\w+(?:, \w+)+) = (\w+)$/.exec(text) ?? [];
  if (names !== undefined) return names.split(', ').map((each, at) => [each, `${withAliases(whole, known)}[${at}]`]);
  const [, fields, object = ''] = /^const \{ (\w+(?:, \w+)*) \} = (\w+);?$/.exec(text) ?? [];
  return fields?.split(', ').map((each) => [each, `${withAliases(object, known)}.${each}`]);
}

/** The expression in which each of these names is written out. */
export const withAliases = (text: string, aliases: ReadonlyMap<string, string>): string =>
  aliases.size === 0 ? text : text.replaceAll(/(?<![\w.'"])[A-Za-z_]\w*/g, (name) => aliases.get(name) ?? name);

/** Whether code behind the loop reads what the loop has left in the name. */
export function isReadBehind(region: Region, loop: SyntaxNode, name: string): boolean {
  let owner = loop.parent;
  while (owner?.parent !== undefined && !region.grammar.functions.has(owner.type)) owner = owner.parent;
  return region.nodes.some((node) => {
    if (node.start < loop.end || textOf(region, node) !== name || roleOf(node) !== 'uses') return false;
    // The names of a function are its own.
    if (owner !== undefined && !within(node, owner)) return false;
    for (let up = node.parent; up !== undefined && !within(loop, up); up = up.parent) {
      const clause = up.children.find(({ type }) => type === 'for_in_clause');
      const isFunction = region.grammar.functions.has(up.type);
      const left = isFunction ? childOf(up, 'parameters') : childOf(clause ?? up, 'left');
      const declares = isFunction || region.grammar.loops.has(up.type) || clause !== undefined;
      if (declares && left !== undefined && identifiers(textOf(region, left)).includes(name)) return false;
    }
    return true;
  });
}

/** A single comparison, and nothing else. */
export function isComparison(region: Region, condition: SyntaxNode): boolean {
  const inner = condition.type === 'if_clause' ? condition.children.find((child) => child.named) : inParentheses(condition);
  return inner !== undefined && region.grammar.binary.has(inner.type) && !/&&|\|\||\band\b|\bor\b/.test(textOf(region, inner));
}

/** Whether the node is a comparison, and not something that has one in it. */
const comparesAlone = (region: Region, node: SyntaxNode): boolean =>
  region.grammar.binary.has(node.type) && !/^(\|\||&&|and|or|[-+*/%])$/.test(textOf(region, node.children[1] ?? node));

/** The names of the item, and those that the body gives to its parts. */
export const itemNames = (items: ReadonlySet<string>, aliases: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set([
    ...items,
    ...[...aliases].filter(([, value]) => identifiers(value).some((name) => items.has(name))).map(([name]) => name),
  ]);

interface Keyed {
  readonly key: string;
  readonly other: string;
  /** As in "key operator other". */
  readonly operator: string;
}

/**
 * The tests of which all must hold for an item to be acted on: the sides of `and`, or of the `or` that says which items are left out.
 */
export function conjuncts(region: Region, condition: SyntaxNode, negated: boolean): SyntaxNode[] {
  if (/^(parenthesized_expression|if_clause)$/.test(condition.type)) {
    const inner = condition.children.find((child) => child.named);
    return inner === undefined ? [] : conjuncts(region, inner, negated);
  }
  const [left, operator, right] = condition.children;
  if (left === undefined || operator === undefined || right === undefined || !region.grammar.binary.has(condition.type))
    return [condition];
  const joins = negated ? /^(\|\||or)$/ : /^(&&|and)$/;
  if (!joins.test(textOf(region, operator))) return [condition];
  return [...conjuncts(region, left, negated), ...conjuncts(region, right, negated)];
}

/** What must be equal for an item to be acted on; nothing where a condition can hold without it. */
export function equalities(region: Region, { condition, negated, aliases }: Condition, items: ReadonlySet<string>): Keyed[] {
  const all = itemNames(items, aliases);
  const operator = negated ? /^!==?$/ : /^={2,3}$/;
  const found = conjuncts(region, condition, negated)
    .flatMap((each) => (comparesAlone(region, each) ? keyed(region, each, all, operator) : []))
    .map((each) => ({ ...each, key: withAliases(each.key, aliases), other: withAliases(each.other, aliases) }));
  const [first, second] = found;
  if (!isPython(region) || first === undefined || second === undefined || first.key === second.key) return found;
  // What must be equal together is looked up together.
  const pair: Keyed = {
    key: `(${first.key}, ${second.key})`,
    other: `(${first.other}, ${second.other})`,
    operator: first.operator,
  };
  // By the first alone, what the second reads of other items is not missed; by the second, the first would be.
  return [pair, first];
}

/** A test that an item need not pass where something is so that has nothing to do with it: `wanted is None or item.kind == wanted`. */
interface Optional extends Keyed {
  readonly unless: string;
}

export function optionalEqualities(
  region: Region,
  { condition, negated, aliases }: Condition,
  items: ReadonlySet<string>,
): Optional[] {
  const all = itemNames(items, aliases);
  const isOwn = (node: SyntaxNode) => [...namesIn(region, node)].some((name) => all.has(name));
  return conjuncts(region, condition, negated).flatMap((each): Optional[] => {
    const [guard, test, more] = conjuncts(region, each, !negated);
    if (guard === undefined || test === undefined || more !== undefined || isOwn(guard) || !comparesAlone(region, test))
      return [];
    const text = withAliases(textOf(region, guard), aliases);
    if (ACTS.test(text)) return [];
    const unless = negated ? (isPython(region) ? `not (${text})` : `!(${text})`) : text;
    return keyed(region, test, all, negated ? /^!==?$/ : /^={2,3}$/).map(({ key, other, operator }) => ({
      key: withAliases(key, aliases),
      other: withAliases(other, aliases),
      operator,
      unless,
    }));
  });
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
 * What is filed in an index under the value that is looked for. Where nothing is filed, nothing was compared with the value either, and
 * working it out may fail.
 */
export function filedUnder(region: Region, node: SyntaxNode, index: string, other: string): string {
  const plain = !mayFail(other);
  if (isPython(region)) return plain ? `${index}.get(${other}, ())` : `(${index}.get(${other}, ()) if ${index} else ())`;
  const found = plain ? `${index}.get(${other}) ?? []` : `(${index}.size > 0 ? ${index}.get(${other}) : undefined) ?? []`;
  return region.grammar.loops.has(node.type) ? found : `(${found})`;
}

const wrapped = (text: string): string => (/^[\w.[\]]+$/.test(text) ? text : `(${text})`);

/** Names in code, without those after a dot and those in strings. */
export const identifiers = (text: string): string[] =>
  text.replaceAll(/(["'`])(?:\\.|(?!\1).)*\1/g, '""').match(/(?<![\w.])[A-Za-z_]\w*/g) ?? [];
