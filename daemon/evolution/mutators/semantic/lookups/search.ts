/** Replaces searches that start again each time: through a list that grows, for a first match, and counts of what is less or more. */
import { childOf, type SyntaxNode } from '../../../syntax/parse.ts';
import { before, brief, type Operator, replacing, type StructuralEdit } from '../../structural-edit.ts';
import { type Region, type Statement, textOf } from '../../structural-region.ts';
import { block, callParts, changes, freshName, isPython, isTypeScript, repetitions, statementsOf, within } from '../shape.ts';
import { itemType, keyType, newMap } from '../types.ts';
import { fileLines, indexName } from './membership.ts';
import { equalities, filedUnder, identifiers, isComparison, mayFail, type Scan, scans, soleCallName } from './scans.ts';

/** Where an index of a list can be made, and where it is brought up to date: before the search's own statement. */
interface IndexPlace {
  readonly outer: Statement;
  readonly own: Statement;
}

/** What is searched: a list, or its items before a position that moves with the outer loop. */
interface Searched {
  readonly list: string;
  /** The position; empty for the whole list. */
  readonly limit: string;
}

function searched(region: Region, source: string): Searched | undefined {
  if (/^\w+$/.test(source)) return { list: source, limit: '' };
  const earlier = isPython(region) ? /^(\w+)\[:(\w+)\]$/ : /^(\w+)\.slice\(0,\s*(\w+)\)$/;
  const range = isPython(region) ? /^range\((\w+)\)$/.exec(source)?.[1] : undefined;
  const [, list = '', limit = range ?? ''] = earlier.exec(source) ?? [];
  return limit === '' ? undefined : { list, limit };
}

/** Undefined where the list changes otherwise than by growing, or no statement of the repetition holds the search. */
function indexPlace(
  region: Region,
  node: SyntaxNode,
  { list, limit }: Searched,
  names: readonly string[],
): IndexPlace | undefined {
  const stays = ({ node: each }: Statement) =>
    (list === '' || !changes(region, each, list, 'growing')) && !names.some((name) => changes(region, each, name));
  const around = repetitions(region, node);
  // A position moves on within one pass of the loop that counts it.
  const outer = limit === '' ? around.find(stays) : around.findLast((each) => changes(region, each.node, limit) && stays(each));
  const own = region.statements.findLast((each) => within(node, each.node));
  if (outer === undefined || own === undefined || own === outer || !own.ownLines || !within(own.node, outer.node))
    return undefined;
  return { outer, own };
}

interface Search {
  readonly node: SyntaxNode;
  readonly item: string;
  readonly source: string;
  readonly key: string;
  readonly other: string;
  /** What the look-up stands in for: the items to look through, or the whole search. */
  readonly replaced: SyntaxNode;
  readonly fill: Fill;
  readonly applies: (place: IndexPlace) => boolean;
}

function searches(region: Region, of: (scan: Scan) => Pick<Search, 'fill' | 'applies' | 'replaced'> | undefined): Search[] {
  return scans(region).flatMap((scan) => {
    const how = of(scan);
    const { node, item, source } = scan;
    const found = how === undefined ? [] : equalities(region, scan, new Set(identifiers(item)));
    return how === undefined ? [] : found.map(({ key, other }): Search => ({ node, item, source, key, other, ...how }));
  });
}

/** A scan for equal items of a list that grows meanwhile, or of the items before a position: the index takes in what has come. */
export const growingScanToIndex: Operator = (region) =>
  indexed(
    region,
    searches(region, ({ node, source, sourceNode }) => {
      const grows = ({ outer }: IndexPlace) => !/^\w+$/.test(source) || changes(region, outer.node, source);
      const applies = callParts(region, node)?.method === 'findIndex' ? () => false : grows;
      return { fill: everyItem, applies, replaced: sourceNode };
    }),
  );

