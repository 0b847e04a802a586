/** Works out once what loops work out again and again: values that do not change, of each item, of equal arguments. */
import { childOf, descendants, type SyntaxNode } from '../syntax/parse.ts';
import { identifiers } from './semantic-scans.ts';
import { grouped } from './semantic-search.ts';
import {
  block,
  callParts,
  changes,
  freshName,
  isPython,
  mutates,
  outside,
  repeatsAround,
  repetitions,
  statementsOf,
  typed,
  within,
} from './semantic-shape.ts';
import {
  before,
  brief,
  type Operator,
  reindent,
  removal,
  replacing,
  type StructuralEdit,
  type TextChange,
} from './structural-edit.ts';
import { namesOf, roleOf } from './structural-names.ts';
import { type Region, type Statement, textOf } from './structural-region.ts';

/** Calls that cost less than remembering what they return. */
const cheap =
  /^(len|range|enumerate|zip|int|float|str|bool|abs|isinstance|ord|chr|reversed|iter|print|items|keys|values|get|has|append|push|charAt|charCodeAt|slice|trim|strip|join|concat|startsWith|endsWith|isArray|add|set|Number|String|Boolean)$/;
const mutating =
  /^(append|push|pop|shift|unshift|insert|add|set|delete|remove|extend|update|setdefault|next|popleft|appendleft|random|write|read|readline|clear|splice|reverse|forEach)$/;

/** Whether computing the node again costs something, and does nothing else. */
function worthKeeping(region: Region, node: SyntaxNode): boolean {
  const all = descendants(node);
  const calls = all.flatMap((each) => callParts(region, each) ?? []);
  if (calls.some(({ method, name }) => mutating.test(method) || mutating.test(name))) return false;
  if (
    all.some(({ type }) =>
      /^(await|yield|await_expression|yield_expression|(augmented_)?assignment_expression|update_expression|named_expression)$/.test(
        type,
      ),
    )
  )
    return false;
  const makes = all.some((each) => each.type === 'new_expression' && !/^new \w+\(\)$/.test(textOf(region, each)));
  return makes || calls.some(({ method, name }) => !cheap.test(method === '' ? name : method));
}

/** The names that the node reads and does not declare itself. */
function readIn(region: Region, node: SyntaxNode): string[] {
  const { used, declared } = namesOf(descendants(node), region.text);
  return [...used].filter((name) => !declared.has(name));
}

const isValue = (region: Region, node: SyntaxNode): boolean =>
  (region.grammar.calls.has(node.type) ||
    region.grammar.binary.has(node.type) ||
    /comprehension$|^(subscript|subscript_expression|member_expression|ternary_expression|conditional_expression)$/.test(
      node.type,
    )) &&
  node.field !== 'function' &&
  !(node.field === 'left' && /assignment|^for_/.test(node.parent?.type ?? '')) &&
  node.field !== 'constructor';

/** Whether the node stands in a function of its own within the span: a name bound there is another function's. */
function inLambda(node: SyntaxNode, outer: SyntaxNode): boolean {
  for (let up = node.parent; up !== undefined && up !== outer; up = up.parent) {
    if (/^(lambda|function_definition)$/.test(up.type)) return true;
  }
  return false;
}

/** For names that one statement gives a value: what that value is made of. */
function origins(region: Region, names: readonly string[], depth = 3): string[] {
  return names.flatMap((name) => {
    const values = region.statements.flatMap(({ node }) => {
      const value = new RegExp(`^(?:(?:const|let)\\s+)?${name}\\s*(?::[^=]+)?=[^=]`).test(textOf(region, node))
        ? wholeValue(region, node)
        : undefined;
      return value === undefined ? [] : [value];
    });
    const [only] = values;
    const times = region.nodes.filter(
      (node) => textOf(region, node) === name && /^(declares|assigns)$/.test(roleOf(node) ?? ''),
    ).length;
    const [root] = region.nodes;
    if (only === undefined || times !== 1 || depth === 0 || root === undefined || mutates(region, root, name)) return [name];
    return origins(region, readIn(region, only), depth - 1);
  });
}

