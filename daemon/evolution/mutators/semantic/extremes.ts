/** Replaces the greatest or least of a list's first or last items, asked again and again, by a list of them that is made once. */
import { before, type Operator, replacing, type StructuralEdit } from '../structural-edit.ts';
import { type Region, textOf } from '../structural-region.ts';
import { sliceOf } from './sequence.ts';
import { block, callsIn, freshName, isPython, isTypeScript, outside } from './shape.ts';

/** `max(xs[:i])`, `min(xs[i:])`, `Math.max(...xs.slice(0, i))`: found once for each place. */
export const sliceExtremeToList: Operator = (region) =>
  callsIn(region).flatMap(({ node, name, object, method, args: [only, more] }): StructuralEdit[] => {
    const which = isPython(region) ? name : object !== undefined && textOf(region, object) === 'Math' ? method : '';
    const spread = only?.type === 'spread_element' ? only.children.find((child) => child.named) : undefined;
    const read = isPython(region) ? only : spread;
    if (!/^(max|min)$/.test(which) || read === undefined || more !== undefined) return [];
    const slice = sliceOf(region, node, read);
    const isFirst = slice !== undefined && /^0?$/.test(slice.from) && slice.to !== '';
    const isLast = slice !== undefined && slice.to === '' && !/^0?$/.test(slice.from);
    if (slice === undefined || (!isFirst && !isLast)) return [];
    const { list, from, to } = slice;
    const place = outside(region, node, [list]);
    const same = textOf(region, node);
    const known = freshName(region, `${which === 'max' ? 'highest' : 'lowest'}${isPython(region) ? '_of' : 'Of'}`);
    // What has been found already is not looked for again.
    if (place === undefined || /\b(highest|lowest)_?[oO]f/.test(textOf(region, node.parent ?? node))) return [];
    const lines = isPython(region)
      ? pythonLines(region, known, list, which, isFirst)
      : javascriptLines(region, known, list, which, isFirst);
    const found = isPython(region)
      ? isFirst
        ? `(${known}[${to} - 1] if 0 < ${to} <= len(${known}) else ${same})`
        : `(${known}[-1 - (${from})] if 0 <= ${from} < len(${known}) else ${same})`
      : `(${known}[${isFirst ? `${to} - 1` : from}] ?? ${same})`;
    const what = `find the ${which === 'max' ? 'greatest' : 'least'} of each part once: ${list}`;
    return [{ what, at: node.start, changes: [before(region, place, block(region, place, lines)), replacing(node, found)] }];
  });

function pythonLines(region: Region, known: string, list: string, which: string, isFirst: boolean): string[] {
  // The first of equal items is returned.
  const test = which === 'max' ? '>=' : '<=';
  const made = isFirst ? `accumulate(${list}, ${which})` : `accumulate(reversed(${list}), lambda a, b: b if b ${test} a else a)`;
  const { unit } = region;
  return [
    'from itertools import accumulate',
    'try:',
    `${unit}${known} = list(${made})`,
    'except Exception:',
    `${unit}${known} = []`,
  ];
}

function javascriptLines(region: Region, known: string, list: string, which: string, isFirst: boolean): string[] {
  const end = which === 'max' ? '-Infinity' : 'Infinity';
  const [i, { unit }] = [freshName(region, 'i'), region];
  const head = isFirst
    ? `for (let ${i} = 0; ${i} < ${list}.length; ${i}++) {`
    : `for (let ${i} = ${list}.length - 1; ${i} >= 0; ${i}--) {`;
  return [
    `const ${known}${isTypeScript(region) ? ': number[]' : ''} = [];`,
    head,
    `${unit}${known}[${i}] = Math.${which}(${known}[${i} ${isFirst ? '-' : '+'} 1] ?? ${end}, ${list}[${i}]);`,
    '}',
  ];
}
