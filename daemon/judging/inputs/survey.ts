/**
 * Runs many calls on the original in survey runners (runners/survey.py, survey.cjs): what each came to, what it costs, which
 * steps ran, and which small mutants it distinguishes. A call that ends its process is found by making calls singly.
 */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { Call } from '../../../shared/judging.ts';
import type { Entry, ProgramFile } from '../../../shared/program.ts';
import { Runner, type RunnerRuntime } from '../../executors/runner.ts';
import type { SandboxFactory } from '../../executors/sandbox.ts';
import { hintOf } from '../function/result.ts';
import type { EntrySource } from './source.ts';

export const Sighting = z.object({
  /** Equal for calls that did the same; absent when the call did not end. */
  hash: z.number().optional(),
  raised: z.string().optional(),
  /** For each of the calls before it the type of what it raised, or nothing. */
  earlier: z.array(z.string()).default([]),
  /** Line that raised it, in the entry's file; 0 when elsewhere. */
  line: z.number().default(0),
  text: z.string().default(''),
  /** Processor time, which some systems count in steps of milliseconds. */
  ms: z.number().default(0),
  /** Milliseconds by the clock. */
  wall: z.number().default(0),
  steps: z.number().default(0),
  /** Steps that it took, each with a rough count. */
  features: z.array(z.number()).default([]),
  /** Lines of the functions that may change, or numbers of probes in JavaScript. */
  lines: z.array(z.number()).default([]),
  /** Texts and numbers in its result, the first few. */
  gave: z
    .array(z.union([z.string().max(40), z.int()]))
    .max(6)
    .default([]),
  cut: z.literal(1).optional(),
  /** Its arguments cannot be made. */
  failed: z.string().optional(),
});
export type Sighting = z.infer<typeof Sighting>;

const RunAnswer = z.object({ results: z.array(Sighting), notes: z.array(z.string()).default([]) });
const MutantsAnswer = z.object({ told: z.array(z.array(z.number().int()).nullable()) });
const LoadAnswer = z.object({ lines: z.array(z.number()).default([]), error: z.string().optional() });

/** What survey runners load. */
export interface Surveyed {
  readonly files: readonly ProgramFile[];
  readonly entry: Entry;
  /** First and last line of each function that may change, from 1. */
  readonly lines: EntrySource['lines'];
}

export interface Patience {
  /** Steps between lines that one call may take. */
  readonly steps: number;
  /** Processor time of one call, where there are no steps. */
  readonly cpuMs: number;
}

const MOST_BATCH_MS = 20_000;
const MOST_SINGLE_MS = 3000;
const cutShort: Sighting = {
  line: 0,
  text: '',
  ms: Number.POSITIVE_INFINITY,
  wall: Number.POSITIVE_INFINITY,
  steps: 0,
  earlier: [],
  features: [],
  lines: [],
  gave: [],
  cut: 1,
};

/** Two processes of one original, which share what need not be done in one. */
export interface Surveys {
  readonly traced: Survey;
  readonly plain: Survey;
}

/** As `Survey.mutants`, half of them in each. */
export async function mutantsIn(
  { traced, plain }: Surveys,
  texts: readonly string[],
  ...how: [calls: readonly Call[], patience: Patience, most: number]
): Promise<(readonly number[] | undefined)[]> {
  const half = Math.ceil(texts.length / 2);
  return (await Promise.all([traced.mutants(texts.slice(0, half), ...how), plain.mutants(texts.slice(half), ...how)])).flat();
}

export class Survey {
  private readonly sandboxes: SandboxFactory;
  private readonly runtime: RunnerRuntime;
  private readonly surveyed: Surveyed;
  private readonly signal: AbortSignal;
  private runner: Promise<Runner> | undefined;
  /** Lines of the functions that may change that can run, in Python. */
  lines: readonly number[] = [];
  readonly notes = new Set<string>();
  private readonly onAbort = (): void => void this.close();

  constructor(sandboxes: SandboxFactory, runtime: RunnerRuntime, surveyed: Surveyed, signal: AbortSignal) {
    this.sandboxes = sandboxes;
    this.runtime = runtime;
    this.surveyed = surveyed;
    this.signal = signal;
    signal.addEventListener('abort', this.onAbort);
  }

