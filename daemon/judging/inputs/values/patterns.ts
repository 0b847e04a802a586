/** Texts that a regular expression matches, and texts of the signs that a source looks for: by chance, hardly any has such a format. Pure. */
import { childOf, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import { createRandom, type Random } from '../../../random.ts';
import { literalOf } from './literals.ts';
import { days, type Family, ints, words } from './names.ts';

const MOST_REPEATS = 3;
const MOST_LENGTH = 200;
const LETTERS = 'abcxyzABZ';
const classes: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: `${LETTERS}019_`,
  s: ' ',
  D: 'a-.',
  W: ' -.',
  S: 'ab1.-',
};

/**
 * One text, most often matched; what is not understood of the expression, such as what looks ahead, is left out. Where it takes any
 * number of letters, one of `words` may stand, or two of them with a sign that it takes as well.
 */
export function matching(pattern: string, random: Random, words: readonly string[] = []): string {
  let at = 0;
  /** The characters of the class that was read last. */
  let taken = '';
  const peek = (): string => pattern.charAt(at);
  const choices = (): (() => string) => {
    const options = [sequence()];
    while (peek() === '|') {
      at++;
      options.push(sequence());
    }
    return () => random.pick(options as [() => string])();
  };
  const sequence = (): (() => string) => {
    const parts: (() => string)[] = [];
    while (at < pattern.length && peek() !== '|' && peek() !== ')') parts.push(repeated(one()));
    return () => parts.map((part) => part()).join('');
  };
  const repeated = (part: () => string): (() => string) => {
    const counts = /^(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/.exec(pattern.slice(at));
    if (counts === null) return part;
    at += counts[0].length;
    const named =
      /[*+]/.test(counts[0]) && taken.includes('z')
        ? words.filter((word) => /^\p{L}[^\s]*$/u.test(word) && isTaken(word, taken))
        : [];
    if (named.length === 0) return times(part, counts);
    const signs = [...taken.replace(/[\p{L}\p{N}\s]/gu, '')];
    const between = (): string => (signs.length > 0 && random.next() < 0.4 ? random.pick(signs) + random.pick(named) : '');
    const drawn = times(part, counts);
    return () => (random.next() < 0.5 ? random.pick(named) + between() : drawn());
  };
  const times = (part: () => string, counts: RegExpExecArray): (() => string) => {
    const [, sign, least = sign === '+' ? '1' : '0', comma, most = ''] = counts;
    const low = Number(least);
    const high =
      sign === '?' ? 1 : sign === undefined && comma === undefined ? low : most === '' ? low + MOST_REPEATS : Number(most);
    return () => Array.from({ length: low + random.int(Math.max(0, Math.min(high - low, MOST_REPEATS)) + 1) }, part).join('');
  };
  const one = (): (() => string) => {
    const sign = peek();
    at++;
    taken = '';
    if (sign === '(') return group();
    if (sign === '[') return anyOf(members());
    if (sign === '\\') return escaped();
    if (sign === '.') return anyOf('a1 -');
    return sign === '^' || sign === '$' ? () => '' : () => sign;
  };
  const group = (): (() => string) => {
    const looks = /^\?(?:[=!]|<[=!])/.test(pattern.slice(at));
    at += /^\?(?:[:=!]|<[=!]|P?<\w+>)?/.exec(pattern.slice(at))?.[0].length ?? 0;
    const inner = choices();
    at++;
    taken = '';
    return looks ? () => '' : inner;
  };
  const escaped = (): (() => string) => {
    const sign = peek();
    at++;
    if (sign === 'p' || sign === 'P') {
      const [name = ''] = /^\{[^}]*\}/.exec(pattern.slice(at)) ?? [];
      at += name.length;
      return anyOf(sign === 'P' ? ' -' : name.startsWith('{N') ? '0123456789' : `${LETTERS}é`);
    }
    const known = classes[sign];
    if (known !== undefined) return anyOf(known);
    if (/[bB]/.test(sign)) return () => '';
    const code = { n: '\n', t: '\t', r: '\r' }[sign] ?? sign;
    return () => code;
  };
  /** The characters of a class, up to its bracket. */
  const members = (): string => {
    const negated = peek() === '^';
    if (negated) at++;
    let found = '';
    for (let first = true; at < pattern.length && (first || peek() !== ']'); first = false) {
      const range = /^([^\\])-([^\]\\])/.exec(pattern.slice(at));
      if (range !== null) {
        const [low = 0, high = 0] = [range[1]?.codePointAt(0), range[2]?.codePointAt(0)];
        for (let code = low; code <= Math.min(high, low + 30); code++) found += String.fromCodePoint(code);
        at += 3;
      } else if (peek() === '\\') {
        at++;
        found += escaped()();
      } else {
        found += peek();
        at++;
      }
    }
    at++;
    const others = [...'abAB01 -_.,:/'].filter((each) => !found.includes(each)).join('');
    return negated ? others : found;
  };
  const anyOf = (characters: string): (() => string) => {
    taken = characters;
    const all = [...characters];
    return () => all[random.int(Math.max(1, all.length))] ?? '';
  };
  return choices()().slice(0, MOST_LENGTH);
}

