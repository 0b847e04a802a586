/**
 * A program is a small tree of files (usually one) over a base folder, with the spans that may change. A candidate is a program
 * plus its origin. Offsets are UTF-16 code units, half-open.
 */
import * as z from 'zod';
import { PeagenError } from './errors.ts';
import { Sha256 } from './ids.ts';

/** A path inside the base: forward slashes, no `..`, not absolute, no drive, no empty part. */
export const RelativePath = z
  .string()
  .min(1)
  .max(1024)
  .refine(
    (path) =>
      !/[\\\0]/.test(path) &&
      !/^[A-Za-z]:/.test(path) &&
      path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'expected a relative path with forward slashes that stays inside its folder',
  );

export const Span = z.object({
  path: RelativePath,
  start: z.number().int().min(0),
  end: z.number().int().min(0),
});
export type Span = z.infer<typeof Span>;

export const ProgramFile = z.object({ path: RelativePath, text: z.string() });
export type ProgramFile = z.infer<typeof ProgramFile>;

/** Each is written for every run: what a task brings costs a host no more than a few seconds. */
const MOST_FILES = 4096;

export const Program = z.object({
  /** Language id as in VS Code: `python`, `javascript`, `typescript`, … */
  language: z.string().min(1),
  /** Sorted by path, no path twice. Only files that belong to the candidate; the rest comes from the base. */
  files: z.array(ProgramFile).min(1).max(MOST_FILES),
  /** What may change, in this program's own text. Everything else is byte-identical to the original. */
  spans: z.array(Span).min(1),
});
export type Program = z.infer<typeof Program>;

/** The function (or method, as `Class.method`) that is called to judge a candidate. */
export const Entry = z.object({ path: RelativePath, fn: z.string().min(1) });
export type Entry = z.infer<typeof Entry>;

/** Where a candidate came from. */
export const Origin = z.object({
  parents: z.array(Sha256),
  mutator: z.string(),
  /** One line for a user: what was done, such as `delete statement at line 12`. */
  summary: z.string(),
  backend: z.string().optional(),
  /** Hashes of the prompt and the answer, when an LLM was asked; the candidate's object holds the texts. */
  prompt: Sha256.optional(),
  answer: Sha256.optional(),
});
export type Origin = z.infer<typeof Origin>;

export function fileText(program: Program, path: string): string | undefined {
  return program.files.find((file) => file.path === path)?.text;
}

/** The text of one span. */
export function spanText(program: Program, span: Span): string {
  return (fileText(program, span.path) ?? '').slice(span.start, span.end);
}

/**
 * A copy with `range` replaced by `text`; spans around and behind it move along. Throws `invalid_input` when the range is not
 * inside one evolvable span: nothing else may change.
 */
export function replaceRange(program: Program, range: Span, text: string): Program {
  const home = program.spans.find((span) => span.path === range.path && span.start <= range.start && range.end <= span.end);
  if (home === undefined) {
    throw new PeagenError('invalid_input', `${range.path}:${range.start}-${range.end} lies outside the part that may change.`);
  }
  const shift = text.length - (range.end - range.start);
  return {
    ...program,
    files: program.files.map((file) =>
      file.path === range.path ? { ...file, text: file.text.slice(0, range.start) + text + file.text.slice(range.end) } : file,
    ),
    spans: program.spans.map((span) => {
      if (span === home) return { ...span, end: span.end + shift };
      if (span.path !== range.path || span.start < range.end) return span;
      return { ...span, start: span.start + shift, end: span.end + shift };
    }),
  };
}
