/** Replaces whole loops and recursions by cheaper ones: sorting by swaps, searches that go on, divisors, repeated sub-problems. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import { after, before, brief, type Operator, reindent, replacing, type StructuralEdit } from '../structural-edit.ts';
import { namesOf } from '../structural-names.ts';
import { loopsAround, type Region, type Statement, textOf } from '../structural-region.ts';
import { callsIn, firstStatement, freshName, isPython, repetitions, statementsOf, within } from './shape.ts';

/** A branch in a loop that ends by giving a name a constant leaves the loop: a second match would change nothing. */
export const breakAfterFinding: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const body = node.type === 'if_statement' ? childOf(node, 'consequence') : undefined;
    if (body === undefined || loopsAround(region, node).length === 0) return [];
    const last = statementsOf(region, body).at(-1);
    if (last === undefined || !last.ownLines || !/^[\w.[\]]+\s*=\s*[^=]/.test(textOf(region, last.node))) return [];
    const jump = isPython(region) ? 'break' : 'break;';
    return [
      {
        what: `stop at the first match: ${brief(textOf(region, last.node))}`,
        at: node.start,
        changes: [after(region, last, jump)],
      },
    ];
  });

/** A search for divisors stops at the square root. */
export const divisorsToSquareRoot: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    if (!region.grammar.loops.has(node.type) || !/%/.test(textOf(region, node))) return [];
    if (isPython(region)) {
      const right = childOf(node, 'right');
      const range = right === undefined ? null : /^range\(\s*([^,]+),\s*([^,()]+)\s*(,[^()]*)?\)$/.exec(textOf(region, right));
      if (right === undefined || range === null) return [];
      const bound = (range[2] ?? '').replace(/\s*(\/\/\s*2)?\s*(\+\s*1)?\s*$/, '').trim();
      const text = `range(${range[1]}, int((${bound}) ** 0.5) + 1${range[3] ?? ''})`;
      return [{ what: `stop at the square root of ${bound}`, at: node.start, changes: [replacing(right, text)] }];
    }
    const condition = childOf(node, 'condition');
    const test =
      condition === undefined ? null : /^\(?\s*(\w+)\s*<=?\s*([\w.]+)(?:\s*\/\s*2)?\s*;?\)?$/.exec(textOf(region, condition));
    if (condition === undefined || test === null) return [];
    const text = textOf(region, condition).replace(/\w+\s*<=?\s*[\w.]+(\s*\/\s*2)?/, `${test[1]} * ${test[1]} <= ${test[2]}`);
    return [{ what: `stop at the square root of ${test[2]}`, at: node.start, changes: [replacing(condition, text)] }];
  });

/** No divisor of a number, but for the number, is greater than half of it. */
export const divisorsToHalf: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const what = (bound: string) => `stop at half of ${bound}`;
    const around =
      node.parent === undefined
        ? ''
        : textOf(region, node.parent.type === 'for_in_clause' ? (node.parent.parent ?? node) : node.parent);
    const divides = (bound: string) => new RegExp(`(?<![\\w.])${bound}\\s*%`).test(around);
    if (isPython(region)) {
      const [, from, bound = ''] =
        node.field === 'right' ? (/^range\(\s*([^,()]+),\s*(\w+)\s*\)$/.exec(textOf(region, node)) ?? []) : [];
      if (from === undefined || !divides(bound)) return [];
      return [{ what: what(bound), at: node.start, changes: [replacing(node, `range(${from}, ${bound} // 2 + 1)`)] }];
    }
    const [, item, bound = ''] = node.field === 'condition' ? (/^(\w+)\s*<\s*(\w+)\s*;?$/.exec(textOf(region, node)) ?? []) : [];
    if (item === undefined || !divides(bound) || node.parent?.type !== 'for_statement') return [];
    const text = textOf(region, node).replace(/<\s*\w+/, `<= ${bound} / 2`);
    return [{ what: what(bound), at: node.start, changes: [replacing(node, text)] }];
  });

/** Nested loops that swap items become one sort, by what they compare. */
export const swapsToSort: Operator = (region) =>
  region.nodes.flatMap((node): StructuralEdit[] => {
    const list = swappedList(region, node);
    const loops = list === undefined ? [] : loopsAround(region, node);
    const outer = loops.at(-1);
    const statement = outer === undefined ? undefined : region.statementOf.get(outer);
    if (list === undefined || outer === undefined || loops.length < 2 || statement === undefined || !statement.ownLines)
      return [];
    const keys = sortKeys(region, outer, list);
    return keys.flatMap((key) =>
      [false, true].map((down): StructuralEdit => {
        const what = `sort ${down ? 'downwards' : 'upwards'} at once: ${list}`;
        return { what, at: outer.start, changes: [replacing(outer, sortCall(region, list, key, down))] };
      }),
    );
  });

