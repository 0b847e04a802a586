/**
 * One runner of a contest, from its first pass to its last: it reads its clock as the plan of its side says, with outputs of
 * each reading compared.
 */
import * as z from 'zod';
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { EffortName, SearchRole } from '../../../shared/payloads.ts';
import type { Runner, RunnerPool } from '../../executors/runner.ts';
import { failureOf, load, type Source } from '../function/correctness.ts';
import { CallResult, mismatch, outcome } from '../function/result.ts';
import { tuned } from '../tuned.ts';
import { type CpuAccount, type Mark, mark, spent } from './cpu-account.ts';
import type { KeptRunners } from './kept-originals.ts';
import { type Lengths, lengthsOf, type PassPlan, passesOf, planOf, replanned } from './plan.ts';
import { type CallPlace, type Clock, type ClockReading, read } from './reading.ts';
import type { RaceGoal } from './statistics/race.ts';

export interface PairedRun {
  readonly pool: RunnerPool;
  readonly original: Source;
  readonly candidate: Source;
  readonly options: FunctionOptions;
  /** Covers the timed calls. */
  readonly expected: readonly CallResult[];
  /** Its module remembers earlier calls: every pass needs a process of its own. */
  readonly stateful: boolean;
  /** What the candidate has to beat, while searching. */
  readonly goal: RaceGoal;
  /** Standard deviation of a pair's logarithm in this run; undefined before the run has measured any. */
  readonly noise: number | undefined;
  readonly effort: EffortName;
  /** Rounds to take while searching, whatever they show. */
  readonly pairs?: number | undefined;
  /** What the candidate is in a search; undefined: nobody measures it again. */
  readonly role?: SearchRole | undefined;
  /** Runners that serve more than one pair; undefined: each pair has fresh ones. */
  readonly kept?: KeptRunners | undefined;
  readonly signal: AbortSignal;
  readonly withinMs?: number | undefined;
  /** For one runner's whole work. */
  readonly limitMs: number;
}

/** Calls of such a reading whose outputs are compared. */
const MOST_CHECKED = 8;

const Outputs = z.object({ outputs: z.array(z.unknown()) });

export type Side = 'baseline' | 'candidate';

export interface Failed {
  readonly side: Side;
  readonly outcome: Outcome;
}

/** What one runner did; milliseconds, of one pass where nothing else is said. */
export interface RunnerSample extends Record<'wall' | 'before' | 'around' | 'after', number> {
  readonly account: CpuAccount;
  /** The account misses nothing, so that the clock out here need not be asked. */
  readonly accounted: boolean;
  /** The number of all passes. */
  readonly passes: number;
  /** In total. */
  readonly usedMs: number;
}

export class PairedRunner {
  /** None where each process does one pass. */
  plan: PassPlan | undefined;
  readonly side: Side;
  private readonly runner: Runner;
  private settings: PairedRun;
  /** Its first pass. */
  readonly first: ClockReading;
  private least: Clock;
  private readonly seenMs: number;
  /** What was done for the first pass, until its outputs had been shown, beyond its claim. */
  private readonly sightMs: number | undefined;
  private start: Mark;
  /**
   * The time of later passes, in all: by the kernel's account, which neither a forged clock nor a busy machine changes, else
   * as seen from here.
   */
  private workMs = 0;
  private passes = 0;
  private laterMs = 0;
  private usedMs: number;
  private lastPasses = 1;
  /** The time of a pass so far, and whether the last reading was below all before it: a program that leaves something out is faster. */
  private leastMs = Number.POSITIVE_INFINITY;
  private isRecord = false;

  private constructor(side: Side, runner: Runner, settings: PairedRun, first: ClockReading, seenMs: number, start: Mark) {
    this.side = side;
    this.runner = runner;
    this.settings = settings;
    this.first = first;
    this.least = first;
    this.seenMs = seenMs;
    this.usedMs = seen(first);
    this.start = mark(runner);
    this.sightMs = beyond(start, this.start, first.runningMs);
  }

