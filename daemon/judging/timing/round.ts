/**
 * A round of a paired run: a runner of each side takes its turns on the same processor. Its neighbours and its speed at the
 * time affect both alike, so that the ratio repeats within a percent where the times are off by a third.
 */

import type { Runner } from '../../executors/runner.ts';
import { tuned } from '../tuned.ts';
import { LIFE } from './kept-originals.ts';
import { type Failed, type PairedRun, PairedRunner, type RunnerSample, type Side } from './paired-runner.ts';
import { matched, type PassPlan } from './plan.ts';
import type { Clock } from './reading.ts';
import { agree, ratioIn, type Turn } from './statistics/turns.ts';

export interface Round extends Readonly<Record<Side, RunnerSample>> {
  /** How many times as long as a pass of the candidate one of the original took next to it: without the waits for a processor… */
  readonly running: number;
  /** …and with the waits. */
  readonly wall: number;
}

/** What the rounds of one kind share: the plan of each side, which its first round makes, and the candidate in a runner that is kept. */
export interface Rounds {
  readonly plans: Partial<Record<Side, PassPlan>>;
  candidate?: PairedRunner;
}

/** `first`: the side that begins; alternating it keeps a drift of the machine from favouring either. */
export async function takeRound(settings: PairedRun, rounds: Rounds, first: Side): Promise<Round | Failed> {
  const { pool, kept, signal } = settings;
  const isOriginalFirst = first === 'baseline';
  const enter = (side: Side, runner: Runner) => PairedRunner.enter(side, runner, settings, rounds.plans[side]);
  const inTurns = async (baseline: Entering, candidate: Entering): Promise<Pairing | Failed> =>
    await pairOff(isOriginalFirst ? [baseline, candidate] : [candidate, baseline], settings, rounds.plans);
  if (kept !== undefined) {
    return await kept.originals.use<Round | Failed>(signal, (runner, original) =>
      pool.together([kept.candidate, runner], async () => {
        const baseline = async (): Promise<PairedRunner | Failed> => {
          if (original !== undefined) return await original.enterAgain(settings);
          const failed = await kept.rehearse(runner);
          if (failed !== undefined) return { side: 'baseline', outcome: failed };
          // Making its plan warms it: the candidate may have been in a pair.
          return await PairedRunner.enter('baseline', runner, settings, undefined);
        };
        const candidate = async () =>
          (await rounds.candidate?.enterAgain(settings, rounds.plans.candidate)) ?? (await enter('candidate', kept.candidate));
        const result = await inTurns(baseline, candidate);
        if ('outcome' in result) return { result, original: undefined };
        rounds.candidate = result.candidate;
        // In its whole life it must not work for longer than a process may.
        const isShort = (result.baseline.plan?.passMs ?? 0) * LIFE * 2 * tuned.readings < settings.limitMs;
        return { result: result.round, original: isShort ? result.baseline : undefined };
      }),
    );
  }
  pool.prefetch(2);
  return await pool.usePair(async (one, other) => {
    // The runners of the next round start meanwhile. While searching, one round is often enough.
    if (settings.effort !== 'quick') pool.prefetch(2);
    const [own, others] = isOriginalFirst ? [other, one] : [one, other];
    const result = await inTurns(
      () => enter('baseline', others),
      () => enter('candidate', own),
    );
    return 'outcome' in result ? result : result.round;
  });
}

type Entering = () => Promise<PairedRunner | Failed>;

interface Pairing extends Readonly<Record<Side, PairedRunner>> {
  readonly round: Round;
}

async function pairOff(
  entering: readonly [Entering, Entering],
  { pool }: PairedRun,
  plans: Partial<Record<Side, PassPlan>>,
): Promise<Pairing | Failed> {
  const a = await entering[0]();
  if ('outcome' in a) return a;
  const b = await entering[1]();
  if ('outcome' in b) return b;
  const pairs = await readInTurns(a, b, pool.runtime === 'node');
  if ('outcome' in pairs) return pairs;
  const [ofA, ofB] = [await a.leave(), await b.leave()];
  if ('outcome' in ofA) return ofA;
  if ('outcome' in ofB) return ofB;
  const ratio = (clock: keyof Clock): number => {
    const ofPairs = ratioIn(turnsOf(pairs, clock), pool.runtime === 'node');
    return a.side === 'baseline' ? ofPairs : 1 / ofPairs;
  };
  const running = ratio('runningMs');
  const isFirst = plans.candidate === undefined;
  for (const { side, plan } of [a, b]) if (plan !== undefined) plans[side] = plan;
  const { baseline, candidate } = plans;
  if (isFirst && baseline !== undefined && candidate !== undefined) {
    plans.candidate = matched(candidate, baseline, running, a.lengths);
  }
  const isOriginalA = a.side === 'baseline';
  const samples = isOriginalA ? { baseline: ofA, candidate: ofB } : { baseline: ofB, candidate: ofA };
  const entrants = isOriginalA ? { baseline: a, candidate: b } : { baseline: b, candidate: a };
  return { round: { ...samples, running, wall: ratio('claimedMs') }, ...entrants };
}

type Pair = readonly [Clock, Clock];

const turnsOf = (pairs: readonly Pair[], clock: keyof Clock): Turn[] => pairs.map(([one, other]) => [one[clock], other[clock]]);

/**
 * The readings that were taken next to each other; where each process does one pass, that one. `warmsUp`: it is compiled as
 * it runs, and read on until some readings of each side agree.
 */
async function readInTurns(a: PairedRunner, b: PairedRunner, warmsUp: boolean): Promise<readonly Pair[] | Failed> {
  const wanted = [a, b].map(({ plan }) => plan?.readings ?? 0);
  const least = Math.min(...wanted);
  const pairs: Pair[] = [];
  // Beyond the plan: no longer than a process may work.
  let moreMs = 0;
  const isEnough = () =>
    !warmsUp || least === 0 || agree(turnsOf(pairs, 'runningMs'), tuned.repeats) || moreMs > tuned.process * tuned.patience;
  for (let left = warmsUp ? Math.max(...wanted) : least; left > 0 || !isEnough(); left--) {
    // The side that is read more often begins alone, so that both are warm when they read next to each other.
    const turn = [a, b].filter((_, index) => (wanted[index] ?? 0) >= left);
    if (left > least && turn.some(({ isSpent }) => isSpent)) continue;
    const clocks: Clock[] = [];
    for (const entrant of turn) {
      const clock = await entrant.read();
      if ('outcome' in clock) return clock;
      clocks.push(clock);
      if (left <= 0) moreMs += clock.runningMs * (entrant.plan?.passes ?? 1);
    }
    const [one, other] = clocks;
    if (one !== undefined && other !== undefined) pairs.push([one, other]);
  }
  return pairs.length === 0 ? [[a.first, b.first]] : pairs;
}
