/**
 * Which of a run's leaders holds up when it is measured with care. A brief comparison decides only what it shows clearly:
 * what it leaves open is measured on, so that a busy machine loses no gain.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import { type Execution, isCorrect } from '../../../shared/judging.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best, Unconfirmed } from '../../../shared/run.ts';
import { times } from '../../../shared/words/ratio.ts';
import { meanMetrics } from '../../judging/timing/statistics/scores.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { AnnounceDeps } from './announce.ts';
import { passesRefuted } from './attack.ts';
import { confirmedBest, type Executed, type HeldOut, measure, requireMetric, type ScoreGoal } from './confirm.ts';

/**
 * This many correct leaders are compared with each other. The measurements of the search are short, so that the leader may only
 * be the luckiest of many.
 */
const COMPARED = 2;
/** At most this many are compared while none is clearly faster. */
const COMPARED_IN_VAIN = 3;
/**
 * At most this many leaders are looked at. One that is wrong on held-out inputs, or forged, costs little time and stands in front
 * of a correct one.
 */
export const LOOKED_AT = 6;
/** A speed-up up to this factor does not count as one. */
const TIE = 1.01;
/** At most this many are measured to the end before the run announces nothing. */
const WHOLE = 2;

/** With fewer milliseconds than this, measuring to the end would show no more than a comparison. */
const WORTH_MS = 1000;
/** Share of the time left that readings are taken for; the rest is for starting processes and for what is compared first. */
const MEASURING = 0.75;

type Effort = Parameters<typeof measure>[3];

export interface ComparedLeaders {
  readonly best: Best | null;
  readonly overfitted: Sha256[];
  readonly unconfirmed: Unconfirmed[];
  /** The best needs no further measurement. */
  readonly final: boolean;
}

/**
 * The fastest of the leaders that are right on held-out inputs and clearly faster. `dropped`: measured to the end before, in
 * vain.
 */
export async function compareLeaders(
  deps: AnnounceDeps,
  heldOut: HeldOut,
  dropped: ReadonlyMap<Sha256, Unconfirmed>,
): Promise<ComparedLeaders> {
  const { scorer, deadline } = deps;
  const overfitted: Sha256[] = [];
  const unconfirmed = [...dropped.values()];
  const open: { readonly elite: Elite; readonly execution: Execution }[] = [];
  const goal = goalOf(deps);
  const isScore = goal !== undefined;
  const effort = isScore && !scorer.isTimed ? 'once' : 'compare';
  let best: Best | null = null;
  let compared = dropped.size;
  const leaders = leadersOf(deps)
    .slice(0, LOOKED_AT)
    .filter(({ sha256 }) => !dropped.has(sha256));
  for (let next = 0; next < leaders.length; ) {
    // Where a user waits, they are compared side by side: on a busy machine, that takes no longer than the first alone.
    const batch = leaders.slice(next, next + (deadline.isAsked && !isScore ? COMPARED : 1));
    const [elite] = batch;
    // If another leader wins, it has to be compared on fresh calls, too.
    if (elite === undefined || (next > 0 && deadline.leftMs < (best === null ? 1 : 2 * WORTH_MS))) break;
    // Where the goal is not the speed-up, the order of the search stays.
    if (best !== null && (isScore || best.speedup >= (elite.metrics['speedup'] ?? elite.fitness))) break;
    if (compared >= (best === null ? COMPARED_IN_VAIN : COMPARED)) break;
    next += batch.length;
    for (const { elite, execution, late } of await Promise.all(batch.map((one) => look(deps, heldOut, one, effort)))) {
      if (execution === undefined && late) unconfirmed.push(tooLate(elite.sha256));
      if (execution === undefined) {
        if (!late) overfitted.push(elite.sha256);
        continue;
      }
      const confirmed = confirmedBest(elite, execution, goal);
      const measured: Best | null = confirmed !== null && late ? { ...confirmed, skipped: ['compare'] } : confirmed;
      if (execution.outcome.kind === 'correct') compared++;
      if (measured === null && !isScore && isOpen(execution)) open.push({ elite, execution });
      else if (measured === null) unconfirmed.push(reasonOf(elite.sha256, execution, goal));
      else if (best === null || measured.speedup > best.speedup) best = measured;
    }
  }
  open.sort((a, b) => requireMetric(b.execution.metrics, 'speedup') - requireMetric(a.execution.metrics, 'speedup'));
  const mayLookOn = best === null && deps.state.spec.confirm !== 'none';
  for (const { elite, execution: brief } of mayLookOn ? open.slice(0, Math.max(0, WHOLE - dropped.size)) : []) {
    const execution = (await measureWhole(deps, elite.sha256)) ?? brief;
    best = confirmedBest(elite, execution);
    if (best !== null) break;
    unconfirmed.push(reasonOf(elite.sha256, execution));
  }
  return { best, overfitted: [...new Set([...refutedElites(deps.state), ...overfitted])], unconfirmed, final: false };
}