/** `a[i], a[j] = a[j], a[i]` in one of its spellings. */
function swappedList(region: Region, node: SyntaxNode): string | undefined {
  const text = textOf(region, node).replaceAll(/\]!/g, ']');
  if (isPython(region)) {
    if (node.type !== 'assignment') return undefined;
    const tuple = /^(\w+)\[(.+?)\],\s*\1\[(.+?)\]\s*=\s*\1\[\3\],\s*\1\[\2\]$/.exec(text)?.[1];
    return tuple ?? /^(\w+)\[(.+?)\]\s*=\s*\1\[(.+?)\]$/.exec(text)?.[1];
  }
  if (node.type !== 'assignment_expression') return undefined;
  return (
    /^\[\s*(\w+)\[(.+?)\],\s*\1\[(.+?)\]\s*\]\s*=\s*\[/.exec(text)?.[1] ?? /^(\w+)\[(.+?)\]\s*=\s*\1\[(.+?)\]$/.exec(text)?.[1]
  );
}

/** What the loops compare of two items: the items themselves, or the same part of both. */
function sortKeys(region: Region, loop: SyntaxNode, list: string): string[] {
  const item = new RegExp(`(?<![\\w.])${list}\\[[^\\]]+\\]`, 'g');
  const keys = descendants(loop).flatMap((node) => {
    const [left, operator, right] = node.children;
    if (!region.grammar.binary.has(node.type) || left === undefined || operator === undefined || right === undefined) return [];
    if (!/^[<>]=?$/.test(textOf(region, operator))) return [];
    const [a, b] = [left, right].map((side) => textOf(region, side).replaceAll(/\]!/g, ']').replaceAll(item, '@'));
    return a !== undefined && a === b && a.includes('@') ? [a] : [];
  });
  return [...new Set(keys)];
}

function sortCall(region: Region, list: string, key: string, down: boolean): string {
  if (isPython(region)) {
    const args = [...(key === '@' ? [] : [`key=lambda each: ${key.replaceAll('@', 'each')}`]), ...(down ? ['reverse=True'] : [])];
    return `${list}.sort(${args.join(', ')})`;
  }
  const [a, b] = ['a', 'b'].map((name) => key.replaceAll('@', name));
  const [first, second] = down ? [b, a] : [a, b];
  return `${list}.sort((a, b) => (${first} < ${second} ? -1 : ${first} > ${second} ? 1 : 0));`;
}

