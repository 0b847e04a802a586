/** Draws children until one is worth judging: it parses, may run, differs from its parent and was not seen before. */
import type { Sha256 } from '../../../shared/ids.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import { fileText, type Program, replaceRange, type Span } from '../../../shared/program.ts';
import { createRandom, type Random } from '../../random.ts';
import { Seen } from '../seen.ts';
import { grammarOf } from '../syntax/languages.ts';
import { normalHash } from '../syntax/normal.ts';
import { parse, parseFile } from '../syntax/parse.ts';
import type { Mutated } from './mutator.ts';
import { doomed } from './structural-checks.ts';
import { applyChanges, type TextChange } from './structural-edit.ts';
import { type Region, survey } from './structural-region.ts';

export interface Child {
  readonly program: Program;
  readonly summary: string;
}

/** Children drawn before giving up. */
const maxDraws = 40;
/** Characters of a file of which also the functions around the span are read, to be brought into it. */
const MOST_READ = 50_000;
/** A function at the edge of a file, or a constant that may be one. */
const DECLARED = /^(?:export )?(?:async )?(?:def|function|const) (\w+)/gm;

/** `derive` makes a child, or says why this draw came to nothing. The same payload draws the same children. */
export async function drawChild(
  mutator: string,
  payload: MutatePayload,
  signal: AbortSignal,
  derive: (random: Random) => Promise<Child | string>,
): Promise<Mutated> {
  const tokens = { prompt: 0, completion: 0 };
  const parent = payload.parent.program;
  if (grammarOf(parent.language) === undefined) {
    const reason = `the mutator ${mutator} has no grammar for ${parent.language}; use one that asks a model (patch, rewrite)`;
    return { kind: 'rejected', reason, tokens };
  }
  const random = createRandom(mutator, payload.seed);
  const seen = payload.seen === undefined ? undefined : Seen.decode(payload.seen);
  const parentNormal = await normalHash(parent);
  const isKnown = (normal: Sha256): boolean => normal === parentNormal || seen?.has(normal) === true;
  const misses = new Map<string, number>();
  for (let draw = 0; draw < maxDraws; draw++) {
    signal.throwIfAborted();
    const child = await derive(random);
    const miss = typeof child === 'string' ? child : isKnown(await normalHash(child.program)) ? 'seen before' : undefined;
    if (miss === undefined && typeof child !== 'string') {
      return { kind: 'child', program: child.program, origin: { mutator, summary: child.summary }, tokens };
    }
    misses.set(miss ?? '', (misses.get(miss ?? '') ?? 0) + 1);
  }
  const [reason, count] = [...misses].sort((a, b) => b[1] - a[1])[0] ?? ['no edit applies', 0];
  return { kind: 'rejected', reason: `no new child in ${maxDraws} draws; most often (${count}): ${reason}`, tokens };
}

/** Throws `unsupported` for a language without a grammar. */
export async function regionOf(program: Program, span: Span): Promise<Region> {
  const text = fileText(program, span.path) ?? '';
  const isWhole = text.length <= MOST_READ && namesOthers(program, span, text);
  const tree = isWhole ? await parse(program.language, text) : await parseFile(program, span.path);
  const grammar = grammarOf(program.language);
  if (grammar === undefined) throw new Error(`no grammar for ${program.language}`);
  return survey(tree, grammar, span);
}

/** Whether the span names a function of the file that may not change itself, which then has to be looked into. */
function namesOthers({ spans }: Program, span: Span, text: string): boolean {
  const own = text.slice(span.start, span.end);
  const declared = [...text.matchAll(DECLARED)];
  return declared.some(({ index, 1: name = '' }) => {
    const isOther = !spans.some(({ path, start, end }) => path === span.path && start <= index && index < end);
    return isOther && new RegExp(`\\b${name}\\b`).test(own);
  });
}

/**
 * Indices of the spans that hold a function which the original names elsewhere and the program does not: it was brought into its
 * caller, and what is changed in it shows nowhere.
 */
export function idleSpans(original: Program, program: Program): ReadonlySet<number> {
  const isNamed = ({ files }: Program, { path, start, end }: Span, name: string) =>
    files.some((file) => {
      const text = file.path === path ? `${file.text.slice(0, start)}\n${file.text.slice(end)}` : file.text;
      return new RegExp(`\\b${name}\\b`).test(text);
    });
  const idle = program.spans.flatMap((span, at) => {
    const text = fileText(program, span.path)?.slice(span.start, span.end) ?? '';
    const name = [...text.matchAll(DECLARED)][0]?.[1];
    const before = original.spans[at];
    const isIdle = name !== undefined && before !== undefined && isNamed(original, before, name) && !isNamed(program, span, name);
    return isIdle ? [at] : [];
  });
  return new Set(idle.length < program.spans.length ? idle : []);
}

/** The program with one of its spans, surveyed in `region`, changed; else why that cannot be. */
export async function changed(
  program: Program,
  span: Span,
  region: Region,
  changes: readonly TextChange[],
): Promise<Program | string> {
  if (changes.some((change) => change.start < span.start || change.end > span.end)) return 'the edit reaches out of the span';
  const edited = applyChanges(region.text, changes);
  if (edited === undefined) return 'the edit overlaps itself';
  const text = edited.slice(span.start, edited.length - (region.text.length - span.end));
  const next = replaceRange(program, span, text);
  const tree = await parseFile(next, span.path);
  if (tree.error !== undefined && region.parses) return `does not parse: ${tree.error.what}`;
  const reason = doomed(region, survey(tree, region.grammar, { start: span.start, end: span.start + text.length }));
  return reason ?? next;
}