  /**
   * Loads the program of its side, unless all calls were made with it in this runner, and takes the first pass, and more to make a
   * plan unless there is one.
   */
  static async enter(
    side: Side,
    runner: Runner,
    settings: PairedRun,
    known: PassPlan | undefined,
  ): Promise<PairedRunner | Failed> {
    const { limitMs, options } = settings;
    const source = side === 'baseline' ? settings.original : settings.candidate;
    const failed = settings.kept === undefined ? await load(runner, source, limitMs) : undefined;
    if (failed !== undefined) return { side, outcome: failed };
    const unsettled = failureOf(await runner.ask({ op: 'settle' }, limitMs), options.entry.fn, limitMs);
    if (unsettled !== undefined) return { side, outcome: unsettled };
    const start = mark(runner);
    // Where a compiler and a collector are at work, inputs that are young would be moved while the outputs are shown.
    const first = await read(runner, 1, options.calls, settings, { collect: settings.pool.runtime === 'node' });
    if ('outcome' in first) return { side, ...first };
    const checked = await checkOutputs(runner, settings);
    if ('outcome' in checked) return { side, ...checked };
    const entrant = new PairedRunner(side, runner, settings, first, checked.seenMs, start);
    entrant.plan = known;
    const wrong = known === undefined && !settings.stateful ? await entrant.makePlan() : undefined;
    return wrong === undefined ? entrant : { side, outcome: wrong };
  }

  /**
   * Begins another pair with a runner that has been in one: only what is read from here on counts, and its first pass. Others
   * had the processor meanwhile, so that a short reading comes before.
   */
  async enterAgain(settings: PairedRun, plan = this.plan): Promise<PairedRunner | Failed> {
    this.settings = settings;
    this.plan = plan;
    const cold = await this.next(Math.ceil((plan?.passes ?? 1) / 4));
    if ('kind' in cold) return { side: this.side, outcome: cold };
    this.start = mark(this.runner);
    this.least = { claimedMs: Number.POSITIVE_INFINITY, runningMs: Number.POSITIVE_INFINITY };
    [this.workMs, this.laterMs, this.usedMs, this.passes] = [0, 0, 0, 0];
    return this;
  }

  /** Takes one more reading, as planned. */
  async read(): Promise<Clock | Failed> {
    const next = await this.next(this.plan?.passes ?? 1);
    if ('kind' in next) return { side: this.side, outcome: next };
    this.least = {
      claimedMs: Math.min(this.least.claimedMs, next.claimedMs),
      runningMs: Math.min(this.least.runningMs, next.runningMs),
    };
    return next;
  }

  /** It has worked for much longer than it claims, or its passes are long. */
  get isSpent(): boolean {
    return this.workMs > this.lengths.process * tuned.patience;
  }

  /** Has it show the outputs of one more pass, and sums up. */
  async leave(): Promise<RunnerSample | Failed> {
    const { runner, side, first, passes, usedMs, start, settings } = this;
    const { limitMs, options } = settings;
    const kept = await runner.ask({ op: 'keep', pass: Math.floor(Math.random() * this.lastPasses) }, limitMs);
    const failed = failureOf(kept, options.entry.fn, limitMs);
    if (failed !== undefined) return { side, outcome: failed };
    this.lastPasses = 1;
    const timed = mark(runner);
    const again = await checkOutputs(runner, settings);
    if ('outcome' in again) return { side, ...again };
    const floor = this.least.runningMs;
    const later = passes === 0 ? undefined : beyond(start, timed, this.laterMs);
    if (this.plan !== undefined) this.plan = replanned(this.plan, floor, this.lengths);
    return {
      account: {
        floor,
        first: first.runningMs,
        sight: this.sightMs,
        later: later === undefined ? undefined : later / passes,
        last: passes === 0 ? undefined : beyond(timed, mark(runner), 0),
      },
      accounted: runner.accountsForEnded,
      wall: this.least.claimedMs,
      before: first.before,
      around: first.around,
      after: this.seenMs,
      usedMs,
      passes: 1 + passes,
    };
  }

  get lengths(): Lengths {
    const { pool, effort, kept } = this.settings;
    return lengthsOf(pool.runtime, effort === 'quick', kept !== undefined);
  }

