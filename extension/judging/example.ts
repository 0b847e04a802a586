/** An example call of a function, made from the types, defaults and names of its parameters. Pure. */

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

interface Parameter {
  readonly name: string;
  readonly type: string | undefined;
  readonly initial: string | undefined;
}

/** Nesting beyond this is not spelled out. */
const DEEPEST = 3;

/** One argument for each of `params` that an ordinary call gives; `source` is the function's text, from its first line on. */
export function exampleCall(source: string, params: readonly string[]): Value[] {
  const declared = new Map(parametersOf(source).map((parameter) => [parameter.name, parameter]));
  return params
    .filter((name) => !/^(\*|\.\.\.)/.test(name))
    .map((name) => {
      const bare = name.replace(/\?$/, '');
      const { type, initial } = declared.get(bare) ?? {};
      return literal(initial) ?? (type === undefined ? undefined : ofType(type, bare)) ?? ofUse(source, bare) ?? ofName(bare);
    });
}

/** The calls as a JSON list with one call in a line. */
export function writeCalls(calls: readonly unknown[]): string {
  return calls.length === 0 ? '[]\n' : `[\n${calls.map((call) => `  ${spaced(call)}`).join(',\n')}\n]\n`;
}

/** JSON in one line, with a space after each comma and colon. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`;
}

/** The parameters in the first pair of parentheses that follows the function's name. */
function parametersOf(source: string): Parameter[] {
  // A decorator may have parentheses of its own.
  const named = /\b(?:def|function)\b[^(]*\(/.exec(source);
  const open = named === null ? source.indexOf('(') : named.index + named[0].length - 1;
  if (open < 0) return [];
  return split(inside(source, open)).flatMap((text) => {
    const [, name, optional] =
      /^\s*(?:(?:public|private|protected|readonly)\s+)*([\p{L}_$][\p{L}\p{N}_$]*)(\?)?/u.exec(text) ?? [];
    if (name === undefined) return [];
    const rest = text.slice(text.indexOf(name) + name.length + (optional?.length ?? 0));
    const equals = topLevel(rest, '=');
    const type = (equals < 0 ? rest : rest.slice(0, equals)).trim().replace(/^:\s*/, '');
    const initial = equals < 0 ? undefined : rest.slice(equals + 1).trim();
    return [{ name, type: type === '' ? undefined : type, initial }];
  });
}

const OPENING = '([{<';
const CLOSING = ')]}>';

/** What is between the bracket at `open` and the one that closes it. */
function inside(text: string, open: number): string {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'") i = stringEnd(text, i);
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth === 0) return text.slice(open + 1, i);
  }
  return text.slice(open + 1);
}

function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === text[start]) return i;
  }
  return text.length;
}

/** Where a character stands outside of brackets and strings, from `from` on; -1 without one. */
function topLevel(text: string, wanted: string, from = 0): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'") i = stringEnd(text, i);
    // The arrow of a function type closes no bracket.
    else if (char === '=' && text[i + 1] === '>') i++;
    else if (depth === 0 && char === wanted) return i;
    else if (OPENING.includes(char)) depth++;
    else if (CLOSING.includes(char)) depth--;
  }
  return -1;
}

function split(text: string, separator = ','): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = topLevel(text, separator); at >= 0; at = topLevel(text, separator, start)) {
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  return [...parts, text.slice(start)].filter((part) => part.trim() !== '');
}