  /** Starts the process, so that it is warm when it is asked. */
  start(): void {
    this.runner ??= this.opened();
    this.runner.catch(() => undefined);
  }

  private async opened(): Promise<Runner> {
    this.signal.throwIfAborted();
    const runner = await Runner.open(this.sandboxes, this.runtime, 'survey');
    await runner.ready();
    const { files, entry, lines } = this.surveyed;
    const reply = await runner.ask({ op: 'load', files, path: entry.path, fn: entry.fn, lines }, MOST_BATCH_MS);
    const answer = LoadAnswer.safeParse(
      reply.kind === 'answer' ? reply.value : { error: `it ended while loading (${reply.kind})` },
    );
    if (!answer.success || answer.data.error !== undefined) {
      await runner.close();
      const why = answer.data?.error ?? 'the runner gave no answer';
      throw new PeagenError('original_fails', `The original cannot be loaded: ${why.replace(/\.?$/, '.')}`, {
        hint: hintOf(why, 'Fix the file or the name of the entry function first.'),
      });
    }
    this.lines = answer.data.lines;
    return runner;
  }

  /** In the order of the calls, which share one process. `traced`: with steps and lines. */
  async run(calls: readonly Call[], patience: Patience, traced: boolean): Promise<Sighting[]> {
    if (calls.length === 0) return [];
    const order = {
      op: 'run',
      calls,
      most_ms: patience.cpuMs,
      ...(traced || this.runtime === 'node' ? { steps: patience.steps } : {}),
    };
    const together = await this.ask(order, calls.length === 1 ? MOST_SINGLE_MS : MOST_BATCH_MS);
    const answer = RunAnswer.safeParse(together);
    if (answer.success && answer.data.results.length === calls.length) {
      for (const note of answer.data.notes) this.notes.add(note);
      return answer.data.results;
    }
    if (calls.length === 1) return [cutShort];
    // One of them ends or blocks the process: each half is tried in a fresh one.
    const half = Math.ceil(calls.length / 2);
    return [
      ...(await this.run(calls.slice(0, half), patience, traced)),
      ...(await this.run(calls.slice(half), patience, traced)),
    ];
  }

  /** For each mutant the places of calls that tell it apart, at most `most` of them; undefined for one that does not load. */
  async mutants(
    texts: readonly string[],
    calls: readonly Call[],
    patience: Patience,
    most: number,
  ): Promise<(readonly number[] | undefined)[]> {
    if (texts.length === 0 || calls.length === 0) return texts.map(() => []);
    const order = { op: 'mutants', texts, calls, most_ms: patience.cpuMs, steps: patience.steps, most };
    const answer = MutantsAnswer.safeParse(await this.ask(order, MOST_BATCH_MS));
    if (answer.success && answer.data.told.length === texts.length) return answer.data.told.map((told) => told ?? undefined);
    // A mutant that ends its process differs from the original, but which call shows it is not known.
    if (texts.length === 1) return [undefined];
    const half = Math.ceil(texts.length / 2);
    return [
      ...(await this.mutants(texts.slice(0, half), calls, patience, most)),
      ...(await this.mutants(texts.slice(half), calls, patience, most)),
    ];
  }

  /** How often the lines of the program ran in these calls, for hot-lines.ts. */
  async linesRun(calls: readonly Call[], patience: Patience): Promise<unknown> {
    return await this.ask({ op: 'lines_run', calls, most_ms: patience.cpuMs, steps: patience.steps }, MOST_BATCH_MS);
  }

  private async ask(order: Readonly<Record<string, unknown>>, withinMs: number): Promise<unknown> {
    this.start();
    const runner = await this.runner;
    if (runner === undefined) return undefined;
    const reply = await runner.ask(order, withinMs);
    this.signal.throwIfAborted();
    if (reply.kind === 'answer') {
      if (reply.value['error'] === undefined) return reply.value;
      throw new PeagenError('original_fails', `The original cannot be surveyed: ${String(reply.value['error'])}.`, {
        hint: 'Importing its file again must work: it is imported once for each series of calls.',
      });
    }
    this.runner = undefined;
    await runner.close();
    return undefined;
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    const opening = this.runner;
    this.runner = undefined;
    const runner = await opening?.catch(() => undefined);
    await runner?.close();
  }
}