  /** Readings of more and more passes, until the code is warm enough to tell how long one takes. */
  private async makePlan(): Promise<Outcome | undefined> {
    const { lengths } = this;
    let passMs = this.first.runningMs;
    for (let passes = 1; this.plan === undefined; passes = passesOf(passMs, lengths.reading)) {
      const before = this.workMs;
      const next = await this.next(passes);
      if ('kind' in next) return next;
      const leastMs = (this.workMs - before) / passes / tuned.patience;
      // With all calls behind it, it is warm once it becomes no faster.
      const isWarm = this.settings.kept !== undefined && next.runningMs > passMs * (1 - tuned.slightShare);
      passMs = Math.max(leastMs, Math.min(passMs, next.runningMs));
      if (isWarm || this.workMs >= lengths.process / 2) this.plan = planOf(passMs, lengths);
    }
    return undefined;
  }

  /** A reading of a number of passes, of which the clock of one is returned. */
  private async next(passes: number): Promise<Clock | Outcome> {
    const check = this.randomPlaces();
    const start = mark(this.runner);
    const next = await read(this.runner, passes, undefined, this.settings, { check, collect: true });
    if ('outcome' in next) return next.outcome;
    this.workMs += spent(start, mark(this.runner)) ?? seen(next);
    for (const [index, [, call]] of check.entries()) {
      const wrong = compared(next.checked[index], call, this.settings);
      if (wrong !== undefined) return wrong;
    }
    const clock = { claimedMs: next.claimedMs / passes, runningMs: next.runningMs / passes };
    this.lastPasses = passes;
    this.isRecord = clock.runningMs < this.leastMs;
    this.leastMs = Math.min(this.leastMs, clock.runningMs);
    this.passes += passes;
    this.laterMs += next.runningMs;
    this.usedMs += seen(next);
    return clock;
  }

  /** The passes of the last reading, chosen when it is over, so that no pass can be spared; more of them where it counts more. */
  private randomPlaces(): CallPlace[] {
    const calls = this.settings.expected.length;
    const made = this.lastPasses * calls;
    const all = this.isRecord && made <= MOST_CHECKED;
    return Array.from({ length: all ? made : this.isRecord ? MOST_CHECKED : 1 }, (_, index) => {
      const place = all ? index : Math.floor(Math.random() * made);
      return [Math.floor(place / calls), place % calls];
    });
  }
}

const seen = ({ before, around, claimedMs }: ClockReading): number => before + around + claimedMs;

function beyond(from: Mark, to: Mark, claimedMs: number): number | undefined {
  const ms = spent(from, to);
  return ms === undefined ? undefined : ms - claimedMs;
}

/** A place of every call, a random one where it is made repeatedly: to show all of them takes longer than some programs do. */
function oneOfEach(calls: readonly Call[]): number[] {
  const places = Map.groupBy(calls.keys(), (at) => calls[at]);
  return [...places.values()].map((same) => same[Math.floor(Math.random() * same.length)] ?? 0);
}

/** The one timed pass that is kept must have produced what the oracle says, or it did not do the work. */
async function checkOutputs(runner: Runner, settings: PairedRun): Promise<{ seenMs: number } | { outcome: Outcome }> {
  const { options, limitMs } = settings;
  const places = oneOfEach(options.calls);
  const reply = await runner.ask({ op: 'reveal', calls: places }, limitMs);
  const failure = failureOf(reply, options.entry.fn, limitMs);
  if (failure !== undefined) return { outcome: failure };
  const parsed = Outputs.safeParse(reply.kind === 'answer' ? reply.value : {});
  if (!parsed.success || parsed.data.outputs.length !== places.length) {
    return { outcome: outcome('forged', 'The timed pass did not answer every call.') };
  }
  for (const [at, call] of places.entries()) {
    const wrong = compared(parsed.data.outputs[at], call, settings);
    if (wrong !== undefined) return { outcome: wrong };
  }
  return { seenMs: reply.kind === 'answer' ? reply.ms : 0 };
}

/** What a timed call returned, against what the original does. */
function compared(output: unknown, index: number, { expected, options }: PairedRun): Outcome | undefined {
  const { args: _unchecked, awaited: _known, ...want } = expected[index] ?? {};
  const got = CallResult.safeParse(output);
  if (!got.success) return outcome('forged', 'The timed pass answered something that no runner answers.');
  return mismatch(want, got.data, `${options.entry.fn} (call ${index + 1}, while timed)`, options);
}
