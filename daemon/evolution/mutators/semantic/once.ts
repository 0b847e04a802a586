/** Works out once what loops work out again and again: values that do not change, of each item, of equal arguments. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import {
  before,
  brief,
  linesOf,
  type Operator,
  removal,
  replacing,
  type StructuralEdit,
  type TextChange,
} from '../structural-edit.ts';
import { namesOf, roleOf } from '../structural-names.ts';
import { type Region, type Statement, textOf } from '../structural-region.ts';
import { madeOnce } from './lookups/filled.ts';
import { identifiers } from './lookups/scans.ts';
import { grouped } from './lookups/search.ts';
import {
  block,
  callParts,
  changes,
  freshName,
  functionsAround,
  isPython,
  isTypeScript,
  mutates,
  outside,
  readIn,
  repetitions,
  statementsOf,
  within,
} from './shape.ts';
import { valueType } from './types.ts';

/** Calls that cost less than remembering what they return. */
const cheap =
  /^(len|range|enumerate|zip|int|float|str|bool|abs|isinstance|ord|chr|reversed|iter|print|items|keys|values|get|has|append|push|charAt|charCodeAt|slice|trim|strip|join|concat|startsWith|endsWith|isArray|add|set|lower|upper|lstrip|rstrip|isdigit|startswith|endswith|toLowerCase|toUpperCase|Number|String|Boolean)$/;
const mutating =
  /^(append|push|pop|shift|unshift|insert|add|set|delete|remove|extend|update|setdefault|next|popleft|appendleft|random|write|read|readline|clear|splice|reverse|forEach)$/;

/** Whether the node does something else than computing a value. */
export function doesMore(region: Region, node: SyntaxNode): boolean {
  const all = descendants(node);
  const calls = all.flatMap((each) => callParts(region, each) ?? []);
  return (
    calls.some(({ method, name }) => mutating.test(method) || (mutating.test(name) && name !== 'set')) ||
    all.some(({ type }) =>
      /^(await|yield|await_expression|yield_expression|(augmented_)?assignment_expression|update_expression|named_expression)$/.test(
        type,
      ),
    )
  );
}

/** Whether computing the node again costs something, and does nothing else. */
export function worthKeeping(region: Region, node: SyntaxNode): boolean {
  const all = descendants(node);
  const calls = all.flatMap((each) => callParts(region, each) ?? []);
  if (doesMore(region, node)) return false;
  const makes =
    /^(list|set|dictionary)_comprehension$/.test(node.type) ||
    all.some((each) => each.type === 'new_expression' && !/^new \w+\(\)$/.test(textOf(region, each)));
  const listed = calls.some(
    ({ object, method }) =>
      object?.type === 'identifier' && /^Object\.(keys|values|entries)$/.test(`${textOf(region, object)}.${method}`),
  );
  const isCheap = ({ method, name, args }: (typeof calls)[number]) =>
    method === '' ? cheap.test(name) && (name !== 'set' || args.length === 0) : cheap.test(method);
  return makes || listed || !calls.every(isCheap);
}

export const isValue = (region: Region, node: SyntaxNode): boolean =>
  (region.grammar.calls.has(node.type) ||
    region.grammar.binary.has(node.type) ||
    /comprehension$|^(subscript|subscript_expression|member_expression|ternary_expression|conditional_expression)$/.test(
      node.type,
    )) &&
  node.field !== 'function' &&
  !(node.field === 'left' && /assignment|^for_/.test(node.parent?.type ?? '')) &&
  node.field !== 'constructor';

/** Whether the node stands in a function of its own within the span: a name bound there is another function's. */
function inLambda(node: SyntaxNode, outer: SyntaxNode): boolean {
  for (let up = node.parent; up !== undefined && up !== outer; up = up.parent) {
    if (/^(lambda|function_definition)$/.test(up.type)) return true;
  }
  return false;
}

/** Whether the node is part of what a comprehension runs over, where Python lets no name get a value. */
function isLoopedOver(node: SyntaxNode): boolean {
  for (let at = node, up = node.parent; up !== undefined && !/_statement$/.test(up.type); at = up, up = up.parent) {
    if (up.type === 'for_in_clause' && at.field === 'right') return true;
  }
  return false;
}

/** For names that one statement gives a value: what that value is made of. */
function origins(region: Region, names: readonly string[], depth = 3): string[] {
  return names.flatMap((name) => {
    const values = region.statements.flatMap(({ node }) => {
      const value = new RegExp(`^(?:(?:const|let)\\s+)?${name}\\s*(?::[^=]+)?=[^=]`).test(textOf(region, node))
        ? wholeValue(region, node)
        : undefined;
      return value === undefined ? [] : [value];
    });
    const [only] = values;
    const times = region.nodes.filter(
      (node) => textOf(region, node) === name && /^(declares|assigns)$/.test(roleOf(node) ?? ''),
    ).length;
    const [root] = region.nodes;
    if (only === undefined || times !== 1 || depth === 0 || root === undefined || mutates(region, root, name)) return [name];
    return origins(region, readIn(region, only), depth - 1);
  });
}

