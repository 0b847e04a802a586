/** Replaces scans for equal items inside of other loops by look-ups in an index that is made once, for all scans of a list by one key. */
import { brief, type Operator, replacing, type StructuralEdit } from '../../structural-edit.ts';
import type { Region, Statement } from '../../structural-region.ts';
import { callParts, changes, freshName, isPython, isTypeScript, outside, statementsOf, within } from '../shape.ts';
import { itemType, keyType, newMap } from '../types.ts';
import { answered, filledBefore, isRisky } from './filled.ts';
import { fileLines, indexName, splitArguments } from './membership.ts';
import { equalities, identifiers, optionalEqualities, type Scan, scans } from './scans.ts';

interface LookUp {
  readonly scan: Scan;
  readonly source: string;
  /** The first place that the scan looks at; undefined for all, and where it looks at items. */
  readonly from: string | undefined;
  readonly key: string;
  readonly other: string;
  /** Where this is so, all items are looked at. */
  readonly unless: string | undefined;
  /** What must not change between the index and the scan. */
  readonly fixed: readonly string[];
  readonly place: Statement;
}

function lookUps(region: Region): LookUp[] {
  return scans(region).flatMap((scan): LookUp[] => {
    const items = new Set(identifiers(scan.item));
    // A place in the index is none in the list.
    if (callParts(region, scan.node)?.method === 'findIndex') return [];
    const range = isPython(region) ? /^range\((.+)\)$/.exec(scan.source) : null;
    const bounds = range === null ? [] : splitArguments(range[1] ?? '');
    if (bounds.length > 2) return [];
    // From a start that moves with the outer loop, all are indexed, and those before it are left out.
    const [from, to] = bounds.length === 2 ? bounds : [undefined, bounds[0]];
    const source = to === undefined ? scan.source : `range(${to})`;
    // What the list holds has no name that could be written.
    if (isTypeScript(region) && !/^\w+$/.test(source)) return [];
    const always = equalities(region, scan, items).map((each) => ({ ...each, unless: undefined }));
    const found = from === undefined ? [...always, ...optionalEqualities(region, scan, items)] : always;
    return found.flatMap(({ key, other, unless }): LookUp[] => {
      const fixed = [...identifiers(source), ...identifiers(key).filter((name) => !items.has(name))].filter(
        (name) => name !== 'range' && name !== 'len',
      );
      const place = outside(region, scan.node, fixed);
      if (place === undefined || place.node === scan.node || within(place.node, scan.node)) return [];
      return [{ scan, source, from, key, other, unless, fixed, place }];
    });
  });
}

/** The key without the item's name. */
const formOf = ({ scan: { item }, key }: LookUp): string =>
  /^\w+$/.test(item) ? key.replaceAll(new RegExp(`(?<![\\w.])${item}\\b`, 'g'), '@') : `${item}: ${key}`;

/** Look-ups by one key in one list, from statements of one block between which nothing changes, share an index. */
function shared(region: Region, all: readonly LookUp[]): LookUp[][] {
  const groups: LookUp[][] = [];
  for (const one of all) {
    const { scan, source, place } = one;
    const group = groups.find(([first]) => {
      if (first === undefined || first.source !== source || first.place.block !== place.block) return false;
      if (formOf(first) !== formOf(one)) return false;
      const between = statementsOf(region, place.block).filter(
        (each) => each.start >= first.place.start && each.start < place.start,
      );
      return (
        first.place.start <= place.start && !between.some((each) => one.fixed.some((name) => changes(region, each.node, name)))
      );
    });
    if (group === undefined) groups.push([one]);
    else if (!group.some((other) => other.scan.node === scan.node)) group.push(one);
  }
  return groups;
}

/** A scan for equal items inside another loop becomes a look-up in an index that is made once. The condition stays. */
export const scanToIndex: Operator = (region) =>
  shared(region, lookUps(region)).flatMap((group): StructuralEdit[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { scan, source, key, place } = first;
    const index = freshName(region, indexName(region, source, key));
    const careful = isRisky(
      scan.item,
      source.replace(/^range\(len\((\w+)\)\)$/, '$1'),
      ...group.flatMap((each) => [each.key, each.other]),
    );
    const looked = group.map(({ scan: { item, sourceNode }, from, other, unless }) => {
      const asked = isPython(region) ? `${index}.get(${other}, ())` : `${index}.get(${other}) ?? []`;
      const found = answered(region, index, asked, source, careful);
      if (from !== undefined) return replacing(sourceNode, `[${item} for ${item} in ${found} if ${item} >= ${from}]`);
      if (unless === undefined) return replacing(sourceNode, found);
      const choice = isPython(region) ? `${source} if ${unless} else ${found}` : `${unless} ? ${source} : ${found}`;
      return replacing(sourceNode, `(${choice})`);
    });
    const what = `look up by ${brief(key)} instead of searching ${brief(source)}`;
    const made = filledBefore(region, place, index, indexLines(region, index, scan.item, source, key), careful);
    return [{ what, at: scan.node.start, changes: [made, ...looked] }];
  });

function indexLines(region: Region, index: string, item: string, source: string, key: string): string[] {
  if (isPython(region)) {
    const kept = item.includes(',') && !item.startsWith('(') ? `(${item})` : item;
    return ['{}', `for ${item} in ${source}:`, `${region.unit}${index}.setdefault(${key}, []).append(${kept})`];
  }
  const map = newMap(region, keyType(region, { list: source, item, key }), `${itemType(region, source)}[]`);
  const filed = fileLines(region, index, key, item).map((line) => region.unit + line);
  return [map, `for (const ${item} of ${source}) {`, ...filed, '}'];
}
