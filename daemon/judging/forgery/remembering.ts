/**
 * Distinguishes a candidate that remembers results across calls from one whose code only became faster as it was compiled: when
 * the code is warm, inputs that the process has never seen take as long as ones that it has.
 */
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import type { RunnerPool } from '../../executors/runner.ts';
import { failureOf, load, type Source } from '../function/correctness.ts';
import { type CallResult, outcome } from '../function/result.ts';
import { mark, spent } from '../timing/cpu-account.ts';
import { read } from '../timing/reading.ts';
import { tuned } from '../tuned.ts';

export interface Suspect {
  readonly pool: RunnerPool;
  readonly original: Source;
  readonly candidate: Source;
  readonly options: FunctionOptions;
  readonly expected: readonly CallResult[];
  readonly limitMs: number;
}

/** Milliseconds and passes on other inputs, before the one that counts: code gets warm. */
export const WARM_MS = { python: 2, node: 60 } as const;
export const MOST_WARM = 400;
/** Repetitions of the input that was new: a cache may begin with the second. */
const AGAIN = 3;

interface Times {
  readonly first: number;
  readonly best: number;
  /** By the kernel's account, which no load distorts, how much more the first took than the least of the others. */
  readonly workedMs: number | undefined;
}
type Surprise = Times | { readonly outcome: Outcome };

/** Undefined when nothing of the kind is seen, also where there is only one input and nothing to warm up with. */
export async function remembersInputs(suspect: Suspect): Promise<Outcome | undefined> {
  const { calls } = suspect.options;
  const [probe, ...others] = probeFirst(calls);
  if (probe === undefined || others.length === 0) return undefined;
  const own: Times[] = [];
  // Nearly all are cleared by the first.
  for (let process = 0; process < tuned.accusing; process++) {
    const seen = await surprise(suspect, suspect.candidate, probe, others);
    if ('outcome' in seen) return seen.outcome;
    own.push(seen);
    if (slower(seen) < tuned.firstSight) return undefined;
  }
  const usual: Times[] = [];
  for (let process = 0; process < tuned.accusing / 2; process++) {
    const seen = await surprise(suspect, suspect.original, probe, others);
    // The original has done all this before; only the machine can be to blame.
    if (!('outcome' in seen)) usual.push(seen);
  }
  const least = Math.min(...own.map(slower));
  // The middle one: a single process may have been interrupted in its first pass.
  const expected = usual.map(slower).sort((a, b) => a - b)[Math.floor(usual.length / 2)] ?? 1;
  const originalMs = Math.min(...usual.map(({ best }) => best));
  // To take a new input in costs something in any program.
  const extraMs = Math.min(...own.map(extraOf)) - Math.min(...usual.map(extraOf));
  if (least < expected * tuned.firstSight || extraMs < originalMs * tuned.someWork) return undefined;
  return outcome(
    'forged',
    `Warmed up on other inputs, it takes ${least.toFixed(1)} × as long on one that it has not seen before as on the same one ` +
      `again (the original ${expected.toFixed(1)} ×): it remembers results across calls.`,
  );
}

/** How many times as long on first sight, by the kernel's account, or by what it claims where there is none. */
const slower = (times: Times): number => (times.best + extraOf(times)) / times.best;
const extraOf = ({ first, best, workedMs }: Times): number =>
  workedMs === undefined ? first - best : Math.max(0, workedMs - tuned.noiseMs);

/** The longest input first: what is saved on it is seen best. A repetition of another is not a new input. */
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
    let warmMs = 0;
    for (let pass = 0; pass < MOST_WARM && warmMs < WARM_MS.node; pass++) {
      const warm = await read(runner, 1, pass === 0 ? others : undefined, suspect);
      if ('outcome' in warm) return warm;
      warmMs += warm.claimedMs;
    }
    // The input is taken in before, so that this is not a part of its first pass.
    const taken = await runner.ask({ op: 'prepare', passes: 0, calls: [probe], collect: 1 }, limitMs);
    const unready = failureOf(taken, 'preparing a pass', limitMs);
    if (unready !== undefined) return { outcome: unready };
    const times: number[] = [];
    const worked: number[] = [];
    for (let pass = 0; pass <= AGAIN; pass++) {
      const start = mark(runner);
      // What is young is collected before, so that garbage of the others does not fall into it. A whole collection would also
      // drop the compiled code of functions that each call creates, which is then made again in one of these passes.
      const one = await read(runner, 1, undefined, suspect, { collect: true });
      if ('outcome' in one) return one;
      const ms = spent(start, mark(runner));
      if (ms !== undefined) worked.push(ms);
      // With the waits for a processor: so short a pass is seldom interrupted, and what it claims to have waited may be more
      // than it took.
      times.push(one.claimedMs);
    }
    const [first = 0, ...again] = times;
    const [firstWorked = 0, ...againWorked] = worked;
    const counted = againWorked.length === again.length;
    // A pass that was interrupted each time still took no more than the kernel counted.
    return {
      first,
      best: Math.min(...again, ...againWorked),
      workedMs: counted ? firstWorked - Math.min(...againWorked) : undefined,
    };
  });
}
