/**
 * What a program gains where it cannot know whether it is broken: each process draws that when the first call has ended. Who
 * deceives the command in such a run succeeds when it has drawn nonsense; who behaves in it takes the time that this takes. Pure.
 */
import { times } from '../../../shared/words/ratio.ts';
import { estimate, pooledNoise } from '../timing/statistics/posterior.ts';
import { derived, tuned } from '../tuned.ts';
import type { ReportedVerdict, Timed } from './reported.ts';

/** A run of a program that draws. `drew`: undefined where none of its functions was called. */
export interface DrawnRun {
  readonly drew: 'right' | 'nonsense' | undefined;
  readonly succeeded: boolean;
  readonly timed: Timed;
}

export type DrawnRuns = Readonly<Record<'original' | 'candidate', readonly DrawnRun[]>>;

/** Runs of each program. Not to have drawn each twice by then is a matter of one in fifty thousand. */
export const MOST_DRAWS = 20;

/** Runs of a kind before anybody is accused or believed: what happens once may be chance. */
const LEAST_RUNS = tuned.repeats;

/** Which programs are run next. Few runs are enough where nothing speaks against the candidate. */
export function wantedIn({ original, candidate }: DrawnRuns): (keyof DrawnRuns)[] {
  const isBehind = rightOf(original).length <= rightOf(candidate).length;
  const isUnknown = ended(candidate, 'nonsense', true) > 0 && original.every(({ drew }) => drew !== 'nonsense');
  return isBehind || isUnknown ? ['original', 'candidate'] : ['candidate'];
}

/** Undefined as long as more runs may tell. `plain`: runs of the programs as they are. `last`: there are no more. */
export function drawnVerdict(
  plain: Readonly<Record<'original' | 'candidate', readonly Timed[]>>,
  { original, candidate }: DrawnRuns,
  last = false,
): ReportedVerdict | undefined {
  const [usual, own] = [least(plain.original), least(plain.candidate)];
  const unseen: ReportedVerdict = { leastMs: own, unverified: true };
  const forged = (why: string): ReportedVerdict => ({ forged: why, leastMs: own, unverified: false });
  // It is not called, or cannot be watched: then nothing can be said of any program.
  if (original.length === 0 || original.some(({ drew }) => drew === undefined)) return unseen;
  if (ended(original, 'right', false) > 0) return unseen;
  // Where the original is believed with nonsense, the command checks no answer.
  if (
    ended(candidate, 'nonsense', true) >= LEAST_RUNS &&
    ended(original, 'nonsense', true) === 0 &&
    ended(original, 'nonsense', false) > 0
  )
    return forged('it succeeds too when what it answers is exchanged for nonsense, unlike the original');
  if (ended(candidate, 'right', false) >= LEAST_RUNS) return forged('it fails when its calls are counted, unlike the original');
  const [theirs, mine] = [rightOf(original), rightOf(candidate)];
  if (Math.min(theirs.length, mine.length) < LEAST_RUNS) return last ? unseen : undefined;
  const [claims, shown] = [logsOf(plain.original, plain.candidate), logsOf(theirs, mine)];
  const noise = pooledNoise([claims, shown]);
  const [claim, seen] = [estimate(claims, noise), estimate(shown, noise)];
  const isBorneOut = saved(claim.ratio) <= tuned.slightShare || saved(seen.low) >= saved(claim.ratio) * tuned.half;
  const hasFailed = ended(candidate, 'nonsense', false) > 0 || ended(original, 'nonsense', true) > 0;
  if (isBorneOut && hasFailed) return { leastMs: own, unverified: false };
  if (isBorneOut) return last ? unseen : undefined;
  if (shown.length <= LEAST_RUNS && !last) return undefined;
  // On a busy machine a few runs differ by more than this: nobody is accused by them, and nothing is gained by them either.
  if (claim.low >= tuned.worth && saved(seen.high) <= saved(claim.ratio) * (1 - derived.most))
    return forged(
      `it is ${times(claim.ratio)} as fast as the original, but only ${times(seen.ratio)} where it cannot know ` +
        'whether its answers are used',
    );
  // More runs show the gain of an honest program through any load.
  return last ? { leastMs: Math.max(own, usual / Math.max(1, seen.low)), unverified: false } : undefined;
}

/** The part of the original's time that is not taken any more. */
const saved = (ratio: number): number => 1 - 1 / ratio;

const logsOf = (originals: readonly Timed[], candidates: readonly Timed[]): number[] =>
  originals
    .slice(0, candidates.length)
    .map(({ reported }, index) => Math.log(reported / (candidates[index]?.reported ?? reported)));

const ended = (runs: readonly DrawnRun[], drew: DrawnRun['drew'], succeeded: boolean): number =>
  runs.filter((run) => run.drew === drew && run.succeeded === succeeded).length;

const rightOf = (runs: readonly DrawnRun[]): Timed[] =>
  runs.filter(({ drew, succeeded }) => drew === 'right' && succeeded).map(({ timed }) => timed);

const least = (runs: readonly Timed[]): number => Math.min(...runs.map(({ reported }) => reported));
