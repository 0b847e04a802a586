/** Replaces searches that start again each time: through a list that grows, for a first match, and counts of what is less or more. */
import { childOf, descendants, type SyntaxNode } from '../syntax/parse.ts';
import { identifiers, keyed, type Scan, scans } from './semantic-lookup.ts';
import { block, callParts, changes, freshName, isPython, repetitions, statementsOf, within } from './semantic-shape.ts';
import { before, brief, type Operator, removal, replacing, type StructuralEdit, type TextChange } from './structural-edit.ts';
import { namesOf } from './structural-names.ts';
import { type Region, type Statement, textOf } from './structural-region.ts';

/** Where an index of a scan's list can be made, and where it is brought up to date: before the scan's own statement. */
interface IndexPlace {
  readonly outer: Statement;
  readonly own: Statement;
}

/** Undefined where the list changes otherwise than by growing, or no statement of the repetition holds the scan. */
function indexPlace(region: Region, scan: Scan, names: readonly string[]): IndexPlace | undefined {
  if (!/^\w+$/.test(scan.source)) return undefined;
  const outer = repetitions(region, scan.node).find(
    ({ node }) => !changes(region, node, scan.source, 'growing') && !names.some((name) => changes(region, node, name)),
  );
  const own = region.statements.findLast((each) => within(scan.node, each.node));
  if (outer === undefined || own === undefined || own === outer || !own.ownLines || !within(own.node, outer.node))
    return undefined;
  return { outer, own };
}

/** A scan for equal items of a list that grows meanwhile: the index takes in what has come since the last look. */
export const growingScanToIndex: Operator = (region) =>
  indexed(region, (scan, place) => changes(region, place.outer.node, scan.source), everyItem);

/** A search that ends with the first equal item: the index goes on where the last search ended, and never further. */
export const firstMatchToIndex: Operator = (region) => indexed(region, (scan) => endsAtFirst(region, scan), untilFound);

type Fill = (region: Region, names: IndexNames) => { readonly lines: string[]; readonly found: string };

interface IndexNames {
  readonly index: string;
  readonly filed: string;
  readonly item: string;
  readonly source: string;
  readonly key: string;
  readonly other: string;
}

function indexed(region: Region, applies: (scan: Scan, place: IndexPlace) => boolean, fill: Fill): StructuralEdit[] {
  return scans(region).flatMap((scan): StructuralEdit[] => {
    const items = new Set(identifiers(scan.item));
    return keyed(region, scan.condition, items).flatMap(({ key, other }): StructuralEdit[] => {
      const fixed = identifiers(key).filter((name) => !items.has(name));
      const place = indexPlace(region, scan, fixed);
      if (place === undefined || !applies(scan, place)) return [];
      const index = freshName(region, isPython(region) ? 'by_key' : 'byKey');
      const filed = freshName(region, 'filed');
      const { lines, found } = fill(region, { index, filed, item: scan.item, source: scan.source, key, other });
      const made = isPython(region) ? [`${index} = {}`, `${filed} = 0`] : [`const ${index} = new Map();`, `let ${filed} = 0;`];
      return [
        {
          what: `look up by ${brief(key)} in an index that grows with ${scan.source}`,
          at: scan.node.start,
          changes: [
            before(region, place.outer, block(region, place.outer, made)),
            before(region, place.own, block(region, place.own, lines)),
            replacing(scan.sourceNode, found),
          ],
        },
      ];
    });
  });
}

function everyItem({ unit, ...region }: Region, { index, filed, item, source, key, other }: IndexNames): ReturnType<Fill> {
  if (region.grammar.layout === 'indent') {
    const kept = grouped(item);
    const lines = [
      `for ${item} in ${source}[${filed}:]:`,
      `${unit}${index}.setdefault(${key}, []).append(${kept})`,
      `${filed} = len(${source})`,
    ];
    return { lines, found: `${index}.get(${other}, ())` };
  }
  const lines = [
    `for (; ${filed} < ${source}.length; ${filed}++) {`,
    `${unit}const ${item} = ${source}[${filed}];`,
    `${unit}if (!${index}.has(${key})) ${index}.set(${key}, []);`,
    `${unit}${index}.get(${key}).push(${item});`,
    '}',
  ];
  return { lines, found: `(${index}.get(${other}) ?? [])` };
}

function untilFound({ unit, ...region }: Region, { index, filed, item, source, key, other }: IndexNames): ReturnType<Fill> {
  if (region.grammar.layout === 'indent') {
    const lines = [
      `while ${other} not in ${index} and ${filed} < len(${source}):`,
      `${unit}${item} = ${source}[${filed}]`,
      `${unit}${filed} += 1`,
      `${unit}${index}.setdefault(${key}, ${grouped(item)})`,
    ];
    return { lines, found: `([${index}[${other}]] if ${other} in ${index} else ())` };
  }
  const lines = [
    `while (!${index}.has(${other}) && ${filed} < ${source}.length) {`,
    `${unit}const ${item} = ${source}[${filed}];`,
    `${unit}${filed}++;`,
    `${unit}if (!${index}.has(${key})) ${index}.set(${key}, ${item});`,
    '}',
  ];
  return { lines, found: `(${index}.has(${other}) ? [${index}.get(${other})] : [])` };
}

