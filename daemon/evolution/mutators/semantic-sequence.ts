/** Replaces the slow ways of building and reading sequences: copies per item, repeated sums of slices, queues as lists. */
import { childOf, type SyntaxNode } from '../syntax/parse.ts';
import { madeAs, splitArguments } from './semantic-lookup.ts';
import {
  block,
  callParts,
  callsIn,
  firstStatement,
  freshName,
  isPython,
  outside,
  repetitions,
  statementsOf,
  within,
} from './semantic-shape.ts';
import { after, before, brief, type Operator, removal, replacing, type StructuralEdit } from './structural-edit.ts';
import { type Region, type Statement, textOf } from './structural-region.ts';

/** The statement before this one in its block. */
function previous(region: Region, statement: Statement): Statement | undefined {
  const own = statementsOf(region, statement.block);
  return own[own.indexOf(statement) - 1];
}

/** `out = []` and a loop that only appends become a comprehension. */
export const appendLoopToComprehension: Operator = (region) =>
  !isPython(region)
    ? []
    : region.statements.flatMap((statement): StructuralEdit[] => {
        const made = statement.node.type === 'for_statement' ? previous(region, statement) : undefined;
        if (made === undefined || !made.ownLines || !statement.ownLines) return [];
        const name = /^(\w+)\s*=\s*\[\s*\]$/.exec(textOf(region, made.node))?.[1];
        const clauses = name === undefined ? undefined : clausesOf(region, statement.node, name);
        if (name === undefined || clauses === undefined) return [];
        const text = `${made.indent}${name} = [${clauses}]`;
        const what = `build with a comprehension: ${name}`;
        return [
          {
            what,
            at: statement.node.start,
            changes: [removal(region, made), { start: statement.start, end: statement.end, text }],
          },
        ];
      });

/** `f(x) for x in xs if p(x)`, of loops and conditions around one `append`. */
function clausesOf(region: Region, node: SyntaxNode, name: string): string | undefined {
  const around: string[] = [];
  for (let at: SyntaxNode | undefined = node; at !== undefined; ) {
    const body = childOf(at, at.type === 'if_statement' ? 'consequence' : 'body');
    if (at.type === 'for_statement') around.push(`for ${part(region, at, 'left')} in ${part(region, at, 'right')}`);
    else if (at.type === 'if_statement' && childOf(at, 'alternative') === undefined)
      around.push(`if ${part(region, at, 'condition')}`);
    else {
      const call = at.children[0] === undefined ? undefined : callParts(region, at.children[0]);
      const [item] = call?.args ?? [];
      const appends = call?.method === 'append' && call.object !== undefined && textOf(region, call.object) === name;
      return appends && item !== undefined ? `${textOf(region, item)} ${around.join(' ')}` : undefined;
    }
    const inner: readonly SyntaxNode[] =
      body?.children.filter((child) => child.named && !region.grammar.comments.has(child.type)) ?? [];
    at = inner.length === 1 ? inner[0] : undefined;
  }
  return undefined;
}

const part = (region: Region, node: SyntaxNode, field: string): string => {
  const child = childOf(node, field);
  return child === undefined ? '' : textOf(region, child);
};

