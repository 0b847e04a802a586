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
import type { RunState } from '../run/run-state.ts';
import type { Scorer } from '../run/scorer.ts';
import type { NewEvent } from '../run/slots.ts';
import { scoreOf } from '../run/title.ts';
import { evaluateTask } from '../tasks.ts';
import { hasGivenUp, passesRefuted, survive } from './attack.ts';
import { confirmedBest, HeldOut, measure, type Withdrawing } from './confirm.ts';
import type { AnnounceDeadline } from './deadline.ts';
import { type ComparedLeaders, compareLeaders, goalOf, measureWhole, reasonOf, refutedElites, WORTH_MS } from './leaders.ts';
import { judgeBriefly, keepsGain, type Smaller, smallest } from './minimise-best.ts';

export interface AnnounceDeps {
  readonly state: RunState;
  readonly confirmer: Withdrawing;
  record(event: NewEvent): Promise<void>;
  program(sha256: Sha256): Promise<Program>;
  putText(text: string): Promise<Sha256>;
  readonly scorer: Scorer;
  readonly deadline: AnnounceDeadline;
}

/** Milliseconds without which nothing is made smaller: what comes out has to be measured too. */
const WORTH_MAKING_MS = 1500;

/** Null when nothing is right and clearly faster than the original, unless that fails: then what fixes it is a gain. */
export async function announce(deps: AnnounceDeps): Promise<Best | null> {
  const { state, record } = deps;
  if (state.failing !== undefined) return null;
  const best = await fastest(deps);
  const mended = best === null ? mendedBest(state) : null;
  if (mended === null) return best;
  const { overfitted = [], unconfirmed = [] } = state.confirmed ?? {};
  await record({ type: 'confirmed', best: mended, overfitted, unconfirmed, final: true });
  return mended;
}

/** Null when nothing is right on held-out inputs and on fresh ones, and clearly faster than the original. */
async function fastest(deps: AnnounceDeps): Promise<Best | null> {
  const { state, record, scorer } = deps;
  const heldOut = new HeldOut(deps.confirmer, state.spec.heldout);
  const dropped = new Map<Sha256, Unconfirmed>();
  let compared: ComparedLeaders | undefined = state.confirmed;
  for (;;) {
    if (compared === undefined) {
      compared = hasGivenUp(deps) ? nothing(deps, dropped) : await compareLeaders(deps, heldOut, dropped);
      await record({ type: 'confirmed', ...compared });
    }
    const { best, overfitted, unconfirmed, final } = compared;
    if (best === null || final) return best;
    const survival = await survive(deps, best.sha256, await deps.program(best.sha256));
    if (survival.kind === 'failed') dropped.set(best.sha256, { sha256: best.sha256, why: survival.why });
    if (survival.kind !== 'survived') {
      compared = undefined;
      continue;
    }
    const isMeasured = state.spec.confirm !== 'none';
    const mayMake = isMeasured && deps.deadline.leftMs >= WORTH_MAKING_MS;
    if (best.sha256 !== state.minimised?.from && mayMake) await makeSmaller(deps, best, heldOut);
    // A call that the smaller program is wrong on may refute the winner too.
    if (!(await passesRefuted(deps, best.sha256, await deps.program(best.sha256)))) {
      compared = undefined;
      continue;
    }
    const made = state.minimised?.from === best.sha256 ? state.minimised.best : undefined;
    const mayMeasure = isMeasured && scorer.isSpeedup && made === undefined && deps.deadline.leftMs >= WORTH_MS;
    const execution = mayMeasure ? await measureWhole(deps, best.sha256) : undefined;
    // Where a user waits for it and time is short, the comparison stands: its interval says how much it knows.
    const { confidence } = survival;
    const whole = execution === undefined ? best : confirmedBest(best, execution);
    const announced = made ?? (whole === null || confidence === undefined ? whole : { ...whole, confidence });
    if (announced !== null) {
      await record({ type: 'confirmed', best: withInterval(state, announced), overfitted, unconfirmed, final: true });
      return withInterval(state, announced);
    }
    // The longer look takes the gain back: another leader may have one.
    if (execution !== undefined) dropped.set(best.sha256, reasonOf(best.sha256, execution));
    compared = undefined;
  }
}

/** What the evaluations of the search say about a score that varies. */
function withInterval(state: RunState, best: Best): Best {
  const interval = best.score === undefined ? undefined : scoreOf(state, best.sha256);
  if (best.score === undefined || interval === undefined) return best;
  return { ...best, score: { ...best.score, low: interval.low, high: interval.high } };
}

/** Every leader that was looked at was refuted. */
function nothing({ state }: AnnounceDeps, dropped: ReadonlyMap<Sha256, Unconfirmed>): ComparedLeaders {
  return { best: null, overfitted: refutedElites(state), unconfirmed: [...dropped.values()], final: true };
}

/** Records the smaller program when there is one that is as good, also on held-out inputs. */
async function makeSmaller(deps: AnnounceDeps, best: Best, heldOut: HeldOut): Promise<void> {
  const { state, confirmer } = deps;
  const { deadline } = deps;
  const smaller = await smallest(deps, await deps.program(best.sha256), best);
  if (smaller === undefined) return;
  const sha256 = programSha(smaller.program);
  if (!(await heldOut.passes(sha256, smaller.program))) return;
  const survival = await survive(deps, sha256, smaller.program);
  if (survival.kind !== 'survived' || (deps.scorer.isTimed && deadline.leftMs < WORTH_MS)) return;
  const effort = deps.scorer.isTimed ? 'final' : 'once';
  const final = await measure(confirmer, `final/${sha256}`, smaller.program, effort, deadline.leftMs);
  const measured = confirmedBest({ ...best, sha256 }, final.execution, goalOf(deps));
  if (measured === null || !keepsGain(measured, best)) return;
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

/** The steps of its lineage that are left in the smaller program: what was done last may be what is gone. */
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
