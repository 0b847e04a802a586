/** Remembers, within one call of the program, what equal values have led to. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import { before, brief, type Operator, reindent, replacing, type StructuralEdit } from '../structural-edit.ts';
import { type Region, type Statement, textOf } from '../structural-region.ts';
import { functionNamed, nameOf } from './functions/declared.ts';
import { kindOf, wholes } from './functions/kinds.ts';
import { madeAs } from './lookups/membership.ts';
import { identifiers } from './lookups/scans.ts';
import { grouped } from './lookups/search.ts';
import { doesMore, isKept, isOwned, isValue, ownName, wholeValue, worthKeeping } from './once.ts';
import {
  block,
  callParts,
  changes,
  freshName,
  functionsAround,
  isPython,
  isTypeScript,
  mutates,
  outside,
  readIn,
  repeatsAround,
  repetitions,
  statementsOf,
  within,
} from './shape.ts';
import { newMap, valueType } from './types.ts';

/** A call of something that inner loops meet again and again is remembered by that. */
export const rememberByValue: Operator = (region) => {
  const groups = new Map<string, Use[]>();
  const taken: SyntaxNode[] = [];
  for (const node of region.nodes) {
    if (!region.grammar.calls.has(node.type) || !isValue(region, node) || taken.some((other) => within(node, other))) continue;
    if (!worthKeeping(region, node) || isKept(region, node)) continue;
    const leaves = movingLeaves(region, node);
    const [only] = leaves;
    if (only === undefined || timesAround(region, node) < 1 || leaves.some((each) => isContainer(region, each))) continue;
    // By several values, only the calls of functions of the file: a table of pairs costs more than most other calls.
    if (leaves.length > 1 && !(isPython(region) && isOwnFunction(region, node))) continue;
    // One that one loop repeats is rarely worth it, but what it consists of may be.
    if (timesAround(region, node) > 1 || isOwnFunction(region, node)) taken.push(node);
    const form = leaves.reduce((text, each, at) => withLeaf(text, each, `@${at}`), textOf(region, node));
    groups.set(form, [...(groups.get(form) ?? []), { node, leaves }]);
  }
  return [...groups.values()].flatMap((group): StructuralEdit[] => {
    const [first] = group.toSorted((a, b) => timesAround(region, b.node) - timesAround(region, a.node));
    if (first === undefined) return [];
    const isOwn = isOwnFunction(region, first.node);
    const kept = isPython(region) ? first.leaves.filter((each) => isIdentity(region, first.node, each)) : [];
    const roots = identifiers(first.leaves.join(' '));
    const free = freeNames(region, first.node);
    if (free === undefined) return [];
    const fixed = [...free, ...readIn(region, first.node).filter((name) => !roots.includes(name))];
    const place = outside(region, first.node, fixed);
    if (place === undefined || first.leaves.some((each) => mutates(region, place.node, each))) return [];
    const uses = group.filter(({ node }) => within(node, place.node));
    // In one loop, only what stands there twice is worth it, or a function of the file.
    if (uses.length === 1 && (!isOwn || kept.length > 0) && timesAround(region, first.node) < 2) return [];
    if (uses.some(({ node }) => within(place.node, node))) return [];
    const leaf = grouped(first.leaves.join(', '));
    const what = `remember by ${brief(leaf)}: ${brief(textOf(region, first.node))}`;
    const own = region.statements.find((each) => each.ownLines && wholeValue(region, each.node) === first.node);
    const name = ownName(region, own);
    const type = isTypeScript(region) ? (valueType(region, first.node) ?? resultType(region, first.node)) : '';
    if (type === undefined || uses.some(({ node }) => isOwned(region, node, place.node, name))) return [];
    if (kept.length > 0) {
      // A list cannot be a key. It is remembered by its identity, and kept so that no other gets the same.
      const seen = freshName(region, 'seen');
      const text = ({ node, leaves }: Use) => {
        const at = first.leaves.map((each) => kept.includes(each));
        const key = grouped(leaves.map((each, index) => (at[index] === true ? `id(${each})` : each)).join(', '));
        const alive = leaves.filter((_, index) => at[index] === true).join(', ');
        return `(${seen}[${key}] if ${key} in ${seen} else ${seen}.setdefault(${key}, (${alive}, ${textOf(region, node)})))[${kept.length}]`;
      };
      const changesMade = [before(region, place, `${seen} = {}`), ...uses.map((use) => replacing(use.node, text(use)))];
      return [{ what, at: first.node.start, changes: changesMade }];
    }
    const field = /(\w+)\W*$/.exec(leaf)?.[1] ?? 'value';
    if (uses.length === 1 && own !== undefined && name !== undefined) {
      const by = isPython(region) ? `${name}_by_${field}` : `${name}By${field.charAt(0).toUpperCase()}${field.slice(1)}`;
      const map = freshName(region, by);
      const lines = keptLines(region, own, { map, name, leaf, value: textOf(region, first.node) });
      const made = isPython(region) ? `${map} = {}` : `const ${map} = ${newMap(region, 'unknown', type)};`;
      const changesMade = [before(region, place, made), replacing(own.node, lines)];
      return [{ what, at: first.node.start, changes: changesMade }];
    }
    const seen = freshName(region, 'seen');
    const made = isPython(region) ? `${seen} = {}` : `const ${seen} = ${newMap(region, 'unknown', type)};`;
    const text = ({ node, leaves }: Use) => {
      const key = grouped(leaves.join(', '));
      return isPython(region)
        ? `(${seen}[${key}] if ${key} in ${seen} else ${seen}.setdefault(${key}, ${textOf(region, node)}))`
        : `(${seen}.get(${key}) ?? ${seen}.set(${key}, ${textOf(region, node)}).get(${key})${type === '' ? '' : ` as ${type}`})`;
    };
    return [
      {
        what,
        at: first.node.start,
        changes: [before(region, place, made), ...uses.map((use) => replacing(use.node, text(use)))],
      },
    ];
  });
};

