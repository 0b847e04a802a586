/** Replaces searches through a list by look-ups: membership by a set, a scan for equal items by an index, counts by a table. */
import { childOf, type SyntaxNode } from '../../../syntax/parse.ts';
import { after, before, brief, type Operator, replacing, type StructuralEdit, type TextChange } from '../../structural-edit.ts';
import { type Region, textOf } from '../../structural-region.ts';
import {
  block,
  callParts,
  callsIn,
  changes,
  firstStatement,
  freshName,
  isPython,
  mutates,
  outside,
  readIn,
  repetitions,
  statementsOf,
  within,
} from '../shape.ts';
import { itemType, keyType, newMap } from '../types.ts';
import { madeOnce } from './filled.ts';
import { conditionsOf, equalities, filedUnder, identifiers, mayFail } from './scans.ts';

interface Membership {
  readonly node: SyntaxNode;
  readonly list: string;
  /** What the list is made of. */
  readonly reads: readonly string[];
  readonly item: string;
  readonly negated: boolean;
}

const isPath = /^(identifier|attribute|subscript|member_expression|subscript_expression)$/;

/** A list that is made for the test alone: its name would be that of no other. */
function isMade(region: Region, node: SyntaxNode): boolean {
  const { name, method } = callParts(region, node) ?? { name: '', method: '' };
  if (isPython(region))
    return node.type === 'list_comprehension' || /^(split|splitlines|values)$/.test(method) || name === 'list';
  return /^(map|filter|flatMap|split|values|keys)$/.test(method);
}

/** `x in xs`, `xs.includes(x)`, `xs.indexOf(x) === -1`, where `xs` is a name, a part of what it names, or made there. */
export function memberships(region: Region): Membership[] {
  if (isPython(region)) {
    return region.nodes.flatMap((node): Membership[] => {
      const [item, operator, list, more] = node.children;
      if (
        node.type !== 'comparison_operator' ||
        item === undefined ||
        operator === undefined ||
        list === undefined ||
        !(isPath.test(list.type) || isMade(region, list))
      )
        return [];
      const text = region.text.slice(item.end, list.start).trim();
      if (more !== undefined || !/^(not\s+)?in$/.test(text)) return [];
      const common = { list: textOf(region, list), reads: readIn(region, list), item: textOf(region, item) };
      return [{ node, ...common, negated: text !== 'in' }];
    });
  }
  return callsIn(region).flatMap(({ node, object, method, args }): Membership[] => {
    const [item] = args;
    if (object === undefined || item === undefined || args.length !== 1) return [];
    if (!isPath.test(object.type) && !isMade(region, object)) return [];
    const common = { list: textOf(region, object), reads: readIn(region, object), item: textOf(region, item) };
    if (method === 'includes') return [{ node, ...common, negated: false }];
    const { parent } = node;
    if (method !== 'indexOf' || parent === undefined) return [];
    const test = textOf(region, parent)
      .slice(node.end - parent.start)
      .replaceAll(/\s/g, '');
    if (/^(===?-1|<0)$/.test(test)) return [{ node: parent, ...common, negated: true }];
    return /^(!==?-1|>=0|>-1)$/.test(test) ? [{ node: parent, ...common, negated: false }] : [];
  });
}

const testOf = (region: Region, set: string, { item, negated }: Membership): string =>
  isPython(region) ? `${item} ${negated ? 'not in' : 'in'} ${set}` : `${negated ? '!' : ''}${set}.has(${item})`;

