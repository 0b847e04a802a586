/** Replaces sums and extremes of a list's first, last or middle items, asked again and again, by lists of them that are made once. */
import { childOf, type SyntaxNode } from '../../syntax/parse.ts';
import { before, type Operator, replacing, type StructuralEdit, type TextChange } from '../structural-edit.ts';
import { type Region, textOf } from '../structural-region.ts';
import { madeAs, splitArguments } from './lookups/membership.ts';
import { identifiers } from './lookups/scans.ts';
import { previous } from './sequence.ts';
import { block, callParts, callsIn, freshName, isPython, isTypeScript, outside, statementsOf } from './shape.ts';

/** The sum of a slice in a loop becomes a difference of two prefix sums, which are made once. */
export const slicedSumToPrefix: Operator = (region) =>
  sums(region).flatMap((summed): StructuralEdit[] => {
    const { node, from, to, written } = summed;
    const place = outside(region, node, summed.reads);
    if (place === undefined || place.node === node || /\bprefix/.test(textOf(region, node.parent ?? node))) return [];
    const prefix = freshName(region, 'prefix');
    const values = valuesOf(region, summed);
    const [start, end] = [from === '' ? '0' : from, to === '' ? endOf(region, summed.list) : to];
    const fromFirst = start === '0';
    const sum = `(${prefix}[${end}]${fromFirst ? '' : ` - ${prefix}[${start}]`})`;
    const made = (exact: boolean): TextChange => {
      const lines = [...values.lines, ...prefixSums(region, prefix, values.list, exact)];
      return before(region, place, block(region, place, lines));
    };
    const what = `use prefix sums: ${summed.list}`;
    // Floating-point numbers, and bounds outside of the list, are summed as before.
    const test = isPython(region)
      ? `${prefix} and 0 <= ${fromFirst ? '' : `${start} <= `}${end} < len(${prefix})`
      : `${fromFirst ? '' : `${start} <= ${end} && ${prefix}[${start}] !== undefined && `}${prefix}[${end}] !== undefined`;
    const { same } = summed;
    const guarded = isPython(region)
      ? `(${sum.slice(1, -1)} if ${test} else ${same})`
      : `(${test} ? ${sum.slice(1, -1)} : ${same})`;
    const exact: StructuralEdit = { what, at: node.start, changes: [made(true), replacing(node, written(guarded))] };
    // The difference of two large sums loses what a small one holds; what cannot be worked out for all items leaves no list.
    if (!fromFirst || (isPython(region) && values.lines.length > 0)) return [exact];
    return [exact, { what, at: node.start, changes: [made(false), replacing(node, written(sum))] }];
  });

const endOf = (region: Region, list: string): string => (isPython(region) ? `len(${list})` : `${list}.length`);

/** The sums of the first items of a list; `exact`: none, unless all items are whole numbers. */
function prefixSums(region: Region, prefix: string, list: string, exact: boolean): string[] {
  const each = freshName(region, 'each');
  const { unit } = region;
  if (isPython(region)) {
    const loop = [`${prefix} = [0]`, `for ${each} in ${list}:`, `${unit}${prefix}.append(${prefix}[-1] + ${each})`];
    const whole = `if all(type(${each}) is int for ${each} in ${list}):`;
    return exact ? [`${prefix} = []`, whole, ...loop.map((line) => unit + line)] : loop;
  }
  const loop = `for (const ${each} of ${list}) ${prefix}.push(${prefix}[${prefix}.length - 1]${isTypeScript(region) ? '!' : ''} + ${each});`;
  const isWhole = `if (${list}.every((${each}) => Number.isInteger(${each}) && Math.abs(${each}) < 2 ** 31)) ${loop}`;
  return [`const ${prefix} = [0];`, exact ? isWhole : loop];
}

/** What is read of each item of a slice. */
interface Part extends Slice {
  /** What names the item, and the value that is read of it; undefined for the items themselves. */
  readonly value: { readonly item: string; readonly of: string } | undefined;
  /** The names of which the values are made. */
  readonly reads: readonly string[];
}

/** The list of the values, and the lines that make it. */
function valuesOf(region: Region, { list, value }: Part): { list: string; lines: string[] } {
  if (value === undefined) return { list, lines: [] };
  const values = freshName(region, 'values');
  const { item, of } = value;
  if (!isPython(region)) return { list: values, lines: [`const ${values} = ${list}.map((${item}) => ${of});`] };
  const made = `${region.unit}${values} = [${of} for ${item} in ${list}]`;
  return { list: values, lines: ['try:', made, 'except Exception:', `${region.unit}${values} = [None]`] };
}

/** `xs[a:b]`, `x.field for x in xs[a:b] if test`, `xs.slice(a, b).map((x) => x.field)`; `none`: what counts where the test fails. */
function partOf(region: Region, node: SyntaxNode, read: SyntaxNode, none: string | undefined): Part | undefined {
  const inner = read.type === 'parenthesized_expression' ? (read.children.find((child) => child.named) ?? read) : read;
  const whole = sliceOf(region, node, inner);
  if (whole !== undefined) return { ...whole, value: undefined, reads: [whole.list] };
  const [item, of, source] = isPython(region) ? comprehended(region, inner, none) : mapped(region, inner);
  const slice = source === undefined ? undefined : sliceOf(region, node, source);
  if (slice === undefined || item === undefined || of === undefined) return undefined;
  const own = identifiers(item);
  return { ...slice, value: { item, of }, reads: [slice.list, ...identifiers(of).filter((name) => !own.includes(name))] };
}