/** Whether the call reads what the leaf names as a list, a table or an object. */
function isIdentity(region: Region, node: SyntaxNode, leaf: string): boolean {
  const { name, method, args } = callParts(region, node) ?? { name: '', method: '', args: [] };
  const at = args.findIndex((arg) => textOf(region, arg) === leaf);
  if (at === 0 && wholes.test(method === '' ? name : method)) return true;
  const called = at === -1 ? undefined : functionNamed(region, name);
  const parameter = called?.parameters[at];
  return called !== undefined && parameter !== undefined && kindOf(region, called.body, nameOf(region, parameter)) === 'identity';
}

/** Whether the name is given a new list, set or dictionary, which is met once and cannot be a key. */
const isContainer = (region: Region, name: string): boolean =>
  isPython(region) &&
  region.statements.some(({ node }) =>
    /^(?:[[{]|(?:list|dict|set|sorted|defaultdict|deque)\(|\w+\[[^\]]*:[^\]]*\]$)/.test(madeAs(region, node, name) ?? ''),
  );

interface Use {
  readonly node: SyntaxNode;
  /** What it is remembered by, as expressions. */
  readonly leaves: readonly string[];
}

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

/** Whether the node calls a function of the file by its name. */
function isOwnFunction(region: Region, node: SyntaxNode): boolean {
  const { name } = callParts(region, node) ?? { name: '' };
  return name !== '' && new RegExp(`\\b(?:def|function) ${name}\\b|\\bconst ${name} = (?:\\(|\\w+ =>)`).test(region.text);
}

/** The names around a local function that the node calls, on which its result depends; undefined where it changes one, or returns nothing. */
function freeNames(region: Region, node: SyntaxNode): string[] | undefined {
  const { name } = callParts(region, node) ?? { name: '' };
  const fn = region.nodes.find((each) => {
    const named = childOf(each, 'name');
    const isFunction = region.grammar.functions.has((childOf(each, 'value') ?? each).type);
    return isFunction && named !== undefined && textOf(region, named) === name && each.start > region.span.start;
  });
  if (fn === undefined) return [];
  const free = readIn(region, fn).filter((each) => each !== name);
  const returns = /\breturn[ (]+[^\s;]|=>\s*[^\s{]/.test(textOf(region, fn));
  return !returns || free.some((each) => changes(region, fn, each)) ? undefined : free;
}

/** The type of what a function of the file returns. */
function resultType(region: Region, node: SyntaxNode): string | undefined {
  return isOwnFunction(region, node) ? `ReturnType<typeof ${callParts(region, node)?.name}>` : undefined;
}

/** A function in the function around the node, which may be called again and again. */
const innerFunction = (region: Region, node: SyntaxNode): SyntaxNode | undefined =>
  functionsAround(region, node)
    .slice(0, -1)
    .find(({ type, parent }) => /^function_/.test(type) || parent?.type === 'variable_declarator');

/** How many loops repeat the node, of which the calls of a function in the function are as many as two. */
const timesAround = (region: Region, node: SyntaxNode): number =>
  repeatsAround(region, node) + (innerFunction(region, node) === undefined ? 0 : 2);

/** What differs from round to round in the node, or from call to call of a function around it; at most three. */
function movingLeaves(region: Region, node: SyntaxNode): string[] {
  const outer = innerFunction(region, node) ?? repetitions(region, node)[0]?.node;
  const moving = outer === undefined ? [] : readIn(region, node).filter((name) => changes(region, outer, name));
  return moving.length > 3 ? [] : leavesOf(region, [node], moving);
}

/** The names, or parts of what they name, as the nodes read them; the name alone, or in Python none, where it is read in several ways. */
export function leavesOf(region: Region, nodes: readonly SyntaxNode[], names: readonly string[]): string[] {
  const found = names.map((root) => {
    const leaves = nodes
      .flatMap(descendants)
      .filter(
        (each) =>
          each.type === 'identifier' && textOf(region, each) === root && each.field !== 'property' && each.field !== 'attribute',
      )
      .map((each) => textOf(region, widest(region, each)));
    const [leaf] = leaves;
    if (leaf !== undefined && leaves.every((each) => each === leaf)) return leaf;
    // Python has no table by what cannot be a key.
    return leaf === undefined || isPython(region) ? undefined : root;
  });
  return found.every((leaf) => leaf !== undefined) ? found : [];
}

/** With the members and constant items that are read of a name, also by a dictionary's `get`. */
function widest(region: Region, name: SyntaxNode): SyntaxNode {
  let at = name;
  for (let up = at.parent; up !== undefined; up = at.parent) {
    const isPart = /^(attribute|member_expression|subscript|subscript_expression)$/.test(up.type) && up.children[0] === at;
    const call = up.field === 'function' ? up.parent : undefined;
    const index = childOf(up, 'subscript') ?? childOf(up, 'index');
    const isGet = call !== undefined && /\.get\((?:"\w*"|'\w*')(?:, (?:None|-?\d+|""|''))?\)$/.test(textOf(region, call));
    if (!isPart || (call !== undefined && !isGet)) break;
    if (index !== undefined && !/^(string|integer|number)$/.test(index.type)) break;
    at = call ?? up;
  }
  return at;
}

/** Statements in a loop that only work something out of one value, as parsing a date does, are remembered by that value. */
export const rememberSteps: Operator = (region) =>
  bodiesOf(region).flatMap(({ body, item }): StructuralEdit[] => {
    const outer = repetitions(region, body)[0];
    const own = statementsOf(region, body);
    if (outer === undefined) return [];
    return own.flatMap((_, end): StructuralEdit[] => {
      for (let from = 0; from <= end; from++) {
        const edit = rememberedRun(region, own.slice(from, end + 1), outer, item);
        if (edit !== undefined) return [edit];
      }
      return [];
    });
  });

/** What loops and callbacks repeat, with what they call the item. */
function bodiesOf(region: Region): { body: SyntaxNode; item: string }[] {
  return region.nodes.flatMap((node) => {
    const isCallback = node.type === 'arrow_function' && node.parent?.type === 'arguments';
    const body = isCallback || region.grammar.loops.has(node.type) ? childOf(node, 'body') : undefined;
    const given = childOf(node, 'left') ?? childOf(node, 'parameters') ?? childOf(node, 'parameter');
    return body === undefined || !/block$/.test(body.type)
      ? []
      : [{ body, item: given === undefined ? '' : textOf(region, given) }];
  });
}

/** What steps are: names that are given values which calls only work out. */
const steps = { python: /^(\w+(?:, \w+)*) = [^=][^\n]*$/, javascript: /^const (\w+)(?:: [^=]+)? = [^=]/ };

function rememberedRun(region: Region, run: readonly Statement[], outer: Statement, item: string): StructuralEdit | undefined {
  const [first] = run;
  const last = run.at(-1);
  const step = isPython(region) ? steps.python : steps.javascript;
  const given = run.map(({ node, ownLines }) => (ownLines ? (step.exec(textOf(region, node))?.[1]?.split(', ') ?? []) : []));
  if (first === undefined || last === undefined || given.some((names) => names.length === 0)) return undefined;
  const nodes = run.map(({ node }) => node);
  const calls = nodes.flatMap(descendants).filter((node) => region.grammar.calls.has(node.type));
  const isPure = nodes.every((node) => !doesMore(region, node));
  const made = new Set(given.flat());
  const moving = readNames(region, nodes).filter((name) => !made.has(name) && changes(region, outer.node, name));
  const [leaf, more] = leavesOf(region, nodes, moving);
  const repeats = nodes
    .flatMap(descendants)
    .some(({ type }) => /comprehension$|^(generator_expression|arrow_function)$/.test(type));
  if (!isPure || leaf === undefined || more !== undefined || !(repeats || (calls.length > 2 && run.length > 1))) return undefined;
  // In Python a list or a table cannot be a key; in JavaScript one that is the item is met once.
  const isObject = kindOf(region, outer.node, leaf.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) === 'identity';
  if (isObject && (isPython(region) || identifiers(item).includes(leaf))) return undefined;
  // Numbers that one loop counts are never met again.
  if (new RegExp(`^for ${leaf} in range\\(`).test(textOf(region, outer.node))) return undefined;
  const around = region.text.slice(outer.start, first.start) + region.text.slice(last.end, region.span.end);
  const kept = [...made].filter((name) => new RegExp(`(?<![\\w.])${name}\\b`).test(around));
  // A value that a step takes up from the last pass of the loop, or that is changed later, is not its own.
  const isOwn = kept.every((name) => !mutates(region, outer.node, name)) && !moving.some((name) => made.has(name));
  const early = run.some(({ node }, at) => readIn(region, node).some((name) => given.slice(at).flat().includes(name)));
  if (!isOwn || early || kept.length === 0) return undefined;
  const inner = reindent(
    region.text.slice(first.start + first.indent.length, last.end),
    first.indent,
    first.indent + region.unit,
  );
  const remembered = isPython(region)
    ? pythonRun(region, { leaf, kept, inner })
    : javascriptRun(region, { leaf, kept, inner, nodes });
  if (remembered === undefined) return undefined;
  const group = { start: first.start, end: last.end, text: first.indent + block(region, first, remembered.lines) };
  return {
    what: `remember by ${brief(leaf)}: ${kept.join(', ')}`,
    at: first.node.start,
    changes: [before(region, outer, remembered.table), group],
  };
}

interface Run {
  readonly leaf: string;
  /** The names that are read behind the run. */
  readonly kept: readonly string[];
  /** Its lines, indented. */
  readonly inner: string;
}

interface Remembered {
  /** Declares what is remembered. */
  readonly table: string;
  readonly lines: string[];
}

function pythonRun(region: Region, { leaf, kept, inner }: Run): Remembered {
  const known = freshName(region, `known_${kept[0]}`);
  const value = kept.length === 1 ? kept[0] : `(${kept.join(', ')})`;
  const lines = [
    `if ${leaf} not in ${known}:`,
    `${region.unit}${inner}`,
    `${region.unit}${known}[${leaf}] = ${value}`,
    `${kept.join(', ')} = ${known}[${leaf}]`,
  ];
  return { table: `${known} = {}`, lines };
}

/** Undefined where TypeScript would not know a type. */
function javascriptRun(
  region: Region,
  { leaf, kept, inner, nodes }: Run & { readonly nodes: readonly SyntaxNode[] },
): Remembered | undefined {
  const known = freshName(region, `known${kept[0]?.charAt(0).toUpperCase()}${kept[0]?.slice(1)}`);
  const value = kept.length === 1 ? kept[0] : `[${kept.join(', ')}]`;
  const types = kept.map((name) => {
    const own = nodes.find((node) => steps.javascript.exec(textOf(region, node))?.[1] === name);
    const worth = own === undefined ? undefined : wholeValue(region, own);
    return worth === undefined ? undefined : valueType(region, worth);
  });
  if (isTypeScript(region) && types.includes(undefined)) return undefined;
  const type = kept.length === 1 ? (types[0] ?? '') : `[${types.join(', ')}]`;
  const lines = [
    `if (!${known}.has(${leaf})) {`,
    `${region.unit}${inner}`,
    `${region.unit}${known}.set(${leaf}, ${value});`,
    '}',
    `const ${value} = ${known}.get(${leaf})${isTypeScript(region) ? ` as ${type}` : ''};`,
  ];
  return { table: `const ${known} = ${newMap(region, 'unknown', type)};`, lines };
}

const readNames = (region: Region, nodes: readonly SyntaxNode[]): string[] => [
  ...new Set(nodes.flatMap((node) => readIn(region, node))),
];