/** Whether the class of characters, which takes letters, takes the word's signs too. */
const isTaken = (word: string, taken: string): boolean =>
  [...word].every((sign) => /[\p{L}\p{N}_]/u.test(sign) || taken.includes(sign));

const MOST_SAMPLES = 6;

/** A few texts that it matches, the same ones each time. */
export function samplesOf(pattern: string): string[] {
  const random = createRandom('pattern', 1);
  return Array.from({ length: MOST_SAMPLES }, () => matching(pattern, random));
}

/** What a name stands for that the file defines at its top; the node itself where it is none. */
function meantBy(node: SyntaxNode, text: string): SyntaxNode {
  if (node.type !== 'identifier') return node;
  let root = node;
  while (root.parent !== undefined) root = root.parent;
  const name = text.slice(node.start, node.end);
  for (const statement of root.children) {
    const inner = statement.type === 'export_statement' ? statement.children : [statement];
    for (const one of inner.flatMap(({ children }) => children)) {
      const left = childOf(one, 'left') ?? childOf(one, 'name');
      const value = childOf(one, 'right') ?? childOf(one, 'value');
      if (left !== undefined && value !== undefined && text.slice(left.start, left.end) === name) return value;
    }
  }
  return node;
}

/** Undefined for what is neither a text nor the name of one. */
function textIn(node: SyntaxNode | undefined, text: string): string | undefined {
  const value = node && literalOf(meantBy(node, text), text, true);
  return typeof value === 'string' ? value : undefined;
}

const asking = /^(?:test|exec|findall|finditer|match|search|fullmatch)$/;

/** The expression that the arguments of a call are matched with: `re.match(r"…", text)`, `/…/.test(text)`, `new RegExp(SHAPE).exec(text)`. */
export function patternAsked(call: SyntaxNode, text: string): string | undefined {
  const called = childOf(call, 'function');
  const object = called && childOf(called, 'object');
  const method = called && (childOf(called, 'attribute') ?? childOf(called, 'property'));
  if (object === undefined || method === undefined) return undefined;
  if (text.slice(object.start, object.end) === 're') return textIn(argumentsIn(call)[0], text);
  if (!asking.test(text.slice(method.start, method.end))) return undefined;
  const meant = meantBy(object, text);
  const written = text.slice(meant.start, meant.end);
  if (meant.type === 'regex') return /^\/(.*)\/[a-z]*$/s.exec(written)?.[1];
  return /^(?:re\.compile|new RegExp)\b/.test(written) ? textIn(argumentsIn(meant)[0], text) : undefined;
}

