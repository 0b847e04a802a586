/**
 * A round of a contest: a fresh runner of each side, both on one processor, in turns. What its neighbours do at a time, and
 * the speed that it has then, meet both alike: the ratio repeats within a percent where the times are off by a third.
 */

import { type Failed, type PairedRun, PairedRunner, type RunnerSample, type Side } from './paired-runner.ts';
import { matched, type PassPlan } from './plan.ts';
import type { Clock } from './reading.ts';
import { medianOf } from './statistics/measure.ts';

export interface Round extends Readonly<Record<Side, RunnerSample>> {
  /** How many times as long as a pass of the candidate one of the original took next to it: without the waits for a processor… */
  readonly running: number;
  /** …and with them. */
  readonly wall: number;
}

/**
 * The plan of a side is made in its first round, and kept in `plans`. `first`: the side that begins; who alternates it keeps a
 * drift of the machine from favouring either.
 */
export async function takeRound(
  settings: PairedRun,
  plans: Partial<Record<Side, PassPlan>>,
  first: Side,
): Promise<Round | Failed> {
  const { pool } = settings;
  const second = first === 'baseline' ? 'candidate' : 'baseline';
  pool.prefetch(2);
  return await pool.usePair(async (one, other) => {
    // The runners of the next round start meanwhile. While searching, one round is often enough.
    if (settings.effort !== 'quick') pool.prefetch(2);
    const a = await PairedRunner.enter(first, one, settings, plans[first]);
    if ('outcome' in a) return a;
    const b = await PairedRunner.enter(second, other, settings, plans[second]);
    if ('outcome' in b) return b;
    const pairs = await readInTurns(a, b, pool.runtime === 'node');
    if ('outcome' in pairs) return pairs;
    const [ofA, ofB] = [await a.leave(), await b.leave()];
    if ('outcome' in ofA) return ofA;
    if ('outcome' in ofB) return ofB;
    const ratio = (clock: keyof Clock): number => {
      const ofPairs = medianOf(pairs.map(([one, other]) => one[clock] / other[clock]));
      return first === 'baseline' ? ofPairs : 1 / ofPairs;
    };
    const running = ratio('runningMs');
    const isFirst = plans.baseline === undefined;
    for (const { side, plan } of [a, b]) if (plan !== undefined) plans[side] = plan;
    const { baseline, candidate } = plans;
    if (isFirst && baseline !== undefined && candidate !== undefined) {
      plans.candidate = matched(candidate, baseline, running, a.lengths);
    }
    const samples = first === 'baseline' ? { baseline: ofA, candidate: ofB } : { baseline: ofB, candidate: ofA };
    return { ...samples, running, wall: ratio('claimedMs') };
  });
}

type Pair = readonly [Clock, Clock];

/**
 * The readings that were taken next to each other; where each process does one pass, that one. `warmsUp`: it is compiled as
 * it runs.
 */
async function readInTurns(a: PairedRunner, b: PairedRunner, warmsUp: boolean): Promise<readonly Pair[] | Failed> {
  const wanted = [a, b].map(({ plan }) => plan?.readings ?? 0);
  const least = Math.min(...wanted);
  const pairs: Pair[] = [];
  for (let left = warmsUp ? Math.max(...wanted) : least; left > 0; left--) {
    // Who is to read more often begins alone, so that both are warm when they read next to each other.
    const turn = [a, b].filter((_, index) => (wanted[index] ?? 0) >= left);
    if (left !== least && turn.some(({ isSpent }) => isSpent)) continue;
    const clocks: Clock[] = [];
    for (const entrant of turn) {
      const clock = await entrant.read();
      if ('outcome' in clock) return clock;
      clocks.push(clock);
    }
    const [one, other] = clocks;
    if (one !== undefined && other !== undefined) pairs.push([one, other]);
  }
  return pairs.length === 0 ? [[a.first, b.first]] : pairs;
}
