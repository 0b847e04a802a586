/** An index in which an item stands under each of several keys: the ends of an edge, the tags of an article. */
import { childOf, type SyntaxNode } from '../../../syntax/parse.ts';
import { brief, type Operator, replacing, type StructuralEdit } from '../../structural-edit.ts';
import { type Region, textOf } from '../../structural-region.ts';
import { callParts, freshName, isPython, isTypeScript, namesIn, outside, statementsOf, within } from '../shape.ts';
import { itemType, keyType, newMap } from '../types.ts';
import { answered, filledBefore } from './filled.ts';
import { fileLines, memberships } from './membership.ts';
import { conjuncts, equalities, identifiers, isReadBehind, type Scan, scans } from './scans.ts';

interface Keys {
  /** An expression: the list that holds the keys of an item. */
  readonly keys: string;
  /** What is looked for among them. */
  readonly other: string;
  /** The type of one of them. */
  readonly type: string;
}

/** `x in item.tags`: an inverted index. */
function listedKeys(region: Region, { item, source, condition, negated }: Scan): Keys[] {
  if (negated || /\|\||\bor\b/.test(textOf(region, condition))) return [];
  const own = new Set(identifiers(item));
  const isOwn = (text: string): boolean => identifiers(text).some((name) => own.has(name));
  return memberships(region).flatMap((test): Keys[] => {
    if (!within(test.node, condition) || test.negated || !isOwn(test.list) || isOwn(test.item)) return [];
    const type = keyType(region, { list: source, item, key: test.list });
    return [{ keys: test.list, other: test.item, type: type === 'unknown' ? type : `${type}[number]` }];
  });
}

/** `x in (edge.a, edge.b)`: either end. */
function eitherKeys(region: Region, { item, source, condition, negated }: Scan): Keys[] {
  const own = new Set(identifiers(item));
  const isOwn = (text: string): boolean => identifiers(text).some((name) => own.has(name));
  return conjuncts(region, condition, negated).flatMap((test): Keys[] => {
    const text = negated ? '' : textOf(region, test);
    const python = /^(?<other>[^()]+) in [([](?<keys>[^()]+, [^()]+)[)\]]$/;
    const javascript = /^\[(?<keys>[^()]+, [^()]+)\]\.includes\((?<other>[^()]+)\)$/;
    const { other = '', keys = '' } = (isPython(region) ? python : javascript).exec(text)?.groups ?? {};
    const parts = keys.split(', ');
    if (other === '' || isOwn(other) || !parts.every(isOwn)) return [];
    return [{ keys: `[${keys}]`, other, type: keyType(region, { list: source, item, key: parts[0] ?? '' }) }];
  });
}

