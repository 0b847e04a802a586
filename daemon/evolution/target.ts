/** Reads what is to be evolved: a file with the spans in it that may change, and the function that is called to judge it. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { nearest, PeagenError } from '../../shared/errors.ts';
import { type Entry, type Program, RelativePath, type Span } from '../../shared/program.ts';
import type { FunctionInfo } from '../../shared/protocol/targets.ts';
import type { TargetSpec } from '../../shared/run-spec.ts';
import { usedElsewhere } from './importers.ts';
import { functionsIn } from './syntax/functions.ts';
import { helpersOf } from './syntax/helpers.ts';
import { grammarOf, languageOf } from './syntax/languages.ts';
import { parse, type SyntaxTree } from './syntax/parse.ts';

/** In UTF-16 code units: far above what a user evolves, low enough to keep many candidates at once. */
const maxLength = 4 * 1024 * 1024;

interface Target {
  readonly program: Program;
  readonly entry?: Entry;
  /** Names of the functions that may change along with the entry, since nothing else uses them. */
  readonly helpers: readonly string[];
}

/**
 * Throws `not_found` (file or function), `invalid_input` (binary, outside of the root, unbalanced markers),
 * `too_large`, `unsupported` (a language that we cannot look into, without markers).
 */
export async function loadTarget(spec: TargetSpec): Promise<Target> {
  const { path } = spec;
  if (!RelativePath.safeParse(path).success) {
    throw new PeagenError('invalid_input', `The target path "${path}" leaves its folder.`, {
      hint: `Give a path under ${spec.root}.`,
    });
  }
  const text = await readTarget(spec);
  if (text.length > maxLength) {
    throw new PeagenError('too_large', `"${path}" has ${text.length} characters; the limit is ${maxLength}.`, {
      hint: 'Move the function to a file of its own.',
    });
  }
  const language = languageOf(path);
  const blocks = markedBlocks(path, text);
  const program = (spans: Span[]): Program => ({ language: language ?? 'plaintext', files: [{ path, text }], spans });

  const { entry_fn: fn, functions } = spec;
  if (fn !== undefined || (functions ?? []).length > 0) {
    if (language === undefined || grammarOf(language) === undefined) {
      throw new PeagenError(
        'unsupported',
        `Functions cannot be found in "${path}": ${language ?? 'its language'} has no grammar here.`,
        {
          hint: 'Mark what may change with EVOLVE-BLOCK-START and EVOLVE-BLOCK-END in comments, and leave the function out.',
        },
      );
    }
    const tree = await parse(language, text);
    const all = functionsIn(tree);
    const named = [...new Set([...(fn === undefined ? [] : [fn]), ...(functions ?? [])])].map((name) =>
      functionOf(all, path, name),
    );
    const [entry] = named;
    const whole = functions === undefined && entry !== undefined && blocks.length === 0;
    const helpers = whole ? await ownHelpers(spec, tree, entry) : [];
    const spans = [...named, ...helpers].map(({ start, end }) => ({ path, start, end })).sort((a, b) => a.start - b.start);
    const inside = spans.flatMap((span) => blocks.map((block) => overlap(block, span)).filter((each) => each !== undefined));
    const found = { program: program(inside.length > 0 ? inside : spans), helpers: helpers.map(({ name }) => name) };
    return fn === undefined ? found : { ...found, entry: { path, fn } };
  }
  if (blocks.length > 0) return { program: program(blocks), helpers: [] };
  if (language === undefined) {
    throw new PeagenError('unsupported', `The language of "${path}" is not known.`, {
      hint: 'Mark what may change with EVOLVE-BLOCK-START and EVOLVE-BLOCK-END in comments.',
    });
  }
  return { program: program([{ path, start: 0, end: text.length }]), helpers: [] };
}