/** Whether the node is computed once as it is. */
export function isKept(region: Region, node: SyntaxNode): boolean {
  for (let up = node.parent; up !== undefined && !region.grammar.loops.has(up.type); up = up.parent) {
    if (/^(named_expression|augmented_assignment_expression)$/.test(up.type)) return true;
    if (/^seen(_\d+)?\.(set|setdefault)\(/.test(textOf(region, up))) return true;
    const condition = up.type === 'if_statement' ? childOf(up, 'condition') : undefined;
    if (
      condition !== undefined &&
      /^\(?\w+ (is None|=== undefined)\)?$|^[\w.[\]"']+ not in \w+_by_\w+$/.test(textOf(region, condition))
    )
      return true;
  }
  return false;
}

/** Methods that put what they are given into something that outlives the pass of the loop. */
const stores = /^(append|push|insert|add|unshift|appendleft|set|setdefault|extend)$/;
/** Calls whose result nothing can change. */
const scalar =
  /^(len|sum|min|max|int|float|str|bool|abs|round|any|all|ord|chr|Number|String|Boolean|parseInt|parseFloat|join|replace|replaceAll|trim|strip|lower|upper|toLowerCase|toUpperCase|count|index|indexOf|includes|some|every|find|floor|ceil|sqrt|startsWith|endsWith|localeCompare|toFixed|padStart|padEnd)$/;

/** Whether what the node holds is kept somewhere: if it is a container, each pass of a loop needs one of its own. */
export function isStored(region: Region, node: SyntaxNode): boolean {
  const { parent } = node;
  // What a key of a sort is made of is only compared.
  if (parent === undefined || (parent.type === 'tuple' && parent.parent?.type === 'lambda')) return false;
  if (/^(argument_list|arguments)$/.test(parent.type)) {
    const call = parent.parent === undefined ? undefined : callParts(region, parent.parent);
    return call !== undefined && stores.test(call.method);
  }
  if (/^(parenthesized_expression|conditional_expression|ternary_expression)$/.test(parent.type)) return isStored(region, parent);
  return (
    /^(list|array|tuple|expression_list|return_statement|yield|yield_expression)$/.test(parent.type) ||
    (/^(pair|assignment|variable_declarator|assignment_expression)$/.test(parent.type) &&
      /^(value|right)$/.test(node.field ?? '')) ||
    (/comprehension$|^generator_expression$/.test(parent.type) && node.field === 'body')
  );
}

/** Whether each pass of the loop needs a value of its own: a container that is kept, or changed, also by the name it gets. */
export function isOwned(region: Region, node: SyntaxNode, place: SyntaxNode, name: string | undefined): boolean {
  const call = callParts(region, node);
  if (call !== undefined && scalar.test(call.method === '' ? call.name : call.method)) return false;
  if (region.grammar.binary.has(node.type) || valueType(region, node) === 'number') return false;
  if (name === undefined) return isStored(region, node);
  if (mutates(region, place, name)) return true;
  return region.nodes.some(
    (each) =>
      within(each, place) &&
      textOf(region, each) === name &&
      roleOf(each) === 'uses' &&
      each.type === 'identifier' &&
      isStored(region, each),
  );
}

/** The name that a statement gives to the node, where that is all it does. */
export function ownName(region: Region, own: Statement | undefined): string | undefined {
  return own === undefined ? undefined : /^(?:const |let )?(\w+)(?:: [^=]+)?\s*=[^=]/.exec(textOf(region, own.node))?.[1];
}

/** How often the node gives the name a value. */
const timesSet = (region: Region, place: SyntaxNode, name: string): number =>
  region.nodes.filter(
    (each) => within(each, place) && textOf(region, each) === name && /^(declares|assigns)$/.test(roleOf(each) ?? ''),
  ).length;

/** An expression in a loop whose value never changes there is computed before the loop; with care, the first time it is met. */
export const workOutOnce: Operator = (region) => {
  const taken: SyntaxNode[] = [];
  return region.nodes.flatMap((node): StructuralEdit[] => {
    if (!isValue(region, node) || taken.some((other) => within(node, other)) || !worthKeeping(region, node)) return [];
    if (isKept(region, node)) return [];
    const names = origins(region, readIn(region, node));
    const place = names.length === 0 ? undefined : outside(region, node, names);
    // What a loop runs over is computed once as it is.
    if (place === undefined || within(place.node, node)) return [];
    const isCalledAgain = functionsAround(region, node).some((each) => within(each, place.node));
    if (!isCalledAgain && repetitions(region, node).length === 0) return [];
    taken.push(node);
    const value = textOf(region, node);
    const known = freshName(region, 'known');
    const what = `work out once: ${brief(value)}`;
    const own = region.statements.find((each) => each.ownLines && wholeValue(region, each.node) === node);
    const name = ownName(region, own);
    if (isOwned(region, node, place.node, name)) return [];
    // What is made of names that the loop itself sets cannot stand before it.
    const reads = readIn(region, node);
    const isReady = !reads.some((each) => changes(region, place.node, each));
    const moved = own !== undefined && name !== undefined && timesSet(region, place.node, name) === 1;
    const plain: TextChange[] =
      moved && own.node !== place.node
        ? [removal(region, own), before(region, place, linesOf(region, own))]
        : [
            before(region, place, isPython(region) ? `${known} = ${value}` : `const ${known} = ${value};`),
            replacing(node, known),
          ];
    const early: StructuralEdit[] = isReady && !value.includes('\n') ? [{ what, at: node.start, changes: plain }] : [];
    if (isPython(region)) {
      if (inLambda(node, place.node)) return early;
      const init = before(region, place, `${known} = None`);
      if (own === undefined || name === undefined) {
        if (isLoopedOver(node)) return early;
        const text = `(${known} if ${known} is not None else (${known} := ${value}))`;
        return [...early, { what, at: node.start, changes: [init, replacing(node, text)] }];
      }
      const lines = [`if ${known} is None:`, `${region.unit}${known} = ${value}`];
      const changesMade = [init, before(region, own, block(region, own, lines)), replacing(node, known)];
      return [...early, { what, at: node.start, changes: changesMade }];
    }
    const type = isTypeScript(region) ? valueType(region, node) : '';
    if (type === undefined) return early;
    const init = before(region, place, `let ${known}${type === '' ? '' : `: ${type} | undefined`};`);
    return [...early, { what, at: node.start, changes: [init, replacing(node, `(${known} ??= ${value})`)] }];
  });
};

/** The right side of an assignment. */
export function wholeValue(region: Region, statement: SyntaxNode): SyntaxNode | undefined {
  const only = statement.children.find((child) => child.named);
  return only === undefined
    ? undefined
    : (childOf(only, 'right') ?? childOf(only, 'value') ?? (/statement$/.test(only.type) ? wholeValue(region, only) : undefined));
}

/** What an inner loop works out first of each item, and of nothing else that changes, is worked out before the outer loop. */
export const itemValueOnce: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const [left, right, body] = [childOf(node, 'left'), childOf(node, 'right'), childOf(node, 'body')];
    if (!/^for_(in_)?statement$/.test(node.type) || left === undefined || right === undefined || body === undefined) return [];
    const item = textOf(region, left);
    const [first] = statementsOf(region, body);
    if (first === undefined || !first.ownLines || (textOf(region, first.node).includes('\n') && isPython(region))) return [];
    const target = /^(?:(?:const|let)\s+)?([\w[\]{},\s]+?)\s*=\s*[^=]/.exec(textOf(region, first.node))?.[1] ?? '';
    const text = /^[^=]+=\s*([^=][\s\S]*?);?$/.exec(textOf(region, first.node))?.[1];
    const value = text === undefined ? undefined : descendants(first.node).find((each) => textOf(region, each) === text);
    if (value === undefined || target === '') return [];
    return itemValue(region, { node, left, right, first, item, target, value });
  });