export const membershipToSet: Operator = (region) => {
  const found = memberships(region).flatMap((test): Membership[] => {
    const [item] = test.node.children;
    // A set holds tuples, and no lists.
    const listed = isPython(region) && item !== undefined && isListed(region, item);
    return [listed ? { ...test, item: `tuple(${test.item})` } : test];
  });
  return [...new Set(found.map(({ list }) => list))].flatMap((list): StructuralEdit[] => {
    const tests = found.filter((one) => one.list === list);
    const [first] = tests;
    if (first === undefined || isLookUp(region, list)) return [];
    const set = freshName(region, `${/^\w+$/.test(list) ? list : 'known'}${isPython(region) ? '_set' : 'Set'}`);
    const replaced = (): TextChange[] =>
      tests.map((one) => ({ start: one.node.start, end: one.node.end, text: testOf(region, set, one) }));
    const edit = (changes: TextChange[]): StructuralEdit[] => [
      { what: `look up in a set: ${brief(list)}`, at: first.node.start, changes },
    ];
    const place = outside(region, first.node, first.reads);
    const tupled = tests.some(({ item }) => item.startsWith('tuple('));
    if (place !== undefined && !tupled && tests.every(({ node }) => within(node, place.node))) {
      if (!/^\w+$/.test(list) && mutates(region, place.node, list)) return [];
      const items = list.startsWith('[') ? `{${list.slice(1, -1)}}` : `set(${list})`;
      const made = isPython(region) ? `${set} = ${items}` : `const ${set} = new Set(${list});`;
      return edit([before(region, place, made), ...replaced()]);
    }
    if (repetitions(region, first.node).length === 0) return [];
    return edit([...companion(region, list, set, tupled), ...replaced()]).filter(({ changes }) => changes.length > tests.length);
  });
};