/** A default value that is plain data; undefined for any other, and for `None`, which says nothing of the type. */
function literal(text: string | undefined): Value | undefined {
  if (text === undefined) return undefined;
  const named: Readonly<Record<string, Value>> = { True: true, False: false, true: true, false: false };
  if (Object.hasOwn(named, text)) return named[text];
  const quoted = /^'((?:[^'\\]|\\.)*)'$/.exec(text)?.[1];
  try {
    const value: unknown = JSON.parse(quoted === undefined ? text : `"${quoted.replaceAll('"', '\\"')}"`);
    return typeof value === 'number' || typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

const scalars: readonly (readonly [RegExp, Value])[] = [
  [/^(str|string|bytes|text)$/i, 'some text'],
  [/^(int|bigint)$/i, 5],
  [/^(float|complex|decimal)$/i, 1.5],
  [/^number$/, 5],
  [/^bool(ean)?$/i, true],
  [/^(none|null|undefined|void)$/i, null],
];
const elements: readonly (readonly [RegExp, Value[]])[] = [
  [/^(str|string)$/i, ['b', 'a', 'b']],
  [/^(int|number|bigint)$/i, [3, 1, 2]],
  [/^float$/i, [1.5, -2.5, 0.25]],
];

function ofType(written: string, name: string, depth = 0): Value | undefined {
  const [first = ''] = split(written.trim().replace(/^(["'])(.*)\1$/, '$2'), '|').filter(
    (part) => !/^\s*(None|null|undefined)\s*$/.test(part),
  );
  const type = first.trim().replace(/^(readonly\s+|typing\.|t\.|collections\.abc\.)/, '');
  const scalar = scalars.find(([form]) => form.test(type))?.[1];
  if (scalar !== undefined) return scalar;
  if (depth >= DEEPEST) return undefined;
  const inner = (text: string) => ofType(text, '', depth + 1) ?? 1;
  const listed = (text: string): Value => elements.find(([form]) => form.test(text.trim()))?.[1] ?? [inner(text)];
  if (type.endsWith('[]')) return listed(type.slice(0, -2).replace(/^\((.*)\)$/, '$1'));
  const [, generic, args] = /^([\w.]+)\s*[[<](.*)[\]>]$/s.exec(type) ?? [];
  if (generic === undefined || args === undefined) return plainContainer(type, name);
  const given = split(args);
  if (/^(Optional|Final|Annotated|Promise|Readonly|Partial)$/.test(generic)) return ofType(given[0] ?? '', name, depth + 1);
  if (/^(dict|Dict|Mapping|MutableMapping|DefaultDict|Counter|Record)$/.test(generic))
    return { key: given[1] === undefined ? 1 : inner(given[1]) };
  if (/^[Tt]uple$/.test(generic)) return given.filter((part) => part.trim() !== '...').map(inner);
  if (/^(Callable|Type|type)$/.test(generic)) return undefined;
  return listed(given[0] ?? '');
}

function plainContainer(type: string, name: string): Value | undefined {
  if (/^(list|List|Sequence|Iterable|Collection|Array|set|Set|tuple|Tuple)$/.test(type)) return ofName(`${name}_list`);
  if (/^(dict|Dict|Mapping|object)$/.test(type)) return { key: 1 };
  return undefined;
}

/** A list for a parameter that the function goes through, unless its name says that it is a text. */
function ofUse(source: string, name: string): Value | undefined {
  const escaped = name.replaceAll('$', '\\$');
  const isWalked = new RegExp(
    `\\b(?:in|of)\\s+${escaped}\\b|\\b(?:len|sum|sorted|max|min)\\(${escaped}\\)|\\b${escaped}(?:\\.length\\b|\\[)`,
  ).test(source);
  if (!isWalked) return undefined;
  const named = ofName(name);
  return named === 5 ? [3, 1, 2] : named;
}

/** A guess for a parameter without a type. */
function ofName(name: string): Value {
  if (/(words|names|texts|strings|lines|tokens|keys)(_list)?$/i.test(name)) return ['b', 'a', 'b'];
  if (/(list|arr(ay)?|items|values|numbers|nums|data|seq(uence)?|elements|rows|xs|ys)$/i.test(name)) return [3, 1, 2];
  if (/(text|string|str|word|name|line|sentence|message|pattern|prefix|suffix|sep|key|^s)$/i.test(name)) return 'some text';
  if (/(options|config|mapping|dict|map|record|table|graph)$/i.test(name)) return { key: 1 };
  return /[^s]s$/.test(name) ? [3, 1, 2] : 5;
}
