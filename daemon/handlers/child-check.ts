/** What every child must keep to, whatever mutator made it: only the evolvable parts differ, and not by too much. */
import { MutateData } from '../../shared/payloads.ts';
import type { Program, Span } from '../../shared/program.ts';
import { programSha } from '../evolution/hash.ts';

/** Limit on a change, in bytes of UTF-8. */
const MAX_CHANGE = 200 * 1024;

/** Why the child is refused, in words; undefined when it keeps to the rules. O(length of the texts). */
export function childFault(child: Program, original: Program): string | undefined {
  if (child.language !== original.language) return `it is ${child.language}, not ${original.language}`;
  const paths = (program: Program) => program.files.map((file) => file.path).join('\n');
  if (paths(child) !== paths(original)) return 'it adds, drops or reorders files';
  let changed = 0;
  for (const file of original.files) {
    const text = child.files.find(({ path }) => path === file.path)?.text ?? '';
    const fixed = { original: outside(file.text, spansOf(original, file.path)), child: outside(text, spansOf(child, file.path)) };
    if (fixed.original === undefined || fixed.child === undefined)
      return `its evolvable parts in ${file.path} overlap or lie outside the file`;
    if (fixed.child.length !== fixed.original.length) return `it has another number of evolvable parts in ${file.path}`;
    if (fixed.child.some((piece, i) => piece !== fixed.original?.[i]))
      return `it changes ${file.path} outside the part that may change`;
    changed += changedBytes(text, file.text);
  }
  if (changed > MAX_CHANGE) return `its change is ${Math.ceil(changed / 1024)} KB; at most ${MAX_CHANGE / 1024} KB are allowed`;
  return undefined;
}

/**
 * What the result of a mutate task is worth to the one that asked for it: anyone who can write to the queue may have made it up. Throws
 * for anything but such a result; a child that breaks the rules, or is not the one that it says, is a rejected one.
 */
export function trustedAnswer(data: unknown, original: Program): MutateData {
  const answer = MutateData.parse(data);
  if (answer.kind === 'rejected') return answer;
  const { program, sha256, tokens } = answer;
  const fault = childFault(program, original) ?? (programSha(program) === sha256 ? undefined : 'its hash is that of another');
  return fault === undefined ? answer : { kind: 'rejected', reason: `the answer of its worker is refused: ${fault}`, tokens };
}

function spansOf(program: Program, path: string): Span[] {
  return program.spans.filter((span) => span.path === path).sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The pieces of a text around its spans; undefined when the spans are not in order inside it. */
function outside(text: string, spans: readonly Span[]): string[] | undefined {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (start < at || end < start || end > text.length) return undefined;
    pieces.push(text.slice(at, start));
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces;
}

/** Bytes between the common start and the common end. */
function changedBytes(text: string, before: string): number {
  let start = 0;
  const shorter = Math.min(text.length, before.length);
  while (start < shorter && text.charCodeAt(start) === before.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && text.charCodeAt(text.length - 1 - end) === before.charCodeAt(before.length - 1 - end)) end++;
  return Buffer.byteLength(text.slice(start, text.length - end), 'utf8');
}