/** Whether the scan asks for nothing but equality, and an item behind the first equal one is never looked at. */
function endsAtFirst(region: Region, { node, condition }: Scan): boolean {
  const test = condition.type === 'parenthesized_expression' ? condition.children.find((child) => child.named) : condition;
  if (test === undefined || !region.grammar.binary.has(test.type) || /&&|\|\|/.test(textOf(region, test))) return false;
  const method = callParts(region, node)?.method;
  if (method !== undefined) return /^(find|some)$/.test(method);
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

interface Counting {
  readonly node: SyntaxNode;
  readonly scan: Scan;
  /** Writes the counting again; `count` is an expression. */
  readonly written: (count: string) => string;
}

/** Loops, comprehensions and filters that do nothing but count the items that pass a test. */
function countings(region: Region): Counting[] {
  return scans(region).flatMap((scan): Counting[] => {
    const { node, condition } = scan;
    const body = condition.parent === undefined ? undefined : childOf(condition.parent, 'consequence');
    if (region.grammar.loops.has(node.type)) {
      const only =
        body === undefined
          ? ''
          : textOf(region, body)
              .replace(/^\{|;?\s*\}$/g, '')
              .trim();
      const name = /^(\w+)(?:\s*\+=\s*1|\s*=\s*\1\s*\+\s*1|\+\+);?$/.exec(only)?.[1];
      const end = isPython(region) ? '' : ';';
      return name === undefined ? [] : [{ node, scan, written: (count) => `${name} += ${count}${end}` }];
    }
    const { parent } = node;
    if (
      parent !== undefined &&
      callParts(region, node)?.method === 'filter' &&
      textOf(region, parent) === `${textOf(region, node)}.length`
    )
      return [{ node: parent, scan, written: (count) => count }];
    const call = node.type === 'generator_expression' ? parent : parent?.parent;
    const counts = call !== undefined && /^(sum\(\[?1 for|len\(\[)/.test(textOf(region, call).replaceAll(/\(\s+/g, '('));
    return call !== undefined && counts ? [{ node: call, scan, written: (count) => count }] : [];
  });
}

/** How many items are less or more than a value, asked again and again: sorted once, the place of the value says it. */
export const countToSorted: Operator = (region) =>
  countings(region).flatMap(({ node, scan, written }): StructuralEdit[] => {
    const items = new Set(identifiers(scan.item));
    return keyed(region, scan.condition, items, /^[<>]=?$/).flatMap(({ key, other, operator }): StructuralEdit[] => {
      const fixed = [...identifiers(scan.source), ...identifiers(key)].filter((name) => !items.has(name));
      const outer = repetitions(region, scan.node).find(({ node: each }) => !fixed.some((name) => changes(region, each, name)));
      if (outer === undefined || outer.node === node) return [];
      const sorted = freshName(region, isPython(region) ? 'in_order' : 'inOrder');
      // "key < other" and "key >= other" split where the first item is not less; the two others behind the last that is equal.
      const side = operator === '<' || operator === '>=' ? 'left' : 'right';
      const place = `${isPython(region) ? `bisect_${side}` : freshName(region, 'placeOf')}(${isPython(region) ? `${sorted}, ` : ''}${other})`;
      const size = isPython(region) ? `len(${sorted})` : `${sorted}.length`;
      const count = operator.startsWith('<') ? place : `(${size} - ${place})`;
      const lines = isPython(region)
        ? [`from bisect import bisect_${side}`, `${sorted} = sorted(${key} for ${scan.item} in ${scan.source})`]
        : sortedLines(region, { sorted, placeOf: freshName(region, 'placeOf'), key, scan, side });
      return [
        {
          what: `count in sorted order by ${brief(key)}`,
          at: node.start,
          changes: [before(region, outer, block(region, outer, lines)), replacing(node, written(count))],
        },
      ];
    });
  });

interface SortedNames {
  readonly sorted: string;
  readonly placeOf: string;
  readonly key: string;
  readonly scan: Scan;
  readonly side: 'left' | 'right';
}

function sortedLines({ unit }: Region, { sorted, placeOf, key, scan, side }: SortedNames): string[] {
  const items = key === scan.item ? `[...${scan.source}]` : `Array.from(${scan.source}, (${scan.item}) => ${key})`;
  return [
    `const ${sorted} = ${items}.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));`,
    `const ${placeOf} = (value) => {`,
    `${unit}let low = 0;`,
    `${unit}let high = ${sorted}.length;`,
    `${unit}while (low < high) {`,
    `${unit}${unit}const middle = (low + high) >> 1;`,
    `${unit}${unit}if (${sorted}[middle] ${side === 'left' ? '<' : '<='} value) low = middle + 1;`,
    `${unit}${unit}else high = middle;`,
    `${unit}}`,
    `${unit}return low;`,
    '};',
  ];
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

const grouped = (pattern: string): string => (pattern.includes(',') && !/^[([{]/.test(pattern) ? `(${pattern})` : pattern);

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
  const changesMade: TextChange[] = isPython(region)
    ? [
        before(region, outer, `${values} = [${pair} for ${item} in ${source}]`),
        { start: left.start, end: right.end, text: `${grouped(item)}, ${grouped(target)} in ${values}` },
      ]
    : [
        before(region, outer, `const ${values} = Array.from(${source}, (${item}) => [${item}, ${value}]);`),
        { start: left.start, end: right.end, text: `[${item}, ${target}] of ${values}` },
      ];
  return [
    {
      what: `work out once for each item: ${brief(value)}`,
      at: node.start,
      changes: [...changesMade, removal(region, first)],
    },
  ];
}
