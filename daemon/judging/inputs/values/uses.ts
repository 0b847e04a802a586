/** What the source says of the use of a value: what it is compared with, who gets its items, and which fields it must have. */
import { childOf, descendants, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { EntrySource, Parameter } from '../source.ts';

const comparisons = /^(?:[=!]==?|[<>]=?|in|not in|is)$/;

/**
 * What something is compared with: texts, as in `code == "A"`, `code in ("A", "B")` and `["A", "B"].includes(code)`, and the name
 * of the other side of a comparison of two values.
 */
export function comparedWith(node: SyntaxNode, text: string): { texts: string[]; name: string | undefined } {
  const { parent } = node;
  const of = ({ start, end }: SyntaxNode): string => text.slice(start, end);
  const [operator] = parent?.children.filter((one) => !one.named && comparisons.test(of(one))) ?? [];
  const called = parent?.type === 'arguments' && parent.parent ? childOf(parent.parent, 'function') : undefined;
  const looked = called && /\.includes$/.test(of(called)) ? childOf(called, 'object') : undefined;
  if (parent === undefined || (operator === undefined && looked === undefined)) return { texts: [], name: undefined };
  const others = looked === undefined ? parent.children.filter((one) => one.named && one.start !== node.start) : [looked];
  const strings = others
    .flatMap((one) => (/^(?:tuple|list|set|array)$/.test(one.type) ? one.children : [one, ...textsNamed(one, text)]))
    .filter(({ type }) => type === 'string');
  const [other] = others;
  const single =
    other !== undefined && operator !== undefined && !/in$/.test(operator.type) ? lastNameOf(other, text) : undefined;
  const texts = strings.map(({ start, end }) => text.slice(start + 1, end - 1));
  // One of the letters of a text, most likely.
  const isAmong = other?.type === 'string' && (looked !== undefined || (operator !== undefined && /in$/.test(operator.type)));
  return { texts: isAmong ? texts.flatMap((one) => one.match(/\\.|[^\\]/gs) ?? []) : texts, name: single };
}

/** The texts of a list or the keys of a dictionary that a name stands for, in the same function or at the top of the file. */
export function textsNamed(name: SyntaxNode, text: string): SyntaxNode[] {
  if (name.type !== 'identifier') return [];
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const statementsAround = (node: SyntaxNode): readonly SyntaxNode[] =>
    node.parent === undefined
      ? node.children
      : [...(/^(?:block|statement_block)$/.test(node.type) ? node.children : []), ...statementsAround(node.parent)];
  const declared = statementsAround(name)
    .flatMap((one) => (one.type === 'export_statement' ? one.children : [one]))
    .flatMap(({ children }) => children)
    .find((one) => of(childOf(one, 'left') ?? childOf(one, 'name')) === of(name));
  const value = declared && (childOf(declared, 'right') ?? childOf(declared, 'value'));
  if (value === undefined || !/^(?:dictionary|object|list|tuple|set|array)$/.test(value.type)) return [];
  return value.children.flatMap((one) => (one.type === 'pair' ? (childOf(one, 'key') ?? []) : [one]));
}

/** A comparison by one of the operators; in JavaScript it is a binary expression as sums are. */
export const isEquality = ({ type, children }: SyntaxNode, operators = /^[=!]==?$/): boolean =>
  /^(?:comparison_operator|binary_expression)$/.test(type) && children.some((one) => !one.named && operators.test(one.type));

/** `name` of `name`, `row.name` and `row["name"]`. */
export function lastNameOf(node: SyntaxNode, text: string): string | undefined {
  const key = childOf(node, 'subscript') ?? childOf(node, 'index');
  if (key !== undefined) return key.type === 'string' ? text.slice(key.start + 1, key.end - 1) : undefined;
  const last = childOf(node, 'attribute') ?? childOf(node, 'property') ?? (node.type === 'identifier' ? node : undefined);
  return last === undefined ? undefined : text.slice(last.start, last.end);
}

/** What it is with a list in its place where it is missing, and with brackets: `(row.tags ?? [])`. */
export function outermost(node: SyntaxNode): SyntaxNode {
  const { parent } = node;
  if (parent?.type === 'parenthesized_expression') return outermost(parent);
  const isDefaulted =
    parent !== undefined && /^(?:boolean_operator|binary_expression)$/.test(parent.type) && node.field === 'left';
  return isDefaulted && emptyOr(parent) === 'list' ? outermost(parent) : node;
}

/** Whether it is put into a text by `%`, in Python. */
export const isPutIntoText = ({ parent }: SyntaxNode): boolean =>
  parent?.children[0]?.type === 'string' && parent.children[1]?.type === '%';

/** What other than a literal it is looked for in. */
export function lookedForIn({ parent, start }: SyntaxNode): SyntaxNode | undefined {
  const [left, right] = parent?.children.filter(({ named }) => named) ?? [];
  const isAsked = parent?.type === 'comparison_operator' && parent.children.some(({ type }) => /^(?:not )?in$/.test(type));
  const isHolder = /^(?:identifier|attribute|subscript|call)$/.test(right?.type ?? '');
  return isAsked && left?.start === start && isHolder ? right : undefined;
}

/** Whether something other than a literal is looked for in it: `name in taken`. */
export function isLookedThrough({ parent, start }: SyntaxNode): boolean {
  const [left, right] = parent?.children.filter(({ named }) => named) ?? [];
  const isAsked = parent?.type === 'comparison_operator' && parent.children.some(({ type }) => /^(?:not )?in$/.test(type));
  return isAsked && right?.start === start && left?.type !== 'string';
}

/** Whether it is added to a text, as `here` of `here + "." + name`: in Python, only a text can be. */
export function isJoined({ parent, start }: SyntaxNode, text: string): boolean {
  if (parent?.children.some(({ type }) => type === '+' || type === '+=') !== true) return false;
  const others = parent.children.filter((one) => one.named && one.start !== start);
  const isText = ({ type, children, ...one }: SyntaxNode): boolean =>
    type === 'string' ||
    /^(?:str|repr)\(|\.(?:join|format|strip|upper|lower)\(/.test(text.slice(one.start, one.end)) ||
    (type === 'binary_operator' && children.some(isText));
  return others.some(isText) || (parent.parent?.type === parent.type && isJoined(parent, text));
}

/** A name, or what stands for an item or a field. */
const named = /^(?:identifier|subscript|attribute|member_expression|call$)/;

const namedInBodies = new WeakMap<SyntaxNode, [node: SyntaxNode, written: string][]>();

/** Everything in the body that has a name, as it is written. */
export function namedIn(body: SyntaxNode, text: string): readonly [node: SyntaxNode, written: string][] {
  const found =
    namedInBodies.get(body) ??
    descendants(body).flatMap((node): [SyntaxNode, string][] =>
      named.test(node.type) ? [[node, text.slice(node.start, node.end)]] : [],
    );
  namedInBodies.set(body, found);
  return found;
}

/** The function of that name in the same file: inside of the entry, or at the top. A file may be too long to look through all of it. */
export function functionCalled(called: string, { root, node: entry, text }: EntrySource): SyntaxNode | undefined {
  const isCalled = (node: SyntaxNode): boolean => {
    const name = childOf(node, 'name');
    return name !== undefined && text.slice(name.start, name.end) === called;
  };
  const top = root.children.flatMap(({ children }) => [...children, ...children.flatMap((each) => each.children)]);
  const definition = [...descendants(entry).slice(1), ...root.children, ...top].find(isCalled);
  return definition === undefined ? undefined : (childOf(definition, 'value') ?? definition);
}

const withItems = /^(?:sort|toSorted|map|filter|forEach|some|every|find|findIndex|flatMap|reduce)$/;
const keepsItems = /^(?:slice|sort|toSorted|filter|reverse|toReversed|concat|copy|entries)$/;
const givesItem = /^(?:find|findLast|at|pop|popleft|shift)$/;
/** Functions with a copy of what they are given as their result, and those that are given a key of its items. */
const copies = /^(?:Array\.from|structuredClone|Set|list|tuple|set|sorted|reversed|(?:copy\.)?(?:deep)?copy)$/;
const keyedBy = /^(?:sorted|min|max|(?:itertools\.)?groupby)$/;

interface PassedOn {
  /** Functions that get the items: their bodies, with the name or the pattern that stands for an item there. */
  readonly callbacks: { left: SyntaxNode; inside: SyntaxNode }[];
  /** Everything around the named thing that still has the same items: `[...rows].sort()`. */
  readonly end: SyntaxNode;
  /** The items come in pairs with their places. */
  readonly placed: boolean;
  /** What that is called: `const sorted = [...pairs].sort((a, b) => a[0] - b[0])`. */
  readonly copy: string | undefined;
  /** What one of its items is called: `const row = rows.find(…)`. */
  readonly item: string | undefined;
}

/** The functions and names that get the items of what is named here. */
export function itemsPassedOn(named: SyntaxNode, text: string): PassedOn {
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const callbacks: PassedOn['callbacks'] = [];
  let [at, placed] = [named, false];
  for (;;) {
    const { parent } = at;
    const around = parent?.parent;
    if (at !== outermost(at)) at = outermost(at);
    else if (parent?.type === 'spread_element' && around?.type === 'array') at = around;
    else if (parent?.type === 'subscript' && at.field === 'value' && childOf(parent, 'subscript')?.type === 'slice') at = parent;
    else if (/^argument/.test(parent?.type ?? '') && around !== undefined) {
      const called = of(childOf(around, 'function') ?? childOf(around, 'constructor'));
      const key = argumentsOf(around).find((one) => one.type === 'keyword_argument' && of(childOf(one, 'name')) === 'key');
      if (keyedBy.test(called)) callbacks.push(...callbackOf(key && childOf(key, 'value'), 0));
      if (!copies.test(called) || argumentsOf(around)[0]?.start !== at.start) break;
      at = around;
    } else if (
      /^(?:member_expression|attribute)$/.test(parent?.type ?? '') &&
      at.field === 'object' &&
      /^call/.test(around?.type ?? '')
    ) {
      const method = parent && of(childOf(parent, 'property') ?? childOf(parent, 'attribute'));
      if (around === undefined || method === undefined) break;
      const [given] = argumentsOf(around);
      const callback = (given?.type === 'keyword_argument' ? childOf(given, 'value') : undefined) ?? given;
      if (withItems.test(method)) callbacks.push(...callbackOf(callback, method === 'reduce' ? 1 : 0));
      if (givesItem.test(method)) return { callbacks, end: at, placed, copy: undefined, item: nameGiven(around, of) };
      const [copied] = method === 'map' ? callbackOf(argumentsOf(around)[0], 0) : [];
      const isCopy = copied !== undefined && /^\(?\{\s*\.\.\.(\w+)/.exec(of(copied.inside))?.[1] === of(copied.left);
      if (!keepsItems.test(method) && !isCopy) break;
      placed ||= method === 'entries';
      at = around;
    } else break;
  }
  return { callbacks, end: at, placed, copy: placed ? undefined : nameGiven(at, of), item: undefined };
}

/** The loop that goes through it, also with the places of the items (`placed`, `enumerate`) or next to others (`zip`), and the name of each item. */
export function loopOver(
  list: SyntaxNode,
  placed: boolean,
  text: string,
): { loop: SyntaxNode; left: SyntaxNode | undefined } | undefined {
  const call = /^argument/.test(outermost(list).parent?.type ?? '') ? outermost(list).parent?.parent : undefined;
  const called = call && childOf(call, 'function');
  const [joint] = called === undefined ? [] : (/^(?:enumerate|zip)$/.exec(text.slice(called.start, called.end)) ?? []);
  const through = joint === undefined ? outermost(list) : call;
  const loop = through?.field === 'right' ? through.parent : undefined;
  if (loop === undefined || !/^for_(?:statement|in_statement|in_clause)$/.test(loop.type)) return undefined;
  const left = childOf(loop, 'left');
  const parts = left?.children.filter((one) => one.named) ?? [];
  if (joint === 'zip') return { loop, left: parts[argumentsOf(call).findIndex(({ start }) => start === list.start)] };
  return { loop, left: placed || joint === 'enumerate' ? parts[1] : left };
}

/** The name that a value is given where it stands, in a declaration or an assignment. */
export function nameGiven({ parent, field }: SyntaxNode, of: (node: SyntaxNode | undefined) => string): string | undefined {
  const isGiven =
    parent !== undefined && /^(?:variable_declarator|assignment)/.test(parent.type) && /^(?:value|right)$/.test(field ?? '');
  const name = isGiven ? (childOf(parent, 'name') ?? childOf(parent, 'left')) : undefined;
  return name?.type === 'identifier' ? of(name) : undefined;
}

/** A function with its parameter at that place. */
function callbackOf(callback: SyntaxNode | undefined, place: number): PassedOn['callbacks'] {
  const inside = callback && childOf(callback, 'body');
  const all = callback && childOf(callback, 'parameters')?.children.filter((one) => one.named);
  const parameter = all?.[place] ?? (place === 0 ? callback && childOf(callback, 'parameter') : undefined);
  const bare = parameter && (childOf(parameter, 'pattern') ?? parameter);
  if (inside === undefined || bare === undefined || !/^(?:identifier|object_pattern|array_pattern)$/.test(bare.type)) return [];
  return [{ left: bare, inside }];
}

/**
 * In Python, what a comprehension of items as they are, or of copies of them, is called: `found = [p for p in rows if …]` has the same
 * items, and `row = next((p for p in rows if …), None)` is one of them.
 */
export function keptAs(comprehension: SyntaxNode, item: string, text: string): { name: string; isItem: boolean } | undefined {
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const kept = [item, `dict(${item})`, `list(${item})`, `{**${item}}`, `${item}.copy()`, `${item}[:]`];
  if (!/comprehension$|^generator/.test(comprehension.type) || !kept.includes(of(childOf(comprehension, 'body'))))
    return undefined;
  let at = comprehension;
  while (at.parent !== undefined && /^(?:argument_list|parenthesized_expression|call)$/.test(at.parent.type)) at = at.parent;
  const left = at.field === 'right' && at.parent?.type === 'assignment' ? childOf(at.parent, 'left') : undefined;
  if (left?.type !== 'identifier') return undefined;
  const called = at.type === 'call' ? of(childOf(at, 'function')) : 'list';
  const isItem = /^(?:next|min|max)$/.test(called);
  return isItem || /^(?:list|sorted)$/.test(called) ? { name: of(left), isItem } : undefined;
}

const passesOn =
  /^(?:argument_list|arguments|call|call_expression|new_expression|member_expression|spread_element|array|parenthesized_expression|arrow_function|list_comprehension|set_comprehension|generator_expression)$/;

/** The name of a list of all such values, one for each item: `kinds = sorted({row["kind"] for row in rows})`. */
export function collectedAs(value: SyntaxNode, of: (node: SyntaxNode | undefined) => string): string | undefined {
  if (value.field !== 'body' || !/comprehension$|^generator|^arrow/.test(value.parent?.type ?? '')) return undefined;
  let at = value;
  while (at.parent !== undefined && passesOn.test(at.parent.type)) at = at.parent;
  const kept = /^(?:\[|\{|(?:sorted|set|list|tuple|dict\.fromkeys|Array\.from|new Set)\(|[\w.]+\.(?:map|flatMap)\()/;
  return kept.test(of(at)) ? nameGiven(at, of) : undefined;
}

/** Lists, and dictionaries of lists, that an item is put into: `late` of `late.append(row)`, `groups` of `groups[row.kind].push(row)`. */
export function puttingInto(item: string, { start, end }: SyntaxNode, text: string): { lists: string[]; groups: string[] } {
  if (!/^\w+$/.test(item)) return { lists: [], groups: [] };
  const held = String.raw`(\.(?:setdefault|get)\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]\n]+\])?`;
  const put = new RegExp(String.raw`\(?\b(\w+)${held}!?(?: \?\?= \[\]\))?\.(?:append|push)\(${item}\)`, 'g');
  const all = [...text.slice(start, end).matchAll(put)];
  const named = (grouped: boolean): string[] => [
    ...new Set(all.flatMap(([, name, key]) => ((key !== undefined) === grouped ? (name ?? []) : []))),
  ];
  return { lists: named(false), groups: named(true) };
}

/** The names that stand for an item of what is called so: in loops, and in functions that get its items. */
export function itemNames(list: string, { start, end }: SyntaxNode, text: string): string[] {
  if (!/^\w+$/.test(list)) return [];
  const loops = new RegExp(`\\bfor \\(?(?:const |let )?(\\w+) (?:of|in) ${list}\\b|\\b${list}\\.\\w+\\(\\(?(\\w+)\\)? =>`, 'g');
  return [...text.slice(start, end).matchAll(loops)].flatMap(([, one, other]) => one ?? other ?? []);
}

export const argumentsOf = (call: SyntaxNode | undefined): SyntaxNode[] =>
  (call === undefined ? undefined : childOf(call, 'arguments'))?.children.filter(({ named }) => named) ?? [];

/** The text in brackets, or the default of the parameter that stands there: `row["id"]`, `row[key]` with `key="id"`. */
export function keyIn(at: SyntaxNode | undefined, { text, parameters }: EntrySource): string | undefined {
  if (at?.type === 'string') return text.slice(at.start + 1, at.end - 1);
  const fallback = at && parameters.find(({ name }) => name === text.slice(at.start, at.end))?.fallback;
  return typeof fallback === 'string' ? fallback : undefined;
}

/** The texts that the body compares it with: what a text with a default may be other than that. */
export function choicesOf({ name, fallback }: Parameter, { node, text }: EntrySource): string[] {
  if (typeof fallback !== 'string') return [];
  const own = descendants(node).filter((one) => one.type === 'identifier' && text.slice(one.start, one.end) === name);
  return [...new Set(own.flatMap((one) => comparedWith(one, text).texts))].filter((choice) => choice !== fallback);
}

/**
 * Whether a number counts items: it is compared with a length, cuts a list or a text, is an index or the end of a loop, or is
 * compared with what a loop counts.
 */
export function isSize({ name }: Parameter, { node, text }: EntrySource): boolean {
  if (!/^\w+$/.test(name)) return false;
  const uses = [
    `(?:\\.length|\\blen\\([^()]*\\))\\s*(?:[-<>]=?|[!=]==?)\\s*${name}\\b`,
    `\\b${name}\\s*(?:[-<>]=?|[!=]==?)\\s*[^;\\n]*(?:\\.length\\b|\\blen\\()`,
    `\\b(?:slice|splice|repeat|charAt|at|range|substring)\\([^()]*\\b${name}\\b`,
    `\\w\\[[^\\]\\n]*:?\\b${name}\\]`,
    `\\bfor\\b[^;\\n]*;[^;]*<=?\\s*${name}\\b`,
    `\\b(?:let|for) (\\w+) (?:= \\d+;|in range\\()[^]*?\\b(?:\\1\\s*(?:-|[!=]==?)\\s*${name}|${name}\\s*(?:-|[!=]==?)\\s*\\1)\\b`,
  ];
  return new RegExp(uses.join('|')).test(text.slice(node.start, node.end));
}

/** What stands in the place of what is missing: `options or {}`, `rows ?? []`. */
export function emptyOr({ children }: SyntaxNode): 'dict' | 'list' | undefined {
  if (!children.some(({ named, type }) => !named && /^(?:\|\||\?\?|or)$/.test(type))) return undefined;
  const right = children.findLast(({ named }) => named);
  if (right?.children.some(({ named }) => named) !== false) return undefined;
  return /^(?:dictionary|object)$/.test(right.type) ? 'dict' : /^(?:list|array|tuple)$/.test(right.type) ? 'list' : undefined;
}

/** The attribute in which a constructor keeps its parameter: `self.size` of `self.size = size`. */
export function keptIn(body: SyntaxNode, name: string, text: string): string | undefined {
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const kept = descendants(body).find((node) => /^assignment/.test(node.type) && of(childOf(node, 'right')) === name);
  return kept === undefined ? undefined : of(childOf(kept, 'left'));
}

/** `name` of `row["name"]`, `row.name` and `name`. */
export const lastName = (text: string): string => /(\w+)\W*$/.exec(text)?.[1] ?? text;

/** Fields that a Python program reads by `["name"]` and never asks for in a way that lets them be absent. */
export function requiredFields(text: string, language: string): ReadonlySet<string> {
  if (language !== 'python' || /\bexcept\s*(?::|[^:\n]*\b(?:KeyError|LookupError|Exception|BaseException)\b)/.test(text))
    return new Set();
  const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, , name = '']) => name);
  const read = named(/\[(['"])(\w+)\1\](?!\s*=[^=])/g);
  const optional = new Set([
    ...named(/\.(?:get|pop|setdefault)\(\s*(['"])(\w+)\1/g),
    ...named(/(['"])(\w+)\1\s+(?:not\s+)?in\b/g),
  ]);
  return new Set(read.filter((name) => !optional.has(name)));
}
