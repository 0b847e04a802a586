/**
 * Runs the original and a candidate side by side on the same calls, in fresh processes, and finds the calls on which they
 * differ.
 */
import type { Call, EffectKind, FunctionOptions, Outcome } from '../../../../shared/judging.ts';
import type { Program } from '../../../../shared/program.ts';
import { RunnerPool } from '../../../executors/runner.ts';
import { type EffectRules, finalDifference } from '../../effects/effects.ts';
import type { EvaluatorContext } from '../../evaluator.ts';
import type { Observed } from '../../function/correctness.ts';
import { type Bounds, runCalls, runtimeOf, type Source, showCall, sourceOf } from '../../function/correctness.ts';
import { type CallResult, effectFault, effectWords, type Fault, faultOf, rulesOf } from '../../function/result.ts';
import { show } from '../../function/values.ts';
import { readCall } from '../values/data.ts';
import { requiredFields } from '../values/uses.ts';

/** Describes what two programs did on one call. */
interface Differing {
  readonly at: number;
  readonly expected: string;
  readonly actual: string;
}

const MOST_ORIGINAL_MS = 20_000;
/** The time of a candidate on a call that takes the original a few milliseconds at most. */
const MOST_CANDIDATE_MS = 5000;
const MOST_CPU_MS = 1000;

export class Duel {
  private readonly pool: RunnerPool;
  private readonly options: FunctionOptions;
  private readonly context: EvaluatorContext;
  private readonly original: Program;
  private readonly candidate: Program;
  private readonly sources = new Map<Program, Source>();

  /** Kinds of effects that differ from run to run of the original. */
  private readonly unstable: readonly EffectKind[];
  /** Types of exceptions that the original raises on purpose. */
  private readonly deliberate: ReadonlySet<string>;
  /** Fields that records must have; see requiredFields. */
  private readonly required: ReadonlySet<string>;

  constructor(
    original: Program,
    candidate: Program,
    options: FunctionOptions,
    unstable: readonly EffectKind[],
    raised: ReadonlySet<string>,
    context: EvaluatorContext,
  ) {
    this.unstable = unstable;
    this.deliberate = new Set([...raised, ...raisedIn(original)]);
    this.required = requiredFields(original.files.map(({ text }) => text).join('\n'), original.language);
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
    if ('kind' in want) return await this.halves(calls);
    if ('kind' in got) return calls.length === 1 ? this.failed(want.results[0], got) : await this.halves(calls);
    return this.difference(calls, want, got);
  }

  /** What one side did differently on the same calls, in value, exception, arguments or effects. */
  private difference(calls: readonly Call[], want: Observed, got: Observed, exact = false): Differing | undefined {
    const rules: EffectRules = rulesOf(this.options, { state: want.state, unstable: this.unstable });
    for (const [at, call] of calls.entries()) {
      const [mine, theirs] = [want.results[at], got.results[at]];
      if (mine === undefined || theirs === undefined) continue;
      // A call with two faults fails in one of two ways, by what is looked at first: neither is meant.
      const isAccident = mine.raised !== undefined && !this.deliberate.has(mine.raised);
      if (isAccident && theirs.raised !== undefined && theirs.raised !== mine.raised) continue;
      // A field that the original demands, though not on this call: the candidate looks at it earlier.
      if (mine.raised === undefined && theirs.raised === 'KeyError' && this.required.has(missingKey(theirs))) continue;
      const what = showCall(this.options.entry.fn, call);
      const options = exact ? { ...this.options, tolerance: { rel: 0, abs: 0 } } : this.tolerant(call);
      const fault = faultOf(mine, theirs, what, options) ?? effectFault(mine, theirs, what, rules);
      if (fault !== undefined) return inWords(at, fault);
    }
    const left = finalDifference(got.state, rules);
    return left === undefined ? undefined : inWords(calls.length - 1, effectWords('The calls together', left));
  }

  /**
   * One that fails as a whole, on either side, is looked for in halves; one that fails on the original is not a
   * counter-example.
   */
  private async halves(calls: readonly Call[]): Promise<Differing | undefined> {
    if (calls.length === 1) return undefined;
    // The most suspicious call comes first, and is often the one on which they differ.
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
    if ('kind' in one || 'kind' in other) return false;
    // A clock moves less between two runs than sums of floats may differ.
    return this.difference(calls, one, other, true) === undefined;
  }

  private async run(program: Program, calls: readonly Call[]): Promise<Observed | Outcome> {
    const { deterministic, sandboxes } = this.context;
    const own = program === this.original;
    const bounds: Bounds = {
      loadMs: Math.max(2000, sandboxes.limits.wallMs),
      callsMs: own || deterministic ? MOST_ORIGINAL_MS : MOST_CANDIDATE_MS,
      cpuMs: own ? undefined : MOST_CPU_MS,
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
      return ran.ok ? ran.observed : ran.outcome;
    });
  }

  /** With floats among the arguments, sums may cancel: what is far below their size is not a difference. */
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

/** Types of exceptions that the texts raise by name. */
function raisedIn({ files }: Pick<Program, 'files'>): string[] {
  const found = files.flatMap(({ text }) => [...text.matchAll(/\b(?:raise|throw(?:\s+new)?)\s+(?:\w+\.)*(\w+)/g)]);
  const asserts = files.some(({ text }) => /\bassert\b/.test(text)) ? ['AssertionError'] : [];
  return [...asserts, ...found.map(([, name = '']) => name)];
}

/** Returns the type of the exception, which the last line of a traceback names. */
const missingKey = ({ error = '' }: CallResult): string => /KeyError: (['"])(\w+)\1\s*$/.exec(error)?.[2] ?? '';

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

const MOST_SHOWN = 2000;

function words({ value, raised }: CallResult): string {
  return raised === undefined ? `returns ${show(value ?? null)}` : `raises ${raised}`;
}

function inWords(at: number, { expected, actual }: Fault): Differing {
  return { at, expected: expected.slice(0, MOST_SHOWN), actual: actual.slice(0, MOST_SHOWN) };
}
