/** What an expression of a template is, at a place in it: the loops and assignments around it are run with the payload's values. */
import { outcomeText } from '../jinja/direct.ts';
import { type Piece, pieces } from '../jinja/rewrite.ts';
import type { Use } from './uses.ts';

/** Turns of loops that are shown, and characters of each. */
const MAX_VALUES = 8;
const MAX_CHARS = 2000;

const PATH = /[A-Za-z_]\w*(?:\.\w+|\[(?:\d+|"[^"]*"|'[^']*')\])*/g;
const WORDS = new Set(
  'for in if else elif endif endfor set endset not and or is defined recursive include extends block endblock macro endmacro import from as with without context true false none True False None'.split(
    ' ',
  ),
);

export interface FoundExpression {
  readonly expression: string;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/** The variable at an offset, up to the part of its path that is there. */
export function expressionAt(text: string, offset: number): FoundExpression | undefined {
  const at = pieceAt(text, offset);
  if (at === undefined || at.piece.kind === 'text') return undefined;
  const code = whole(at.piece);
  const body = blanked(code);
  for (const { 0: path, index } of body.matchAll(PATH)) {
    const from = at.start + index;
    if (offset < from || offset > from + path.length) continue;
    const before = body.slice(0, index).trimEnd().at(-1);
    if (before === '|' || before === '"' || before === "'") return undefined;
    const rest = path.slice(offset - from);
    const cut = offset - from + (/^[\w]*(?:\[[^\]]*\])?/.exec(rest)?.[0].length ?? 0);
    const expression = code.slice(index, index + cut);
    const called = body
      .slice(index + cut)
      .trimStart()
      .startsWith('(');
    if (WORDS.has(expression) || called) return undefined;
    return { expression, start: from, end: from + expression.length };
  }
  return undefined;
}

/** JSON texts, one for each turn of the loops around the offset; none when it is not defined there. */
export async function valuesOf(
  text: string,
  { expression, start }: FoundExpression,
  use: Use,
): Promise<{ values: string[]; more: number }> {
  const around = aroundOf(text, start, expression);
  const mark = '\u0001';
  const probe = `${around.join('')}{% if ${expression} is defined %}${mark}{{ ${expression}|tojson }}${mark}{% endif %}`;
  const ends = around.filter((each) => FOR.test(each)).map(() => '{% endfor %}');
  const entry = 'peagen-value';
  const rendered = await outcomeText({ ...use, sources: { ...use.sources, [entry]: probe + ends.join('') }, entry });
  const values = rendered.split(mark).filter((_, index) => index % 2 === 1);
  const shown = values.slice(0, MAX_VALUES).map((value) => (value.length > MAX_CHARS ? `${value.slice(0, MAX_CHARS)} …` : value));
  return { values: shown, more: values.length - shown.length };
}

const FOR = /^\{%[-+]?\s*for\b/;

/** The statements that an expression at an offset depends on: open loops, and assignments on the way. */
function aroundOf(text: string, offset: number, expression: string): string[] {
  const open: string[][] = [[]];
  let at = 0;
  for (const piece of pieces(text)) {
    const code = whole(piece);
    const inside = offset >= at && offset < at + code.length;
    const own = inside && FOR.test(code) && targetsOf(code).includes(expression.split(/[.[]/)[0] ?? '');
    if (at + code.length > offset && !own) break;
    at += code.length;
    if (piece.kind !== 'block') continue;
    const plain = code.replace(/^\{%[-+]?/, '{%').replace(/[-+]?%\}$/, '%}');
    if (FOR.test(plain)) open.push([plain]);
    else if (/^\{%\s*endfor\b/.test(plain) && open.length > 1) open.pop();
    else if (/^\{%\s*set\b[^=]*=/.test(plain)) open.at(-1)?.push(plain);
    if (own) break;
  }
  return open.flat();
}

/** Where the names of a loop stand, in its statement. */
function targetsOf(code: string): string[] {
  const names = /^\{%[-+]?\s*for\s+(.+?)\s+in\b/s.exec(code)?.[1] ?? '';
  return names.split(/[\s,()]+/).filter((name) => name !== '');
}

export function pieceAt(text: string, offset: number): { piece: Piece; start: number } | undefined {
  let start = 0;
  for (const piece of pieces(text)) {
    const { length } = whole(piece);
    if (offset >= start && offset < start + length) return { piece, start };
    start += length;
  }
  return undefined;
}

function whole({ open, body, close }: Piece): string {
  return open + body + close;
}

/** The code with its texts blanked out, but for those in brackets, which are parts of paths. */
function blanked(code: string): string {
  return code.replaceAll(/(\[)?("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/g, (found, bracket) =>
    bracket === undefined ? `"${' '.repeat(Math.max(0, found.length - 2))}"` : found,
  );
}
