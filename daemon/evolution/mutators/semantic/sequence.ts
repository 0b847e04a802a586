/** Replaces the slow ways of building and reading sequences: copies per item, queues as lists, texts that lose their first part. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import {
  after,
  before,
  brief,
  type Operator,
  removal,
  replacing,
  type StructuralEdit,
  type TextChange,
} from '../structural-edit.ts';
import { loopsAround, type Region, type Statement, textOf } from '../structural-region.ts';
import { madeAs, splitArguments } from './lookups/membership.ts';
import { callParts, callsIn, changes, firstStatement, freshName, isPython, repetitions, statementsOf, within } from './shape.ts';

/** The statement before this one in its block. */
export function previous(region: Region, statement: Statement): Statement | undefined {
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
        if (name === undefined || clauses === undefined || new RegExp(`\\b${name}\\b`).test(clauses)) return [];
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
    // Nothing else in the loop may ask what it holds so far.
    const mentions = (text: string) => text.match(new RegExp(`(?<![\\w.])${name}\\b`, 'g'))?.length ?? 0;
    const own = additions.reduce((sum, { statement }) => sum + (/\+=/.test(textOf(region, statement.node)) ? 1 : 2), 0);
    if (mentions(textOf(region, loop.node)) !== own) return [];
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
  const statements = region.nodes.flatMap((node): StructuralEdit[] => {
    if (node.type !== 'expression_statement') return [];
    const text = textOf(region, node);
    const inPlace = isPython(region) ? pythonInPlace(text) : javascriptInPlace(text);
    return inPlace === undefined
      ? []
      : [{ what: `change in place: ${brief(text)}`, at: node.start, changes: [replacing(node, inPlace)] }];
  });
  return isPython(region) ? statements : [...statements, ...reducers(region)];
};

/** Items that a loop puts before all others are put behind them, and the list is turned round after the loop. */
export const prependToAppend: Operator = (region) =>
  callsIn(region).flatMap(({ node, object, method, args }): StructuralEdit[] => {
    const [first, item] = method === 'unshift' ? [undefined, args[0]] : args;
    const puts =
      method === 'unshift' ? args.length === 1 : method === 'insert' && first !== undefined && textOf(region, first) === '0';
    const loop = repetitions(region, node).at(-1);
    if (
      !puts ||
      object?.type !== 'identifier' ||
      item === undefined ||
      loop === undefined ||
      !region.grammar.loops.has(loop.node.type)
    )
      return [];
    const list = textOf(region, object);
    const uses = region.text.slice(loop.node.start, loop.node.end).match(new RegExp(`(?<![\\w.])${list}\\b`, 'g')) ?? [];
    const made = region.statements.findLast(
      (each) => each.node.start < loop.node.start && madeAs(region, each.node, list) !== undefined,
    );
    if (uses.length !== 1 || made === undefined || !/^\[\s*\]$/.test(madeAs(region, made.node, list) ?? '')) return [];
    const add = `${list}.${isPython(region) ? 'append' : 'push'}(${textOf(region, item)})`;
    const turn = after(region, loop, `${list}.reverse()${isPython(region) ? '' : ';'}`);
    return [{ what: `put at the end and reverse once: ${list}`, at: node.start, changes: [replacing(node, add), turn] }];
  });

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