interface ItemValue {
  readonly node: SyntaxNode;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  readonly first: Statement;
  readonly item: string;
  readonly target: string;
  readonly value: SyntaxNode;
}

function itemValue(region: Region, { node, left, right, first, item, target, value: valueNode }: ItemValue): StructuralEdit[] {
  const value = textOf(region, valueNode);
  // What a callback in it declares is its own.
  const { used, declared } = namesOf(descendants(valueNode), region.text);
  const own = new Set(identifiers(item));
  const source = textOf(region, right);
  const fixed = [...identifiers(source), ...[...used].filter((name) => !declared.has(name) && !own.has(name))];
  if (![...used].some((name) => own.has(name))) return [];
  const outer = repetitions(region, node).find(({ node: each }) => !fixed.some((name) => changes(region, each, name)));
  if (outer === undefined || outer.node === node || within(outer.node, node)) return [];
  const values = freshName(region, 'values');
  const pair = `(${grouped(item)}, ${grouped(value)})`;
  const made = isPython(region)
    ? `[${pair} for ${item} in ${source}]`
    : `Array.from(${source}, (${item}) => [${item}, ${value}])`;
  const head = isPython(region) ? `${grouped(item)}, ${grouped(target)} in ${values}` : `[${item}, ${target}] of ${values}`;
  const rest: TextChange[] = [{ start: left.start, end: right.end, text: head }, removal(region, first)];
  const what = `work out once for each item: ${brief(value)}`;
  // With care, nothing is worked out for a loop that never runs.
  return [false, true].map((careful) => ({
    what,
    at: node.start,
    changes: [...madeOnce(region, outer, node, values, [made], careful), ...rest],
  }));
}
