/** The original as surveys need it: its source with probes where JavaScript needs them, its hints, and its mutants. */

import { PeagenError } from '../../../shared/errors.ts';
import type { Call } from '../../../shared/judging.ts';
import { type Entry, fileText, type Program, type ProgramFile } from '../../../shared/program.ts';
import { functionsOf } from '../../evolution/syntax/functions.ts';
import { Runner, type RunnerRuntime } from '../../executors/runner.ts';
import type { Random } from '../../random.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import { runtimeOf, type Source, sourceOf } from '../function/correctness.ts';
import { mutantsOf, reversalsOf, withEdits } from './mutants.ts';
import { type Probes, probesOf } from './probes.ts';
import { type EntrySource, entrySource } from './source.ts';
import { Survey, type Surveyed } from './survey.ts';

/** Limits of counting lines, for all calls together; a call that takes longer counts as far as it came. */
const [MOST_STEPS, MOST_CPU_MS] = [2_000_000, 10_000];

export interface Original {
  readonly runtime: RunnerRuntime;
  readonly entry: Entry;
  /** Undefined when the function is not found in the text by its name. */
  readonly source: EntrySource | undefined;
  readonly surveyed: Surveyed;
  /** Lines of the functions that may change by probe, in JavaScript. */
  readonly probes: Probes | undefined;
  /** Whole texts of the entry's file. */
  mutants(most: number, random: Random): string[];
  /** The same with a loop or a search from the other end. */
  readonly reversals: readonly string[];
}

/** Throws `original_fails` when the file cannot be read as its language. */
export async function openOriginal(
  program: Program,
  entry: Entry,
  support: readonly ProgramFile[],
  context: EvaluatorContext,
): Promise<Original> {
  const own = new Set(program.files.map(({ path }) => path));
  const whole = { ...program, files: [...program.files, ...support.filter(({ path }) => !own.has(path))] };
  const text = fileText(program, entry.path);
  if (text === undefined) throw new PeagenError('not_found', `The entry's file ${entry.path} is not part of the program.`);
  const along = await changingAlong(program, entry, text);
  const source = await entrySource(program.language, text, entry.fn, along);
  const runtime = runtimeOf(program.language);
  if (runtime === 'python') {
    const lines = source?.lines ?? [];
    const mutants = (most: number, random: Random): string[] =>
      source === undefined
        ? []
        : mutantsOf(source.parts, text, source.grammar, most, random).map((edit) => withEdits(text, [edit]));
    const reversals =
      source === undefined ? [] : reversalsOf(source.parts, text, source.grammar).map((edit) => withEdits(text, [edit]));
    return { runtime, entry, source, surveyed: { files: whole.files, entry, lines }, probes: undefined, mutants, reversals };
  }
  const plain = await runnable(whole, entry, context);
  const script = plain.files.find(({ path }) => path === plain.entry.path)?.text ?? text;
  const found = await entrySource('javascript', script, entry.fn, along);
  const probes = await probesOf(script, found?.parts ?? [{ start: 0, end: script.length }]);
  const withProbes = (more: string): ProgramFile[] =>
    plain.files.map((file) => (file.path === plain.entry.path ? { ...file, text: more } : file));
  const mutants = (most: number, random: Random): string[] =>
    found === undefined
      ? []
      : mutantsOf(found.parts, script, found.grammar, most, random).map((edit) => withEdits(script, [...probes.edits, edit]));
  return {
    runtime,
    entry: plain.entry,
    source,
    surveyed: { files: withProbes(withEdits(script, probes.edits)), entry: plain.entry, lines: found?.lines ?? [] },
    probes,
    mutants,
    reversals:
      found === undefined
        ? []
        : reversalsOf(found.parts, script, found.grammar).map((edit) => withEdits(script, [...probes.edits, edit])),
  };
}

/** Names of the functions in the entry's file that may change along with it. */
async function changingAlong({ language, spans }: Program, { path, fn }: Entry, text: string): Promise<string[]> {
  if (spans.length < 2) return [];
  const functions = await functionsOf(language, text);
  const mayChange = ({ start, end }: { start: number; end: number }): boolean =>
    spans.some((span) => span.path === path && span.start <= start && end <= span.end);
  return functions.filter((one) => one.name !== fn && mayChange(one)).map(({ name }) => name);
}

/** How often the lines of a correct program ran in these calls, and the texts that ran; `program` with all that it imports. */
export async function linesRun(program: Program, entry: Entry, calls: readonly Call[], context: EvaluatorContext) {
  const plain = await runnable(program, entry, context);
  const texts = new Map(program.files.map(({ path }, index) => [path, plain.files[index]?.text ?? '']));
  const survey = new Survey(context.sandboxes, runtimeOf(program.language), { ...plain, lines: [] }, context.signal);
  try {
    const report = await survey.linesRun(calls, { steps: MOST_STEPS, cpuMs: MOST_CPU_MS / calls.length });
    return { report, texts };
  } finally {
    await survey.close();
  }
}

/** Returns the program as the interpreter loads it. */
async function runnable(program: Program, entry: Entry, { sandboxes, signal }: EvaluatorContext): Promise<Source> {
  if (program.language !== 'typescript') return { files: program.files, entry };
  signal.throwIfAborted();
  const runner = await Runner.open(sandboxes, 'node');
  try {
    await runner.ready();
    const source = await sourceOf(runner, program, entry, sandboxes.limits.wallMs);
    if (!('kind' in source)) return source;
    throw new PeagenError('original_fails', `The original cannot be read: ${source.detail.replace(/\.?$/, '.')}`, {
      hint: 'Fix the file first.',
    });
  } finally {
    await runner.close();
  }
}
