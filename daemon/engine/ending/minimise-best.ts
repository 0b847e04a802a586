/**
 * Makes a confirmed best smaller: what a user reviews should hold nothing that does not contribute. Every try is a
 * task with a name of its own, so a run that was killed in here finds what it had judged before.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { Execution, Metrics } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best } from '../../../shared/run.ts';
import { programSha } from '../../evolution/hash.ts';
import { hunkCount, minimise, sharedLines } from '../../evolution/minimise.ts';
import { isCandidatesFault } from '../faults.ts';
import type { AnnounceDeps } from './announce.ts';
import { type Confirmer, type Executed, execute, operationsIn } from './confirm.ts';

/** At most this many programs are judged for it, for at most this time: counting takes a tenth of the time of measuring. */
const TRIES = { count: 72, time: 24 } as const;
const LIMIT_MS = 60_000;
/** Share of the time left; the rest is for measuring to the end. */
const SHARE = 0.6;
/** Share of the gain that has to stay; times are less exact than counts. */
const KEEPS = { count: 0.98, time: 0.95 } as const;
/**
 * The operation count stands for the time when it explains at least this share of what was gained in time: built-ins count
 * little.
 */
const EXPLAINS = 0.9;

/** A winner that keeps fewer than this share of the original's lines is a rewrite. */
const SHARED = 1 / 3;

type Worth = Pick<Best, 'speedup' | 'speedup_low' | 'speedup_high' | 'score'>;

export interface Smaller {
  readonly program: Program;
  /** Parts of the winner's change that are gone. */
  readonly dropped: number;
}

/** Returns undefined when nothing can be left out. The result was judged briefly and has to be measured with care. */
export async function smallest(
  { confirmer, scorer, deadline, state }: Pick<AnnounceDeps, 'confirmer' | 'scorer' | 'deadline' | 'state'>,
  winner: Program,
  best: Best,
): Promise<Smaller | undefined> {
  const { original } = confirmer.basis;
  const { deterministic } = state.spec;
  // A rewrite shares few lines with the original: half of it, mixed with original lines, would not be a sensible program.
  if (sharedLines(original, winner) < SHARED) return undefined;
  // A deterministic run comes out the same however fast the machine is: there, only the number of tries is bounded.
  const mostMs = Math.min(deterministic ? Number.POSITIVE_INFINITY : LIMIT_MS, deadline.leftMs * SHARE);
  let kept = winner;
  await deadline.inTime(mostMs, confirmer, async (bounded) => {
    const { by, keeps } = await question(bounded, scorer, winner, best, deterministic);
    const steps = minimise(original, winner);
    let step = await steps.next();
    for (let tries = 0; !step.done && tries < TRIES[by]; ) {
      const programs = step.value.slice(0, TRIES[by] - tries);
      tries += programs.length;
      const keeping = await Promise.all(programs.map(keeps));
      // The search goes on with the first one.
      kept = programs[keeping.indexOf(true)] ?? kept;
      step = await steps.next(keeping);
    }
    if (step.done) kept = step.value;
  });
  if (kept === winner) return undefined;
  // A line that only goes takes the place of one that was replaced: as many hunks, and less in one of them.
  return { program: kept, dropped: Math.max(1, hunkCount(original, winner) - hunkCount(original, kept)) };
}

/** The brief judgement that decides which parts may be left out. */
export function judgeBriefly(confirmer: Confirmer, program: Program, counted: boolean): Promise<Executed> {
  const name = `minimise/${counted ? 'count' : 'time'}/${programSha(program)}`;
  return execute(confirmer, name, program, { deterministic: counted, effort: 'quick' });
}

/**
 * The operations of a pass of the program and of the original; empty where there is no time to count them, or where they cannot
 * be counted.
 */
export type Operations = Pick<Best, 'cost' | 'baseline_cost'>;

/**
 * The operations are counted in one run, and only by an evaluator that calls a function itself: a command would have to run again
 * as a whole.
 */
export async function operationsOf({ confirmer, deadline, scorer }: AnnounceDeps, program: Program): Promise<Operations> {
  if (!scorer.isSpeedup || confirmer.evaluator.attack === undefined) return {};
  try {
    const counted = await deadline.inTime(deadline.leftMs, confirmer, (bounded) => judgeBriefly(bounded, program, true));
    return operationsIn(counted?.execution.metrics ?? {});
  } catch (caught) {
    const error = PeagenError.from(caught);
    if (!isCandidatesFault(error)) throw error;
    return {};
  }
}

/** Returns whether the smaller change, measured to the end, is as good as the larger one. */
export function keepsGain(smaller: Worth, winner: Worth): boolean {
  if (smaller.score !== undefined && winner.score !== undefined) {
    const gained = winner.score.fitness - winner.score.original;
    return smaller.score.fitness >= winner.score.original + KEEPS.time * gained;
  }
  const overlap = smaller.speedup_high >= winner.speedup_low && smaller.speedup_low <= winner.speedup_high;
  return smaller.speedup_low >= KEEPS.count * winner.speedup || overlap;
}

interface Question {
  readonly by: 'count' | 'time';
  keeps(program: Program): Promise<boolean>;
}

/** The condition that each program has to meet: by operation count where there is one, since it is exact, else by time. */
async function question(
  confirmer: Confirmer,
  scorer: AnnounceDeps['scorer'],
  winner: Program,
  best: Best,
  deterministic: boolean,
): Promise<Question> {
  const { score } = best;
  if (score !== undefined) {
    const wanted = scorer.isTimed ? score.original + KEEPS.time * (score.fitness - score.original) : score.fitness;
    const keeps = (program: Program) =>
      judged(
        confirmer,
        program,
        deterministic && scorer.isTimed,
        ({ metrics }) => scorer.beyond(metrics) === undefined && scorer.fitness(metrics) >= wanted,
      );
    return { by: 'time', keeps };
  }
  const { metrics } = (await judgeBriefly(confirmer, winner, true)).execution;
  const isCounted = metrics['cost'] !== undefined;
  const counted = deterministic || (isCounted && timesGained(metrics) >= EXPLAINS * (best.speedup - 1));
  const by = counted && isCounted ? 'count' : 'time';
  const wanted = by === 'count' ? KEEPS.count * timesGained(metrics) : KEEPS.time * (best.speedup - 1);
  const keeps = (program: Program) => judged(confirmer, program, counted, ({ metrics }) => timesGained(metrics) >= wanted);
  return { by, keeps };
}

/** Whether the program is correct, and as good as that. */
async function judged(
  confirmer: Confirmer,
  program: Program,
  counted: boolean,
  isGood: (execution: Execution) => boolean,
): Promise<boolean> {
  try {
    const { execution } = await judgeBriefly(confirmer, program, counted);
    return execution.outcome.kind === 'correct' && isGood(execution);
  } catch (caught) {
    const error = PeagenError.from(caught);
    if (!isCandidatesFault(error)) throw error;
    return false;
  }
}

/** 0 for a program that is as fast as the original. */
function timesGained(metrics: Metrics): number {
  return (metrics['speedup'] ?? 0) - 1;
}
