/**
 * Decides what a run announces: of its leaders the one that holds up when it is compared with care, then that one
 * without what does not contribute, measured to the end. Takes up where the journal says an earlier process was.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import { EvaluateData } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best, Unconfirmed } from '../../../shared/run.ts';
import { programSha } from '../../evolution/hash.ts';
import { broughtBy } from '../../evolution/minimise.ts';
import { mendedBest } from '../run/baseline.ts';
import type { Scorer } from '../run/scorer.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { NewEvent } from '../run/state/slots.ts';
import { scoreOf } from '../run/title.ts';
import { evaluateTask } from '../tasks.ts';
import { canAttack, hasGivenUp, passesRefuted, type Survival, survive } from './attack.ts';
import { confirmedBest, HeldOut, type Withdrawing } from './confirm.ts';
import type { AnnounceDeadline } from './deadline.ts';
import { givenAlone } from './given-alone.ts';
import {
  type ComparedLeaders,
  compareLeaders,
  goalOf,
  LOOKED_AT,
  leadersOf,
  measureAgain,
  measureWhole,
  reasonOf,
  refutedElites,
  tooLate,
} from './leaders.ts';
import { judgeBriefly, keepsGain, type Operations, operationsOf, type Smaller, smallest } from './minimise-best.ts';

export interface AnnounceDeps {
  readonly state: RunState;
  readonly confirmer: Withdrawing;
  record(event: NewEvent): Promise<void>;
  program(sha256: Sha256): Promise<Program>;
  putText(text: string): Promise<Sha256>;
  readonly scorer: Scorer;
  readonly deadline: AnnounceDeadline;
  /** On how many of the calls that refuted others each program was right; equal calls count once. */
  readonly passed: Map<Sha256, number>;
  /** The measurements of the search may be announced: they come from this machine alone, so that nobody can have forged them. */
  readonly believed: boolean;
}

/**
 * The winner is made smaller only where at least this many milliseconds are left: the smaller program has to be measured, too.
 */
const WORTH_MAKING_MS = 1500;

/**
 * Returns null when no program is correct and clearly faster than the original. Where the original fails, the program that fixes
 * it is a gain.
 */
export async function announce(deps: Omit<AnnounceDeps, 'passed'>): Promise<Best | null> {
  const { state, record } = deps;
  if (state.failing !== undefined) return null;
  const best = await fastest({ ...deps, passed: new Map() });
  const mended = best === null ? mendedBest(state) : null;
  if (mended === null) return best;
  const { overfitted = [], unconfirmed = [] } = state.confirmed ?? {};
  await record({ type: 'confirmed', best: mended, overfitted, unconfirmed, final: true });
  return mended;
}

/** Returns null when no program is correct on held-out and fresh inputs, and clearly faster than the original. */
async function fastest(deps: AnnounceDeps): Promise<Best | null> {
  const { state, record, scorer } = deps;
  const heldOut = new HeldOut(state.spec.heldout);
  const dropped = new Map<Sha256, Unconfirmed>();
  const survivals = new Map<Sha256, Survival>();
  const operations = new Map<Sha256, Operations>();
  const survives = async (sha256: Sha256): Promise<Survival> => {
    const known = survivals.get(sha256);
    if (known !== undefined) return known;
    const program = await deps.program(sha256);
    // The operations are counted at the same time: there may be no time left afterwards.
    const [survival, counted] = await Promise.all([survive(deps, sha256, program), operationsOf(deps, program)]);
    survivals.set(sha256, survival);
    operations.set(sha256, counted);
    if (survival.kind === 'failed') {
      const { why, untested } = survival;
      dropped.set(sha256, { sha256, why, ...(untested === undefined ? {} : { untested }) });
    }
    if (survival.kind === 'refuted' && deps.deadline.again() && state.spec.confirm !== 'none')
      await record({ type: 'confirming', within_ms: Math.round(deps.deadline.leftMs) });
    return survival;
  };
  let compared: ComparedLeaders | undefined = state.confirmed;
  for (;;) {
    if (compared === undefined) {
      // Correctness is checked first: the speed of a wrong program does not matter.
      const leader = hasGivenUp(deps) ? undefined : await firstRight(deps, heldOut, dropped);
      if (leader !== undefined && (await survives(leader)).kind !== 'survived') continue;
      compared = hasGivenUp(deps) ? nothing(deps, dropped) : await compareLeaders(deps, heldOut, dropped);
      await record({ type: 'confirmed', ...compared });
    }
    const { best, overfitted, unconfirmed, final } = compared;
    if (best === null || final) return best;
    const survival = await survives(best.sha256);
    if (survival.kind !== 'survived') {
      compared = undefined;
      continue;
    }
    const isMeasured = state.spec.confirm !== 'none';
    const mayMake = isMeasured && deps.deadline.leftMs >= WORTH_MAKING_MS;
    if (best.sha256 !== state.minimised?.from && mayMake) await makeSmaller(deps, best, heldOut);
    // A call on which the smaller program is wrong may refute the winner, too.
    if (!(await passesRefuted(deps, best.sha256, await deps.program(best.sha256)))) {
      compared = undefined;
      continue;
    }
    const made = state.minimised?.from === best.sha256 ? state.minimised.best : undefined;
    // This comes before the measurement, which takes all the time that is left.
    const given = made?.sha256 ?? best.sha256;
    const alone = scorer.isSpeedup && isMeasured ? await givenInTime(deps, given, await deps.program(given)) : {};
    const wantsWhole = isMeasured && scorer.isSpeedup && made === undefined;
    const execution = wantsWhole ? await measureWhole(deps, best.sha256) : undefined;
    // Where time is short, the comparison is announced: its interval shows how exact it is.
    const { confidence } = survival;
    const whole = execution === undefined ? best : confirmedBest(best, execution);
    const announced =
      made ??
      (whole === null ? null : { ...operations.get(best.sha256), ...whole, ...(confidence === undefined ? {} : { confidence }) });
    if (announced !== null) {
      const skipped = [
        ...(announced.skipped ?? []),
        ...(isMeasured && !mayMake && made === undefined ? (['minimise'] as const) : []),
        ...(wantsWhole && execution === undefined ? (['measure'] as const) : []),
      ];
      const told = withInterval(state, { ...announced, ...alone, ...(skipped.length === 0 ? {} : { skipped }) });
      await record({ type: 'confirmed', best: told, overfitted, unconfirmed, final: true });
      return told;
    }
    // The longer measurement does not confirm the gain. Another leader may have one.
    if (execution !== undefined) dropped.set(best.sha256, reasonOf(best.sha256, execution));
    compared = undefined;
  }
}

