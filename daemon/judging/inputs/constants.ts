/** The constants in the file of an entry function, those of the function first, and what it asks of the values that it is given. */
import { childOf, descendants, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import { kindOf, numberIn } from './values/data.ts';
import type { Constants } from './values/grow.ts';
import { literalOf } from './values/literals.ts';

/** A sign that is taken away or counted, of which a text may have two: `text.lstrip("-")`, `text.count("-")`. */
const signTaken = /\.(?:[lr]?strip|count|removeprefix)\((?:"([^"\w\s\\])"|'([^'\w\s\\])')\)/g;

const changesCase = /\.(?:lower|upper|casefold|toLowerCase|toUpperCase|toLocale(?:Low|Upp)erCase)\(/;
const otherCase = (word: string): string => (word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase());

/** Texts in quotes that are no names: most likely examples, such as "1d 2h30m". */
function quotedIn(doc: string): string[] {
  const inside = doc.replace(/^\w*("{3}|'{3})|("{3}|'{3})$/g, '');
  return [...inside.matchAll(/(["'`])((?:(?!\1)[^\n]){1,80})\1/g)].flatMap(([, , quoted = '']) =>
    /[^A-Za-z_]/.test(quoted) ? [quoted] : [],
  );
}

const MOST_CONSTANTS = 40;

/** Those of the function come first; then those of the rest of its file. */
export function constantsOf(
  root: SyntaxNode,
  node: SyntaxNode,
  text: string,
  python: boolean,
  doc: string,
): Omit<Constants, 'nests'> {
  const ints = new Set<number>();
  const floats = new Set<number>();
  const strs = new Set<string>();
  const patterns = new Set<string>();
  const read = (each: SyntaxNode): void => {
    if (each.type === 'regex_pattern') {
      patterns.add(text.slice(each.start, each.end));
      for (const sign of signsOf(text.slice(each.start, each.end))) strs.add(sign);
    }
    if (!['integer', 'float', 'number', 'string'].includes(each.type)) return;
    // A statement that is a text only is a docstring.
    if (each.parent?.type === 'expression_statement' || /import|export/.test(each.parent?.type ?? '')) return;
    const value = literalOf(each, text, python);
    if (value === undefined) return;
    const kind = kindOf(value);
    if (kind === 'int') ints.add(numberIn(value));
    else if (kind === 'float') floats.add(numberIn(value));
    else if (typeof value === 'string' && (/\\[dwsb(.[]/.test(value) || isPattern(each, text))) {
      patterns.add(value);
      for (const sign of signsOf(value)) strs.add(sign);
    } else if (typeof value === 'string' && value.length <= 40 && value !== '') {
      strs.add(value);
      // A few signs are often a set of them, as in `strip(",;")`.
      if (/^[^\w\s]{2,4}$/.test(value)) for (const sign of value) strs.add(sign);
    }
  };
  const own = descendants(node);
  const nullAtFirst = namesSetToNull(own, text);
  const nulls = own.some(
    ({ type, parent }) =>
      /^(?:none|null|undefined)$/.test(type) &&
      /^(?:comparison_operator|binary_expression)$/.test(parent?.type ?? '') &&
      !parent?.children.some(({ start, end }) => nullAtFirst.has(text.slice(start, end))),
  );
  own.forEach(read);
  const said = own.flatMap(({ type, start, end }) => (type === 'comment' ? [text.slice(start, end)] : []));
  for (const quoted of [doc, ...said].flatMap(quotedIn)) strs.add(quoted);
  for (const [, one, sign = one ?? ''] of text.matchAll(signTaken))
    for (const twice of [sign + sign, `${sign}${sign}1`]) strs.add(twice);
  const ignoresCase = changesCase.test(text.slice(node.start, node.end));
  for (const word of ignoresCase ? [...strs] : []) if (/^[a-z]+$/i.test(word)) strs.add(otherCase(word));
  for (const [decoder, escaped] of decoders) {
    if (decoder.test(text)) for (const piece of escaped) strs.add(piece);
  }
  for (const [care, pieces] of python ? [] : caresFor) if (care.test(text)) for (const piece of pieces) strs.add(piece);
  if (ints.size + strs.size < MOST_CONSTANTS) descendants(root).slice(0, 20_000).forEach(read);
  const first = <T>(values: Set<T>): T[] => [...values].slice(0, MOST_CONSTANTS);
  const asked = [...text.slice(node.start, node.end).matchAll(asksKind)].map(([, one, other]) => one ?? other ?? '');
  const fractions = wholeChecks.test(text.slice(node.start, node.end));
  const kinds = /\bisinstance\s*\(|\btypeof\b|\btype\s*\(/.test(text.slice(node.start, node.end));
  const decimals = /\bDecimal\(/.test(text.slice(node.start, node.end));
  const twins = comparesKinds.test(text.slice(node.start, node.end));
  return {
    ints: first(ints),
    floats: first(floats),
    strs: first(strs),
    patterns: first(patterns),
    nulls,
    asked,
    fractions,
    kinds,
    twins,
    decimals,
  };
}

/** What finds nothing in the object's own state, or where a text does not match. */
const looksUp =
  /^(?:self|this)\.[\w.#]+(?:\.(?:get|find|at|pop|shift)\(|\[)|^\w*\bre\.(?:match|search|fullmatch)\(|^[\w/].*\.(?:exec|match|fullmatch)\(/s;

/** Variables and parameters that begin as null: a comparison with null says nothing about the given values. */
function namesSetToNull(nodes: readonly SyntaxNode[], text: string): Set<string> {
  const found = nodes.flatMap((node) => {
    const name = childOf(node, 'name') ?? childOf(node, 'left') ?? childOf(node, 'pattern');
    const value = childOf(node, 'value') ?? childOf(node, 'right');
    const isNull =
      value === undefined
        ? node.type === 'variable_declarator'
        : /^(?:none|null|undefined)$/.test(value.type) || looksUp.test(text.slice(value.start, value.end));
    const sets = /^(?:assignment|assignment_expression|variable_declarator|.*parameter|assignment_pattern)$/.test(node.type);
    return sets && isNull && name?.type === 'identifier' ? [text.slice(name.start, name.end)] : [];
  });
  return new Set(found);
}

/** What decodes a text or escapes it, and pieces that it changes: hardly any other text holds such a piece by chance. */
const decoders: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:decodeURI(?:Component)?|URLSearchParams|unquote(?:_plus)?|parse_qsl?)\b/, ['%41', '%20', '%zz']],
  [/\bsplitlines\(/, ['\n']],
  [/\bnormalize\(/, ['e\u0301', '\u00e9']],
  // Signs that a pattern means in another way, unless they are escaped, and what it would match then.
  [/\bre\.escape\(|\bRegExp\.escape\(|['"]\\\\\$&['"]/, ['a.b', 'a+b', 'axb', 'aab']],
  [/\bunescape\b/, ['&amp;', '%41']],
];

/** What a JavaScript source that is right with them takes care of, and texts that others are wrong with: inherited names, two units in one sign. */
const caresFor: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bhasOwn|\bcreate\(null\)|\bnew (?:Map|Set)\b|\bObject\.is\(/, ['constructor', 'toString']],
  [/\bcodePoint|\\p\{|\bnormalize\(|\bSegmenter\b|\bof \w+\)|\[\.\.\.\w+\]|\bArray\.from\(/, ['\u{1f44b}']],
];

/** `re.match("…", …)`. */
export function isPattern(node: SyntaxNode, text: string): boolean {
  const call = node.parent?.type === 'argument_list' ? node.parent.parent : undefined;
  const called = call === undefined ? undefined : childOf(call, 'function');
  return called !== undefined && /^re\.\w+$/.test(text.slice(called.start, called.end));
}

/** `type(a) != type(b)`, `typeof a === typeof b`. */
const comparesKinds = /\btype\([^()\n]*\)\s*(?:[!=]=|is(?: not)?)\s*type\(|\btypeof [^=!\n]+[!=]==?\s*typeof\b/;

/** `isinstance(value, list)`, `Array.isArray(row.value)`, `typeof value`. */
const asksKind = /(?:\bisinstance|\bArray\.isArray|\btype)\(\s*(?:[\w.]+\.)?(\w+)|\btypeof (?:[\w.]+\.)?(\w+)/g;

/** What asks whether a number is whole, or makes it so. */
const wholeChecks =
  /\bround\(|\.toFixed\(|\.is(?:Safe)?Integer\(|\.is_integer\(|\bisinstance\([^()]*,[^)]*\b(?:int|float)\b|%\s*1\b(?!\.)/;
/** In JavaScript these work on 32 bits. */
const bitwise = /[^<>]>>|<<|~~|[^|]\|\s*0\b|[^&]&[^&]|\^|\bMath\.(?:imul|clz32)\b/;

/** Whether the function computes with the bits of its numbers. */
export function isBitwise({ text, node, language }: { text: string; node: SyntaxNode; language: string }): boolean {
  return language !== 'python' && bitwise.test(text.slice(node.start, node.end));
}

/** Words and signs that a regular expression looks for as they are. */
function signsOf(pattern: string): string[] {
  const bare = pattern.replace(/\\[a-zA-Z0-9]|\(\?(?:[:=!]|<[=!]?)|[\^$()|+*?]|\{[\d,]*\}|\w-\w/g, '\n').replace(/\\(.)/g, '$1');
  return [...new Set(bare.match(/[A-Za-z]{1,12}|[^\s\w[\]]/g))].slice(0, MOST_SIGNS);
}

const MOST_SIGNS = 12;

const listChecks =
  /\bArray\.isArray\(|\binstanceof Array\b|\bisinstance\([^()]*,[^)]*\blist\b|\btype\([^()]*\) (?:is|==) list\b|\.concat\(|\.flat\(/;
const dictChecks =
  /\btypeof [\w.[\]]+ ===? ["']object["']|\bisinstance\([^()]*,[^)]*\b(?:dict|\w*Mapping)\b|\btype\([^()]*\) (?:is|==) dict\b/;
/** Goes from one to the next by the parts of a text: `path.split(".").reduce((value, key) => value[key], data)`. */
const followsPath = /\.split\(["'][./]["']\)[\s\S]{0,120}?(?:\w\??\.?\[\w+\]|\.get\(\w+)/;
const loose = /\b(?:any|unknown|object|Any)\b|^(?:dict|list)$/;

/** By the function and those that it calls in its file; none where types say what every parameter holds. */
export function nestsOf(
  root: SyntaxNode,
  node: SyntaxNode,
  text: string,
  parameters: readonly { readonly type: string | undefined }[],
): Constants['nests'] {
  if (parameters.every(({ type }) => type !== undefined && !loose.test(type))) return [];
  const own = text.slice(node.start, node.end);
  const called = root.children
    .map(({ start, end }) => text.slice(start, end))
    .filter((each) => {
      const helper = /^(?:export )?(?:const|let|var|(?:async )?function|def) (\w+)/.exec(each)?.[1];
      return helper !== undefined && own.includes(`${helper}(`);
    });
  const all = [own, ...called].join('\n');
  return [
    ...(listChecks.test(all) ? ['list' as const] : []),
    ...(dictChecks.test(all) || followsPath.test(all) ? ['dict' as const] : []),
  ];
}
