/**
 * Values as runners report them: plain JSON in which different values differ. JSON's own null, booleans, strings, lists
 * and safe numbers stand for themselves; everything else is an object with a tag: `{tuple}`, `{dict: [[key, value]…]}`,
 * `{set}`, `{float: "1.0"}`, `{int: "…"}` beyond 2^53, `{object, state}` and so on.
 */
import type * as z from 'zod';
import { Json } from '../../../shared/judging.ts';

export type Value = z.infer<typeof Json>;
export const Value = Json;

export interface Tolerance {
  readonly rel: number;
  readonly abs: number;
}

export interface Difference {
  /** Where, such as `[3].name`; empty for the whole value. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

type Tagged = { [key: string]: Value };

const isTagged = (value: Value): value is Tagged => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The first difference, or undefined when the values are equal within the tolerance. The order of entries is free in a
 * dictionary or object, and counts in a JavaScript Map and an OrderedDict, whose users iterate over them. An attribute that
 * only `actual` has is ignored when its name is private (`_`, in JavaScript also `#`): it can only serve as a cache.
 */
export function difference(expected: Value, actual: Value, tolerance: Tolerance, path = ''): Difference | undefined {
  const differ = (): Difference => ({ path, expected: show(expected), actual: show(actual) });
  const a = numberOf(expected);
  const b = numberOf(actual);
  if (a !== undefined && b !== undefined) {
    // In Python 1 and 1.0 are different values; only a whole float is tagged.
    if (isWholeFloat(expected) !== isWholeFloat(actual) && Number.isInteger(a) && Number.isInteger(b)) return differ();
    const bothInts = Number.isInteger(expected) && Number.isInteger(actual);
    return (bothInts && tolerance.abs === 0 ? a === b : near(a, b, tolerance)) ? undefined : differ();
  }
  if (Array.isArray(expected) && Array.isArray(actual)) return listDifference(expected, actual, tolerance, path);
  if (isTagged(expected) && isTagged(actual)) {
    const tags = Object.keys(expected);
    if (tags.length !== Object.keys(actual).length || tags.some((tag) => !Object.hasOwn(actual, tag))) return differ();
    for (const tag of tags) {
      const [mine, theirs] = [expected[tag] ?? null, actual[tag] ?? null];
      const ordered = tag === 'dict' && 'map' in expected;
      const found = ordered ? difference(mine, theirs, tolerance, path) : tagDifference(tag, mine, theirs, tolerance, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return expected === actual ? undefined : differ();
}

function tagDifference(tag: string, expected: Value, actual: Value, tolerance: Tolerance, path: string): Difference | undefined {
  if (tag === 'dict' && Array.isArray(expected) && Array.isArray(actual)) {
    return dictDifference(expected, actual, tolerance, path);
  }
  if (tag === 'state' && isTagged(expected) && isTagged(actual)) {
    const [mine, theirs] = [expected['dict'] ?? null, actual['dict'] ?? null];
    if (Array.isArray(mine) && Array.isArray(theirs)) return dictDifference(mine, theirs, tolerance, path, isPrivateKey);
  }
  if (typeof expected === 'object' && expected !== null) return difference(expected, actual, tolerance, path);
  return JSON.stringify(expected) === JSON.stringify(actual)
    ? undefined
    : { path, expected: show({ [tag]: expected }), actual: show({ [tag]: actual }) };
}

function listDifference(expected: Value[], actual: Value[], tolerance: Tolerance, path: string): Difference | undefined {
  for (const [index, item] of expected.entries()) {
    const other = actual[index];
    if (other === undefined) break;
    if (item === other) continue;
    const found = difference(item, other, tolerance, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  if (expected.length === actual.length) return undefined;
  return { path, expected: `${expected.length} items`, actual: `${actual.length} items` };
}

/** A key as JSON. */
const isPrivateKey = (key: string): boolean => /^"[_#]/.test(key);

/** `mayBeNew`: keys that `actual` may have alone. */
function dictDifference(
  expected: Value[],
  actual: Value[],
  tolerance: Tolerance,
  path: string,
  mayBeNew: (key: string) => boolean = () => false,
): Difference | undefined {
  const entries = (list: Value[]): Map<string, Value> =>
    new Map(list.map((pair) => (Array.isArray(pair) ? [JSON.stringify(pair[0]), pair[1] ?? null] : ['', null])));
  const mine = entries(expected);
  const theirs = entries(actual);
  for (const [key, value] of mine) {
    const at = `${path}[${show(JSON.parse(key) as Value)}]`;
    const other = theirs.get(key);
    if (other === undefined) return { path: at, expected: show(value), actual: 'nothing' };
    const found = difference(value, other, tolerance, at);
    if (found !== undefined) return found;
  }
  for (const [key, value] of theirs) {
    if (!mine.has(key) && !mayBeNew(key))
      return { path: `${path}[${show(JSON.parse(key) as Value)}]`, expected: 'nothing', actual: show(value) };
  }
  return undefined;
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (!isTagged(value)) return undefined;
  const text = value['float'];
  if (typeof text !== 'string') return undefined;
  const named: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity };
  return named[text] ?? Number(text);
}

/** Written `1.0` in Python. The `-0` of JavaScript is not: it equals 0. */
const isWholeFloat = (value: Value): boolean => isTagged(value) && value['float'] !== '-0';

/** NaN equals NaN, and infinities only themselves. */
function near(a: number, b: number, { rel, abs }: Tolerance): boolean {
  if (Object.is(a, b) || !Number.isFinite(a) || !Number.isFinite(b)) return Object.is(a, b);
  return Math.abs(a - b) <= Math.max(abs, rel * Math.max(Math.abs(a), Math.abs(b)));
}

const SHOWN = 300;

/** A value as a user would write it, cut to size. */
export function show(value: Value): string {
  const text = write(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

function write(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`;
  if (!isTagged(value)) return JSON.stringify(value);
  for (const tag of ['float', 'int', 'repr', 'opaque', 'regexp'] as const) {
    if (typeof value[tag] === 'string') return value[tag];
  }
  if (Array.isArray(value['tuple'])) return `(${value['tuple'].map(write).join(', ')})`;
  if (Array.isArray(value['dict'])) return `{${value['dict'].map(writePair).join(', ')}}`;
  if (Array.isArray(value['set'])) return `{${value['set'].map(write).join(', ')}}`;
  if (Array.isArray(value['generator'])) {
    const end = value['returned'] === undefined ? '' : ` that returns ${write(value['returned'])}`;
    return `a generator of ${write(value['generator'])}${end}`;
  }
  if ('undefined' in value) return 'undefined';
  if ('hole' in value) return '<empty>';
  if (typeof value['object'] === 'string') return `${value['object']} ${write(value['items'] ?? value['state'] ?? null)}`;
  return JSON.stringify(value);
}

const writePair = (pair: Value): string => (Array.isArray(pair) ? pair.map(write).join(': ') : write(pair));