/** `reduce((o, x) => ({...o, [k]: v}), {})` copies the object for each item, also where the callback returns it at the end. */
function reducers(region: Region): StructuralEdit[] {
  return callsIn(region).flatMap(({ method, args: [arrow] }): StructuralEdit[] => {
    const body = method === 'reduce' && arrow?.type === 'arrow_function' ? childOf(arrow, 'body') : undefined;
    if (arrow === undefined || body === undefined) return [];
    const kept = /^\((\w+)/.exec(textOf(region, arrow))?.[1];
    const results =
      body.type !== 'statement_block'
        ? [body]
        : region.nodes.flatMap((each) => {
            const isReturn = each.type === 'return_statement' && within(each, body);
            return isReturn ? each.children.filter(({ named }) => named) : [];
          });
    const changes = results.flatMap((result) => {
      const text = textOf(region, result);
      const pair = /^\(?\{\s*\.\.\.(\w+),\s*\[([\s\S]+?)\]:\s*([\s\S]+?),?\s*\}\)?$/.exec(text);
      const list = /^\[\s*\.\.\.(\w+),\s*([\s\S]+)\]$/.exec(text) ?? /^(\w+)\.concat\(\[([\s\S]+)\]\)$/.exec(text);
      if (pair !== null && pair[1] === kept) return [replacing(result, `((${kept}[${pair[2]}] = ${pair[3]}), ${kept})`)];
      return list !== null && list[1] === kept ? [replacing(result, `(${kept}.push(${list[2]}), ${kept})`)] : [];
    });
    return changes.length === 0 ? [] : [{ what: `change in place: ${brief(textOf(region, body))}`, at: body.start, changes }];
  });
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
    // A queue can do less than a list.
    const uses = new RegExp(
      isPython(region)
        ? `(?<![\\w.])${queue}(?!\\s*(?:=[^=]|\\.(?:append|pop|extend)\\(|:|\\)|$|\\sand\\b|\\sor\\b))`
        : `(?<![\\w.])${queue}(?!\\s*(?:=[^=]|: |\\.(?:push|shift|length)\\b))`,
      'm',
    );
    const root = region.text.slice(region.span.start, region.span.end);
    if (uses.test(root)) return [];
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

/** `while s: … s[0] … s = s[1:]` copies what is left of the text in each pass. */
export const restToPosition: Operator = (region) =>
  region.statements.flatMap((loop): StructuralEdit[] => {
    const condition = childOf(loop.node, 'condition');
    if (loop.node.type !== 'while_statement' || condition === undefined || !loop.ownLines) return [];
    const test = textOf(region, condition).replace(/^\((.*)\)$/, '$1');
    const rest = isPython(region)
      ? /^(?:len\((\w+)\)(?: > 0)?|(\w+))$/.exec(test)
      : /^(\w+)(?:\.length(?: > 0)?| !== '')$/.exec(test);
    const name = rest?.[1] ?? rest?.[2];
    if (name === undefined) return [];
    const at = freshName(region, 'position');
    const size = isPython(region) ? `len(${name})` : `${name}.length`;
    const cut = isPython(region)
      ? new RegExp(`^${name} = ${name}\\[(\\w+|len\\(\\w+\\)):\\]$`)
      : new RegExp(`^${name} = ${name}\\.(?:slice|substring)\\((\\w+|\\w+\\.length)\\);?$`);
    const edits: TextChange[] = [];
    const covered: { start: number; end: number }[] = [];
    for (const statement of region.statements) {
      const by = within(statement.node, loop.node) ? cut.exec(textOf(region, statement.node))?.[1] : undefined;
      if (by === undefined) continue;
      edits.push(replacing(statement.node, `${at} += ${by}${isPython(region) ? '' : ';'}`));
      covered.push(statement.node);
    }
    if (edits.length === 0) return [];
    for (const node of descendants(loop.node)) {
      if (covered.some((each) => within(node, { ...node, ...each }))) continue;
      const text = textOf(region, node);
      const first = new RegExp(`^${name}\\[(\\d+)\\]$`).exec(text)?.[1];
      const starts = new RegExp(`^${name}\\.(startswith|startsWith)\\(([^()]*)\\)$`).exec(text);
      if (first !== undefined) edits.push(replacing(node, `${name}[${at}${first === '0' ? '' : ` + ${first}`}]`));
      else if (starts !== null) edits.push(replacing(node, `${name}.${starts[1]}(${starts[2]}, ${at})`));
      else if (node === condition) edits.push(replacing(node, isPython(region) ? `${at} < ${size}` : `(${at} < ${size})`));
      else if (text === name && node.type === 'identifier') return [];
      else continue;
      covered.push(node);
    }
    // What is left of it must not be read behind the loop.
    const [around] = loopsAround(region, loop.node);
    const isSet =
      around === undefined || new RegExp(`\\b${name}\\b[^=\\n]*=[^=]`).test(region.text.slice(around.start, loop.start));
    const behind = region.nodes.some(
      (node) => node.start >= loop.node.end && node.type === 'identifier' && textOf(region, node) === name,
    );
    if (
      !isSet ||
      behind ||
      edits.length < 2 ||
      region.statements.some((each) => within(each.node, loop.node) && each !== loop && changes(region, each.node, at))
    )
      return [];
    const made = isPython(region) ? `${at} = 0` : `let ${at} = 0;`;
    return [{ what: `move a position through ${name}`, at: loop.node.start, changes: [before(region, loop, made), ...edits] }];
  });
