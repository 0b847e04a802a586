/**
 * Tells a candidate that remembers results across calls from one whose code only became faster as it was compiled: when
 * the code is warm, inputs that the process has never seen take as long as ones that it has.
 */
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { RunnerPool } from '../../sandbox/runner.ts';
import type { CallResult, Source } from './correctness.ts';
import { load, outcome } from './correctness.ts';
import { read } from './reading.ts';

export interface Suspect {
  readonly pool: RunnerPool;
  readonly original: Source;
  readonly candidate: Source;
  readonly options: FunctionOptions;
  readonly expected: readonly CallResult[];
  readonly limitMs: number;
}

/** On other inputs, before the one that counts. */
const WARM_MS = 60;
const MOST_WARM = 400;
/** Repetitions of the input that was new: a cache may begin with the second. */
const AGAIN = 3;
/** First sight against the best repetition, in a process each; the least of so many. */
const PROCESSES = 3;
/** What an honest program may show by chance, or by code that the new input is the first to reach. */
const USUAL = 1.6;

/** Of the original's time for the input: what goes by beyond that is work, and not an interpreter getting ready. */
const WORK = 0.05;

type Surprise = { readonly first: number; readonly best: number } | { readonly outcome: Outcome };

/** Undefined when nothing of the kind is seen, also where there is only one input and nothing to warm up with. */
export async function remembersInputs(suspect: Suspect): Promise<Outcome | undefined> {
  const { calls } = suspect.options;
  const [probe, ...others] = probeFirst(calls);
  if (probe === undefined || others.length === 0) return undefined;
  let least = Number.POSITIVE_INFINITY;
  let extraMs = Number.POSITIVE_INFINITY;
  // Nearly all are cleared by the first.
  for (let process = 0; process < PROCESSES; process++) {
    const seen = await surprise(suspect, suspect.candidate, probe, others);
    if ('outcome' in seen) return seen.outcome;
    least = Math.min(least, seen.first / seen.best);
    extraMs = Math.min(extraMs, seen.first - seen.best);
    if (least < USUAL) return undefined;
  }
  let usual = 1;
  let originalMs = Number.POSITIVE_INFINITY;
  for (let process = 0; process < PROCESSES; process++) {
    const seen = await surprise(suspect, suspect.original, probe, others);
    // The original has done all this before; only the machine can be to blame.
    if ('outcome' in seen) continue;
    usual = Math.max(usual, seen.first / seen.best);
    originalMs = Math.min(originalMs, seen.best);
  }
  if (least < usual * USUAL || extraMs < originalMs * WORK) return undefined;
  return outcome(
    'forged',
    `Warmed up on other inputs, it takes ${least.toFixed(1)} × as long on one that it has not seen before as on the same one ` +
      `again (the original ${usual.toFixed(1)} ×): it remembers results across calls.`,
  );
}

/** The longest input first: what is saved on it is seen best. A repetition of another is no new input. */
function probeFirst(calls: readonly Call[]): Call[] {
  const different = [...new Map(calls.map((call) => [JSON.stringify(call), call]))];
  return different.sort(([a], [b]) => b.length - a.length).map(([, call]) => call);
}

/** In a fresh process: milliseconds of the first pass over `probe`, and of the best of those after it. */
async function surprise(suspect: Suspect, source: Source, probe: Call, others: readonly Call[]): Promise<Surprise> {
  const { pool, limitMs } = suspect;
  pool.prefetch(2);
  return pool.use(async (runner) => {
    const failed = await load(runner, source, limitMs);
    if (failed !== undefined) return { outcome: failed };
    let spent = 0;
    for (let pass = 0; pass < MOST_WARM && spent < WARM_MS; pass++) {
      const warm = await read(runner, 1, pass === 0 ? others : undefined, suspect);
      if ('outcome' in warm) return warm;
      spent += warm.claimedMs;
    }
    const times: number[] = [];
    for (let pass = 0; pass <= AGAIN; pass++) {
      // Collects before the pass, so that garbage of the others does not fall into it.
      await runner.ask({ op: 'settle' }, limitMs);
      const one = await read(runner, 1, pass === 0 ? [probe] : undefined, suspect);
      if ('outcome' in one) return one;
      // With the waits for a processor: so short a pass is seldom interrupted, and what it claims to have waited may be more than it took.
      times.push(one.claimedMs);
    }
    const [first = 0, ...again] = times;
    return { first, best: Math.min(...again) };
  });
}
