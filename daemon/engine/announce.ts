/**
 * Decides what a run announces: of its leaders the one that holds up when it is compared with care, then that one
 * without what does not contribute, measured to the end. Takes up where the journal says an earlier process was.
 */
import type { Sha256 } from '../../shared/ids.ts';
import { EvaluateData } from '../../shared/payloads.ts';
import type { Program } from '../../shared/program.ts';
import type { Best } from '../../shared/run.ts';
import { programSha } from '../evolution/hash.ts';
import { mendedBest } from './baseline.ts';
import { type Confirmer, confirmedBest, HeldOut, measure } from './confirm.ts';
import type { RunState } from './run-state.ts';
import type { Scorer } from './scorer.ts';
import type { NewEvent } from './slots.ts';
import { judgeBriefly, keepsGain, type Smaller, smallest } from './smallest.ts';
import { evaluateTask } from './tasks.ts';

/** Elites that are compared, at most, before one is announced. */
const CONFIRM = 2;

export interface AnnounceDeps {
  readonly state: RunState;
  readonly confirmer: Confirmer;
  record(event: NewEvent): Promise<void>;
  program(sha256: Sha256): Promise<Program>;
  putText(text: string): Promise<Sha256>;
  readonly scorer: Scorer;
}

/** Null when nothing is right and clearly faster than the original, unless that fails: then what mends it is a gain. */
export async function announce(deps: AnnounceDeps): Promise<Best | null> {
  const { state, record } = deps;
  if (state.failing !== undefined) return null;
  const best = await fastest(deps);
  const mended = best === null ? mendedBest(state) : null;
  if (mended === null) return best;
  await record({ type: 'confirmed', best: mended, overfitted: state.confirmed?.overfitted ?? [], final: true });
  return mended;
}

/** Null when nothing is right on held-out inputs and clearly faster than the original. */
async function fastest(deps: AnnounceDeps): Promise<Best | null> {
  const { state } = deps;
  const heldOut = new HeldOut(deps.confirmer, state.spec.heldout);
  const { best, overfitted, final } = state.confirmed ?? (await compare(deps, heldOut));
  if (best === null || final) return best;
  if (best.sha256 !== state.minimised?.from) await makeSmaller(deps, best, heldOut);
  const announced = state.minimised?.from === best.sha256 ? state.minimised.best : await measureWinner(deps, best);
  await deps.record({ type: 'confirmed', best: announced, overfitted, final: true });
  return announced;
}

interface Compared {
  readonly best: Best | null;
  readonly overfitted: Sha256[];
  readonly final: boolean;
}

/** Of the best few, the fastest that is right on held-out inputs and clearly faster than the original. */
async function compare(deps: AnnounceDeps, heldOut: HeldOut): Promise<Compared> {
  const { state, confirmer } = deps;
  const leaders = [...state.archive.champions()]
    .sort((a, b) => b.fitness - a.fitness)
    .filter(({ sha256 }) => sha256 !== (state.mended ?? state.original.sha256));
  const overfitted: Sha256[] = [];
  // By speed alone one cannot tell what contributes to another fitness: there, what is compared is announced as it is.
  const final = !deps.scorer.isSpeedup;
  let best: Best | null = null;
  for (const elite of leaders.slice(0, CONFIRM)) {
    // The search's own measurements are short, and of many the luckiest leads: who holds up against the next one's luck has won.
    // Fitness of another kind than the speed-up cannot be compared with it: there, the order of the search stands.
    if (best !== null && (!deps.scorer.isSpeedup || best.speedup >= (elite.metrics['speedup'] ?? elite.fitness))) break;
    const program = await deps.program(elite.sha256);
    if (!(await heldOut.passes(elite.sha256, program))) {
      overfitted.push(elite.sha256);
      continue;
    }
    const { execution } = await measure(confirmer, `compare/${elite.sha256}`, program, final ? 'final' : 'compare');
    const measured = confirmedBest(elite, execution);
    if (measured !== null && measured.speedup > (best?.speedup ?? 1)) best = measured;
  }
  await deps.record({ type: 'confirmed', best, overfitted, final });
  return { best, overfitted, final };
}

/** Null when the longer look takes the gain back. */
async function measureWinner({ confirmer, program }: AnnounceDeps, best: Best): Promise<Best | null> {
  const { execution } = await measure(confirmer, `final/${best.sha256}`, await program(best.sha256), 'final');
  return confirmedBest(best, execution);
}

/** Records the smaller program when there is one that is as good, also on held-out inputs. */
async function makeSmaller(deps: AnnounceDeps, best: Best, heldOut: HeldOut): Promise<void> {
  const { state, confirmer } = deps;
  const smaller = await smallest(confirmer, await deps.program(best.sha256), best, state.spec.deterministic);
  if (smaller === undefined) return;
  const sha256 = programSha(smaller.program);
  if (!(await heldOut.passes(sha256, smaller.program))) return;
  const final = await measure(confirmer, `final/${sha256}`, smaller.program, 'final');
  const measured = confirmedBest({ ...best, sha256 }, final.execution);
  if (measured === null || !keepsGain(measured, best)) return;
  // The archive compares what was judged alike: a deterministic run counts operations.
  const { task, execution } = state.spec.deterministic ? await judgeBriefly(confirmer, smaller.program, true) : final;
  const scoring = await deps.scorer.scoring(best.generation, state.population.neighbours());
  const evaluate = evaluateTask(task, { execution, program: smaller.program, scoring });
  const evaluated = EvaluateData.parse(await confirmer.desk.run(evaluate, confirmer.signal));
  const { outcome, metrics, fitness, features } = evaluated;
  if (fitness === null) return;
  await deps.record({
    type: 'minimised',
    from: best.sha256,
    object: await deps.putText(JSON.stringify(smaller.program)),
    origin: { parents: [best.sha256], mutator: 'minimise', summary: summaryOf(deps, best, smaller) },
    outcome,
    metrics,
    fitness,
    features,
    best: { ...measured, niche: state.archive.geometry.place(features) },
  });
}

function summaryOf({ state }: AnnounceDeps, { sha256 }: Best, { dropped }: Smaller): string {
  const from = state.known.get(sha256)?.origin.summary ?? sha256.slice(0, 12);
  return `${from}; without ${dropped} ${dropped === 1 ? 'hunk' : 'hunks'} that did not contribute`;
}