/** `item.path.startswith(folder + "/")`: all beginnings, of which only those with the last character count where it is known. */
function beginnings(region: Region, { item, condition, negated }: Scan): Keys[] {
  const own = new Set(identifiers(item));
  const isOwn = (text: string): boolean => identifiers(text).some((name) => own.has(name));
  return (negated ? [] : conjuncts(region, condition, negated)).flatMap((test): Keys[] => {
    const { object, method, args } = callParts(region, test) ?? { object: undefined, method: '', args: [] };
    const [start, more] = args;
    if (object === undefined || start === undefined || more !== undefined || !/^starts[wW]ith$/.test(method)) return [];
    const [text, other] = [textOf(region, object), textOf(region, start)];
    if (!isOwn(text) || isOwn(other) || other.startsWith('(')) return [];
    const last = /(?: \+ (['"])(\S)\1|\}(\S)[`'"])$/.exec(other);
    const sign = last?.[2] ?? last?.[3];
    const [at, each] = [freshName(region, 'end'), freshName(region, 'sign')];
    const python =
      sign === undefined
        ? `(${text}[:${at}] for ${at} in range(len(${text}) + 1))`
        : `(${text}[: ${at} + 1] for ${at}, ${each} in enumerate(${text}) if ${each} == ${JSON.stringify(sign)})`;
    const javascript = `Array.from({ length: ${text}.length + 1 }, (_, ${at}) => ${text}.slice(0, ${at}))${sign === undefined ? '' : `.filter((${each}) => ${each}.endsWith(${JSON.stringify(sign)}))`}`;
    return [{ keys: isPython(region) ? python : javascript, other, type: 'string' }];
  });
}

/** `edge.a == x or edge.b == x`, and the same as an `if` with an `elif`: an adjacency list. */
function alternativeKeys(region: Region, scan: Pick<Scan, 'item' | 'source'>, tests: readonly SyntaxNode[]): Keys[] {
  const items = new Set(identifiers(scan.item));
  const found = tests.map((condition) =>
    equalities(region, { condition, negated: false, aliases: new Map(), alone: true }, items).filter(
      ({ key }) => !key.startsWith('('),
    ),
  );
  return (found[0] ?? []).flatMap(({ key, other }): Keys[] => {
    const keys = found.map((each) => each.find((one) => one.other === other)?.key ?? '');
    if (keys.length < 2 || keys.includes('')) return [];
    const type = keyType(region, { list: scan.source, item: scan.item, key });
    return [{ keys: `[${keys.join(', ')}]`, other, type }];
  });
}

/** The sides of the `or` that is all of a condition. */
function sidesOf(region: Region, condition: SyntaxNode): SyntaxNode[] {
  if (/^(parenthesized_expression|if_clause)$/.test(condition.type)) {
    const inner = condition.children.find((child) => child.named);
    return inner === undefined ? [] : sidesOf(region, inner);
  }
  const [left, operator, right] = condition.children;
  if (left === undefined || operator === undefined || right === undefined || !/^(\|\||or)$/.test(textOf(region, operator)))
    return [condition];
  return [...sidesOf(region, left), ...sidesOf(region, right)];
}

/** The conditions of an `if` that is all of a loop's body and has no last `else`, or one that goes on with the next item. */
function branchesOf(region: Region, loop: SyntaxNode): SyntaxNode[] {
  const body = childOf(loop, 'body');
  const [only, more] = body === undefined ? [] : statementsOf(region, body);
  const tests: SyntaxNode[] = [];
  let skips = more === undefined;
  for (let open: readonly SyntaxNode[] = only === undefined ? [] : [only.node]; open.length > 0; ) {
    const [at, ...others] = open;
    const condition = at === undefined ? undefined : childOf(at, 'condition');
    if (at === undefined) return [];
    if (condition !== undefined && /^(if_statement|elif_clause)$/.test(at.type)) {
      tests.push(condition);
      const next = at.children.filter(({ field }) => field === 'alternative');
      open = isPython(region) ? [...others, ...next] : next.map((each) => each.children.find(({ named }) => named) ?? each);
      continue;
    }
    if (tests.length === 0 || !/^(else:)?\s*\{?\s*continue;?\s*\}?$/.test(textOf(region, at))) return [];
    skips = true;
    open = others;
  }
  return skips ? tests : [];
}

interface Found extends Keys {
  readonly scan: Pick<Scan, 'node' | 'item' | 'source' | 'sourceNode'>;
}

function foundIn(region: Region): Found[] {
  const single = scans(region).flatMap((scan): Found[] =>
    [
      ...listedKeys(region, scan),
      ...eitherKeys(region, scan),
      ...beginnings(region, scan),
      ...(scan.negated ? [] : alternativeKeys(region, scan, sidesOf(region, scan.condition))),
    ].map((keys) => ({ scan, ...keys })),
  );
  const branching = region.nodes.flatMap((node): Found[] => {
    const [left, right] = [childOf(node, 'left'), childOf(node, 'right')];
    if (!/^for_(in_)?statement$/.test(node.type) || left === undefined || right === undefined) return [];
    if (!isPython(region) && !/\bof\s*$/.test(region.text.slice(left.end, right.start))) return [];
    // Python's loops leave their names behind: one that is read later must get its value as before.
    if (isPython(region) && identifiers(textOf(region, left)).some((name) => isReadBehind(region, node, name))) return [];
    const scan = { node, item: textOf(region, left), source: textOf(region, right), sourceNode: right };
    return alternativeKeys(region, scan, branchesOf(region, node)).map((keys) => ({ scan, ...keys }));
  });
  return [...single, ...branching];
}

/** A scan for items that have a key among several becomes a look-up in an index that is made once. The condition stays. */
export const scanToKeys: Operator = (region) =>
  foundIn(region).flatMap(({ scan, keys, other, type }): StructuralEdit[] => {
    const { node, item, source, sourceNode } = scan;
    const items = new Set(identifiers(item));
    const fixed = [...namesIn(region, sourceNode), ...identifiers(keys).filter((name) => !items.has(name))];
    const place = outside(region, node, fixed);
    if (place === undefined || within(place.node, node) || (isTypeScript(region) && !/^\w+$/.test(source))) return [];
    const [index, key] = [freshName(region, isPython(region) ? 'by_key' : 'byKey'), freshName(region, 'key')];
    const { unit } = region;
    const kept = item.includes(',') && !item.startsWith('(') ? `(${item})` : item;
    const lines = isPython(region)
      ? [
          '{}',
          `for ${item} in ${source}:`,
          `${unit}for ${key} in dict.fromkeys(${keys}):`,
          `${unit}${unit}${index}.setdefault(${key}, []).append(${kept})`,
        ]
      : [
          newMap(region, type, `${itemType(region, source)}[]`),
          `for (const ${item.replace(/^(const|let) /, '')} of ${source}) {`,
          `${unit}for (const ${key} of new Set(${/^\[|^Array\./.test(keys) ? keys : `[...${keys}]`})) {`,
          ...fileLines(region, index, key, item).map((line) => unit + unit + line),
          `${unit}}`,
          '}',
        ];
    const what = `look up by each of ${brief(keys)} instead of searching ${brief(source)}`;
    const asked = isPython(region) ? `${index}.get(${other}, ())` : `${index}.get(${other}) ?? []`;
    const changes = [
      filledBefore(region, place, index, lines, true),
      replacing(sourceNode, answered(region, index, asked, source, true)),
    ];
    return [{ what, at: node.start, changes }];
  });
