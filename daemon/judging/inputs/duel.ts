/** Runs the original and a candidate side by side on the same calls, in fresh processes, and finds the calls on which they differ. */
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import { RunnerPool } from '../../executors/runner.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import { type Bounds, runCalls, runtimeOf, type Source, showCall, sourceOf } from '../function/correctness.ts';
import { type CallResult, mismatch } from '../function/result.ts';
import { show } from '../function/values.ts';
import { readCall } from './data.ts';

/** What two programs did on one call, in words. */
export interface Differing {
  readonly at: number;
  readonly expected: string;
  readonly actual: string;
}

const ORIGINAL_MS = 20_000;
/** Of a candidate on a call that takes the original a few milliseconds at most. */
const CANDIDATE_MS = 5000;
const CANDIDATE_CPU_MS = 1000;

export class Duel {
  private readonly pool: RunnerPool;
  private readonly options: FunctionOptions;
  private readonly context: EvaluatorContext;
  private readonly original: Program;
  private readonly candidate: Program;
  private readonly sources = new Map<Program, Source>();

  constructor(original: Program, candidate: Program, options: FunctionOptions, context: EvaluatorContext) {
    this.pool = new RunnerPool(context.sandboxes, runtimeOf(original.language), context.signal);
    this.options = options;
    this.context = context;
    this.original = original;
    this.candidate = candidate;
  }

  /** The first call on which the candidate does something else. */
  async compare(calls: readonly Call[]): Promise<Differing | undefined> {
    if (calls.length === 0) return undefined;
    this.pool.prefetch(2);
    const [want, got] = await Promise.all([this.run(this.original, calls), this.run(this.candidate, calls)]);
    if (!Array.isArray(want)) return await this.halves(calls);
    if (!Array.isArray(got)) return calls.length === 1 ? this.failed(want[0], got) : await this.halves(calls);
    for (const [at, call] of calls.entries()) {
      const [mine, theirs] = [want[at], got[at]];
      if (mine === undefined || theirs === undefined) continue;
      const differs = mismatch(mine, theirs, showCall(this.options.entry.fn, call), this.tolerant(call));
      if (differs !== undefined) return inWords(at, mine, theirs, differs);
    }
    return undefined;
  }

  /** One that fails as a whole, on either side, is looked for in halves; one that fails on the original is no counter-example. */
  private async halves(calls: readonly Call[]): Promise<Differing | undefined> {
    if (calls.length === 1) return undefined;
    // The most suspicious call comes first, and is often the one.
    const one = await this.compare(calls.slice(0, 1));
    if (one !== undefined) return one;
    const half = Math.ceil(calls.length / 2);
    const first = await this.compare(calls.slice(0, half));
    if (first !== undefined) return first;
    const second = await this.compare(calls.slice(half));
    return second === undefined ? undefined : { ...second, at: second.at + half };
  }

  private failed(want: CallResult | undefined, { detail }: Outcome): Differing | undefined {
    return want === undefined ? undefined : { at: 0, expected: words(want), actual: detail };
  }

  /** Whether the original does the same on these calls each time. */
  async isSteady(calls: readonly Call[]): Promise<boolean> {
    this.pool.prefetch(2);
    const [one, other] = await Promise.all([this.run(this.original, calls), this.run(this.original, calls)]);
    if (!Array.isArray(one) || !Array.isArray(other)) return false;
    return one.every((result, at) => {
      const again = other[at];
      return again !== undefined && mismatch(result, again, '', this.options) === undefined;
    });
  }

  private async run(program: Program, calls: readonly Call[]): Promise<CallResult[] | Outcome> {
    const { deterministic, sandboxes } = this.context;
    const own = program === this.original;
    const bounds: Bounds = {
      loadMs: Math.max(2000, sandboxes.limits.wallMs),
      callsMs: own || deterministic ? ORIGINAL_MS : CANDIDATE_MS,
      cpuMs: own ? undefined : CANDIDATE_CPU_MS,
      operations: undefined,
    };
    return await this.pool.use(async (runner) => {
      const source = this.sources.get(program) ?? (await sourceOf(runner, program, this.options.entry, bounds.loadMs));
      if ('kind' in source) return source;
      this.sources.set(program, source);
      const ran = await runCalls(
        runner,
        source,
        { ...this.options, calls: [...calls], derived: [], heldout: [] },
        bounds,
        undefined,
      );
      return ran.ok ? ran.observed.results : ran.outcome;
    });
  }

  /** With floats among the arguments, sums may cancel: what is far below their size is no difference. */
  private tolerant(call: Call): FunctionOptions {
    const { tolerance } = this.options;
    if (tolerance.rel === 0) return this.options;
    const size = floatSize([readCall(call)]);
    if (size === 0) return this.options;
    return { ...this.options, tolerance: { ...tolerance, abs: Math.max(tolerance.abs, Math.min(0.5, tolerance.rel * size)) } };
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

/** The largest magnitude in values that hold a float; 0 when none does. */
function floatSize(root: unknown): number {
  let most = 0;
  let floats = false;
  const visit = (value: unknown): void => {
    if (typeof value === 'number') {
      most = Math.max(most, Math.abs(value));
      floats ||= !Number.isInteger(value);
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if ('float' in value && typeof value.float === 'string') {
        floats = true;
        most = Math.max(most, Math.abs(Number(value.float)) || 0);
      } else Object.values(value).forEach(visit);
    }
  };
  visit(root);
  return floats ? Math.max(1, most) : 0;
}

const LONGEST = 2000;

export function words({ value, raised }: CallResult): string {
  return raised === undefined ? `returns ${show(value ?? null)}` : `raises ${raised}`;
}

function inWords(at: number, want: CallResult, got: CallResult, { detail }: Outcome): Differing {
  const [expected, actual] = [words(want), words(got)];
  // The values look alike: what differs is in the detail.
  return expected === actual
    ? { at, expected: 'the same arguments and effects as the original', actual: detail.slice(0, LONGEST) }
    : { at, expected: expected.slice(0, LONGEST), actual: actual.slice(0, LONGEST) };
}
