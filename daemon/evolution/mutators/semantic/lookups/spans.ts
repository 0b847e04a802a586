/** Replaces looking at every span for those that hold a value by a look into the spans of each stretch between two ends. */
import { childOf, type SyntaxNode } from '../../../syntax/parse.ts';
import { before, brief, type Operator, replacing, type StructuralEdit } from '../../structural-edit.ts';
import { type Region, textOf } from '../../structural-region.ts';
import { block, callParts, freshName, isPython, isTypeScript, namesIn, outside, within } from '../shape.ts';
import { itemType, keyType } from '../types.ts';
import { madeAs } from './membership.ts';
import { conjuncts, identifiers, itemNames, type Scan, scans, withAliases } from './scans.ts';

interface Spanning {
  readonly low: string;
  readonly high: string;
  /** What must lie between the two. */
  readonly value: string;
}

type Test = readonly [left: SyntaxNode, operator: string, right: SyntaxNode];

const inverse: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
/** The same test with its sides exchanged. */
export const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** The tests for less or more in a comparison, also those of `a <= b < c`. */
export function testsOf(region: Region, node: SyntaxNode, negated: boolean): Test[] {
  if (!/^(comparison_operator|binary_expression)$/.test(node.type)) return [];
  const { children } = node;
  // What is left out by "not a <= b < c" may fail either test.
  if (negated && children.length > 3) return [];
  return children.flatMap((operator, at): Test[] => {
    const [left, right] = [children[at - 1], children[at + 1]];
    const sign = textOf(region, operator);
    const wanted = negated ? inverse[sign] : sign;
    return left === undefined || right === undefined || wanted === undefined || mirrored[wanted] === undefined
      ? []
      : [[left, wanted, right]];
  });
}

/** `item.start <= value < item.end`, in any order and spelling. */
function spanningOf(region: Region, { item, condition, negated, aliases }: Scan): Spanning[] {
  const items = itemNames(new Set(identifiers(item)), aliases);
  const isOwn = (node: SyntaxNode) => [...namesIn(region, node)].some((name) => items.has(name));
  const full = (node: SyntaxNode) => withAliases(textOf(region, node), aliases);
  const tests = conjuncts(region, condition, negated)
    .flatMap((each) => testsOf(region, each, negated))
    .flatMap(([left, sign, right]) => {
      const turned: Test = [right, mirrored[sign] ?? sign, left];
      const test: Test = isOwn(left) ? [left, sign, right] : turned;
      return isOwn(test[0]) && !isOwn(test[2]) ? [{ key: full(test[0]), sign: test[1], value: full(test[2]) }] : [];
    });
  return tests.flatMap(({ key: low, sign, value }) => {
    const upper = sign.startsWith('<') ? tests.find((each) => each.sign.startsWith('>') && each.value === value) : undefined;
    return upper === undefined ? [] : [{ low, high: upper.key, value }];
  });
}

