/**
 * How fast a correct candidate is against the original: fresh runners of both in turns, the least time of each. What a
 * runner claims is checked against what is seen from here.
 */
import * as z from 'zod';
import type { FunctionOptions, Metrics, Outcome } from '../../../shared/judging.ts';
import { decide, efforts, floorOf, passesFor, ratioOf } from '../../sandbox/measure.ts';
import type { Runner, RunnerPool } from '../../sandbox/runner.ts';
import { CallResult, failureOf, load, mismatch, outcome, type Source } from './correctness.ts';

export interface Contest {
  readonly pool: RunnerPool;
  readonly original: Source;
  readonly candidate: Source;
  readonly options: FunctionOptions;
  /** Of the timed calls. */
  readonly expected: readonly CallResult[];
  readonly toBeat: number | undefined;
  readonly effort: 'quick' | 'final';
  /** For one runner's whole work. */
  readonly limitMs: number;
}

export interface Measured {
  readonly outcome: Outcome;
  readonly metrics: Metrics;
}

/** Per runner: a just-in-time compiler needs longer to reach its floor. */
const runnerMs = { python: 12, node: 40 } as const;
/** One reading of the clock covers at least this much, and costs two round trips. */
const readingMs = { python: 2, node: 6 } as const;
const MOST_PASSES = 500;
const MOST_READINGS = 60;
/** Starting and ending a runner, roughly; counts towards the budget. */
const START_MS = 35;

export async function contest(settings: Contest): Promise<Measured> {
  const { original, candidate, options, effort, toBeat } = settings;
  const samples = { baseline: [] as number[], candidate: [] as number[] };
  let spent = 0;
  let verdict: ReturnType<typeof decide> = 'more';
  for (let round = 0; verdict === 'more'; round++) {
    // Alternating who goes first keeps a drift of the machine from favouring either.
    const order = round % 2 === 0 ? (['baseline', 'candidate'] as const) : (['candidate', 'baseline'] as const);
    for (const side of order) {
      settings.pool.prefetch(2);
      const sample = await settings.pool.use((runner) => measure(runner, side === 'baseline' ? original : candidate, settings));
      if ('outcome' in sample) {
        // The original does what it did before; only the machine can be to blame.
        if (side === 'baseline' && sample.outcome.kind !== 'forged') continue;
        return { outcome: sample.outcome, metrics: {} };
      }
      samples[side].push(sample.ms);
      spent += sample.usedMs + START_MS;
    }
    verdict = decide(samples.baseline, samples.candidate, spent, efforts[effort], toBeat);
    if (round > efforts[effort].maxRounds * 2) break;
  }
  const ratio = ratioOf(samples.baseline, samples.candidate);
  const speed = floorOf(samples.candidate);
  const detail =
    verdict === 'hopeless'
      ? `${options.entry.fn} is correct, at ${ratio.ratio.toFixed(2)} × the original's speed; ${toBeat?.toFixed(2)} × was to beat.`
      : '';
  return {
    outcome: outcome(verdict === 'hopeless' ? 'slow' : 'correct', detail),
    metrics: {
      speed_ms: speed.floor,
      speed_p10_ms: speed.p10,
      baseline_ms: floorOf(samples.baseline).floor,
      speedup: ratio.ratio,
      speedup_low: ratio.low,
      speedup_high: ratio.high,
      samples: speed.n,
    },
  };
}

const Clocked = z.object({ wall_ns: z.number().positive(), cpu_ns: z.number().min(0) });
const Outputs = z.object({ outputs: z.array(z.unknown()) });

type Sample = { readonly ms: number; readonly usedMs: number } | { readonly outcome: Outcome };

/** One fresh runner: readings until its time is used, the least of them per pass, outputs of one pass compared. */
async function measure(runner: Runner, source: Source, settings: Contest): Promise<Sample> {
  const { options, limitMs } = settings;
  const { runtime } = settings.pool;
  const failed = await load(runner, source, limitMs);
  if (failed !== undefined) return { outcome: failed };
  const calls = options.calls.map((call) => [call.args, call.kwargs]);
  let least = Number.POSITIVE_INFINITY;
  let usedMs = 0;
  let gap = Number.POSITIVE_INFINITY;
  let passes = 1;
  // Chosen when it is over, so that no pass can be spared.
  let lastPass = 0;
  for (let reading = 0; reading < 2 || (usedMs < runnerMs[runtime] && reading < MOST_READINGS); reading++) {
    const prepared = await runner.ask({ op: 'prepare', passes, ...(reading === 0 ? { calls } : {}) }, limitMs);
    const problem = failureOf(prepared, 'preparing a pass', limitMs);
    if (problem !== undefined) return { outcome: problem };
    const reply = await runner.ask({ op: 'go' }, limitMs);
    const failure = failureOf(reply, options.entry.fn, limitMs);
    if (failure !== undefined) return { outcome: failure };
    const clocked = Clocked.safeParse(reply.kind === 'answer' ? reply.value : {});
    if (reply.kind !== 'answer' || !clocked.success)
      return { outcome: outcome('forged', 'The timing answer was not one of the runner.') };
    const claimed = clocked.data.wall_ns / 1e6;
    gap = Math.min(gap, reply.ms - claimed - claimed * 0.2);
    usedMs += claimed;
    least = Math.min(least, claimed / passes);
    if (reading === 0) {
      const lied = await checkOutputs(runner, 0, settings);
      if (lied !== undefined) return { outcome: lied };
    }
    lastPass = Math.floor(Math.random() * passes);
    passes = passesFor(least, readingMs[runtime], MOST_PASSES);
  }
  if (gap > FORGED_MS) {
    return {
      outcome: outcome(
        'forged',
        `The candidate claimed ${least.toFixed(3)} ms per pass; from outside, each reading took at least ${gap.toFixed(1)} ms longer.`,
      ),
    };
  }
  const lied = await checkOutputs(runner, lastPass, settings);
  return lied === undefined ? { ms: least, usedMs } : { outcome: lied };
}

/** A pipe's round trip is 0.1 to 0.5 ms; the least of several readings beyond this was not honest. */
const FORGED_MS = 5;

/** The timed pass must have produced what the oracle says, or it did not do the work. */
async function checkOutputs(runner: Runner, pass: number, settings: Contest): Promise<Outcome | undefined> {
  const { options, expected, limitMs } = settings;
  const reply = await runner.ask({ op: 'reveal', pass }, limitMs);
  const failure = failureOf(reply, options.entry.fn, limitMs);
  if (failure !== undefined) return failure;
  const parsed = Outputs.safeParse(reply.kind === 'answer' ? reply.value : {});
  if (!parsed.success || parsed.data.outputs.length !== expected.length) {
    return outcome('forged', 'The timed pass did not answer every call.');
  }
  for (const [index, { args: _unchecked, ...want }] of expected.entries()) {
    const got = CallResult.safeParse(parsed.data.outputs[index]);
    if (!got.success) return outcome('forged', 'The timed pass answered something that no runner answers.');
    const wrong = mismatch(want, got.data, `${options.entry.fn} (call ${index + 1}, while timed)`, options);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
