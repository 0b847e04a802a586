/** Replaces sorting and collecting by a search, where only the first items are asked for: the least, the k least, whether there is one. */
import { childOf, type SyntaxNode } from '../../syntax/parse.ts';
import { before, brief, type Operator, removal, replacing, type StructuralEdit } from '../structural-edit.ts';
import { loopsAround, type Region, textOf } from '../structural-region.ts';
import { outerStatement } from './calls.ts';
import { madeAs } from './lookups/membership.ts';
import { callParts, callsIn, firstStatement, freshName, isPython, isTypeScript, statementsOf, within } from './shape.ts';
import { itemType } from './types.ts';

/**
 * `[...xs].sort((a, b) => …)[0]`, also where the sorted list has a name and only its first item is asked for: found in one pass.
 */
export const sortToFirst: Operator = (region) =>
  callsIn(region).flatMap(({ node, object, method, args: [arrow] }): StructuralEdit[] => {
    if (object === undefined || arrow === undefined || !/^(sort|toSorted)$/.test(method)) return [];
    const around = node.parent;
    const isFirst = around?.type === 'subscript_expression' && region.text.slice(node.end, around.end) === '[0]';
    const named = region.statements.find((each) => each.ownLines && madeBy(region, each.node) === node);
    const name = named === undefined ? undefined : /^const (\w+)\b/.exec(textOf(region, named.node))?.[1];
    const isOnlyFirst = name !== undefined && usesOf(region, name).every((use) => use === `${name}[0]`);
    if (!isFirst && !isOnlyFirst) return [];
    const copy = /^\[\.\.\.(\w+)\]$/.exec(textOf(region, object))?.[1];
    const isNew = method === 'toSorted' || callParts(region, object) !== undefined;
    const list = copy ?? (isNew ? textOf(region, object) : undefined);
    const [, a, b, order] = /^\((\w+), (\w+)\) => ([^{][^;]*)$/.exec(textOf(region, arrow)) ?? [];
    // Where the sorted list has a name, its new order may be seen.
    if (list === undefined || a === undefined || b === undefined || order === undefined) return [];
    const item = itemType(region, copy ?? filteredList(region, object));
    if (isTypeScript(region) && item === 'unknown') return [];
    const [each, best] = [freshName(region, 'each'), freshName(region, 'first')];
    const test = order.replaceAll(/(?<![\w.])\w+/g, (word) => (word === a ? each : word === b ? best : word));
    const type = isTypeScript(region) ? `<${item} | undefined>` : '';
    const first = `${list}.reduce${type}((${best}, ${each}) => (${best} === undefined || ${test} < 0 ? ${each} : ${best}), undefined)`;
    const change = isFirst ? replacing(around, first) : replacing(node, `[${first}]`);
    return [{ what: `take the first in order: ${brief(list)}`, at: node.start, changes: [change] }];
  });

/** `xs.sort((a, b) => …)` and then `xs.shift()`: the least is taken out, and the others stay as they are. */
export const sortedShiftToLeast: Operator = (region) =>
  callsIn(region).flatMap(({ node, object, method, args: [arrow] }): StructuralEdit[] => {
    const own = region.statements.find((each) => each.ownLines && each.node === node.parent);
    const [, a, b, order] = arrow === undefined ? [] : (/^\((\w+), (\w+)\) => ([^{][^;]*)$/.exec(textOf(region, arrow)) ?? []);
    if (method !== 'sort' || object?.type !== 'identifier' || own === undefined || order === undefined) return [];
    const list = textOf(region, object);
    const next = statementsOf(region, own.block).find((each) => each.start >= own.end);
    const takes = callsIn(region).filter((each) => next !== undefined && within(each.node, next.node));
    const take = takes.find(
      (each) => each.method === 'shift' && each.object !== undefined && textOf(region, each.object) === list,
    );
    // Nothing else may read the order that the list has now.
    const mentions = next === undefined ? [] : textOf(region, next.node).match(new RegExp(`(?<![\\w.])${list}\\b`, 'g'));
    if (take === undefined || mentions?.length !== 1) return [];
    const [each, at, least] = ['each', 'at', 'least'].map((name) => freshName(region, name));
    const test = order.replaceAll(/(?<![\w.])\w+/g, (word) => (word === a ? `${each}` : word === b ? `${list}[${least}]` : word));
    const found = `${list}.reduce((${least}, ${each}, ${at}) => ((${test}) < 0 ? ${at} : ${least}), 0)`;
    const changes = [removal(region, own), replacing(take.node, `${list}.splice(${found}, 1)[0]`)];
    return [{ what: `take the least without sorting: ${brief(list)}`, at: node.start, changes }];
  });

/** What a declaration gives its name. */
function madeBy(region: Region, statement: SyntaxNode): SyntaxNode | undefined {
  const only = statement.children.find((child) => child.named);
  return only === undefined || !/^(?:const )?\w+/.test(textOf(region, statement))
    ? undefined
    : (childOf(only, 'right') ?? childOf(only, 'value'));
}

/** The list whose items a chain of filters lets through. */
function filteredList(region: Region, node: SyntaxNode): string {
  const call = callParts(region, node);
  return call?.object !== undefined && /^(filter|slice)$/.test(call.method)
    ? filteredList(region, call.object)
    : textOf(region, node);
}

/** The expressions around a name, but for its declaration: the item or slice that is read of it, or the name alone. */
function usesOf(region: Region, name: string): string[] {
  return region.nodes.flatMap((node) => {
    const { parent } = node;
    if (node.type !== 'identifier' || textOf(region, node) !== name || parent === undefined) return [];
    if (/^(variable_declarator|assignment)$/.test(parent.type) && /^(name|left)$/.test(node.field ?? '')) return [];
    return [/^subscript/.test(parent.type) && parent.children[0] === node ? textOf(region, parent) : name];
  });
}

/** The k first in order where a sorted list has a name and no other item is asked for: `xs.sort(key=k)`, then `xs[:k]` or `xs[0]`. */
export const sortedToFirst: Operator = (region) =>
  !isPython(region)
    ? []
    : callsIn(region).flatMap(({ node, name, object, method, args }): StructuralEdit[] => {
        const own = region.statements.findLast((each) => each.ownLines && within(node, each.node));
        const first = firstStatement(region, node);
        if (own === undefined || first === undefined) return [];
        const text = textOf(region, own.node);
        const isSort = method === 'sort' && object?.type === 'identifier' && text === textOf(region, node);
        const list = isSort ? textOf(region, object) : /^(\w+) = sorted\(/.exec(text)?.[1];
        if (list === undefined || (!isSort && (name !== 'sorted' || text !== `${list} = ${textOf(region, node)}`))) return [];
        // A list that was made elsewhere keeps its new order.
        const made = region.statements.some(
          (each) => each.node.start < own.node.start && madeAs(region, each.node, list) !== undefined,
        );
        const behind = region.nodes.filter(
          (each) => each.start >= own.node.end && each.type === 'identifier' && textOf(region, each) === list,
        );
        const most = new Set(
          behind.map(({ parent }) => {
            const use = parent === undefined ? '' : textOf(region, parent);
            // The last of equal items is the first from behind.
            if (use === `${list}[-1]`) return '-1';
            return use === `${list}[0]` ? '1' : new RegExp(`^${list}\\[:(\\w+)\\]$`).exec(use)?.[1];
          }),
        );
        const [count] = most;
        if ((isSort && !made) || count === undefined || most.size !== 1 || loopsAround(region, own.node).length > 1) return [];
        const given = args.map((arg) => textOf(region, arg));
        const isReverse = given.includes('reverse=True');
        const others = given.filter((arg) => arg !== 'reverse=True');
        if (others.some((arg) => arg.startsWith('reverse'))) return [];
        const isLast = count === '-1';
        const take = isReverse === isLast ? 'nsmallest' : 'nlargest';
        const [source = '', ...order] = isSort ? [list, ...others] : others;
        const items = [isLast ? `reversed(${isSort ? source : `list(${source})`})` : source, ...order];
        const changes = [
          before(region, first, `from heapq import ${take}`),
          replacing(own.node, `${list} = ${take}(${isLast ? '1' : count}, ${items.join(', ')})`),
        ];
        return [{ what: `take the first in order: ${list}`, at: node.start, changes }];
      });

/** Whether the node stands where only its truth counts. */
function isTest(node: SyntaxNode): boolean {
  const { parent, field } = node;
  if (parent?.type === 'boolean_operator') return isTest(parent);
  if (parent?.type === 'conditional_expression') return parent.children.filter(({ named }) => named)[1] === node;
  return parent?.type === 'not_operator' || (/^(if_statement|elif_clause)$/.test(parent?.type ?? '') && field === 'condition');
}

/** Lists of the items that pass a test, of which only the first or the last is asked for, and whether there is one. */
export const filteredToFirst: Operator = (region) => {
  if (!isPython(region)) return [];
  const found = region.statements.flatMap((own) => {
    const made = own.ownLines ? madeBy(region, own.node) : undefined;
    const name = made === undefined ? undefined : /^(\w+) = \[/.exec(textOf(region, own.node))?.[1];
    const first = outerStatement(region, own.node);
    if (made?.type !== 'list_comprehension' || name === undefined || first === undefined) return [];
    const [clause, more] = made.children.filter(({ type }) => type === 'for_in_clause');
    const source = clause === undefined ? undefined : childOf(clause, 'right');
    if (more !== undefined || source === undefined || !made.children.some(({ type }) => type === 'if_clause')) return [];
    const end = endAskedFor(region, own.node, name);
    if (end === undefined) return [];
    const items = textOf(region, source);
    const from = end === '0' ? items : `reversed(${items})`;
    const text = textOf(region, made);
    const inner = `${text.slice(1, source.start - made.start)}${from}${text.slice(source.end - made.start, -1)}`.trim();
    return [{ name, first, change: replacing(made, `list(islice((${inner}), 1))`) }];
  });
  return [...Map.groupBy(found, ({ first }) => first)].map(([first, group]): StructuralEdit => {
    const changes = [before(region, first, 'from itertools import islice'), ...group.map(({ change }) => change)];
    return { what: `stop at the first or last: ${group.map(({ name }) => name).join(', ')}`, at: first.node.start, changes };
  });
};

/** `0` or `-1`, where the name stands for nothing but that item and whether there is one. */
function endAskedFor(region: Region, own: SyntaxNode, name: string): string | undefined {
  const uses = region.nodes.filter(
    (each) => each.type === 'identifier' && textOf(region, each) === name && each.field !== 'attribute' && !within(each, own),
  );
  const ends = uses
    .filter((use) => !isTest(use))
    .map(({ parent }) => (parent === undefined ? undefined : /^\w+\[(0|-1)\]$/.exec(textOf(region, parent))?.[1]));
  return ends.every((each) => each === ends[0]) ? ends[0] : undefined;
}

/** A list that is made to ask for its first item, or whether there is one: the search ends with the first. */
export const madeToFirst: Operator = (region) =>
  callsIn(region).flatMap(({ node, name, object, method, args: [only, more] }): StructuralEdit[] => {
    const edit = (place: SyntaxNode, text: string): StructuralEdit[] => [
      { what: `stop at the first: ${brief(textOf(region, place))}`, at: place.start, changes: [replacing(place, text)] },
    ];
    if (only === undefined || more !== undefined) return [];
    const inner = textOf(region, only);
    if (isPython(region)) {
      if (only.type !== 'list_comprehension') return [];
      const made = inner.slice(1, -1);
      if (/^(any|all)$/.test(name)) return edit(node, `${name}(${made})`);
      const test = node.parent === undefined ? '' : region.text.slice(node.end, node.parent.end);
      const around = /^\s*(>\s*0|!=\s*0|>=\s*1|==\s*0)$/.exec(test)?.[1];
      if (name !== 'len' || around === undefined || node.parent === undefined) return [];
      return edit(node.parent, `${around.startsWith('==') ? 'not ' : ''}any(True ${made.slice(made.search(/\bfor\b/))})`);
    }
    if (method !== 'filter' || object === undefined || !/^(arrow_function|function_expression)$/.test(only.type)) return [];
    const list = textOf(region, object);
    const { parent } = node;
    if (parent === undefined) return [];
    const behind = region.text.slice(node.end, parent.end);
    if (behind === '[0]') return edit(parent, `${list}.find(${inner})`);
    const size = behind === '.length' ? parent.parent : undefined;
    const test = size === undefined ? '' : region.text.slice(parent.end, size.end);
    const [, some, none] = /^\s*(?:(>\s*0|!==?\s*0|>=\s*1)|(===?\s*0))$/.exec(test) ?? [];
    if (size === undefined || (some === undefined && none === undefined) || size.start !== node.start) return [];
    return edit(size, `${none === undefined ? '' : '!'}${list}.some(${inner})`);
  });

/** `sorted(xs)[0]`, `[-1]` and `[:k]`: the smallest, the largest, the k smallest. */
export const sortedToExtreme: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const value = node.type === 'subscript' ? childOf(node, 'value') : undefined;
    const call = value === undefined ? undefined : callParts(region, value);
    if (value === undefined || call?.name !== 'sorted') return [];
    const index = region.text.slice(value.end, node.end).replaceAll(/\s/g, '');
    const args = call.args.map((arg) => textOf(region, arg));
    const isReverse = args.includes('reverse=True');
    const others = args.filter((arg) => arg !== 'reverse=True');
    if (others.some((arg) => arg.startsWith('reverse')) || (isReverse && /^\[-?\d+\]$/.test(index))) return [];
    const name = index === '[0]' ? 'min' : index === '[-1]' ? 'max' : undefined;
    const what = `take the extreme: ${brief(textOf(region, node))}`;
    const [source = '', ...order] = args;
    // The last of equal items is the first from behind.
    const items = name === 'max' && order.length > 0 ? [`reversed(list(${source}))`, ...order] : args;
    if (name !== undefined) return [{ what, at: node.start, changes: [replacing(node, `${name}(${items.join(', ')})`)] }];
    const most = /^\[:([^\]:]+)\]$/.exec(index)?.[1];
    const first = most === undefined ? undefined : firstStatement(region, node);
    if (most === undefined || first === undefined) return [];
    const changes = [
      before(region, first, `from heapq import ${isReverse ? 'nlargest' : 'nsmallest'}`),
      replacing(node, `${isReverse ? 'nlargest' : 'nsmallest'}(${most}, ${others.join(', ')})`),
    ];
    return [{ what, at: node.start, changes }];
  });