/** Whether the node is computed once as it is. */
function isKept(region: Region, node: SyntaxNode): boolean {
  for (let up = node.parent; up !== undefined && !region.grammar.loops.has(up.type); up = up.parent) {
    if (/^(named_expression|augmented_assignment_expression)$/.test(up.type)) return true;
    if (/^seen(_\d+)?\.(set|setdefault)\(/.test(textOf(region, up))) return true;
    const condition = up.type === 'if_statement' ? childOf(up, 'condition') : undefined;
    if (condition !== undefined && /^\(?\w+ (is None|=== undefined)\)?$/.test(textOf(region, condition))) return true;
  }
  return false;
}

/** An expression in a loop whose value never changes there is computed the first time it is met, and kept. */
export const workOutOnce: Operator = (region) => {
  const taken: SyntaxNode[] = [];
  return region.nodes.flatMap((node): StructuralEdit[] => {
    if (!isValue(region, node) || taken.some((other) => within(node, other)) || !worthKeeping(region, node)) return [];
    if (isKept(region, node)) return [];
    const names = origins(region, readIn(region, node));
    const place = names.length === 0 ? undefined : outside(region, node, names);
    const loops = place === undefined || within(place.node, node) ? [] : repetitions(region, node);
    // What a loop runs over is computed once as it is.
    if (place === undefined || loops.length === 0 || (isPython(region) && inLambda(node, place.node))) return [];
    taken.push(node);
    const value = textOf(region, node);
    const known = freshName(region, 'known');
    const what = `work out once: ${brief(value)}`;
    const own = region.statements.find((each) => each.ownLines && wholeValue(region, each.node) === node);
    if (isPython(region)) {
      const kept = own === undefined ? undefined : /^(\w+)\s*=/.exec(textOf(region, own.node))?.[1];
      const init = before(region, place, `${known} = None`);
      if (own === undefined || kept === undefined)
        return [
          {
            what,
            at: node.start,
            changes: [init, replacing(node, `(${known} if ${known} is not None else (${known} := ${value}))`)],
          },
        ];
      const lines = [`if ${known} is None:`, `${region.unit}${known} = ${value}`];
      return [{ what, at: node.start, changes: [init, before(region, own, block(region, own, lines)), replacing(node, known)] }];
    }
    const init = before(region, place, `let ${known}${typed(region, 'any')};`);
    return [{ what, at: node.start, changes: [init, replacing(node, `(${known} ??= ${value})`)] }];
  });
};

/** The right side of an assignment. */
function wholeValue(region: Region, statement: SyntaxNode): SyntaxNode | undefined {
  const [only] = statement.children;
  return only === undefined
    ? undefined
    : (childOf(only, 'right') ?? childOf(only, 'value') ?? (/statement$/.test(only.type) ? wholeValue(region, only) : undefined));
}

/** A sum that an inner loop builds up from what never changes, `total = 0` and the loop after it, is built up once. */
export const buildOnce: Operator = (region) =>
  region.statements.flatMap((loop): StructuralEdit[] => {
    if (!region.grammar.loops.has(loop.node.type) || !loop.ownLines || loop.rigid || isKept(region, loop.node)) return [];
    const own = statementsOf(region, loop.block);
    const made = own[own.indexOf(loop) - 1];
    const [, word = '', name = '', type = ''] =
      made === undefined ? [] : (/^((?:const|let|var)\s+)?(\w+)\s*(:[^=]+)?=[^=]/.exec(textOf(region, made.node)) ?? []);
    if (made === undefined || name === '' || !made.ownLines || made.rigid) return [];
    const group = { start: made.start, end: loop.end };
    const { changed, declared, used } = namesOf([...descendants(made.node), ...descendants(loop.node)], region.text);
    const reads = [...used].filter((each) => each !== name && !declared.has(each));
    const place = outside(region, made.node, reads);
    if (place === undefined || within(place.node, loop.node) || place.node === loop.node) return [];
    // Only the sum leaves the group, and nothing else changes it.
    const outer = place.node;
    const rest = `${region.text.slice(outer.start, group.start)}${region.text.slice(group.end, outer.end)}`;
    const again = new RegExp(
      `(?<![\\w.])${name}\\s*(\\.\\s*(append|push|pop|add|sort|set|insert|extend|update|shift|splice)\\s*\\(|\\[[^\\]]*\\]\\s*[-+*/%|&]?=[^=]|[-+*/%|&]?=[^=>]|\\+\\+)`,
    );
    if (again.test(rest)) return [];
    if ([...changed].some((each) => each !== name && (!declared.has(each) || new RegExp(`\\b${each}\\b`).test(rest)))) return [];
    const known = freshName(region, `known_${name}`);
    const inner = reindent(
      region.text.slice(group.start + made.indent.length, group.end),
      made.indent,
      made.indent + region.unit,
    );
    const what = `build up once: ${name}`;
    if (isPython(region)) {
      const text = [`if ${known} is None:`, `${region.unit}${inner}`, `${region.unit}${known} = ${name}`, `${name} = ${known}`];
      return [
        {
          what,
          at: made.node.start,
          changes: [before(region, place, `${known} = None`), { ...group, text: made.indent + block(region, made, text) }],
        },
      ];
    }
    if (word.trim() !== 'let' && word.trim() !== 'const') return [];
    const text = [
      `if (${known} === undefined) {`,
      `${region.unit}${inner}`,
      `${region.unit}${known} = ${name};`,
      '}',
      `${word}${name === known ? '' : name}${type} = ${known};`,
    ];
    return [
      {
        what,
        at: made.node.start,
        changes: [
          before(region, place, `let ${known}${typed(region, 'any')};`),
          { ...group, text: made.indent + block(region, made, text) },
        ],
      },
    ];
  });

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
    const seen = freshName(region, 'seen');
    const made = isPython(region) ? `${seen} = {}` : `const ${seen} = new Map${typed(region, '').replace(': ', '<any, any>')}();`;
    const text = ({ node, leaf }: (typeof uses)[number]) =>
      isPython(region)
        ? `(${seen}[${leaf}] if ${leaf} in ${seen} else ${seen}.setdefault(${leaf}, ${textOf(region, node)}))`
        : `(${seen}.get(${leaf}) ?? ${seen}.set(${leaf}, ${textOf(region, node)}).get(${leaf}))`;
    const what = `remember by ${brief(first.leaf)}: ${brief(textOf(region, first.node))}`;
    return [
      {
        what,
        at: first.node.start,
        changes: [before(region, place, made), ...uses.map((use) => replacing(use.node, text(use)))],
      },
    ];
  });
};

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
