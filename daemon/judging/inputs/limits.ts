/** What a verdict on derived calls cannot promise, one sentence each. */
import type { Call } from '../../../shared/judging.ts';
import { showCall } from '../function/correctness.ts';
import type { Original } from './original.ts';

interface DerivationCounts {
  readonly fn: string;
  /** Calls that may be compared, without the given ones. */
  readonly made: number;
  readonly accepted: number;
  readonly endless: Call | undefined;
  readonly slow: number;
  readonly unstable: readonly Call[];
  readonly unstableGiven: readonly Call[];
  readonly notes: readonly string[];
  /** Lines of the file, from 1, that never ran. */
  readonly missed: readonly number[];
  /** First and last line of the function. */
  readonly own: readonly [number, number];
}

const LEAST_MADE = 50;

export function limitsOf(found: DerivationCounts): string[] {
  const { fn } = found;
  const limits: string[] = [];
  if (found.accepted === 0) limits.push(`No call that Peagen made is accepted by ${fn}, so only the given calls are compared.`);
  else if (found.made < LEAST_MADE)
    limits.push(`Only ${found.made} more ${found.made === 1 ? 'call' : 'calls'} could be made for ${fn}.`);
  if (found.endless !== undefined) limits.push(`${showCall(fn, found.endless)} did not end, so inputs like it are not compared.`);
  const [given] = found.unstableGiven;
  if (given !== undefined) limits.push(`The result of ${showCall(fn, given)} differs from run to run, so it cannot be compared.`);
  const [unstable] = found.unstable;
  if (unstable !== undefined && given === undefined) {
    limits.push(`The result of ${showCall(fn, unstable)} differs from run to run, so calls like it are left out.`);
  }
  for (const note of found.notes) limits.push(`${fn} ${note}, and what happens there is not compared.`);
  const [first, last] = found.own;
  const own = found.missed.every((line) => first <= line && line <= last);
  if (found.missed.length > 0) limits.push(`${rangesOf(found.missed)}${own ? ` of ${fn}` : ''} never ran.`);
  return limits;
}

/** `Line 3`, `Lines 3 to 5 and 9`. */
export function rangesOf(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && line === last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const shown = ranges.slice(0, 4).map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  if (ranges.length > 4) shown.push('others');
  const many = lines.length > 1;
  return `${many ? 'Lines' : 'Line'} ${shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`}`;
}

const outside: readonly (readonly [RegExp, string])[] = [
  [
    /(?:from|require\(|import\()\s*['"](?:node:)?(?:net|tls|http|https|http2|dgram|dns)['"]|\bfetch\s*\(|\bnew WebSocket\b/,
    'opens a network connection',
  ],
  [/(?:from|require\(|import\()\s*['"](?:node:)?worker_threads['"]|\bnew Worker\b/, 'starts a thread'],
  [/(?:from|require\(|import\()\s*['"](?:node:)?child_process['"]/, 'starts a process'],
];

/** What the text of a JavaScript program says that it does outside of its own process. */
export function outsideOf({ surveyed }: Original): string[] {
  return outside.flatMap(([pattern, note]) => (surveyed.files.some(({ text }) => pattern.test(text)) ? [note] : []));
}