/** For each value, which of many spans hold it: a scan looks only at the spans of its stretch. The condition stays. */
export const scanToSpans: Operator = (region) =>
  scans(region).flatMap((scan): StructuralEdit[] => {
    const { node, item, source, sourceNode } = scan;
    if (callParts(region, node)?.method === 'findIndex' || /^range\(/.test(source)) return [];
    if (isTypeScript(region) && !/^\w+$/.test(source)) return [];
    return spanningOf(region, scan).flatMap((spanning): StructuralEdit[] => {
      const items = new Set(identifiers(item));
      const keys = [...identifiers(spanning.low), ...identifiers(spanning.high)].filter((name) => !items.has(name));
      const place = outside(region, node, [...namesIn(region, sourceNode), ...keys]);
      if (place === undefined || place.node === node || within(place.node, node)) return [];
      const values = valuesOf(region, node, spanning.value, place.node);
      const names = {
        values,
        cuts: freshName(region, 'cuts'),
        spans: freshName(region, 'spanning'),
        placeOf: freshName(region, 'placeOf'),
      };
      const lines = isPython(region)
        ? pythonLines(region, scan, spanning, names)
        : javascriptLines(region, scan, spanning, names);
      const { cuts, spans, placeOf } = names;
      const asked = isPython(region)
        ? `(${spans}[bisect_right(${cuts}, ${spanning.value}) - 1] if ${spans} else ${source})`
        : `(${spans}.length > 0 ? ${spans}[${placeOf}(${spanning.value}) - 1] ?? [] : ${source})`;
      const what = `look at the spans around ${brief(spanning.value)} only: ${brief(source)}`;
      return [
        { what, at: node.start, changes: [before(region, place, block(region, place, lines)), replacing(sourceNode, asked)] },
      ];
    });
  });

/** What the values are that are looked for, as a list: those that the loop around the scan runs over; else undefined. */
function valuesOf(region: Region, node: SyntaxNode, value: string, place: SyntaxNode): string | undefined {
  const own = region.statements.flatMap((each) => (within(each.node, place) ? (madeAs(region, each.node, value) ?? []) : []));
  const [made, more] = own;
  const asked = made === undefined || more !== undefined ? value : made;
  const fits = (item: string) => {
    const known = identifiers(item);
    return known.length > 0 && identifiers(asked).every((name) => known.includes(name));
  };
  for (let up = node.parent; up !== undefined && up.start >= place.start; up = up.parent) {
    const clause = up.children.find(({ type }) => type === 'for_in_clause') ?? up;
    const [left, right] = [childOf(clause, 'left'), childOf(clause, 'right')];
    if (isPython(region) && left !== undefined && right !== undefined && fits(textOf(region, left)))
      return `{${asked} for ${textOf(region, left)} in ${textOf(region, right)}}`;
    if (isPython(region)) continue;
    const ofHead = /^for \(const ([^=;]+) of ([\w.]+)\) \{/.exec(textOf(region, up));
    if (ofHead !== null && fits(ofHead[1] ?? '')) return `Array.from(${ofHead[2]}, (${ofHead[1]}) => ${asked})`;
    const counted = /^for \(let (\w+) = ([\w.]+); \1 < ([\w.]+); \1\+\+\) \{/.exec(textOf(region, up));
    if (counted !== null && asked === counted[1])
      return `Array.from({ length: Math.max(0, ${counted[3]} - ${counted[2]}) || 0 }, (_, i) => ${counted[2]} + i)`;
    const called = callParts(region, up);
    const [arrow] = called?.args ?? [];
    const [, item = ''] = arrow === undefined ? [] : (/^\(?(\w+)(?:, \w+)?\)? =>/.exec(textOf(region, arrow)) ?? []);
    if (called?.object !== undefined && within(node, arrow ?? up) && fits(item) && called.object.type === 'identifier')
      return `Array.from(${textOf(region, called.object)}, (${item}) => ${asked})`;
  }
  return undefined;
}

interface SpanNames {
  /** The values that are looked for in order, or the lower ends of all spans. */
  readonly cuts: string;
  /** For each of them, the spans that hold it or what follows up to the next. */
  readonly spans: string;
  readonly placeOf: string;
  readonly values: string | undefined;
}

function pythonLines(
  region: Region,
  { item, source }: Scan,
  { low, high }: Spanning,
  { cuts, spans, values }: SpanNames,
): string[] {
  const { unit } = region;
  const at = freshName(region, 'at');
  const kept = item.includes(',') && !item.startsWith('(') ? `(${item})` : item;
  return [
    'from bisect import bisect_left, bisect_right',
    'try:',
    `${unit}${cuts} = sorted(${values ?? `{${low} for ${item} in ${source}}`})`,
    `${unit}${spans} = [[] for _ in ${cuts}]`,
    `${unit}for ${item} in ${source}:`,
    `${unit}${unit}for ${at} in range(bisect_left(${cuts}, ${low}), bisect_right(${cuts}, ${high})):`,
    `${unit}${unit}${unit}${spans}[${at}].append(${kept})`,
    'except Exception:',
    `${unit}${spans} = []`,
  ];
}

function javascriptLines(region: Region, scan: Scan, { low, high }: Spanning, names: SpanNames): string[] {
  const { item, source } = scan;
  const { unit } = region;
  const { cuts, spans, placeOf, values = `${source}.map((${item}) => ${low})` } = names;
  const [at, from, to] = [freshName(region, 'at'), freshName(region, 'from'), freshName(region, 'to')];
  const [type, list] = isTypeScript(region)
    ? [`: ${keyType(region, { list: source, item, key: low })}`, `: ${itemType(region, source)}[][]`]
    : ['', ''];
  return [
    `const ${cuts} = [...new Set(${values})].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));`,
    `const ${placeOf} = (value${type}) => {`,
    `${unit}let low = 0;`,
    `${unit}let high = ${cuts}.length;`,
    `${unit}while (low < high) {`,
    `${unit}${unit}const middle = (low + high) >> 1;`,
    `${unit}${unit}if ((${cuts}[middle] ?? value) <= value) low = middle + 1;`,
    `${unit}${unit}else high = middle;`,
    `${unit}}`,
    `${unit}return low;`,
    '};',
    `const ${spans}${list} = ${cuts}.every((cut, i) => i === 0 || (${cuts}[i - 1] ?? cut) <= cut) ? ${cuts}.map(() => []) : [];`,
    `if (${spans}.length > 0) {`,
    `${unit}for (const ${item} of ${source}) {`,
    `${unit}${unit}const [${from}, ${to}] = [${placeOf}(${low}), ${placeOf}(${high})];`,
    `${unit}${unit}for (let ${at} = Math.max(0, ${from} - 1); ${at} < ${to}; ${at}++) ${spans}[${at}]?.push(${item});`,
    `${unit}}`,
    '}',
  ];
}