/** The metric in which a best has to be better than the original; undefined: the speed. */
export function goalOf({ state, scorer }: Pick<AnnounceDeps, 'state' | 'scorer'>): ScoreGoal | undefined {
  if (scorer.isSpeedup) return undefined;
  const original = state.known.get(state.mended ?? state.original.sha256)?.fitness ?? Number.NEGATIVE_INFINITY;
  return { fitness: (metrics) => scorer.fitness(metrics), beyond: (metrics) => scorer.beyond(metrics), original };
}

/** Leaves out those that the search measured as slower than the original: a longer measurement would not change that. */
export function leadersOf(deps: AnnounceDeps): Elite[] {
  const { state } = deps;
  const original = state.mended ?? state.original.sha256;
  const goal = goalOf(deps);
  const isSlower = ({ metrics, fitness }: Elite): boolean =>
    goal === undefined ? (metrics['speedup_high'] ?? 1) < 1 : fitness <= goal.original;
  return [...state.archive.champions()]
    .filter((elite) => elite.sha256 !== original && !isSlower(elite))
    .sort((a, b) => b.fitness - a.fitness);
}

/** Returns the refuted programs that the search has found, without those that were only made smaller. */
export function refutedElites({ refuted, known }: RunState): Sha256[] {
  return [...refuted.keys()].filter((sha256) => known.has(sha256));
}

/** It may well be faster than the original, and this did not show whether it is. */
function isOpen({ outcome, metrics }: Execution): boolean {
  return outcome.kind === 'correct' && requireMetric(metrics, 'speedup_high') > TIE;
}

/**
 * Without an execution when it is wrong on held-out inputs. `late`: no time was left to look at those, or to measure it, and the
 * execution is what the search has measured.
 */
async function look(
  deps: AnnounceDeps,
  heldOut: HeldOut,
  elite: Elite,
  effort: Effort,
): Promise<{ readonly elite: Elite; readonly execution?: Execution; readonly late: boolean }> {
  const program = await deps.program(elite.sha256);
  const isRight = await heldOut.passes(deps.deadline, deps.confirmer, elite.sha256, program);
  if (isRight !== true || !(await passesRefuted(deps, elite.sha256, program))) return { elite, late: isRight === undefined };
  const known: Execution = { outcome: { kind: 'correct', detail: '' }, metrics: elite.metrics, artifacts: {} };
  if (deps.state.spec.confirm === 'none' && deps.believed) return { elite, execution: known, late: false };
  const execution = (await measureAgain(deps, `compare/${elite.sha256}`, program, effort))?.execution;
  if (execution === undefined) return { elite, ...(deps.believed ? { execution: known } : {}), late: true };
  return {
    elite,
    late: false,
    execution:
      isCorrect(execution.outcome) && effort === 'once' && deps.believed ? withAll(deps, elite.sha256, execution) : execution,
  };
}

/** Where scores vary, the mean of all evaluations is used. */
function withAll({ state }: AnnounceDeps, sha256: Sha256, execution: Execution): Execution {
  const { repeats = 1 } = state.spec;
  const scores = [...state.readings.scores(sha256), execution.metrics];
  return repeats === 1 ? execution : { ...execution, metrics: meanMetrics(scores) };
}

/** All callers share one task, so that nothing is measured to the end twice. Undefined when there is no time for it. */
export async function measureWhole(deps: AnnounceDeps, sha256: Sha256): Promise<Execution | undefined> {
  if (deps.deadline.leftMs < WORTH_MS) return undefined;
  return (await measureAgain(deps, `final/${sha256}`, await deps.program(sha256), 'final'))?.execution;
}

/**
 * Runs again when the evaluator's own time limit was reached: the search stayed within it, so that the machine was busy.
 * Undefined when it takes too long.
 */
export async function measureAgain(
  { confirmer, deadline }: AnnounceDeps,
  name: string,
  program: Program,
  effort: Effort,
): Promise<Executed | undefined> {
  return await deadline.inTime(deadline.leftMs, confirmer, async (bounded) => {
    const once = (as: string) => measure(bounded, as, program, effort, deadline.leftMs * MEASURING);
    const executed = await once(name);
    return executed.execution.outcome.kind === 'timeout' ? await once(`${name}/again`) : executed;
  });
}

/** Returns the reason for a leader that there was no time to check. */
export function tooLate(sha256: Sha256): Unconfirmed {
  return { sha256, why: 'no time left to judge it with care before the announcement; --precise allows more time' };
}

/** Explains to a user why it was not announced. */
export function reasonOf(sha256: Sha256, { outcome, metrics }: Execution, goal?: ScoreGoal): Unconfirmed {
  const at = (name: string): number => metrics[name] ?? 0;
  const beyond = isCorrect(outcome) ? goal?.beyond(metrics) : undefined;
  const why =
    beyond !== undefined
      ? `${beyond}, when it was measured again`
      : isCorrect(outcome) && goal !== undefined
        ? `its fitness was ${goal.fitness(metrics).toPrecision(6)} when it was measured again, which is not above the original's ${goal.original.toPrecision(6)}`
        : outcome.kind === 'correct'
          ? `measured with care at ${times(at('speedup'))} (${at('speedup_low').toFixed(2)} to ${at('speedup_high').toFixed(2)}), which is not clearly faster`
          : `${outcome.kind} when it was measured with care: ${outcome.detail.slice(0, 300)}`;
  return { sha256, why };
}
