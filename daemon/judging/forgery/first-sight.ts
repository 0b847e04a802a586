/**
 * What a program spares on inputs that it has seen before, in languages that are compiled as they run: a first pass is slow there
 * in any case, so that no clock shows it. Counted operations do: neither compilation nor load changes them. Work within built-in
 * functions is not counted; the inputs of fresh-inputs.ts reveal that.
 */
import type { Outcome } from '../../../shared/judging.ts';
import type { EffortName } from '../../../shared/payloads.ts';
import type { Runner } from '../../executors/runner.ts';
import { failureOf, load, type Source } from '../function/correctness.ts';
import { read } from '../timing/reading.ts';
import { tuned } from '../tuned.ts';
import type { Suspect } from './fresh-inputs.ts';

/** At a time, between the first pass and the one that is compared with it. */
const MOST_TOGETHER = 64;

interface Counted {
  readonly first: number;
  readonly again: number;
}

/**
 * Milliseconds that a pass of the candidate would take longer on first sight. `passes`: as many as it was timed for in one
 * process, since what it begins to remember later is not a gain. `originalMs`: what a pass of the original takes. An outcome when
 * the candidate fails.
 */
export async function sparedMs(
  suspect: Suspect,
  effort: EffortName,
  passes: number,
  originalMs: number,
): Promise<number | Outcome> {
  let most = 0;
  let original: Counted | undefined;
  // Each on its own: what remembers in some of them only is found in one. They run at the same time, since nothing is timed.
  const counts = Array.from({ length: effort === 'quick' ? 1 : tuned.repeats }, () => count(suspect, suspect.candidate, passes));
  for (const own of await Promise.all(counts)) {
    if ('kind' in own) return own;
    if (own.first <= own.again) continue;
    if (original === undefined) {
      const counted = await count(suspect, suspect.original, 1);
      // The program did all this before, so that the failure is due to the machine.
      if ('kind' in counted) return 0;
      original = counted;
    }
    const spared = own.first - own.again - Math.max(0, original.first - original.again) - original.first * tuned.slightShare;
    const msEach = Math.min(originalMs / Math.max(1, original.again), tuned.operationNs / 1e6);
    most = Math.max(most, spared * msEach);
  }
  return most;
}

/** Counts the operations of the first pass of a fresh process, and of a pass after many more. */
async function count(suspect: Suspect, source: Source, passes: number): Promise<Counted | Outcome> {
  const { pool, limitMs, options } = suspect;
  return await pool.use(async (runner) => {
    const failed = await load(runner, source, limitMs, { limit: Number.MAX_SAFE_INTEGER });
    if (failed !== undefined) return failed;
    const first = await countPass(runner, suspect, true);
    if ('kind' in first) return first;
    // Counted passes are slow: so many that they take a part of what one order may take.
    const together = Math.min(MOST_TOGETHER, Math.max(1, Math.floor(limitMs / 8 / first.ms)));
    for (let left = passes; left > 0; left -= together) {
      const seen = await read(runner, Math.min(left, together), undefined, { options, limitMs });
      if ('outcome' in seen) return seen.outcome;
    }
    const again = await countPass(runner, suspect, false);
    return 'kind' in again ? again : { first: first.cost, again: again.cost };
  });
}

async function countPass(
  runner: Runner,
  { options, limitMs }: Suspect,
  isFirst: boolean,
): Promise<{ readonly cost: number; readonly ms: number } | Outcome> {
  const order = { op: 'prepare', passes: 1, ...(isFirst ? { calls: options.calls } : {}) };
  const prepared = failureOf(await runner.ask(order, limitMs), 'preparing a pass', limitMs);
  if (prepared !== undefined) return prepared;
  const reply = await runner.ask({ op: 'go', counted: true }, limitMs);
  const failure = failureOf(reply, options.entry.fn, limitMs);
  if (failure !== undefined) return failure;
  const { value, ms } = reply.kind === 'answer' ? reply : { value: {}, ms: 0 };
  const cost: unknown = 'cost' in value ? value['cost'] : undefined;
  return { cost: typeof cost === 'number' ? cost : 0, ms };
}
