/**
 * A sample of a contest: one fresh runner, which reads its clock as the plan of its side says, with the outputs of each
 * reading compared.
 */
import * as z from 'zod';
import type { FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { EffortName } from '../../../shared/payloads.ts';
import type { Runner, RunnerPool } from '../../sandbox/runner.ts';
import { type Account, type Mark, mark, spent } from './account.ts';
import { CallResult, failureOf, load, mismatch, outcome, type Source } from './correctness.ts';
import { finest, type Lengths, type Plan, passesOf, planOf, replanned } from './laps.ts';
import { type Lap, type Place, type Reading, read, type Seen } from './reading.ts';

export interface Contest {
  readonly pool: RunnerPool;
  readonly original: Source;
  readonly candidate: Source;
  readonly options: FunctionOptions;
  /** Of the timed calls. */
  readonly expected: readonly CallResult[];
  /** Its module remembers earlier calls: every pass needs a process of its own. */
  readonly stateful: boolean;
  readonly toBeat: number | undefined;
  readonly effort: EffortName;
  readonly withinMs?: number | undefined;
  /** For one runner's whole work. */
  readonly limitMs: number;
}

/** Per runner, in milliseconds: a just-in-time compiler needs longer to reach its floor. More processes tell more than more readings. */
const runnerMs = {
  quick: { python: 15, node: 40 },
  compare: { python: 15, node: 50 },
  final: { python: 15, node: 60 },
} as const;
/** What is claimed is believed up to so many times of it: a forged clock must not cost much more than an honest one. */
const MOST_CLAIMED = 4;
/** One reading of the clock covers at least this much, and costs two round trips. */
const readingMs = { python: 2, node: 3 } as const;

/** Who is this much faster than in all readings before may have left something out. */
const RECORD = 0.95;
/** Calls of such a reading whose outputs are compared. */
const MOST_CHECKED = 8;

const Outputs = z.object({ outputs: z.array(z.unknown()) });

export type Sample =
  | (Record<'wall' | 'before' | 'around' | 'after' | 'usedMs', number> & {
      readonly account: Account;
      /** Per pass, the least of all readings. */
      readonly laps: readonly Lap[];
      /** All that were made. */
      readonly passes: number;
      /** For the processes that follow; none where each does one pass. */
      readonly plan: Plan | undefined;
    })
  | { readonly outcome: Outcome };

/** Without a plan, the first process of a side makes one, and goes by it too. */
export async function takeSample(runner: Runner, source: Source, settings: Contest, known: Plan | undefined): Promise<Sample> {
  const { limitMs, options, pool, effort } = settings;
  const failed = await load(runner, source, limitMs);
  if (failed !== undefined) return { outcome: failed };
  const unsettled = failureOf(await runner.ask({ op: 'settle' }, limitMs), options.entry.fn, limitMs);
  if (unsettled !== undefined) return { outcome: unsettled };
  const start = mark(runner);
  const first = await read(runner, 1, options.calls, settings);
  if ('outcome' in first) return first;
  const checked = await checkOutputs(runner, 0, settings);
  if ('outcome' in checked) return checked;
  const sighted = mark(runner);
  const lengths = { reading: readingMs[pool.runtime], process: runnerMs[effort][pool.runtime] };
  const readings = new Readings(runner, settings, first);
  let plan = known;
  if (plan === undefined && !settings.stateful) {
    const made = await makePlan(readings, options.calls.length, lengths);
    if ('outcome' in made) return made;
    ({ plan } = made);
  }
  let pass: Lap = first;
  let laps: readonly Lap[] = [first];
  for (let reading = 0; plan !== undefined && reading < plan.readings; reading++) {
    if (reading > 0 && readings.workMs > lengths.process * MOST_CLAIMED) break;
    const next = await readings.next(plan);
    if ('outcome' in next) return next;
    const { passes } = plan;
    const own = [next, ...next.laps].map((lap) => ({ claimedMs: lap.claimedMs / passes, runningMs: lap.runningMs / passes }));
    const [whole = pass, ...parts] = own;
    pass = lesser(pass, whole);
    laps = reading === 0 ? parts : parts.map((lap, index) => lesser(lap, laps[index] ?? lap));
  }
  const { passes, laterMs, usedMs } = readings;
  const timed = mark(runner);
  const again = await checkOutputs(runner, readings.randomPass(), settings);
  if ('outcome' in again) return again;
  const beyond = (from: Mark, to: Mark, claimedMs: number): number | undefined => {
    const ms = spent(from, to);
    return ms === undefined ? undefined : ms - claimedMs;
  };
  const later = passes === 0 ? undefined : beyond(sighted, timed, laterMs);
  const account = {
    floor: pass.runningMs,
    first: first.runningMs,
    sight: beyond(start, sighted, first.runningMs),
    later: later === undefined ? undefined : later / passes,
    last: passes === 0 ? undefined : beyond(timed, mark(runner), 0),
  };
  const { before, around } = first;
  const next = plan === undefined ? undefined : replanned(plan, pass.runningMs, lengths);
  return { account, wall: pass.claimedMs, before, around, after: checked.seenMs, usedMs, laps, passes: 1 + passes, plan: next };
}

/** The readings of one process after its first pass. */
class Readings {
  readonly first: Seen;
  usedMs: number;
  /** Of these readings, by the kernel's account: neither a forged clock nor a busy machine changes it. Else as seen from here. */
  workMs = 0;
  passes = 0;
  laterMs = 0;
  private last = 1;
  /** Of a pass, so far, and whether the last reading was clearly below all before it. */
  private leastMs = Number.POSITIVE_INFINITY;
  private isRecord = false;
  private readonly runner: Runner;
  private readonly settings: Contest;

  constructor(runner: Runner, settings: Contest, first: Seen) {
    this.runner = runner;
    this.settings = settings;
    this.first = first;
    this.usedMs = seen(first);
  }

  /** Of the last reading. */
  randomPass(): number {
    return Math.floor(Math.random() * this.last);
  }

  /** Of the last reading, chosen when it is over, so that no pass can be spared; more of them where it counts more. */
  private randomPlaces(): Place[] {
    const calls = this.settings.expected.length;
    const made = this.last * calls;
    const all = this.isRecord && made <= MOST_CHECKED;
    return Array.from({ length: all ? made : this.isRecord ? MOST_CHECKED : 1 }, (_, index) => {
      const place = all ? index : Math.floor(Math.random() * made);
      return [Math.floor(place / calls), place % calls];
    });
  }

  async next({ passes, ends }: Pick<Plan, 'passes' | 'ends'>): Promise<Reading> {
    const check = this.randomPlaces();
    const start = mark(this.runner);
    const next = await read(this.runner, passes, undefined, this.settings, { check, ends });
    if ('outcome' in next) return next;
    this.workMs += spent(start, mark(this.runner)) ?? seen(next);
    for (const [index, [, call]] of check.entries()) {
      const wrong = compared(next.checked[index], call, this.settings);
      if (wrong !== undefined) return { outcome: wrong };
    }
    this.last = passes;
    const passMs = next.runningMs / passes;
    this.isRecord = passMs < this.leastMs * RECORD;
    this.leastMs = Math.min(this.leastMs, passMs);
    this.passes += passes;
    this.laterMs += next.runningMs;
    this.usedMs += seen(next);
    return next;
  }
}

const seen = ({ before, around, claimedMs }: Seen): number => before + around + claimedMs;

/** Readings of more and more passes, until the code is warm enough to tell how long one takes. */
async function makePlan(readings: Readings, calls: number, lengths: Lengths): Promise<{ plan: Plan } | { outcome: Outcome }> {
  let passMs = readings.first.runningMs;
  for (let passes = 1; ; passes = passesOf(passMs, lengths.reading)) {
    const before = readings.workMs;
    const next = await readings.next({ passes, ends: passes === 1 ? finest(calls) : [passes * calls] });
    if ('outcome' in next) return next;
    const leastMs = (readings.workMs - before) / passes / MOST_CLAIMED;
    passMs = Math.max(leastMs, Math.min(passMs, next.runningMs / passes));
    if (readings.workMs < lengths.process / 2) continue;
    return { plan: planOf(calls, passMs, passes === 1 ? next.laps : [next], lengths) };
  }
}

const lesser = (one: Lap, other: Lap): Lap => ({
  claimedMs: Math.min(one.claimedMs, other.claimedMs),
  runningMs: Math.min(one.runningMs, other.runningMs),
});

/** The timed pass must have produced what the oracle says, or it did not do the work. */
async function checkOutputs(runner: Runner, pass: number, settings: Contest): Promise<{ seenMs: number } | { outcome: Outcome }> {
  const { options, expected, limitMs } = settings;
  const reply = await runner.ask({ op: 'reveal', pass }, limitMs);
  const failure = failureOf(reply, options.entry.fn, limitMs);
  if (failure !== undefined) return { outcome: failure };
  const parsed = Outputs.safeParse(reply.kind === 'answer' ? reply.value : {});
  if (!parsed.success || parsed.data.outputs.length !== expected.length) {
    return { outcome: outcome('forged', 'The timed pass did not answer every call.') };
  }
  for (const index of expected.keys()) {
    const wrong = compared(parsed.data.outputs[index], index, settings);
    if (wrong !== undefined) return { outcome: wrong };
  }
  return { seenMs: reply.kind === 'answer' ? reply.ms : 0 };
}

/** What a timed call returned, against what the original does. */
function compared(output: unknown, index: number, { expected, options }: Contest): Outcome | undefined {
  const { args: _unchecked, awaited: _known, ...want } = expected[index] ?? {};
  const got = CallResult.safeParse(output);
  if (!got.success) return outcome('forged', 'The timed pass answered something that no runner answers.');
  return mismatch(want, got.data, `${options.entry.fn} (call ${index + 1}, while timed)`, options);
}