/** The spec's text, else the file's. Either way a file that exists must lie under the root, links followed. */
async function readTarget(spec: TargetSpec): Promise<string> {
  const file = join(spec.root, spec.path);
  let real: string;
  try {
    real = await realpath(file);
    const inside = relative(await realpath(spec.root), real);
    if (inside.startsWith('..') || isAbsolute(inside)) {
      throw new PeagenError('invalid_input', `"${spec.path}" is a link that leaves ${spec.root}.`, {
        hint: 'Open the folder it lies in.',
      });
    }
    if (spec.text !== undefined) return spec.text;
    const info = await stat(real);
    if (!info.isFile()) {
      throw new PeagenError('invalid_input', `"${spec.path}" is not a file.`, { hint: 'Give the file that holds the function.' });
    }
    if (info.size > 4 * maxLength) {
      throw new PeagenError('too_large', `"${spec.path}" has ${info.size} bytes; the limit is ${4 * maxLength}.`);
    }
    return decode(await readFile(real), spec.path);
  } catch (caught) {
    if (caught instanceof PeagenError) throw caught;
    const code = caught instanceof Error && 'code' in caught ? caught.code : undefined;
    if (spec.text !== undefined && code === 'ENOENT') return spec.text;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new PeagenError(missing ? 'not_found' : 'invalid_input', `Cannot read the target file "${file}" (${String(code)}).`, {
      hint: 'Check the path; it is relative to the folder of the project.',
      cause: caught,
    });
  }
}

/** UTF-8 with its byte order mark kept, so that what is written back is what was read. */
function decode(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) {
    throw new PeagenError('invalid_input', `"${path}" is a binary file.`, { hint: 'Only text can be evolved.' });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PeagenError('invalid_input', `"${path}" is not UTF-8 text.`, { hint: 'Save it as UTF-8.' });
  }
}

/** The functions that work for the entry alone, in its file and in the folder: what becomes of them shows in the entry only. */
async function ownHelpers({ root, path }: TargetSpec, tree: SyntaxTree, entry: FunctionInfo): Promise<FunctionInfo[]> {
  const helpers = helpersOf(tree, entry);
  if (tree.language !== 'python' || helpers.length === 0) return helpers;
  return helpersOf(tree, entry, await usedElsewhere(root, path, helpers));
}

function functionOf(functions: readonly FunctionInfo[], path: string, name: string): FunctionInfo {
  // When two functions have one name, the later one is called.
  const found = functions.findLast((each) => each.name === name);
  if (found !== undefined) return found;
  const names = [...new Set(functions.map((each) => each.name))];
  const near = nearest(name, names);
  const list = names.length > 20 ? `${names.slice(0, 20).join(', ')}, and ${names.length - 20} more` : names.join(', ');
  throw new PeagenError('not_found', `There is no function "${name}" in "${path}".`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Functions there: ${list || 'none'}.`,
  });
}

function overlap(block: Span, span: Span): Span | undefined {
  const start = Math.max(block.start, span.start);
  const end = Math.min(block.end, span.end);
  return start < end ? { ...span, start, end } : undefined;
}

/** A marker stands alone on its line behind a comment prefix of any language. */
const markerLine = /^[ \t]*(?:[^\w\s]{1,4}|REM|rem)[ \t]*EVOLVE-BLOCK-(START|END)\b.*$/gm;

/** The lines strictly between the markers. Throws `invalid_input` when they do not pair up. */
function markedBlocks(path: string, text: string): Span[] {
  const blocks: Span[] = [];
  let open: number | undefined;
  for (const match of text.matchAll(markerLine)) {
    const lineEnd = text.indexOf('\n', match.index);
    if ((match[1] === 'START') === (open !== undefined)) throw unbalanced(path, text, match.index, `EVOLVE-BLOCK-${match[1]}`);
    if (open === undefined) {
      open = lineEnd === -1 ? text.length : lineEnd + 1;
    } else {
      blocks.push({ path, start: open, end: match.index });
      open = undefined;
    }
  }
  if (open !== undefined) throw unbalanced(path, text, open - 1, 'EVOLVE-BLOCK-START');
  return blocks;
}

function unbalanced(path: string, text: string, offset: number, marker: string): PeagenError {
  const line = text.slice(0, offset).split('\n').length;
  return new PeagenError('invalid_input', `${path}:${line}: ${marker} has no counterpart.`, {
    hint: 'Each EVOLVE-BLOCK-START needs one EVOLVE-BLOCK-END after it; they do not nest.',
  });
}