/** The only argument of a call; a generator stands there without parentheses of its own. */
function soleArgument(node: SyntaxNode, args: readonly SyntaxNode[]): SyntaxNode | undefined {
  const list = childOf(node, 'arguments');
  return list?.type === 'generator_expression' ? list : args.length === 1 ? args[0] : undefined;
}

type Mapped = readonly [item: string, of: string, source: SyntaxNode] | readonly [];

function comprehended(region: Region, node: SyntaxNode, none: string | undefined): Mapped {
  const clauses = node.children.filter(({ type }) => type === 'for_in_clause');
  const tests = node.children.filter(({ type }) => type === 'if_clause');
  const [clause] = clauses;
  const [body, left, right] = [childOf(node, 'body'), clause && childOf(clause, 'left'), clause && childOf(clause, 'right')];
  if (!/^(generator_expression|list_comprehension)$/.test(node.type) || clauses.length !== 1 || body === undefined) return [];
  if (left === undefined || right === undefined || tests.length > 1 || (tests.length > 0 && none === undefined)) return [];
  const [test] = tests;
  const value = textOf(region, body);
  const of = test === undefined ? value : `${value} if ${textOf(region, test).replace(/^if\s+/, '')} else ${none}`;
  return [textOf(region, left), of, right];
}

function mapped(region: Region, node: SyntaxNode): Mapped {
  const { object, method, args } = callParts(region, node) ?? { object: undefined, method: '', args: [] };
  const [arrow, more] = args;
  const [, item, of = ''] =
    arrow === undefined ? [] : (/^\(?(\w+)(?:: \w+)?\)? => ([^{][\s\S]*)$/.exec(textOf(region, arrow)) ?? []);
  return object === undefined || method !== 'map' || more !== undefined || item === undefined ? [] : [item, of, object];
}

interface Summed extends Part {
  readonly node: SyntaxNode;
  /** The sum as it stands there, as an expression. */
  readonly same: string;
  /** What stands there instead, with another expression for the sum. */
  readonly written: (sum: string) => string;
}

/** `sum(xs[a:b])`, `xs.slice(a, b).reduce((p, q) => p + q, 0)`, a loop that adds, also of a slice with a name or a part of each item. */
function sums(region: Region): Summed[] {
  const calls = callsIn(region).flatMap(({ node, name, object, method, args }): Summed[] => {
    const [first, start] = args;
    if (first === undefined) return [];
    const common = { node, same: textOf(region, node), written: (sum: string) => sum };
    if (name === 'sum') {
      const only = soleArgument(node, args);
      const part = only === undefined ? undefined : partOf(region, node, only, '0');
      return part === undefined ? [] : [{ ...common, ...part }];
    }
    if (object === undefined || method !== 'reduce' || start === undefined || textOf(region, start) !== '0') return [];
    const [, sum, item = '', added = ''] =
      /^\((\w+)(?:: number)?,\s*(\w+)(?:: \w+)?\)\s*=>\s*\1\s*\+\s*([\w.]+)$/.exec(textOf(region, first)) ?? [];
    const part = sum === undefined ? undefined : partOf(region, node, object, '0');
    if (part === undefined || (part.value !== undefined && added !== item)) return [];
    return [{ ...common, ...part, value: added === item ? part.value : { item, of: added } }];
  });
  const loops = region.nodes.flatMap((node): Summed[] => {
    const [left, right, body] = [childOf(node, 'left'), childOf(node, 'right'), childOf(node, 'body')];
    if (!isPython(region) || node.type !== 'for_statement' || left === undefined || right === undefined || body === undefined)
      return [];
    const [only, more] = statementsOf(region, body);
    const [, name = '', of = ''] = only === undefined ? [] : (/^(\w+) \+= (.+)$/.exec(textOf(region, only.node)) ?? []);
    const slice = name === '' || more !== undefined ? undefined : sliceOf(region, node, right);
    const item = textOf(region, left);
    if (slice === undefined || identifiers(of).includes(name)) return [];
    const reads = [slice.list, ...identifiers(of).filter((each) => !identifiers(item).includes(each))];
    const same = `sum(${of} for ${item} in ${textOf(region, right)})`;
    return [{ ...slice, value: { item, of }, reads, node, same, written: (sum) => `${name} += ${sum}` }];
  });
  return [...calls, ...loops];
}

interface Slice {
  readonly list: string;
  /** Empty for the first item. */
  readonly from: string;
  /** Empty for the end of the list. */
  readonly to: string;
}

/** The slice that is read where the node stands, also by its name. */
function sliceOf(region: Region, node: SyntaxNode, read: SyntaxNode): Slice | undefined {
  const text = textOf(region, read);
  const made = region.statements.findLast(
    (each) => each.node.start < node.start && madeAs(region, each.node, text) !== undefined,
  );
  const slice = made === undefined ? text : (madeAs(region, made.node, text) ?? text);
  const [, list = '', from = '', to = ''] =
    (isPython(region) ? /^(\w+)\[([^:[\]]*):([^:[\]]*)\]$/.exec(slice) : null) ?? javascriptSlice(slice) ?? [];
  return list === '' ? undefined : { list, from: from.trim(), to: to.trim() };
}

function javascriptSlice(text: string): string[] | undefined {
  const [, list, bounds = ''] = /^(\w+)\.slice\(((?:[^()]|\([^()]*\))*)\)$/.exec(text) ?? [];
  const [from = '', to = ''] = splitArguments(bounds);
  return list === undefined ? undefined : ['', list, from, to];
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
    const text = `${sum} += ${prefix}[${to}]${from === '0' ? '' : ` - ${prefix}[${from}]`}${isPython(region) ? '' : ';'}`;
    const changes = [before(region, place, block(region, place, prefixSums(region, prefix, list, false))), replacing(node, text)];
    return [{ what: `use prefix sums: ${list}`, at: node.start, changes }];
  });

