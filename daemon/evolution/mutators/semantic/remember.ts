/** Remembers, within one call of the program, what equal values have led to. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import { before, brief, type Operator, replacing, type StructuralEdit } from '../structural-edit.ts';
import { type Region, type Statement, textOf } from '../structural-region.ts';
import { isKept, isOwned, isValue, ownName, wholeValue, worthKeeping } from './once.ts';
import { identifiers } from './scans.ts';
import {
  block,
  changes,
  freshName,
  isPython,
  isTypeScript,
  outside,
  readIn,
  repeatsAround,
  repetitions,
  within,
} from './shape.ts';
import { newMap, valueType } from './types.ts';

/** A call of something that inner loops meet again and again is remembered by that. */
export const rememberByValue: Operator = (region) => {
  const groups = new Map<string, { node: SyntaxNode; leaf: string }[]>();
  const taken: SyntaxNode[] = [];
  for (const node of region.nodes) {
    if (!region.grammar.calls.has(node.type) || !isValue(region, node) || taken.some((other) => within(node, other))) continue;
    if (!worthKeeping(region, node) || isKept(region, node)) continue;
    const leaf = soleLeaf(region, node);
    if (leaf === undefined || repeatsAround(region, node) < 1) continue;
    taken.push(node);
    const form = withLeaf(textOf(region, node), leaf, '@');
    groups.set(form, [...(groups.get(form) ?? []), { node, leaf }]);
  }
  return [...groups.values()].flatMap((uses): StructuralEdit[] => {
    const [first] = uses;
    if (first === undefined) return [];
    // In one loop, only what stands there twice is worth it.
    if (uses.length === 1 && repeatsAround(region, first.node) < 2) return [];
    const [root] = identifiers(first.leaf);
    const fixed = readIn(region, first.node).filter((name) => name !== root);
    const place = outside(region, first.node, fixed);
    if (
      place === undefined ||
      !uses.every(({ node }) => within(node, place.node)) ||
      uses.some(({ node }) => within(place.node, node))
    )
      return [];
    const what = `remember by ${brief(first.leaf)}: ${brief(textOf(region, first.node))}`;
    const own = region.statements.find((each) => each.ownLines && wholeValue(region, each.node) === first.node);
    const name = ownName(region, own);
    const type = isTypeScript(region) ? valueType(region, first.node) : '';
    if (type === undefined || uses.some(({ node }) => isOwned(region, node, place.node, name))) return [];
    const field = /(\w+)\W*$/.exec(first.leaf)?.[1] ?? 'value';
    if (uses.length === 1 && own !== undefined && name !== undefined) {
      const by = isPython(region) ? `${name}_by_${field}` : `${name}By${field.charAt(0).toUpperCase()}${field.slice(1)}`;
      const map = freshName(region, by);
      const lines = keptLines(region, own, { map, name, leaf: first.leaf, value: textOf(region, first.node) });
      const made = isPython(region) ? `${map} = {}` : `const ${map} = ${newMap(region, 'unknown', type)};`;
      const changesMade = [before(region, place, made), replacing(own.node, lines)];
      return [{ what, at: first.node.start, changes: changesMade }];
    }
    if (isTypeScript(region)) return [];
    const seen = freshName(region, 'seen');
    const made = isPython(region) ? `${seen} = {}` : `const ${seen} = new Map();`;
    const text = ({ node, leaf }: (typeof uses)[number]) =>
      isPython(region)
        ? `(${seen}[${leaf}] if ${leaf} in ${seen} else ${seen}.setdefault(${leaf}, ${textOf(region, node)}))`
        : `(${seen}.get(${leaf}) ?? ${seen}.set(${leaf}, ${textOf(region, node)}).get(${leaf}))`;
    return [
      {
        what,
        at: first.node.start,
        changes: [before(region, place, made), ...uses.map((use) => replacing(use.node, text(use)))],
      },
    ];
  });
};

interface Kept {
  readonly map: string;
  readonly name: string;
  readonly leaf: string;
  readonly value: string;
}

/** Gives the name what was remembered, or works it out and remembers it. */
function keptLines(region: Region, own: Statement, { map, name, leaf, value }: Kept): string {
  const { unit } = region;
  const lines = isPython(region)
    ? [`if ${leaf} not in ${map}:`, `${unit}${map}[${leaf}] = ${value}`, `${name} = ${map}[${leaf}]`]
    : [
        `let ${name} = ${map}.get(${leaf});`,
        `if (${name} === undefined) {`,
        `${unit}${name} = ${value};`,
        `${unit}${map}.set(${leaf}, ${name});`,
        '}',
      ];
  return block(region, own, lines);
}

const withLeaf = (text: string, leaf: string, other: string): string =>
  text.replaceAll(new RegExp(`(?<![\\w.])${leaf.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`, 'g'), other);

/** The one thing that differs from round to round in the node: a name, or a part of what it names, always the same. */
function soleLeaf(region: Region, node: SyntaxNode): string | undefined {
  const outer = repetitions(region, node)[0];
  if (outer === undefined) return undefined;
  const moving = readIn(region, node).filter((name) => changes(region, outer.node, name));
  const [root] = moving;
  if (moving.length !== 1 || root === undefined) return undefined;
  const leaves = descendants(node)
    .filter(
      (each) =>
        each.type === 'identifier' && textOf(region, each) === root && each.field !== 'property' && each.field !== 'attribute',
    )
    .map((each) => textOf(region, widest(each)));
  const [leaf] = leaves;
  return leaf !== undefined && leaves.every((each) => each === leaf) ? leaf : undefined;
}

/** With the members and constant items that are read of a name. */
function widest(name: SyntaxNode): SyntaxNode {
  let at = name;
  for (let up = at.parent; up !== undefined; up = up.parent) {
    const isPart = /^(attribute|member_expression|subscript|subscript_expression)$/.test(up.type) && up.children[0] === at;
    const isCalled = up.field === 'function';
    const index = childOf(up, 'subscript') ?? childOf(up, 'index');
    if (!isPart || isCalled || (index !== undefined && !/^(string|integer|number)$/.test(index.type))) break;
    at = up;
  }
  return at;
}
