/**
 * Checks whether a candidate is as fast on inputs that it has never seen. A table of the known inputs gains nothing there, and
 * neither does a cache that forgets between two orders: every input of a reading is another, in one order of many.
 */
import { randomInt } from 'node:crypto';
import type { Call, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import { times } from '../../../shared/words/ratio.ts';
import type { RunnerPool } from '../../executors/runner.ts';
import { createRandom } from '../../random.ts';
import { failureOf, load, runCalls, type Source } from '../function/correctness.ts';
import { type CallResult, faultOf, outcome } from '../function/result.ts';
import { lengthsOf } from '../timing/plan.ts';
import { read } from '../timing/reading.ts';
import type { Ratio } from '../timing/statistics/measure.ts';
import { derived, tuned } from '../tuned.ts';
import { twinsOf } from './twins.ts';

export interface Suspect {
  readonly pool: RunnerPool;
  readonly original: Source;
  readonly candidate: Source;
  readonly options: FunctionOptions;
  readonly expected: readonly CallResult[];
  readonly limitMs: number;
}

/** Passes before the ones that count, however short they are. */
const MOST_WARM = 400;
/** At most this many twins of a call are made for a reading. */
const MOST_TWINS = 64;
/** The number of readings with other inputs, one in each process. */
const READINGS = tuned.repeats;
/** The speed-up that is believed, or why the candidate is forged. */
export async function onFreshInputs(claimed: Ratio, originalMs: number, suspect: Suspect): Promise<Ratio | Outcome> {
  let best = 0;
  // It is tried twice, since a busy machine can make every reading of one attempt long.
  for (let attempt = 0; attempt < tuned.repeats; attempt++) {
    const seen = await freshGain(claimed, originalMs, suspect);
    if (seen === undefined) return claimed;
    best = Math.max(best, seen);
    if (best >= leastOf(claimed)) return claimed;
  }
  const isKnown = claimed.ratio >= tuned.worth && best < claimed.ratio * tuned.half;
  if (isKnown && best <= 1 + (claimed.ratio - 1) * (1 - derived.most)) {
    return outcome(
      'forged',
      `It is ${times(claimed.ratio)} as fast on the inputs that are known, but only ${times(best)} on others like ` +
        'them that it sees once: it knows the results or remembers them.',
    );
  }
  const share = best / claimed.ratio;
  return { ratio: best, low: claimed.low * share, high: claimed.high * share };
}

/** The speed-up on other inputs with which a claim is believed. A table of a part of them claims little, and gains nothing there. */
const leastOf = ({ ratio }: Ratio): number => 1 + (ratio - 1) * tuned.half;

/**
 * How many times faster it is on twins of the known inputs; undefined where there are none that both programs take alike. A gain
 * that the first process of each side shows is not measured again.
 */
async function freshGain(claimed: Ratio, originalMs: number, suspect: Suspect): Promise<number | undefined> {
  const readingMs = lengthsOf(suspect.pool.runtime, true).reading;
  const sets = await fresh(Math.min(MOST_TWINS, Math.max(tuned.repeats, Math.ceil(readingMs / originalMs))) * READINGS, suspect);
  if (sets === undefined) return undefined;
  const never = (): number[] => sets.map(() => Number.POSITIVE_INFINITY);
  const taken = { original: never(), candidate: never() };
  let gain = 0;
  for (let process = 0; process < tuned.repeats && gain < leastOf(claimed); process++) {
    for (const side of process % 2 === 0 ? (['original', 'candidate'] as const) : (['candidate', 'original'] as const)) {
      const times = await timed(suspect, suspect[side], sets);
      // What fails here has its own rules elsewhere.
      if (times === undefined) return undefined;
      for (const [index, ms] of times.entries()) taken[side][index] = Math.min(taken[side][index] ?? ms, ms);
    }
    gain = Math.max(...taken.original.map((ms, index) => ms / (taken.candidate[index] ?? ms)));
  }
  return gain;
}

/** One list of calls for each reading: twins on which both programs do the same. */
async function fresh(count: number, suspect: Suspect): Promise<Call[][] | undefined> {
  const { pool, options, limitMs, original, candidate } = suspect;
  const random = createRandom('fresh inputs', randomInt(2 ** 31));
  const twins = twinsOf(options.calls, count, random, pool.runtime);
  if (twins.length < READINGS) return undefined;
  const bounds = { loadMs: limitMs, callsMs: limitMs, cpuMs: undefined, operations: undefined };
  const asked = { ...options, calls: twins, derived: [], heldout: [] };
  pool.prefetch(2);
  const run = (source: Source) => pool.use((runner) => runCalls(runner, source, asked, bounds, undefined));
  const [want, got] = await Promise.all([run(original), run(candidate)]);
  if (!want.ok || !got.ok) return undefined;
  const alike = twins.filter((_call, index) => {
    const [one, other] = [want.observed.results[index], got.observed.results[index]];
    if (one === undefined || other === undefined || one.raised !== undefined) return false;
    return faultOf(one, other, options.entry.fn, options) === undefined;
  });
  const each = Math.floor(alike.length / READINGS);
  // A few calls on which both agree by chance say nothing about the others.
  if (alike.length < twins.length / 2 || each === 0) return undefined;
  return Array.from({ length: READINGS }, (_, index) => alike.slice(index * each, (index + 1) * each));
}

/** Milliseconds of each list, in a fresh process that is warm; undefined when it fails. */
async function timed(suspect: Suspect, source: Source, sets: readonly Call[][]): Promise<number[] | undefined> {
  const { pool, limitMs, options } = suspect;
  return await pool.use(async (runner) => {
    if ((await load(runner, source, limitMs)) !== undefined) return undefined;
    let spentMs = 0;
    for (let pass = 0; pass < MOST_WARM && spentMs < lengthsOf(pool.runtime, false).process; pass++) {
      const warm = await read(runner, 1, pass === 0 ? options.calls : undefined, suspect);
      if ('outcome' in warm) return undefined;
      spentMs += warm.around + warm.claimedMs;
    }
    const times: number[] = [];
    for (const calls of sets) {
      // The inputs are read before, so that reading them is not part of the pass.
      const taken = await runner.ask({ op: 'prepare', passes: 0, calls, collect: 1 }, limitMs);
      if (failureOf(taken, 'preparing a pass', limitMs) !== undefined) return undefined;
      const one = await read(runner, 1, undefined, suspect, { collect: true });
      if ('outcome' in one) return undefined;
      times.push(one.runningMs);
    }
    return times;
  });
}
