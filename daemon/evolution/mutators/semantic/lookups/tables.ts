/** Replaces a search for one item by a table that is made once: its first item with a key, or whether there is one. */
import { childOf } from '../../../syntax/parse.ts';
import { brief, type Operator, replacing, type StructuralEdit } from '../../structural-edit.ts';
import { textOf } from '../../structural-region.ts';
import { callParts, callsIn, freshName, isPython, isTypeScript, outside, within } from '../shape.ts';
import { itemType, keyType, newMap } from '../types.ts';
import { answered, filledBefore, isRisky } from './filled.ts';
import { indexName } from './membership.ts';
import { equalities, identifiers, isComparison, scans, soleCallName } from './scans.ts';
import { grouped } from './search.ts';

/** `xs.find((x) => x.id === id)`, `some`, `any(x.id == id for x in xs)` and `next(…, None)` in a loop. */
export const findToTable: Operator = (region) =>
  scans(region).flatMap((scan): StructuralEdit[] => {
    const { node, item, source } = scan;
    const generator = node.type === 'generator_expression';
    const call = generator ? node.parent : node;
    const method = generator ? soleCallName(region, node) : (callParts(region, node)?.method ?? '');
    if (call === undefined || !/^(find|findIndex|some|every|any|all|next)$/.test(method) || !isComparison(region, scan.condition))
      return [];
    if (isTypeScript(region) && !/^\w+$/.test(source)) return [];
    const asked = generator && node.parent?.type === 'argument_list' ? node.parent.parent : call;
    if (asked === undefined) return [];
    const items = new Set(identifiers(item));
    return equalities(region, scan, items).flatMap(({ key, other }): StructuralEdit[] => {
      const fixed = [...identifiers(source), ...identifiers(key).filter((name) => !items.has(name))];
      const place = outside(region, node, new Set(fixed));
      if (place === undefined || within(place.node, asked)) return [];
      const what = `look up by ${brief(key)} instead of searching ${brief(source)}`;
      const careful = isRisky(item, source, key, other);
      const edit = (name: string, lines: string[], found: string): StructuralEdit[] => {
        const text = answered(region, name, found, textOf(region, asked), careful);
        return [{ what, at: node.start, changes: [filledBefore(region, place, name, lines, careful), replacing(asked, text)] }];
      };
      const table = freshName(region, indexName(region, source, key));
      const set = freshName(
        region,
        key === item
          ? `${source}${isPython(region) ? '_set' : 'Set'}`
          : `${table.replace(/_?[bB]y_?/, isPython(region) ? '_' : '')}s`,
      );
      const { unit } = region;
      if (isPython(region)) {
        const spread = `for ${item} in ${source}`;
        if (method !== 'next')
          return edit(set, ['set()', `${set}.update(${key} ${spread})`], `${other} ${method === 'all' ? 'not in' : 'in'} ${set}`);
        const [, otherwise] = /,\s*([\w.]+)\s*\)$/.exec(textOf(region, asked)) ?? [];
        if (otherwise === undefined) return [];
        const body = childOf(node, 'body');
        if (body === undefined || !identifiers(textOf(region, body)).every((name) => items.has(name))) return [];
        const lines = ['{}', `${spread}:`, `${unit}${table}.setdefault(${key}, ${grouped(textOf(region, body))})`];
        return edit(table, lines, `${table}.get(${other}, ${otherwise})`);
      }
      const type = keyType(region, { list: source, item, key });
      if (method === 'findIndex') {
        const at = freshName(region, 'at');
        const fill = `${unit}if (!${table}.has(${key})) ${table}.set(${key}, ${at});`;
        const lines = [newMap(region, type, 'number'), `${source}.forEach((${item}, ${at}) => {`, fill, '});'];
        return edit(table, lines, `${table}.get(${other}) ?? -1`);
      }
      const spread = `for (const ${item} of ${source}) `;
      if (method !== 'find') {
        const made = isTypeScript(region) ? `new Set<${type}>()` : 'new Set()';
        return edit(set, [made, `${spread}${set}.add(${key});`], `${method === 'every' ? '!' : ''}${set}.has(${other})`);
      }
      const fill = `${unit}if (!${table}.has(${key})) ${table}.set(${key}, ${item});`;
      return edit(table, [newMap(region, type, itemType(region, source)), `${spread}{`, fill, '}'], `${table}.get(${other})`);
    });
  });