/** A list, or what is only given lists. */
function isListed(region: Region, node: SyntaxNode): boolean {
  if (node.type !== 'identifier') return /^list(_comprehension)?$/.test(node.type);
  const values = region.statements.flatMap((each) => madeAs(region, each.node, textOf(region, node)) ?? []);
  return values.length > 0 && values.every((value) => /^(\[|sorted\(|list\()/.test(value));
}

/** Whether the name is that of a set or a table, in which a look-up costs the same for any size. */
function isLookUp(region: Region, name: string): boolean {
  return region.statements.some((each) =>
    /^(set\(|\{|dict\(|frozenset\(|defaultdict\(|Counter\(|new (Set|Map)\b|range\()/.test(madeAs(region, each.node, name) ?? ''),
  );
}

/** A set next to a list that only grows: made with it, and grown with it. */
function companion(region: Region, list: string, set: string, tupled: boolean): TextChange[] {
  const made = region.statements.find(({ node, ownLines }) => ownLines && madeAs(region, node, list) !== undefined);
  const grown = callsIn(region).filter(({ object, method }) => {
    return object !== undefined && textOf(region, object) === list && /^(append|push)$/.test(method);
  });
  if (made === undefined || grown.length === 0) return [];
  const empty = /^\[\s*\]$/.test(madeAs(region, made.node, list) ?? '');
  if (tupled && !empty) return [];
  const init = isPython(region) ? `${set} = set(${empty ? '' : list})` : `const ${set} = new Set(${empty ? '' : list});`;
  const additions = grown.flatMap(({ node, args: [item] }): TextChange[] => {
    const statement = region.statements.findLast(
      (each) => each.ownLines && within(node, each.node) && each.node.end - node.end <= 1,
    );
    if (statement === undefined || item === undefined) return [];
    const added = tupled ? `tuple(${textOf(region, item)})` : textOf(region, item);
    return [after(region, statement, `${set}.add(${added})${isPython(region) ? '' : ';'}`)];
  });
  return additions.length === grown.length ? [after(region, made, init), ...additions] : [];
}

/** The value that a statement gives the name. */
export function madeAs(region: Region, node: SyntaxNode, name: string): string | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  const pattern = isPython(region)
    ? new RegExp(`^${name}\\s*(?::[^=]+)?=\\s*([^=][\\s\\S]*)$`)
    : new RegExp(`^(?:const|let|var)\\s+${name}\\s*(?::[^=]+)?=\\s*([^=][\\s\\S]*?);?$`);
  return pattern.exec(textOf(region, node))?.[1]?.trim();
}

/** `orders_by_id`, `ordersById`. */
export function indexName(region: Region, source: string, key: string): string {
  const list = /^(?:enumerate\()?(\w+)\)?(?:\.entries\(\))?$/.exec(source)?.[1];
  const field = /(?:\.|\[["'])(\w+)(?:["']\])?$/.exec(key)?.[1];
  if (list === undefined || field === undefined) return isPython(region) ? 'by_key' : 'byKey';
  return isPython(region) ? `${list}_by_${field}` : `${list}By${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}

/** Puts the item into the group of its key, in JavaScript. */
export function fileLines(region: Region, index: string, key: string, item: string): string[] {
  const group = freshName(region, 'group');
  return [
    `const ${group} = ${index}.get(${key});`,
    `if (${group} === undefined) ${index}.set(${key}, [${item}]);`,
    `else ${group}.push(${item});`,
  ];
}

/** Arguments of a call as they are written, split at the commas between them. */
export function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++;
    else if (')]}'.includes(text[at] ?? '')) depth--;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()].filter((part) => part !== '');
}

/**
 * A counted loop over indices, `for (let j = a; j < n; j++)`, whose body acts only on equal items, also where it first gives the
 * item a name. Up to a place that moves with the outer loop, the index grows with it.
 */
export const countedScanToIndex: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const body = node.type === 'for_statement' ? childOf(node, 'body') : undefined;
    if (isPython(region) || body === undefined) return [];
    const head = region.text.slice(node.start, body.start);
    const parts =
      /^for\s*\(\s*let\s+(\w+)\s*=\s*([^;]+);\s*(\w+)\s*<\s*([^;]+);\s*(?:\w+\+\+|\+\+\w+|\w+\s*\+=\s*1)\s*\)\s*$/.exec(head);
    const [, item = '', from = '', tested = '', to = ''] = parts ?? [];
    const first = statementsOf(region, body)[0];
    const own = region.statements.find((each) => each.node === node);
    if (parts === null || item !== tested || first === undefined || !first.ownLines || own?.ownLines !== true) return [];
    return conditionsOf(region, node, body, [item])
      .flatMap((condition) => equalities(region, condition, new Set([item])))
      .flatMap(({ key, other }): StructuralEdit[] => {
        const keyed = identifiers(key).filter((name) => name !== item);
        const place = outside(region, node, [...identifiers(to), ...keyed]);
        const moving = repetitions(region, node).findLast(
          (each) =>
            each.node !== node && changes(region, each.node, to) && !keyed.some((name) => changes(region, each.node, name)),
        );
        const grows = (place === undefined || place.node === node) && /^\w+$/.test(to) && from.trim() === '0';
        const index = freshName(region, indexName(region, /^(\w+)\[/.exec(key)?.[1] ?? '', key));
        const filled = fileLines(region, index, key, item).map((line) => region.unit + line);
        const list = /^(\w+)\[/.exec(key)?.[1] ?? '';
        const type = keyType(region, { list, item: 'each', key: key.replaceAll(`${list}[${item}]`, 'each') });
        const map = newMap(region, type, 'number[]');
        const what = `look up by ${brief(key)} instead of searching`;
        const looked: TextChange = {
          start: node.start,
          end: body.start,
          text: `for (const ${item} of ${filedUnder(region, node, index, other)}) `,
        };
        if (grows && moving !== undefined) {
          const filed = freshName(region, 'filed');
          const made = [`const ${index} = ${map};`, `let ${filed} = 0;`];
          const fill = [`for (; ${filed} < ${to}; ${filed}++) {`, `${region.unit}const ${item} = ${filed};`, ...filled, '}'];
          const changesMade = [
            before(region, moving, block(region, moving, made)),
            before(region, own, block(region, own, fill)),
            looked,
          ];
          return [{ what, at: node.start, changes: changesMade }];
        }
        if (place === undefined || place.node === node) return [];
        const lines = [map, `for (let ${item} = 0; ${item} < ${to}; ${item}++) {`, ...filled, '}'];
        const skip = from.trim() === '0' ? [] : [before(region, first, `if (${item} < ${from.trim()}) continue;`)];
        return [
          { what, at: node.start, changes: [...madeOnce(region, place, node, index, lines, mayFail(key)), looked, ...skip] },
        ];
      });
  });

/** `max(xs, key=xs.count)` counts each item again for each. */
export const countKeyToCounter: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const list = /^(\w+)\.count$/.exec(textOf(region, node))?.[1];
    const first = firstStatement(region, node);
    if (node.type !== 'attribute' || node.parent?.type !== 'keyword_argument' || list === undefined || first === undefined)
      return [];
    const made = [before(region, first, 'from collections import Counter'), replacing(node, `Counter(${list}).__getitem__`)];
    return [{ what: `count once: ${list}`, at: node.start, changes: made }];
  });

/** `xs.count(x)` and `xs.index(x)` (`indexOf`) in a loop become look-ups in a table. */
export const tableOfCounts: Operator = (region) =>
  callsIn(region).flatMap(({ node, object, method, args }): StructuralEdit[] => {
    const [item] = args;
    const kind = /^(count)$/.test(method) ? 'count' : /^(index|indexOf)$/.test(method) ? 'index' : undefined;
    if (kind === undefined || object?.type !== 'identifier' || item === undefined || args.length !== 1) return [];
    const list = textOf(region, object);
    const place = outside(region, node, [list]);
    if (place === undefined || (kind === 'count' && !isPython(region))) return [];
    const table = freshName(region, kind === 'count' ? 'counts' : 'positions');
    const each = freshName(region, 'each');
    const value = textOf(region, item);
    const [lines, text] = tableOf(region, kind, { table, each, list, value });
    const what = `${kind === 'count' ? 'count once' : 'remember positions'}: ${list}`;
    return [{ what, at: node.start, changes: [...madeOnce(region, place, node, table, lines, false), replacing(node, text)] }];
  });

function tableOf(
  region: Region,
  kind: 'count' | 'index',
  { table, each, list, value }: { table: string; each: string; list: string; value: string },
): [string[], string] {
  if (!isPython(region)) {
    const lines = [
      newMap(region, itemType(region, list), 'number'),
      `${list}.forEach((${each}, at) => {`,
      `${region.unit}if (!${table}.has(${each})) ${table}.set(${each}, at);`,
      '});',
    ];
    return [lines, `(${table}.get(${value}) ?? -1)`];
  }
  if (kind === 'count') {
    const lines = ['{}', `for ${each} in ${list}:`, `${region.unit}${table}[${each}] = ${table}.get(${each}, 0) + 1`];
    return [lines, `${table}.get(${value}, 0)`];
  }
  const lines = [
    '{}',
    `for at_${each}, ${each} in enumerate(${list}):`,
    `${region.unit}${table}.setdefault(${each}, at_${each})`,
  ];
  return [lines, `(${table}[${value}] if ${value} in ${table} else ${list}.index(${value}))`];
}

/** A membership test of a new list of keys becomes one of the dictionary. */
export const keysMembership: Operator = (region) =>
  isPython(region)
    ? region.nodes.flatMap((node): StructuralEdit[] => {
        const call = callParts(region, node);
        if (call === undefined || node.parent?.type !== 'comparison_operator') return [];
        const inner =
          call.name === 'list' && call.args.length === 1 ? call.args[0] : call.method === 'keys' ? call.object : undefined;
        if (inner === undefined || !/\bin\s*$/.test(region.text.slice(node.parent.start, node.start))) return [];
        const text = textOf(region, inner).replace(/\.keys\(\)$/, '');
        return [
          {
            what: `test in the dictionary: ${brief(text)}`,
            at: node.start,
            changes: [{ start: node.start, end: node.end, text }],
          },
        ];
      })
    : callsIn(region).flatMap(({ node, object, method, args: [item] }): StructuralEdit[] => {
        const keys = object === undefined ? null : /^Object\.keys\((.+)\)$/.exec(textOf(region, object));
        if (method !== 'includes' || keys === null || item === undefined) return [];
        const text = `Object.hasOwn(${keys[1]}, ${textOf(region, item)})`;
        return [
          { what: `test in the object: ${keys[1]}`, at: node.start, changes: [{ start: node.start, end: node.end, text }] },
        ];
      });