/** A search that ends with the first equal item: the index goes on where the last search ended, and never further. */
export const firstMatchToIndex: Operator = (region) => {
  const methodOf = (scan: Scan) => callParts(region, scan.node)?.method ?? '';
  const ends = (scan: Scan) => endsAtFirst(region, scan);
  const asks = (scan: Scan) => ends(scan) && /^(find|some|every)$/.test(methodOf(scan));
  const grows = ({ outer }: IndexPlace, { source }: Scan) => changes(region, outer.node, source);
  return [
    ...indexed(
      region,
      searches(region, (scan) => {
        if (!ends(scan) || asks(scan)) return undefined;
        const isPosition = methodOf(scan) === 'findIndex';
        const replaced = isPosition ? scan.node : scan.sourceNode;
        return { fill: isPosition ? untilPlace : untilFound, applies: () => true, replaced };
      }),
    ),
    ...indexed(
      region,
      searches(region, (scan) =>
        asks(scan)
          ? { fill: untilAsked(methodOf(scan), false), applies: (place) => grows(place, scan), replaced: scan.node }
          : undefined,
      ),
    ),
    // A list that stays as it is gets a table; this is for one whose last items cannot be looked at.
    ...indexed(
      region,
      searches(region, (scan) =>
        asks(scan) && !isTypeScript(region)
          ? { fill: untilAsked(methodOf(scan), true), applies: (place) => !grows(place, scan), replaced: scan.node }
          : undefined,
      ),
    ),
  ];
};

/** A test for a value among those of a list, or of a part of each of its items. */
interface MemberTest {
  readonly node: SyntaxNode;
  readonly value: string;
  readonly list: SyntaxNode;
  readonly negated: boolean;
}

function memberTests(region: Region): MemberTest[] {
  return region.nodes.flatMap((node): MemberTest[] => {
    if (isPython(region)) {
      const [value] = node.type === 'comparison_operator' && node.children.length >= 3 ? node.children : [];
      const list = node.children.at(-1);
      if (value === undefined || list === undefined) return [];
      const test = region.text.slice(value.end, list.start).trim();
      return /^(not\s+)?in$/.test(test) ? [{ node, value: textOf(region, value), list, negated: test !== 'in' }] : [];
    }
    const { object, method, args } = callParts(region, node) ?? { object: undefined, method: '', args: [] };
    const [value, more] = args;
    if (object === undefined || method !== 'includes' || value === undefined || more !== undefined) return [];
    return [{ node, value: textOf(region, value), list: object, negated: false }];
  });
}

