/**
 * What a timed pass consists of: the given calls, and the longer ones that were made from them. Short calls are made as often as
 * it takes for them to count: a program that is slower on them must not gain by the longer ones alone.
 */
import type { Call, FunctionOptions } from '../../../shared/judging.ts';
import type { RunnerPool } from '../../executors/runner.ts';
import { read } from '../timing/reading.ts';
import { tuned } from '../tuned.ts';
import { load, type Observed, type Source } from './correctness.ts';

/** Given calls of one pass. */
const MOST_GIVEN = 256;
/** The passes of the given calls in one reading, which determine their share. */
const MOST_PASSES = 16;

/** Each once. */
export function timedCalls({ calls, longer }: Pick<FunctionOptions, 'calls' | 'longer'>): Call[] {
  return [...calls, ...longer];
}

/** `all`: what belongs to the calls in the order in which they run; the given ones come `repeats` times. */
function ofPass<T>(given: readonly T[], longer: readonly T[], repeats: number): T[] {
  return [...Array.from({ length: repeats }, () => given).flat(), ...longer];
}

/** The options of a timed pass, and the results that it has to have: `results` are those of all calls. */
export function passOf<T>(options: FunctionOptions, results: readonly T[], repeats: number) {
  const { calls, longer } = options;
  const ofLonger = longer.length === 0 ? [] : results.slice(-longer.length);
  return {
    options: { ...options, calls: ofPass(calls, longer, repeats) },
    expected: ofPass(results.slice(0, calls.length), ofLonger, repeats),
  };
}

/** Operations of a pass. */
export function passCost({ perCall }: Pick<Observed, 'perCall'>, { calls }: FunctionOptions, repeats: number): number {
  return perCall.reduce((sum, { cost }, at) => sum + cost * (at < calls.length ? repeats : 1), 0);
}

function repeatsFor(given: number, longer: number, { calls }: FunctionOptions): number {
  const wanted = (longer * tuned.minorShare) / (1 - tuned.minorShare) / given;
  return Math.max(1, Math.min(Math.round(wanted), Math.floor(MOST_GIVEN / calls.length)));
}

/** How often the given calls are made in a pass, by operations. */
export function countedRepeats({ perCall }: Pick<Observed, 'perCall'>, options: FunctionOptions): number {
  if (options.longer.length === 0) return 1;
  const costs = perCall.map(({ cost }) => cost);
  const sum = (some: readonly number[]): number => some.reduce((total, cost) => total + cost, 0);
  const count = options.calls.length;
  return repeatsFor(Math.max(1, sum(costs.slice(0, count))), sum(costs.slice(count)), options);
}

/** The same by the time that the original takes; 1 where it fails. */
export async function timedRepeats(pool: RunnerPool, source: Source, options: FunctionOptions, limitMs: number): Promise<number> {
  if (options.longer.length === 0) return 1;
  return await pool.use(async (runner) => {
    if ((await load(runner, source, limitMs)) !== undefined) return 1;
    const least = async (calls: readonly Call[], passes: number): Promise<number | undefined> => {
      let ms = Number.POSITIVE_INFINITY;
      for (let left = tuned.readings; left > 0; left--) {
        const clock = await read(runner, passes, left === tuned.readings ? calls : undefined, { options, limitMs });
        if ('outcome' in clock) return undefined;
        ms = Math.min(ms, clock.runningMs / passes);
      }
      return ms;
    };
    const longer = await least(options.longer, 1);
    const given = await least(options.calls, MOST_PASSES);
    return longer === undefined || given === undefined ? 1 : repeatsFor(given, longer, options);
  });
}