/** A recursive function remembers its results, within one call from outside. */
export const memoiseRecursion: Operator = (region) => {
  const functions = region.nodes.filter((node) => node.type === 'function_definition' || node.type === 'function_declaration');
  return functions.flatMap((node): StructuralEdit[] => {
    const [name, body, parameters] = [childOf(node, 'name'), childOf(node, 'body'), childOf(node, 'parameters')];
    if (name === undefined || body === undefined || parameters === undefined) return [];
    const own = textOf(region, name);
    const calls = callsIn(region).filter((call) => call.name === own && within(call.node, body));
    const names = parameterNames(region, parameters);
    const statements = statementsOf(region, body).filter(({ ownLines }) => ownLines);
    const [first, last] = [statements[0], statements.at(-1)];
    // What returns nothing is called for what it does.
    const returns = /\breturn[ (]+[^\s;]/.test(textOf(region, body));
    // In Python neither a list nor a dictionary can be a key.
    const used = names.map((each) => `\\b${each}(?:: *(?:dict|list|set)\\b|\\.(?:get|items|values|keys|append)\\()`);
    const isKept = isPython(region) && names.length > 0 && new RegExp(used.join('|'), 'i').test(textOf(region, node));
    if (
      !returns ||
      isKept ||
      calls.length === 0 ||
      names.length === 0 ||
      first === undefined ||
      last === undefined ||
      statements.some(({ rigid }) => rigid)
    )
      return [];
    const indent = first.indent;
    const solve = freshName(region, 'solve');
    const inner = renamed(region, { start: first.start + indent.length, end: last.end }, calls, solve);
    const deeper = reindent(inner, indent, indent + region.unit);
    const lines = isPython(region) ? pythonMemo(region, solve, names, deeper) : javascriptMemo(region, solve, names, deeper);
    const changes = [
      { start: first.start, end: last.end, text: lines.map((line) => (line === '' ? '' : indent + line)).join(region.eol) },
    ];
    return [{ what: `remember the results of ${own} within a call`, at: node.start, changes }];
  });
};

function parameterNames(region: Region, parameters: SyntaxNode): string[] {
  return parameters.children
    .filter((child) => child.named && !region.grammar.comments.has(child.type))
    .map((child) => /^(\w+)/.exec(textOf(region, child))?.[1] ?? '');
}

function renamed(
  region: Region,
  range: { start: number; end: number },
  calls: ReturnType<typeof callsIn>,
  solve: string,
): string {
  let text = '';
  let at = range.start;
  for (const { node, name } of calls.toSorted((a, b) => a.node.start - b.node.start)) {
    if (node.start < range.start || node.end > range.end) continue;
    text += region.text.slice(at, node.start) + solve;
    at = node.start + name.length;
  }
  return text + region.text.slice(at, range.end);
}

function pythonMemo(region: Region, solve: string, names: readonly string[], body: string): string[] {
  const list = names.join(', ');
  return [
    'from functools import lru_cache',
    '',
    '@lru_cache(maxsize=None)',
    `def ${solve}(${list}):`,
    `${region.unit}${body}`,
    '',
    `return ${solve}(${list})`,
  ];
}

function javascriptMemo(region: Region, solve: string, names: readonly string[], body: string): string[] {
  const list = names.join(', ');
  const key = names.length === 1 ? names[0] : `\`${names.map((name) => `\${${name}}`).join(',')}\``;
  const u = region.unit;
  return [
    'const memo = new Map();',
    `const compute = (${list}) => {`,
    `${u}${body}`,
    '};',
    `const ${solve} = (${list}) => {`,
    `${u}const key = ${key};`,
    `${u}if (memo.has(key)) return memo.get(key);`,
    `${u}const value = compute(${list});`,
    `${u}memo.set(key, value);`,
    `${u}return value;`,
    '};',
    `return ${solve}(${list});`,
  ];
}

/** `xs.append(x)` and `xs.sort()` in a loop: the item goes where it belongs. Taking the minimum again and again: a heap. */
export const sortInLoop: Operator = (region) => {
  if (!isPython(region)) return [];
  return region.statements.flatMap((statement): StructuralEdit[] => {
    const next = region.statements.find((each) => each.block === statement.block && each.node.start > statement.node.end);
    if (next === undefined || !statement.ownLines || !next.ownLines) return [];
    const [one, two] = [textOf(region, statement.node), textOf(region, next.node)];
    const first = firstStatement(region, statement.node);
    const added = /^(\w+)\.append\(([\s\S]*)\)$/.exec(one);
    const list = added?.[1] ?? '';
    const [, key = ''] = new RegExp(`^${list}(?:\\.sort\\(| = sorted\\(${list}(?:, )?)((?:key=[\\s\\S]+)?)\\)$`).exec(two) ?? [
      undefined,
      'reverse=',
    ];
    if (added !== null && first !== undefined && !key.includes('reverse=')) {
      const changes = [
        before(region, first, 'from bisect import insort'),
        replacing(statement.node, `insort(${list}, ${added[2]}${key === '' ? '' : `, ${key}`})`),
        replacing(next.node, 'pass'),
      ];
      return [{ what: `insert in order: ${list}`, at: statement.node.start, changes }];
    }
    return heapOf(region, statement, next, [one, two], first);
  });
};

function heapOf(
  region: Region,
  statement: Statement,
  next: Statement,
  [one, two]: [string, string],
  first: Statement | undefined,
): StructuralEdit[] {
  const least = /^(\w+)\s*=\s*min\((\w+)\)$/.exec(one);
  const loop = repetitions(region, statement.node)[0];
  if (least === null || first === undefined || loop === undefined || two !== `${least[2]}.remove(${least[1]})`) return [];
  const heap = least[2] ?? '';
  const pushes = callsIn(region).filter(({ object, method, args }) => {
    return object !== undefined && textOf(region, object) === heap && method === 'append' && args.length === 1;
  });
  const inside = pushes.filter(({ node }) => within(node, loop.node));
  const changes = [
    before(region, first, 'from heapq import heapify, heappop, heappush'),
    ...(first === loop ? [] : [before(region, loop, `heapify(${heap})`)]),
    replacing(statement.node, `${least[1]} = heappop(${heap})`),
    replacing(next.node, 'pass'),
    ...inside.flatMap(({ node, args: [item] }) =>
      item === undefined ? [] : [replacing(node, `heappush(${heap}, ${textOf(region, item)})`)],
    ),
  ];
  return [{ what: `take the smallest from a heap: ${heap}`, at: statement.node.start, changes }];
}

/** `for i in range(len(xs))` that reads `xs[i]`: the items themselves. */
export const indexToItem: Operator = (region) =>
  !isPython(region)
    ? []
    : region.nodes.flatMap((node): StructuralEdit[] => {
        const [left, right, body] = [childOf(node, 'left'), childOf(node, 'right'), childOf(node, 'body')];
        if (node.type !== 'for_statement' || left?.type !== 'identifier' || right === undefined || body === undefined) return [];
        const list = /^range\(len\((\w+)\)\)$/.exec(textOf(region, right))?.[1];
        const index = textOf(region, left);
        if (list === undefined || namesOf(descendants(body), region.text).changed.has(list)) return [];
        const reads = descendants(body).filter(
          (each) => each.type === 'subscript' && textOf(region, each) === `${list}[${index}]`,
        );
        const written = (each: SyntaxNode) => each.field === 'left' && /assignment$/.test(each.parent?.type ?? '');
        if (reads.length === 0 || reads.some(written)) return [];
        const item = freshName(region, 'item');
        const uses = descendants(body).filter((each) => each.type === 'identifier' && textOf(region, each) === index);
        const head = uses.length > reads.length ? `${index}, ${item} in enumerate(${list})` : `${item} in ${list}`;
        const changes = [{ start: left.start, end: right.end, text: head }, ...reads.map((each) => replacing(each, item))];
        return [{ what: `loop over the items: ${list}`, at: node.start, changes }];
      });