function countedBounds(item: string, text: string): string[] {
  const [from = '', test = ''] = text.split(';');
  const bound = new RegExp(`^\\s*${item}\\s*(<=?)\\s*(.+)$`).exec(test);
  return bound === null ? [] : [from.trim(), bound[1] === '<' ? (bound[2] ?? '') : `${bound[2]} + 1`];
}

/** `max(xs[:i])`, `min(xs[i:])`, `Math.max(...xs.slice(0, i))`: found once for each place. */
export const sliceExtremeToList: Operator = (region) =>
  callsIn(region).flatMap(({ node, name, object, method, args }): StructuralEdit[] => {
    const only = soleArgument(node, args);
    const which = isPython(region) ? name : object !== undefined && textOf(region, object) === 'Math' ? method : '';
    const spread = only?.type === 'spread_element' ? only.children.find((child) => child.named) : undefined;
    const read = isPython(region) ? only : spread;
    if (!/^(max|min)$/.test(which) || read === undefined) return [];
    const slice = partOf(region, node, read, undefined);
    const isFirst = slice !== undefined && /^0?$/.test(slice.from) && slice.to !== '';
    const isLast = slice !== undefined && slice.to === '' && !/^0?$/.test(slice.from);
    if (slice === undefined || (!isFirst && !isLast)) return [];
    const { from, to } = slice;
    const { list, lines: values } = valuesOf(region, slice);
    const place = outside(region, node, slice.reads);
    const same = textOf(region, node);
    const known = freshName(region, `${which === 'max' ? 'highest' : 'lowest'}${isPython(region) ? '_of' : 'Of'}`);
    // What has been found already is not looked for again.
    if (place === undefined || /\b(highest|lowest)_?[oO]f/.test(textOf(region, node.parent ?? node))) return [];
    const lines = isPython(region)
      ? pythonLines(region, known, list, which, isFirst)
      : javascriptLines(region, known, list, which, isFirst);
    const found = isPython(region)
      ? isFirst
        ? `(${known}[${to} - 1] if 0 < ${to} <= len(${known}) else ${same})`
        : `(${known}[-1 - (${from})] if 0 <= ${from} < len(${known}) else ${same})`
      : `(${known}[${isFirst ? `${to} - 1` : from}] ?? ${same})`;
    const what = `find the ${which === 'max' ? 'greatest' : 'least'} of each part once: ${slice.list}`;
    return [
      {
        what,
        at: node.start,
        changes: [before(region, place, block(region, place, [...values, ...lines])), replacing(node, found)],
      },
    ];
  });

function pythonLines(region: Region, known: string, list: string, which: string, isFirst: boolean): string[] {
  // The first of equal items is returned.
  const test = which === 'max' ? '>=' : '<=';
  const made = isFirst ? `accumulate(${list}, ${which})` : `accumulate(reversed(${list}), lambda a, b: b if b ${test} a else a)`;
  const { unit } = region;
  return [
    'from itertools import accumulate',
    'try:',
    `${unit}${known} = list(${made})`,
    'except Exception:',
    `${unit}${known} = []`,
  ];
}

function javascriptLines(region: Region, known: string, list: string, which: string, isFirst: boolean): string[] {
  const end = which === 'max' ? '-Infinity' : 'Infinity';
  const [i, { unit }] = [freshName(region, 'i'), region];
  const head = isFirst
    ? `for (let ${i} = 0; ${i} < ${list}.length; ${i}++) {`
    : `for (let ${i} = ${list}.length - 1; ${i} >= 0; ${i}--) {`;
  return [
    `const ${known}${isTypeScript(region) ? ': number[]' : ''} = [];`,
    head,
    `${unit}${known}[${i}] = Math.${which}(${known}[${i} ${isFirst ? '-' : '+'} 1] ?? ${end}, ${list}[${i}]);`,
    '}',
  ];
}