/** `row.id for row in rows`, `rows.map((row) => row.id)`: what is read of each item. */
function partsOf(region: Region, node: SyntaxNode): { item: string; key: string; source: string } | undefined {
  const text = textOf(region, node);
  const [, key = '', item = '', source = ''] =
    (isPython(region) ? /^[[{(]([\w.[\]"']+) for (\w+) in (\w+)[\])}]$/.exec(text) : null) ?? [];
  if (source !== '') return { item, key, source };
  const [, list = '', each = '', part = ''] = /^(\w+)\.map\(\(?(\w+)\)? => ([\w.[\]'"]+)\)$/.exec(text) ?? [];
  return list === '' ? undefined : { item: each, key: part, source: list };
}

/**
 * `x in xs[:i]`, `xs.slice(0, i).includes(x)`, `x in [y.id for y in ys]` where `ys` grows: the earlier items, or their parts, are kept
 * in a set that grows with the position.
 */
export const earlierToSet: Operator = (region) => {
  const tests = memberTests(region);
  const earlier = tests.map(({ node, value, list, negated }): Search => {
    const item = freshName(region, 'each');
    const common = { node, item, key: item, replaced: node, applies: () => true };
    return { ...common, source: textOf(region, list), other: value, fill: isMember(negated) };
  });
  const parts = tests.flatMap(({ node, value, list, negated }): Search[] => {
    const part = partsOf(region, list);
    if (part === undefined) return [];
    // A loop that asks again and again needs what came meanwhile.
    const applies = ({ outer, own }: IndexPlace) =>
      changes(region, outer.node, part.source) && !region.grammar.loops.has(own.node.type);
    return [{ node, ...part, replaced: node, applies, other: value, fill: isMember(negated) }];
  });
  return [...indexed(region, earlier, ({ limit }) => limit !== ''), ...indexed(region, parts)];
};

/** A pattern as a value. */
export const grouped = (pattern: string): string => (pattern.includes(',') && !/^[([{]/.test(pattern) ? `(${pattern})` : pattern);

type Fill = (
  region: Region,
  names: IndexNames,
) => {
  readonly lines: string[];
  readonly found: string;
  /** The type of what is kept under a key. */
  readonly kept: string;
};

interface IndexNames extends Searched {
  readonly node: SyntaxNode;
  readonly index: string;
  readonly filed: string;
  readonly item: string;
  readonly key: string;
  readonly other: string;
}

function indexed(region: Region, all: readonly Search[], wanted: (list: Searched) => boolean = () => true): StructuralEdit[] {
  return all.flatMap(({ node, item, source, key, other, replaced, fill, applies }): StructuralEdit[] => {
    const list = searched(region, source);
    if (list === undefined || !wanted(list)) return [];
    const own = identifiers(item);
    const place = indexPlace(
      region,
      node,
      list,
      identifiers(key).filter((name) => !own.includes(name)),
    );
    if (place === undefined || !applies(place)) return [];
    const index = freshName(region, indexName(region, list.list, key));
    const filed = freshName(region, 'filed');
    const { lines, found, kept } = fill(region, { node, index, filed, item, key, other, ...list });
    const map = newMap(region, keyType(region, { list: list.list, item, key }), kept);
    const made = isPython(region) ? [`${index} = {}`, `${filed} = 0`] : [`const ${index} = ${map};`, `let ${filed} = 0;`];
    const changesMade = [
      before(region, place.outer, block(region, place.outer, made)),
      before(region, place.own, block(region, place.own, lines)),
      replacing(replaced, found),
    ];
    const what = `look up by ${brief(key)} in an index that grows with ${list.limit === '' ? list.list : list.limit}`;
    return [{ what, at: node.start, changes: changesMade }];
  });
}

/** Where the list ends, as an expression. */
const endOf = (region: Region, { list, limit }: Searched): string =>
  limit !== '' ? limit : isPython(region) ? `len(${list})` : `${list}.length`;

/** The item at the place up to which the list is filed; places are items of their own where no list is given. */
const nextOf = ({ list, filed }: IndexNames): string => (list === '' ? filed : `${list}[${filed}]`);

/** The items that are not filed yet, in JavaScript. */
const newOf = ({ list, filed, limit }: IndexNames): string => `${list}.slice(${filed}${limit === '' ? '' : `, ${limit}`})`;

const everyItem: Fill = (region, names) => {
  const { index, filed, item, list, limit, key, other } = names;
  const { unit } = region;
  if (isPython(region)) {
    const open = list === '' ? `range(${filed}, ${limit})` : `${list}[${filed}:${limit}]`;
    const lines = [
      `for ${item} in ${open}:`,
      `${unit}${index}.setdefault(${key}, []).append(${grouped(item)})`,
      `${filed} = ${endOf(region, names)}`,
    ];
    return { lines, found: filedUnder(region, names.node, index, other), kept: '' };
  }
  const filing = fileLines(region, index, key, item).map((line) => unit + line);
  const lines = [`for (const ${item} of ${newOf(names)}) {`, ...filing, '}', `${filed} = ${endOf(region, names)};`];
  return { lines, found: filedUnder(region, names.node, index, other), kept: `${itemType(region, list)}[]` };
};

/** Files items until one has the key; `value`: what is kept of the first. */
function untilKey(region: Region, names: IndexNames, value: string): string[] {
  const { index, filed, item, key, other } = names;
  const { unit } = region;
  if (isPython(region)) {
    return [
      `while ${filed} < ${endOf(region, names)} and ${other} not in ${index}:`,
      `${unit}${item} = ${nextOf(names)}`,
      `${unit}${index}.setdefault(${key}, ${value})`,
      `${unit}${filed} += 1`,
    ];
  }
  return [
    `while (${filed} < ${endOf(region, names)} && !${index}.has(${other})) {`,
    `${unit}const ${item} = ${nextOf(names)};`,
    `${unit}if (!${index}.has(${key})) ${index}.set(${key}, ${value});`,
    `${unit}${filed}++;`,
    '}',
  ];
}

const untilFound: Fill = (region, names) => {
  const { index, other, item, list } = names;
  const found = isPython(region)
    ? `([${index}[${other}]] if ${mayFail(other) ? `${index} and ` : ''}${other} in ${index} else ())`
    : `(${mayFail(other) ? `${index}.size > 0 && ` : ''}${index}.has(${other}) ? [${index}.get(${other})] : [])`;
  return { lines: untilKey(region, names, grouped(item)), found, kept: itemType(region, list) };
};

const untilPlace: Fill = (region, names) => ({
  lines: untilKey(region, names, names.filed),
  found: `(${names.index}.get(${names.other}) ?? -1)`,
  kept: 'number',
});

/** The first item, or whether there is one, as `find` and `some` return it. With care, no item behind it is looked at. */
const untilAsked =
  (method: string, careful: boolean): Fill =>
  (region, names) => {
    const { index, key, item, other, filed } = names;
    const plain = [
      `for (const ${item} of ${newOf(names)}) {`,
      `${region.unit}if (!${index}.has(${key})) ${index}.set(${key}, ${item});`,
      '}',
      `${filed} = ${endOf(region, names)};`,
    ];
    const found = `${method === 'every' ? '!' : ''}${index}.${method === 'find' ? 'get' : 'has'}(${other})`;
    return { lines: careful ? untilKey(region, names, item) : plain, found, kept: itemType(region, names.list) };
  };

const isMember =
  (negated: boolean): Fill =>
  (region, names) => {
    const { index, other } = names;
    const found = isPython(region) ? `${other} ${negated ? 'not in' : 'in'} ${index}` : `${index}.has(${other})`;
    return { lines: untilKey(region, names, names.filed), found, kept: 'number' };
  };

/** Whether the scan asks for nothing but equality, and an item behind the first equal one is never looked at. */
function endsAtFirst(region: Region, { node, condition, alone }: Scan): boolean {
  if (!alone || !isComparison(region, condition)) return false;
  const method = callParts(region, node)?.method;
  if (method !== undefined) return /^(find|findIndex|some|every)$/.test(method);
  if (!region.grammar.loops.has(node.type)) return /^(next|any|all)$/.test(soleCallName(region, node));
  const body = condition.parent === undefined ? undefined : childOf(condition.parent, 'consequence');
  return body !== undefined && /^(break|return)\b/.test(lastLine(region, body));
}

function lastLine(region: Region, body: SyntaxNode): string {
  const last = statementsOf(region, body).at(-1);
  return last === undefined ? '' : textOf(region, last.node);
}

/** A loop over a list that grows looks at its last item only: in sorted data, what comes next can touch no other. */
export const scanToLast: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    if (!region.grammar.loops.has(node.type)) return [];
    const right = childOf(node, 'right');
    const head = right ?? childOf(node, 'initializer');
    if (head === undefined) return [];
    const { list, text } = lastOf(region, node, head, right !== undefined);
    const grows = repetitions(region, node).some(
      (each) => each.node !== node && changes(region, each.node, list) && !changes(region, each.node, list, 'growing'),
    );
    if (text === undefined || !grows) return [];
    return [{ what: `look at the last item only: ${list}`, at: node.start, changes: [replacing(head, text)] }];
  });

/** The list that a loop runs over, and the head that has it see the last item. */
function lastOf(region: Region, loop: SyntaxNode, head: SyntaxNode, each: boolean): { list: string; text: string | undefined } {
  const text = textOf(region, head);
  if (!each) {
    const list = /<\s*(\w+)\.length\b/.exec(textOf(region, childOf(loop, 'condition') ?? head))?.[1] ?? '';
    const start = /^let\s+(\w+)\s*=\s*0;?$/.exec(text)?.[1];
    return { list, text: start === undefined || list === '' ? undefined : `let ${start} = Math.max(0, ${list}.length - 1);` };
  }
  const counted = /^range\(len\((\w+)\)\)$/.exec(text)?.[1];
  if (counted !== undefined) return { list: counted, text: `range(max(0, len(${counted}) - 1), len(${counted}))` };
  if (!/^\w+$/.test(text)) return { list: '', text: undefined };
  return { list: text, text: isPython(region) ? `${text}[-1:]` : `${text}.slice(-1)` };
}
