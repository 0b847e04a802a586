/** Replaces counting that starts again each time: of items equal to a value by a table, of items less or more by a sorted list. */
import { childOf, type SyntaxNode } from '../../syntax/parse.ts';
import { before, brief, type Operator, replacing, type StructuralEdit } from '../structural-edit.ts';
import { type Region, textOf } from '../structural-region.ts';
import { isRisky, madeOnce } from './lookups/filled.ts';
import { equalities, identifiers, isComparison, keyed, type Scan, scans } from './lookups/scans.ts';
import { block, callParts, changes, freshName, isPython, isTypeScript, outside, repetitions, within } from './shape.ts';
import { keyType, newMap } from './types.ts';

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
    if (!scan.alone) return [];
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

/** How many items equal a value, asked again and again: counted once. */
export const countToTable: Operator = (region) =>
  countings(region).flatMap(({ node, scan, written }): StructuralEdit[] => {
    const items = new Set(identifiers(scan.item));
    if (scan.negated || !isComparison(region, scan.condition)) return [];
    return equalities(region, scan, items).flatMap(({ key, other }): StructuralEdit[] => {
      const fixed = [...identifiers(scan.source), ...identifiers(key)].filter((name) => !items.has(name));
      const place = outside(region, scan.node, fixed);
      if (place === undefined || within(place.node, node)) return [];
      const counts = freshName(region, 'counts');
      const add = isPython(region)
        ? `${region.unit}${counts}[${key}] = ${counts}.get(${key}, 0) + 1`
        : `${region.unit}${counts}.set(${key}, (${counts}.get(${key}) ?? 0) + 1);`;
      const lines = isPython(region)
        ? ['{}', `for ${scan.item} in ${scan.source}:`, add]
        : [
            newMap(region, keyType(region, { list: scan.source, item: scan.item, key }), 'number'),
            `for (const ${scan.item} of ${scan.source}) {`,
            add,
            '}',
          ];
      const count = isPython(region) ? `${counts}.get(${other}, 0)` : `(${counts}.get(${other}) ?? 0)`;
      const careful = isRisky(scan.item, scan.source, key);
      const changesMade = [...madeOnce(region, place, node, counts, lines, careful), replacing(node, written(count))];
      return [{ what: `count once by ${brief(key)}`, at: node.start, changes: changesMade }];
    });
  });

/** How many items are less or more than a value, asked again and again: sorted once, the place of the value says it. */
export const countToSorted: Operator = (region) =>
  countings(region).flatMap(({ node, scan, written }): StructuralEdit[] => {
    if (!isComparison(region, scan.condition)) return [];
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

function sortedLines(region: Region, { sorted, placeOf, key, scan, side }: SortedNames): string[] {
  const { unit } = region;
  const type = isTypeScript(region) ? `: ${keyType(region, { list: scan.source, item: scan.item, key })}` : '';
  const items = key === scan.item ? `[...${scan.source}]` : `Array.from(${scan.source}, (${scan.item}) => ${key})`;
  return [
    `const ${sorted} = ${items}.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));`,
    `const ${placeOf} = (value${type}) => {`,
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
