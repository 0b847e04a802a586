/** Has scans of a list that is in order look only at the stretch in which their test for less or more can hold. */
import { brief, type Operator, replacing, type StructuralEdit } from '../../structural-edit.ts';
import { type Region, type Statement, textOf } from '../../structural-region.ts';
import { freshName, isPython, mutates, namesIn, outside, within } from '../shape.ts';
import { filledBefore } from './filled.ts';
import { conjuncts, identifiers, itemNames, mayFail, type Scan, scans, withAliases } from './scans.ts';
import { mirrored, testsOf } from './spans.ts';

interface Bounds {
  /** What is compared of an item. */
  readonly key: string;
  /** Where the stretch begins and ends, by name of the function that finds it, and the value. */
  readonly from: readonly [find: string, value: string] | undefined;
  readonly to: readonly [find: string, value: string] | undefined;
}

/** `key < value`: ends before the first item that is not less; `key <= value`: behind the last that is equal. */
const finders: Readonly<Record<string, string>> = {
  '<': 'bisect_left',
  '<=': 'bisect_right',
  '>': 'bisect_right',
  '>=': 'bisect_left',
};

/** The tests for less or more by one key, of which all must hold; none behind a test that has nothing to do with the item. */
function boundsOf(region: Region, { item, condition, negated, aliases }: Scan): Bounds | undefined {
  const items = itemNames(new Set(identifiers(item)), aliases);
  const full = (text: string) => withAliases(text, aliases);
  const found: { key: string; sign: string; value: string }[] = [];
  for (const [at, each] of conjuncts(region, condition, negated).entries()) {
    if (![...namesIn(region, each)].some((name) => items.has(name))) break;
    for (const [left, sign, right] of testsOf(region, each, negated)) {
      const [mine, other] = [left, right].map((side) => [...namesIn(region, side)].some((name) => items.has(name)));
      if (mine === other) continue;
      const [key, value] = mine === true ? [left, right] : [right, left];
      const text = full(textOf(region, value));
      // What may fail is worked out only where the scan does it first.
      if (at > 0 && mayFail(text)) continue;
      found.push({ key: full(textOf(region, key)), sign: mine === true ? sign : (mirrored[sign] ?? sign), value: text });
    }
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const own = found.filter(({ key }) => key === first.key);
  const end = (direction: string) => {
    const test = own.find(({ sign }) => sign.startsWith(direction));
    return test === undefined ? undefined : ([finders[test.sign] ?? '', test.value] as const);
  };
  return { key: first.key, from: end('>'), to: end('<') };
}

interface Stretch extends Bounds {
  readonly scan: Scan;
  readonly place: Statement;
}

function stretches(region: Region): Stretch[] {
  return scans(region).flatMap((scan): Stretch[] => {
    const { node, item, source, sourceNode } = scan;
    const bounds = /^\w+(?:\.\w+|\["\w+"\]|\['\w+'\])?$/.test(source) ? boundsOf(region, scan) : undefined;
    if (bounds === undefined) return [];
    const items = identifiers(item);
    const fixed = [...namesIn(region, sourceNode), ...identifiers(bounds.key).filter((name) => !items.includes(name))];
    const place = outside(region, node, fixed);
    if (place === undefined || within(place.node, node)) return [];
    return items.some((name) => mutates(region, place.node, name)) ? [] : [{ ...bounds, scan, place }];
  });
}

/**
 * `x for x in xs if low <= x.key < high` again and again: the keys, worked out once for all scans of the list, say where each begins and
 * ends, if they are in order. The test stays.
 */
export const scanToStretch: Operator = (region) => {
  const all = isPython(region) ? stretches(region) : [];
  const groups = Map.groupBy(all, ({ scan: { item, source }, key, place }) => [source, item, key, place.start].join('\n'));
  return [...groups.values()].flatMap((group): StructuralEdit[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { key, place, scan } = first;
    const { item, source } = scan;
    const keys = freshName(region, 'keys');
    const { unit } = region;
    const lines = [
      '[]',
      `if type(${source}) is list:`,
      `${unit}${keys}.extend(${key} for ${item} in ${source})`,
      `if not all(one <= other for one, other in zip(${keys}, ${keys}[1:])):`,
      `${unit}${keys}.clear()`,
    ];
    const made = filledBefore(region, place, keys, lines, true);
    const names = new Set(group.flatMap(({ from, to }) => [from, to].flatMap((end) => (end === undefined ? [] : [end[0]]))));
    const imported = `${place.indent}from bisect import ${[...names].sort().join(', ')}${region.eol}`;
    const placeOf = (end: Bounds['from']) => (end === undefined ? '' : `${end[0]}(${keys}, ${end[1]})`);
    const looked = group.map((each) => {
      const { sourceNode } = each.scan;
      return replacing(sourceNode, `(${source}[${placeOf(each.from)}:${placeOf(each.to)}] if ${keys} else ${source})`);
    });
    const what = `look only where ${brief(key)} can be in order: ${brief(source)}`;
    return [{ what, at: scan.node.start, changes: [{ ...made, text: imported + made.text }, ...looked] }];
  });
};
