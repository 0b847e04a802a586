/** A user's text as a candidate of a run: the same rules as for any child, and where its evolvable parts are now. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { diffHunks } from '../../../shared/patch/hunk.ts';
import { editText, splitLines } from '../../../shared/patch/lines.ts';
import type { Origin, Program, Span } from '../../../shared/program.ts';
import { programSha } from '../../evolution/hash.ts';
import { normalHash } from '../../evolution/syntax/normal.ts';
import { syntaxError } from '../../evolution/syntax/parse.ts';
import { childFault } from '../../handlers/child-check.ts';
import type { RunState } from '../run/state/run-state.ts';

interface Submission {
  readonly program: Program;
  readonly sha256: Sha256;
  readonly normal: Sha256;
  readonly origin: Origin;
}

/** `text`: of the first file, which is the target. Throws `invalid_input` that says what is wrong with it. */
export async function submissionOf(
  original: Program,
  text: string,
  parent: { sha256: Sha256; program: Program },
): Promise<Submission> {
  const program = respan(original, text) ?? respan(original, written(original, text));
  if (program === undefined) throw changesOthers(original, text);
  const fault = childFault(program, original);
  if (fault !== undefined) throw new PeagenError('invalid_input', `The edit cannot enter the run: ${fault}.`);
  const error = await syntaxError(program);
  if (error !== undefined && (await syntaxError(original)) === undefined) {
    throw new PeagenError('invalid_input', `The edit does not parse: ${error}`, { hint: 'Fix it, then submit it again.' });
  }
  const normal = await normalHash(program);
  if (normal === (await normalHash(original))) {
    throw new PeagenError('invalid_input', 'The edit changes nothing but comments and layout.');
  }
  const origin = { parents: [parent.sha256], mutator: 'user', summary: summaryOf(parent.program, text) };
  return { program, sha256: programSha(program), normal, origin };
}

/**
 * The original with another text of its first file, and its spans where they are in it: what lies around them is the
 * same. Undefined when it is not.
 */
export function respan(original: Program, text: string): Program | undefined {
  const [file, ...others] = original.files;
  if (file === undefined) return undefined;
  const spans = original.spans.filter((span) => span.path === file.path).sort((a, b) => a.start - b.start);
  const last = spans.at(-1);
  const tail = file.text.slice(last?.end ?? 0);
  if (!text.endsWith(tail)) return undefined;
  const moved: Span[] = [];
  let [from, at] = [0, 0];
  for (const [i, span] of spans.entries()) {
    const before = file.text.slice(from, span.start);
    if (!text.startsWith(before, at)) return undefined;
    const start = at + before.length;
    const next = spans[i + 1];
    const between = next === undefined ? '' : file.text.slice(span.end, next.start);
    // The text between two parts is looked for behind the first one; the end of the last one is known.
    const end = next === undefined ? text.length - tail.length : text.indexOf(between, start);
    if (end < start) return undefined;
    moved.push({ ...span, start, end });
    [from, at] = [span.end, end];
  }
  const elsewhere = original.spans.filter((span) => span.path !== file.path);
  return { ...original, files: [{ ...file, text }, ...others], spans: [...moved, ...elsewhere] };
}

/** As the original is written: an editor may have its own line ends, byte order mark and end of file. */
function written(original: Program, text: string): string {
  const before = original.files[0]?.text ?? '';
  const ended = before.endsWith('\n') && !/[\r\n]$/.test(text) ? `${text}\n` : text;
  const edits = diffHunks(before, ended).map(({ base: { start, oldLines }, newLines }) => ({
    start,
    oldCount: oldLines.length,
    newLines,
  }));
  return edits.reverse().reduce(editText, before);
}

function changesOthers(original: Program, text: string): PeagenError {
  const { path = '', text: before = '' } = original.files[0] ?? {};
  const lineAt = (offset: number) => splitLines(before.slice(0, offset)).length - 1;
  const parts = original.spans
    .filter((span) => span.path === path)
    .map(({ start, end }) => [lineAt(start), lineAt(end)] as const);
  const hunk = diffHunks(before, text).find(({ base: { start, oldLines } }) => {
    const last = start + oldLines.length - 1;
    return !parts.some(([from, to]) => start >= from && last >= from && last <= to);
  });
  const line = [...(hunk?.newLines ?? []), ...(hunk?.base.oldLines ?? [])].find((one) => one.trim() !== '');
  const where = line === undefined ? '' : ` (at "${line.trim().slice(0, 80)}")`;
  return new PeagenError('invalid_input', `The edit changes ${path} outside the part that this run evolves${where}.`, {
    hint: 'Undo that part, or judge the change by itself.',
  });
}

/** Throws `conflict` for a program that the run has made, or that is `entering` it at this moment. */
export function requireNew(
  { normal }: Submission,
  { run, memory, known }: Pick<RunState, 'run' | 'memory' | 'known'>,
  entering: ReadonlyMap<Sha256, Sha256>,
): void {
  const twin = memory.twinOf(normal);
  if (twin === undefined && !entering.has(normal)) return;
  const judged = twin === undefined ? undefined : known.get(twin);
  const outcome = judged === undefined ? 'it is being judged' : `${judged.outcome.kind}, fitness ${judged.fitness ?? 'none'}`;
  const name = twin === undefined ? '' : ` (${twin.slice(0, 12)})`;
  throw new PeagenError('conflict', `Run ${run} has made the same program before${name}: ${outcome}.`);
}

function summaryOf(parent: Program, text: string): string {
  const hunks = diffHunks(parent.files[0]?.text ?? '', text);
  const lines = (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`;
  const added = hunks.reduce((sum, hunk) => sum + hunk.newLines.length, 0);
  const removed = hunks.reduce((sum, hunk) => sum + hunk.base.oldLines.length, 0);
  return `own edit: ${lines(removed)} ${removed === 1 ? 'becomes' : 'become'} ${lines(added)}`;
}