const MOMENTS = ['2024-03-01T08:30:00', '2024-02-29T23:59:59', '2023-12-31T12:00:00', '2024-03-04T00:05:07'] as const;
const TIMES: Family = ['09:30', '14:05', '00:00', '23:59'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Where each part of a format stands in a moment: year, month, day, hour, minute, second. */
const parts: Readonly<Record<string, readonly [number, number]>> = {
  ...{ Y: [0, 4], y: [2, 4], m: [5, 7], d: [8, 10] },
  ...{ H: [11, 13], I: [11, 13], M: [14, 16], S: [17, 19] },
};

/**
 * Texts of the format that is asked of what stands here: by `strptime`, by what is written around it in a template of a moment, or
 * by a split whose parts become numbers somewhere in `body`.
 */
export function textsOfFormat(node: SyntaxNode, body: SyntaxNode, text: string): Family | undefined {
  const of = (one: SyntaxNode | undefined): string => (one === undefined ? '' : text.slice(one.start, one.end));
  const joined = partJoined(node, text);
  if (joined !== undefined) return joined;
  const [before, after] = [text.slice(node.start - 3, node.start), text.slice(node.end, node.end + 5)];
  if (before.endsWith('${') && /^\}T(?:\d|\$\{)/.test(after)) return days;
  if (before === 'T${' && /^\}(?::\d|Z|`)/.test(after)) return TIMES;
  const { parent } = node;
  const call = parent?.parent;
  if (parent === undefined || call === undefined) return undefined;
  const [first, second] = argumentsIn(call);
  if (/^argument/.test(parent.type)) {
    const called = of(childOf(call, 'function') ?? childOf(call, 'constructor'));
    if (/^(?:Date|Date\.parse)$/.test(called) && first?.start === node.start && second === undefined) return MOMENTS;
    const format = /\bstrptime$/.test(called) && first?.start === node.start ? textIn(second, text) : undefined;
    return format === undefined ? undefined : MOMENTS.map((moment) => formatted(moment, format));
  }
  const called = node.field === 'object' && parent.field === 'function' ? of(parent) : '';
  const [, method] = /\.(split|r?partition)$/.exec(called) ?? [];
  if (method === undefined || !/\b(?:int|float|Number|parseInt|parseFloat)\b/.test(of(body))) return undefined;
  const count = method === 'split' ? partsTaken(call) : 2;
  if (first?.type === 'regex') return (count ?? 0) > 3 && /-.*:|:.*-/.test(of(first)) ? MOMENTS : undefined;
  const sign = first?.type === 'string' ? of(first).slice(1, -1) : '';
  if (!/^[^\s\w\\]$/.test(sign)) return undefined;
  if (sign === ':') return count === 3 ? ['09:30:00', '1:02:03', '00:00:59', '23:59:07'] : TIMES;
  if (sign === '-' && count === 3) return days;
  const numbers = [3, 12, 2, 7, 1, 30, 5, 2, 8, 10, 4, 1];
  return [0, 1, 2, 3].map((turn) => numbers.slice(3 * turn, 3 * turn + (count ?? 3 - (turn % 3))).join(sign));
}

/** Texts of one part of what is joined by signs and has a format then: `strptime(day + " " + time, "%Y-%m-%d %H:%M")`. */
function partJoined(node: SyntaxNode, text: string): Family | undefined {
  let whole = node;
  while (whole.parent?.type === 'binary_operator') whole = whole.parent;
  const call = whole.parent?.parent;
  if (whole === node || call === undefined || !/\bstrptime\(/.test(text.slice(call.start, whole.start))) return undefined;
  const format = textIn(argumentsIn(call)[1], text);
  const operands = (one: SyntaxNode): SyntaxNode[] =>
    one.type === 'binary_operator' ? one.children.filter(({ named }) => named).flatMap(operands) : [one];
  const all = operands(whole);
  const sign = textIn(
    all.find(({ type }) => type === 'string'),
    text,
  );
  if (format === undefined || sign === undefined) return undefined;
  const part = format.split(sign)[all.filter(({ type }) => type !== 'string').indexOf(node)];
  return part === undefined ? undefined : MOMENTS.map((moment) => formatted(moment, part));
}

const argumentsIn = (call: SyntaxNode): SyntaxNode[] => childOf(call, 'arguments')?.children.filter(({ named }) => named) ?? [];

/** How many names its result is taken apart into. */
function partsTaken(call: SyntaxNode): number | undefined {
  let at: SyntaxNode = call;
  while (at.parent !== undefined && /^(?:call|call_expression|member_expression|argument_list|arguments)$/.test(at.parent.type))
    at = at.parent;
  const left = at.parent && (childOf(at.parent, 'left') ?? childOf(at.parent, 'name'));
  return left !== undefined && /pattern/.test(left.type) ? left.children.filter(({ named }) => named).length : undefined;
}

/** The moment in a format of `strptime`; what is not known of it is left out. */
function formatted(moment: string, format: string): string {
  return format.replace(/%(.)/g, (_, sign: string) => {
    const part = parts[sign];
    if (part !== undefined) return moment.slice(...part);
    return sign === 'b' ? (months[Number(moment.slice(5, 7)) - 1] ?? '') : '';
  });
}

/** Amounts before words, such as units that the source names: `3 cup kiwi`. */
export function counted(names: readonly string[]): Family {
  const units = names.filter((name) => /^[A-Za-z]\w{0,8}$/.test(name)).slice(0, 4);
  return [...units.map((unit, at) => `${[3, 12, 1, 20][at]} ${unit} kiwi`), '2 kiwi', 'apple', '12 b 7'];
}

/** Single characters, where its items are compared with nothing else: then it is most likely a text. */
export function signsAmong(items: readonly Family[]): string[] {
  // A parameter that is only added can be a number or a text.
  const compared = items.filter((family) => family !== ints).flatMap((family) => family.filter((item) => !words.includes(item)));
  const texts = compared.filter((item) => typeof item === 'string');
  const signs = texts.map((text) => text.replace(/^\\(.)$/, (_, letter: string) => escapes[letter] ?? letter));
  const isText = texts.length === compared.length && signs.every(({ length }) => length === 1);
  return isText ? [...new Set(signs)].filter((sign) => /[^\p{L}\p{N}]/u.test(sign)) : [];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Words, or numbers, between, before and after these signs. */
export function textsOfSigns(signs: readonly string[], numbers?: readonly [string, string, string]): Family {
  const [first = ''] = signs;
  if (numbers !== undefined) {
    const [a, b, c] = numbers;
    const within = signs.includes('(') && signs.includes(')') ? signs.map((sign) => `(${a}${sign}${b})${sign}${c}`) : [];
    return [a, ...signs.map((sign) => `${a}${sign}${b}`), ...within, b, ...signs.map((sign) => `${a} ${sign} ${b}${sign}${c}`)];
  }
  const pairs = signs.slice(1).map((sign, at) => `x ${signs[at]}a${sign}b`);
  return [...pairs, signs.map((sign) => `a${sign}`).join(''), signs.join(''), `${first}b${first}`, 'a b', ''];
}