async function givenInTime({ confirmer, deadline }: AnnounceDeps, sha256: Sha256, program: Program) {
  return (await deadline.inTime(deadline.leftMs, confirmer, (bounded) => givenAlone(bounded, sha256, program))) ?? {};
}

/** Returns the leader that is compared on fresh calls before anything is measured. */
async function firstRight(deps: AnnounceDeps, heldOut: HeldOut, dropped: ReadonlyMap<Sha256, Unconfirmed>) {
  if (!canAttack(deps.confirmer)) return undefined;
  for (const { sha256 } of leadersOf(deps).slice(0, LOOKED_AT)) {
    if (dropped.has(sha256)) continue;
    if (await heldOut.passes(deps.deadline, deps.confirmer, sha256, await deps.program(sha256))) return sha256;
  }
  return undefined;
}

/** Returns the mean of a score that varies, over evaluations with the seeds of the run. */
function withInterval(state: RunState, best: Best): Best {
  const interval = best.score === undefined ? undefined : scoreOf(state, best.sha256);
  if (best.score === undefined || interval === undefined) return best;
  return { ...best, score: { ...best.score, fitness: interval.mean, low: interval.low, high: interval.high } };
}

/** Every leader that was looked at was refuted; there may have been no time for the next. */
function nothing(deps: AnnounceDeps, dropped: ReadonlyMap<Sha256, Unconfirmed>): ComparedLeaders {
  const [next] = deps.deadline.leftMs > 0 ? [] : leadersOf(deps).filter(({ sha256 }) => !dropped.has(sha256));
  const unconfirmed = [...dropped.values(), ...(next === undefined ? [] : [tooLate(next.sha256)])];
  return { best: null, overfitted: refutedElites(deps.state), unconfirmed, final: true };
}

/** Records the smaller program when there is one that is as good, also on held-out inputs. */
async function makeSmaller(deps: AnnounceDeps, best: Best, heldOut: HeldOut): Promise<void> {
  const { state, confirmer, deadline } = deps;
  const smaller = await smallest(deps, await deps.program(best.sha256), best);
  if (smaller === undefined) return;
  const sha256 = programSha(smaller.program);
  if ((await heldOut.passes(deadline, confirmer, sha256, smaller.program)) !== true) return;
  const survival = await survive(deps, sha256, smaller.program);
  if (survival.kind !== 'survived') return;
  const final = await measureAgain(deps, `final/${sha256}`, smaller.program, deps.scorer.isTimed ? 'final' : 'once');
  const measured = final === undefined ? null : confirmedBest({ ...best, sha256 }, final.execution, goalOf(deps));
  if (final === undefined || measured === null || !keepsGain(measured, best)) return;
  // The archive compares what was judged alike: a deterministic run counts operations.
  const { task, execution } = state.spec.deterministic ? await judgeBriefly(confirmer, smaller.program, true) : final;
  const scoring = await deps.scorer.scoring(best.generation, state.population.neighbours());
  const evaluate = evaluateTask(task, { execution, program: smaller.program, scoring });
  const evaluated = EvaluateData.parse(await confirmer.taskClient.run(evaluate, confirmer.signal));
  const { outcome, metrics, fitness, features } = evaluated;
  if (fitness === null) return;
  const confidence = survival.confidence === undefined ? {} : { confidence: survival.confidence };
  await deps.record({
    type: 'minimised',
    from: best.sha256,
    object: await deps.putText(JSON.stringify(smaller.program)),
    origin: { parents: [best.sha256], mutator: 'minimise', summary: await summaryOf(deps, best, smaller) },
    outcome,
    metrics,
    fitness,
    features,
    best: { ...measured, ...confidence, niche: state.archive.geometry.place(features) },
  });
}

/** Names the steps of the lineage that are left in the smaller program: the last step may be the one that was left out. */
async function summaryOf({ state, confirmer, program }: AnnounceDeps, { sha256 }: Best, smaller: Smaller): Promise<string> {
  const path: Sha256[] = [];
  for (let at: Sha256 | undefined = sha256; at !== undefined && !path.includes(at) && state.objectOf(at) !== undefined; ) {
    path.unshift(at);
    [at] = state.known.get(at)?.origin.parents ?? [];
  }
  const versions = await Promise.all(path.map((each) => program(each)));
  const left = broughtBy(confirmer.basis.original, versions, smaller.program);
  const steps = left.flatMap((i) => state.known.get(path[i] ?? sha256)?.origin.summary ?? []);
  const told = steps.length === 0 ? (state.known.get(sha256)?.origin.summary ?? sha256.slice(0, 12)) : steps.join('; ');
  return `${told}; without ${smaller.dropped} ${smaller.dropped === 1 ? 'hunk' : 'hunks'} that did not contribute`;
}