/** `s = s + x` and `s += x` on a string in a loop become an append, and one join behind the loop. */
export const concatenationToJoin: Operator = (region) => {
  if (!isPython(region)) return [];
  const names = [...region.text.matchAll(/(?<![\w.])(\w+)\s*=\s*(?:''|""|'[^'\n]*'|"[^"\n]*")/g)].map(([, name = '']) => name);
  return [...new Set(names)].flatMap((name): StructuralEdit[] => {
    const additions = region.statements.flatMap((statement) => {
      const added = new RegExp(`^${name}\\s*(?:\\+=|=\\s*${name}\\s*\\+)\\s*([\\s\\S]+)$`).exec(
        textOf(region, statement.node),
      )?.[1];
      return added === undefined || !statement.ownLines ? [] : [{ statement, added }];
    });
    const [first] = additions;
    const loop = first === undefined ? undefined : repetitions(region, first.statement.node)[0];
    if (first === undefined || loop === undefined || additions.some(({ statement }) => !within(statement.node, loop.node)))
      return [];
    const parts = freshName(region, `${name}_parts`);
    const changes = [
      before(region, loop, `${parts} = [${name}]`),
      ...additions.map(({ statement, added }) => replacing(statement.node, `${parts}.append(${added})`)),
      after(region, loop, `${name} = "".join(${parts})`),
    ];
    return [{ what: `join once: ${name}`, at: first.statement.node.start, changes }];
  });
};

/** `xs = xs + [x]`, `xs = [...xs, x]`, `xs = xs.concat(x)`, `o = {...o, k: v}`: changed in place instead of copied. */
export const copyToAppend: Operator = (region) => {
  const statements = region.statements.flatMap((statement): StructuralEdit[] => {
    const text = textOf(region, statement.node);
    const inPlace = isPython(region) ? pythonInPlace(text) : javascriptInPlace(text);
    if (inPlace === undefined) return [];
    return [{ what: `change in place: ${brief(text)}`, at: statement.node.start, changes: [replacing(statement.node, inPlace)] }];
  });
  return isPython(region) ? statements : [...statements, ...reducers(region)];
};

function pythonInPlace(text: string): string | undefined {
  const list = /^(\w+)\s*=\s*\1\s*\+\s*\[([\s\S]*)\]$/.exec(text) ?? /^(\w+)\s*=\s*\[\*\1,\s*([\s\S]*)\]$/.exec(text);
  if (list !== null && splitArguments(list[2] ?? '').length === 1) return `${list[1]}.append(${list[2]})`;
  const pair = /^(\w+)\s*=\s*\{\*\*\1,\s*([^:]+):\s*([\s\S]+)\}$/.exec(text);
  return pair === null ? undefined : `${pair[1]}[${pair[2]}] = ${pair[3]}`;
}

function javascriptInPlace(text: string): string | undefined {
  const spread = /^(\w+)\s*=\s*\[\s*\.\.\.\1,\s*([\s\S]*)\];?$/.exec(text);
  if (spread !== null) return `${spread[1]}.push(${spread[2]});`;
  const [, list, added = ''] = /^(\w+)\s*=\s*\1\.concat\(([\s\S]*)\);?$/.exec(text) ?? [];
  const single = /^\[([\s\S]*)\]$/.exec(added)?.[1];
  if (single !== undefined && splitArguments(added).length === 1) return `${list}.push(${single});`;
  if (list !== undefined && splitArguments(added).length === 1) return `${list}.push(...[${added}].flat());`;
  const pair = /^(\w+)\s*=\s*\{\s*\.\.\.\1,\s*\[([\s\S]+?)\]:\s*([\s\S]+?),?\s*\};?$/.exec(text);
  return pair === null ? undefined : `${pair[1]}[${pair[2]}] = ${pair[3]};`;
}

/** `reduce((o, x) => ({...o, [k]: v}), {})` copies the object for each item. */
function reducers(region: Region): StructuralEdit[] {
  return callsIn(region).flatMap(({ method, args: [arrow] }): StructuralEdit[] => {
    const body = method === 'reduce' && arrow?.type === 'arrow_function' ? childOf(arrow, 'body') : undefined;
    if (body === undefined) return [];
    const text = textOf(region, body);
    const pair = /^\(\{\s*\.\.\.(\w+),\s*\[([\s\S]+?)\]:\s*([\s\S]+?),?\s*\}\)$/.exec(text);
    const list = /^\[\s*\.\.\.(\w+),\s*([\s\S]+)\]$/.exec(text);
    const inPlace =
      pair !== null
        ? `((${pair[1]}[${pair[2]}] = ${pair[3]}), ${pair[1]})`
        : list !== null
          ? `(${list[1]}.push(${list[2]}), ${list[1]})`
          : undefined;
    return inPlace === undefined
      ? []
      : [{ what: `change in place: ${brief(text)}`, at: body.start, changes: [replacing(body, inPlace)] }];
  });
}

/** The sum of a slice in a loop becomes a difference of two prefix sums, which are made once. */
export const slicedSumToPrefix: Operator = (region) =>
  sums(region).flatMap(({ node, list, from, to }): StructuralEdit[] => {
    const place = outside(region, node, [list]);
    if (place === undefined) return [];
    const prefix = freshName(region, 'prefix');
    const each = freshName(region, 'each');
    const size = isPython(region) ? `len(${list})` : `${list}.length`;
    const lines = isPython(region)
      ? [`${prefix} = [0]`, `for ${each} in ${list}:`, `${region.unit}${prefix}.append(${prefix}[-1] + ${each})`]
      : [`const ${prefix} = [0];`, `for (const ${each} of ${list}) ${prefix}.push(${prefix}[${prefix}.length - 1] + ${each});`];
    const start = from === '' || from === '0' ? '' : ` - ${prefix}[${from}]`;
    const clipped = isPython(region) ? `min(${to}, ${size})` : `Math.min(${to}, ${size})`;
    return [...new Set([to === '' ? size : to, ...(to === '' ? [] : [clipped])])].map(
      (end): StructuralEdit => ({
        what: `use prefix sums: ${list}`,
        at: node.start,
        changes: [before(region, place, block(region, place, lines)), replacing(node, `(${prefix}[${end}]${start})`)],
      }),
    );
  });

/** `sum(xs[a:b])`, `xs.slice(a, b).reduce((p, q) => p + q, 0)`, and a loop that only adds up items from a to b. */
function sums(region: Region): { node: SyntaxNode; list: string; from: string; to: string }[] {
  return callsIn(region).flatMap(({ node, name, object, method, args }) => {
    if (name === 'sum' && args.length === 1 && args[0] !== undefined) {
      const slice = /^(\w+)\[([^:[\]]*):([^:[\]]*)\]$/.exec(textOf(region, args[0]));
      return slice === null ? [] : [{ node, list: slice[1] ?? '', from: (slice[2] ?? '').trim(), to: (slice[3] ?? '').trim() }];
    }
    if (method !== 'reduce' || object === undefined || args.length !== 2) return [];
    const adds = /^\((\w+),\s*(\w+)\)\s*=>\s*\1\s*\+\s*\2$/.test(args[0] === undefined ? '' : textOf(region, args[0]));
    const slice = /^(\w+)\.slice\((.*)\)$/.exec(textOf(region, object));
    if (!adds || slice === null || args[1] === undefined || textOf(region, args[1]) !== '0') return [];
    const [from = '', to = ''] = splitArguments(slice[2] ?? '');
    return [{ node, list: slice[1] ?? '', from, to }];
  });
}

/** `acc = 0` and an inner loop that adds `xs[a]` to `xs[b - 1]` become a difference of prefix sums. */
export const addingLoopToPrefix: Operator = (region) =>
  region.statements.flatMap((statement): StructuralEdit[] => {
    const { node } = statement;
    const body = region.grammar.loops.has(node.type) ? childOf(node, 'body') : undefined;
    const made = previous(region, statement);
    const [only, more] = body === undefined ? [] : statementsOf(region, body);
    if (body === undefined || made === undefined || only === undefined || more !== undefined || !statement.ownLines) return [];
    const head = isPython(region)
      ? /^for\s+(\w+)\s+in\s+range\((.*)\)\s*:\s*$/.exec(region.text.slice(node.start, only.node.start))
      : /^for\s*\(\s*let\s+(\w+)\s*=\s*([^;]+;[^;]+);[^;{]*\)\s*\{?\s*$/.exec(region.text.slice(node.start, only.node.start));
    const added = /^(\w+)\s*(?:\+=|=\s*\1\s*\+)\s*(\w+)\[(\w+)\];?$/.exec(textOf(region, only.node));
    if (head === null || added === null || head[1] !== added[3]) return [];
    const [, sum = '', list = ''] = added;
    if (!/^0(\.0)?$/.test(madeAs(region, made.node, sum) ?? /^\w+ = (0);?$/.exec(textOf(region, made.node))?.[1] ?? ''))
      return [];
    const bounds = isPython(region) ? splitArguments(head[2] ?? '') : countedBounds(head[1] ?? '', head[2] ?? '');
    const [from, to] = bounds.length === 2 ? bounds : ['0', bounds[0]];
    const place = outside(region, node, [list]);
    if (to === undefined || bounds.length > 2 || place === undefined || place.node === node) return [];
    const prefix = freshName(region, 'prefix');
    const each = freshName(region, 'each');
    const lines = isPython(region)
      ? [`${prefix} = [0]`, `for ${each} in ${list}:`, `${region.unit}${prefix}.append(${prefix}[-1] + ${each})`]
      : [`const ${prefix} = [0];`, `for (const ${each} of ${list}) ${prefix}.push(${prefix}[${prefix}.length - 1] + ${each});`];
    const text = `${sum} += ${prefix}[${to}]${from === '0' ? '' : ` - ${prefix}[${from}]`}${isPython(region) ? '' : ';'}`;
    const changes = [before(region, place, block(region, place, lines)), replacing(node, text)];
    return [{ what: `use prefix sums: ${list}`, at: node.start, changes }];
  });

function countedBounds(item: string, text: string): string[] {
  const [from = '', test = ''] = text.split(';');
  const bound = new RegExp(`^\\s*${item}\\s*(<=?)\\s*(.+)$`).exec(test);
  return bound === null ? [] : [from.trim(), bound[1] === '<' ? (bound[2] ?? '') : `${bound[2]} + 1`];
}

/** A list used as a queue: taking its first item moves all others. */
export const listToDeque: Operator = (region) => {
  const takes = callsIn(region).filter(({ object, method, args }) => {
    const first = isPython(region)
      ? method === 'pop' && args[0] !== undefined && textOf(region, args[0]) === '0'
      : method === 'shift';
    return first && object?.type === 'identifier';
  });
  return takes.flatMap(({ node, object }): StructuralEdit[] => {
    if (object === undefined) return [];
    const queue = textOf(region, object);
    const made = region.statements.find((statement) => statement.ownLines && madeAs(region, statement.node, queue) !== undefined);
    const value = made === undefined ? undefined : madeAs(region, made.node, queue);
    const first = firstStatement(region, node);
    if (made === undefined || value === undefined || first === undefined) return [];
    const what = `take from a queue: ${queue}`;
    const own = takes.filter((take) => take.object !== undefined && textOf(region, take.object) === queue);
    if (isPython(region)) {
      const valueStart = made.node.start + textOf(region, made.node).length - value.length;
      const init = { start: valueStart, end: valueStart + value.length, text: `deque(${value})` };
      const calls = own.map((take) => replacing(take.node, `${queue}.popleft()`));
      return [{ what, at: node.start, changes: [before(region, first, 'from collections import deque'), init, ...calls] }];
    }
    const head = freshName(region, 'head');
    const sizes = region.nodes.filter((each) => each.type === 'member_expression' && textOf(region, each) === `${queue}.length`);
    const changes = [
      after(region, made, `let ${head} = 0;`),
      ...own.map((take) => replacing(take.node, `${queue}[${head}++]`)),
      ...sizes.map((each) => replacing(each, `(${queue}.length - ${head})`)),
    ];
    return [{ what, at: node.start, changes }];
  });
};

/** `sorted(xs)[0]`, `[-1]` and `[:k]`: the smallest, the largest, the k smallest. */
export const sortedToExtreme: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const value = node.type === 'subscript' ? childOf(node, 'value') : undefined;
    const call = value === undefined ? undefined : callParts(region, value);
    if (value === undefined || call?.name !== 'sorted') return [];
    const index = region.text.slice(value.end, node.end).replaceAll(/\s/g, '');
    const args = call.args.map((arg) => textOf(region, arg));
    if (args.some((arg) => arg.startsWith('reverse'))) return [];
    const name = index === '[0]' ? 'min' : index === '[-1]' ? 'max' : undefined;
    const what = `take the extreme: ${brief(textOf(region, node))}`;
    if (name !== undefined) return [{ what, at: node.start, changes: [replacing(node, `${name}(${args.join(', ')})`)] }];
    const most = /^\[:([^\]:]+)\]$/.exec(index)?.[1];
    const first = most === undefined ? undefined : firstStatement(region, node);
    if (most === undefined || first === undefined) return [];
    const changes = [
      before(region, first, 'from heapq import nsmallest'),
      replacing(node, `nsmallest(${most}, ${args.join(', ')})`),
    ];
    return [{ what, at: node.start, changes }];
  });