/**
 * `xs.filter((x, i, all) => all.indexOf(x) === i)`, the same by a key with `findIndex`, and a `reduce` that adds an item where no earlier
 * one is equal: a set keeps the first of equal items.
 */
export const firstsToSet: Operator = (region) =>
  callsIn(region).flatMap(({ node, object, method, args: [arrow] }): StructuralEdit[] => {
    if (object === undefined || arrow?.type !== 'arrow_function') return [];
    const list = textOf(region, object);
    const text = textOf(region, arrow).replaceAll(/\s+/g, ' ');
    const first = method === 'filter' ? filteredFirsts(text, list) : method === 'reduce' ? reducedFirsts(text) : undefined;
    const isEmpty = method === 'filter' || /, \[\]( as [^()]+)?\)$/.test(textOf(region, node));
    if (first === undefined || !isEmpty) return [];
    const { item, key } = first;
    const edit = (unique: string): StructuralEdit[] => [
      { what: 'keep the first of equal items by a set', at: node.start, changes: [replacing(node, unique)] },
    ];
    if (key === item) return edit(`[...new Set(${list})]`);
    const seen = freshName(region, 'seen');
    const set = isTypeScript(region) ? 'new Set<unknown>()' : 'new Set()';
    const given = isTypeScript(region) ? `${seen}: Set<unknown>` : seen;
    const isFirst = `(${item}) => !${seen}.has(${key}) && ${seen}.add(${key})`;
    return edit(`((${given}) => ${list}.filter(${isFirst}))(${set})`);
  });

interface Firsts {
  readonly item: string;
  /** By what items are equal. */
  readonly key: string;
}

/** The key by which a test compares two items. */
function keyOfBoth(test: string, item: string, other: string): string | undefined {
  const [left, right, more] = test.split(/ ===? /);
  if (left === undefined || right === undefined || more !== undefined || /&&|\|\|/.test(test)) return undefined;
  const turned = right.replaceAll(new RegExp(`(?<![\\w.])${item}\\b`, 'g'), other);
  if (left === turned && identifiers(right).includes(item)) return right;
  return left.replaceAll(new RegExp(`(?<![\\w.])${item}\\b`, 'g'), other) === right && identifiers(left).includes(item)
    ? left
    : undefined;
}

function filteredFirsts(text: string, source: string): Firsts | undefined {
  const [, item = '', at, all, list, how, asked = '', place] =
    /^\((\w+)[^,)]*, (\w+)[^,)]*(?:, (\w+)[^)]*)?\) => ([\w.]+)\.(indexOf|findIndex)\((.+)\) ===? (\w+)$/.exec(text) ?? [];
  if (item === '' || place !== at || (list !== all && list !== source)) return undefined;
  if (how === 'indexOf') return asked === item ? { item, key: item } : undefined;
  const [, other = '', test = ''] = /^\(?(\w+)\)? => (.+)$/.exec(asked) ?? [];
  const key = keyOfBoth(test, item, other);
  return key === undefined ? undefined : { item, key };
}

function reducedFirsts(text: string): Firsts | undefined {
  const [, kept = '', item = '', whole = ''] = /^\((\w+)(?:: [^,]+)?, (\w+)(?:: [^,)]+)?\)(?:: [^=]+)? => (.+)$/.exec(text) ?? [];
  const body = whole.replace(/^\((.*)\)$/, '$1');
  const added = `(?:\\[ ?\\.\\.\\.${kept}, ${item} ?\\]|${kept}\\.concat\\(\\[?${item}\\]?\\))`;
  const [, short, long] =
    new RegExp(`^\\{ if \\((.+)\\) (?:\\{ )?return ${kept};(?: \\})? return ${added}; \\}$`).exec(body) ??
    new RegExp(`^(.+) \\? ${kept} : ${added}$`).exec(body) ??
    [];
  const test = (short ?? long ?? '').replace(/^\((.*)\)$/, '$1');
  if (test === `${kept}.includes(${item})`) return { item, key: item };
  const [, how, other = '', asked = ''] = new RegExp(`^${kept}\\.(some|find)\\(\\(?(\\w+)\\)? => (.+)\\)$`).exec(test) ?? [];
  const key = how === undefined ? undefined : keyOfBoth(asked, item, other);
  return key === undefined ? undefined : { item, key };
}
