/**
 * Rewrites a template so that the embedded engine prints and iterates as Python's Jinja2 does: outputs go through a
 * Python formatter unless they are texts or whole numbers, loops over mappings and `.items()` follow the order of
 * insertion, `tojson` gets Python's separators, and names of other templates lose their ending, which would switch
 * escaping on. No line is added, so the line numbers of errors stay true.
 */

interface Rewritten {
  readonly text: string;
  /** Key orders of the mappings written in the template. */
  readonly orders: readonly (readonly string[])[];
}

/** What a template names of others. */
export interface References {
  readonly names: readonly string[];
  /** A name is computed: any template may be meant. */
  readonly computed: boolean;
}

/** The name that a template has inside the engine: no file ending is left to guess an escaping from. */
export function innerName(name: string): string {
  return `${plainName(name)}::t`;
}

/** A template's name as Jinja2 looks it up: `./site//page` is `site/page`. */
export function plainName(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return parts.join('/');
}

interface Piece {
  readonly kind: 'text' | 'output' | 'block';
  /** For output and block: what is between the delimiters. */
  readonly body: string;
  readonly open: string;
  readonly close: string;
}

const TOKEN =
  /"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s+|\*\*|\/\/|[=!<>]=|./gsu;
const RAW = /\{%[-+]?\s*raw\s*[-+]?%\}/y;
const END_RAW = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
/** Only the engine itself can call these, and what they give is a text. */
const NATIVE = /^\s*(?:(?:loop|caller|super)\s*\(|self\s*\.)/;

export function rewrite(source: string): Rewritten {
  const orders: string[][] = [];
  const text = pieces(source.replaceAll(/\r\n?/g, '\n')).map((piece) => {
    if (piece.kind === 'text') return piece.body;
    const tokens = tokensOf(piece.body);
    orders.push(...literalOrders(tokens));
    return piece.kind === 'output' ? output(piece, tokens) : block(piece, tokens);
  });
  return { text: text.join(''), orders };
}

/** The outputs and statements of a template, with their delimiters. */
export function codeOf(source: string): string[] {
  return pieces(source).flatMap(({ kind, open, body, close }) => (kind === 'text' ? [] : [open + body + close]));
}

export function referencesOf(source: string): References {
  const names: string[] = [];
  let computed = false;
  for (const { kind, body } of pieces(source)) {
    if (kind !== 'block') continue;
    const tokens = tokensOf(body).filter((token) => token.trim() !== '');
    if (!['include', 'extends', 'import', 'from'].includes(tokens[0] ?? '')) continue;
    const name = tokens.slice(1, nameEnd(tokens, 1));
    names.push(...name.filter(isText).map(textOf));
    computed ||= name.some((token) => !isText(token) && !/^[[\](),]$/.test(token));
  }
  return { names, computed };
}

/** In order; together they are the source. */
function pieces(source: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  while (at < source.length) {
    const start = nextDelimiter(source, at);
    if (start > at) found.push(plain(source.slice(at, start)));
    if (start === source.length) break;
    at = start;
    RAW.lastIndex = at;
    const raw = RAW.exec(source);
    if (raw !== null) {
      END_RAW.lastIndex = at;
      const end = END_RAW.exec(source) === null ? source.length : END_RAW.lastIndex;
      found.push(plain(source.slice(at, end)));
      at = end;
      continue;
    }
    const mark = source[at + 1];
    const end =
      mark === '#' ? closing(source.indexOf('#}', at + 2), source) : codeEnd(source, at + 2, mark === '{' ? '}}' : '%}');
    const whole = source.slice(at, end);
    at = end;
    if (mark === '#') {
      found.push(plain(whole));
      continue;
    }
    const open = /^.{2}[-+]?/s.exec(whole)?.[0] ?? '';
    const close = /[-+]?.{2}$/s.exec(whole)?.[0] ?? '';
    const body = whole.slice(open.length, whole.length - close.length);
    found.push({ kind: mark === '{' ? 'output' : 'block', body, open, close });
  }
  return found;
}

function plain(body: string): Piece {
  return { kind: 'text', body, open: '', close: '' };
}

function nextDelimiter(source: string, from: number): number {
  const at = source.slice(from).search(/\{[{%#]/);
  return at === -1 ? source.length : from + at;
}

function closing(index: number, source: string): number {
  return index === -1 ? source.length : index + 2;
}

/** Where the code that starts at `from` ends, its closing delimiter included: not inside texts or brackets. */
function codeEnd(source: string, from: number, close: string): number {
  let depth = 0;
  const tokens = new RegExp(TOKEN.source, 'gsuy');
  tokens.lastIndex = from;
  for (let match = tokens.exec(source); match !== null; match = tokens.exec(source)) {
    const [token] = match;
    if (depth <= 0 && source.startsWith(close, match.index)) return match.index + 2;
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
  }
  return source.length;
}

function tokensOf(code: string): string[] {
  return code.match(TOKEN) ?? [];
}

function isText(token: string): boolean {
  return token.startsWith('"') || token.startsWith("'");
}

function textOf(token: string): string {
  return token.slice(1, -1).replaceAll(/\\(['"\\])/g, '$1');
}

function output({ open, close }: Piece, tokens: readonly string[]): string {
  const code = expression(tokens);
  const meaningful = tokens.filter((token) => token.trim() !== '');
  if (NATIVE.test(code) || meaningful.length === 0 || (meaningful.length === 1 && isText(meaningful[0] ?? ''))) {
    return open + code + close;
  }
  const left = open.length > 2 ? '{%-' : '{%';
  const right = close.length > 2 ? '-%}' : '%}';
  return `${left} set __v =${spaced(code)}%}{% if __v is string or __v is integer %}{{ __v }}{% elif __v is none %}None{% elif __v is float and (__v == 0 or 0.0001 <= __v|abs and __v|abs < 1e16) %}{{ __v }}{% else %}{{ __v|__str }}{% endif ${right}`;
}

function spaced(code: string): string {
  return ` ${code.replace(/^ /, '')}${/\s$/.test(code) ? '' : ' '}`;
}

function block({ open, close }: Piece, tokens: readonly string[]): string {
  const first = tokens.findIndex((token) => token.trim() !== '');
  const keyword = tokens[first];
  if (keyword === 'set') return assignment(open, close, tokens.slice(first + 1));
  if (keyword === 'for') return loop(open, close, tokens.slice(first + 1));
  if (keyword === 'include' || keyword === 'extends' || keyword === 'import' || keyword === 'from') {
    const end = nameEnd(tokens, first + 1);
    const rest = tokens
      .slice(end)
      .join('')
      .replace(/\bwith(?:out)?\s+context\s*$/, '');
    return `${open}${tokens.slice(0, first + 1).join('')}${templateName(tokens.slice(first + 1, end))}${rest}${close}`;
  }
  return open + expression(tokens) + close;
}

/** `set a, b = EXPR`: the engine wants the names in brackets. */
function assignment(open: string, close: string, tokens: readonly string[]): string {
  const equals = atDepth0(tokens, 0, ['=']);
  const target = tokens.slice(0, equals).join('').trim();
  const names = target.includes(',') && !target.startsWith('(') ? `(${target})` : target;
  if (equals === tokens.length) return `${open} set ${expression(tokens).trim()} ${close}`;
  const value = expression(tokens.slice(equals + 1)).trim();
  const several = atDepth0(tokens, equals, [',']) < tokens.length;
  return `${open} set ${names} = ${several ? `(${value})` : value} ${close}`;
}

/** The end of the expression that names a template: the words that may follow it. */
function nameEnd(tokens: readonly string[], from: number): number {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    else if (depth === 0 && ['ignore', 'with', 'without', 'as', 'import'].includes(token)) return index;
  }
  return tokens.length;
}

function templateName(tokens: readonly string[]): string {
  if (tokens.some((token) => !isText(token) && token.trim() !== '' && !/^[[\](),]$/.test(token))) {
    return ` (${expression(tokens).trim()})|__name `;
  }
  return tokens.map((token) => (isText(token) ? JSON.stringify(innerName(textOf(token))) : token)).join('');
}

/** `for x in EXPR [if COND] [recursive]`: a mapping is iterated by its keys in the order of insertion. */
function loop(open: string, close: string, tokens: readonly string[]): string {
  const start = atDepth0(tokens, 0, ['in']) + 1;
  const end = atDepth0(tokens, start, ['if', 'recursive']);
  const target = tokens
    .slice(0, start - 1)
    .join('')
    .trim();
  const source = expression(tokens.slice(start, end)).trim();
  const rest = expression(tokens.slice(end)).trim();
  const tail = `${rest === '' ? '' : ` ${rest}`} ${close}`;
  if (source === '' || /^range\s*\(|^\[|\|__(?:items|keys|values)$/.test(source))
    return `${open} for ${target} in ${source}${tail}`;
  return `${open} set __it = ${source} %}{% for ${target} in (__it|__keys if __it is mapping else __it)${tail}`;
}

function atDepth0(tokens: readonly string[], from: number, words: readonly string[]): number {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    else if (depth === 0 && words.includes(token)) return index;
  }
  return tokens.length;
}

const views: Record<string, string> = { items: '__items', keys: '__keys', values: '__values' };
const renamed: Record<string, string> = { items: '__items', string: '__string' };

/** Method calls `.items()` and filters by their Python-like stand-ins. */
function expression(tokens: readonly string[]): string {
  const out: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    const next = tokens[index + 1] ?? '';
    const view = views[next];
    if (token === '.' && view !== undefined && tokens[index + 2] === '(' && tokens[index + 3] === ')') {
      out.push('|', view);
      index += 3;
    } else if (token === '|') {
      const name = next.trim() === '' ? index + 2 : index + 1;
      const filter = tokens[name] ?? '';
      const end = tokens[name + 1] === '(' ? closeOf(tokens, name + 1) : name;
      out.push('|', renamed[filter] ?? filter, expression(tokens.slice(name + 1, end + 1)));
      if (filter === 'tojson') out.push('|__json');
      index = end;
    } else {
      out.push(token);
    }
  }
  return out.join('');
}

function closeOf(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length - 1;
}

/** The keys of `{'b': 1, 'a': 2}`, in their order. */
function literalOrders(tokens: readonly string[]): string[][] {
  const orders: string[][] = [];
  tokens.forEach((token, open) => {
    if (token !== '{') return;
    const keys: string[] = [];
    let depth = 0;
    for (let index = open; index < tokens.length; index++) {
      const inner = tokens[index] ?? '';
      if ('([{'.includes(inner)) depth += 1;
      else if (')]}'.includes(inner)) depth -= 1;
      else if (depth === 1 && isText(inner) && tokens.slice(index + 1).find((after) => after.trim() !== '') === ':') {
        keys.push(textOf(inner));
      }
      if (depth === 0) break;
    }
    if (keys.length > 1) orders.push(keys);
  });
  return orders;
}
