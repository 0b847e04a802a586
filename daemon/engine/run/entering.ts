/** Puts judged programs into the archive, and lets the selectors and the division of work learn from the gain. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { isCorrect, type Metrics } from '../../../shared/judging.ts';
import { fitnessOf } from '../../evolution/objectives.ts';
import type { RunState } from './state/run-state.ts';
import type { EventOf, Judgement } from './state/slots.ts';

/** What clients learn about it. */
type Placement = Pick<EventOf<'inserted'>, 'status' | 'niche' | 'gained'>;
/** Stands in an event for a candidate that has no place in the archive. */
const NO_NICHE = '0';
/** The index of what no slot made. */
export const NO_SLOT = -1;

/** Puts a judged program from outside of the slots into the archive. */
export function enterSubmitted(state: RunState, judged: Judgement): Placement {
  const { sha256, fitness, features } = judged;
  const pending = state.pending.get(sha256);
  if (pending === undefined) throw new PeagenError('internal', `The program ${sha256} was never submitted.`);
  state.pending.delete(sha256);
  const { object, origin, generation } = pending;
  const { outcome, metrics, artifacts, readings } = judged;
  state.readings.add(sha256, { metrics, readings });
  state.known.learn(sha256, { object, origin, generation, outcome, metrics, fitness, artifacts });
  if (outcome.kind === 'overfit') state.known.failInto(state.memory, sha256);
  return offer(state, sha256, generation, NO_SLOT, fitness === null ? undefined : features);
}

/** Puts the evaluated candidate of a slot into the archive and settles the slot. */
export function insertCandidate(state: RunState, index: number): Placement {
  const open = state.open.get(index);
  if (open?.evaluated === undefined || open.mutated === undefined)
    throw new PeagenError('internal', `Candidate ${index} was never evaluated.`);
  const { slot, sha256, fitness, features } = open.evaluated;
  if (fitness === null) state.known.failInto(state.memory, sha256);
  state.memory.note(open.selected.parent, { sha256, slot });
  const added = offer(state, sha256, slot.generation, index, fitness === null ? undefined : features);
  // A repaired candidate gains what it has over the original.
  const parent = state.known.get(open.selected.parent);
  const before = parent?.fitness === null || parent === undefined ? state.known.get(state.original.sha256) : parent;
  const gain = gainOf({ fitness, metrics: open.evaluated.metrics }, before);
  state.selectors.teach(index, open.selected.parent, gain);
  const { tokens, origin } = open.mutated;
  state.division?.credit(open.selected, { tokens, at: open.evaluated.at, backend: origin.backend }, gain);
  state.open.delete(index);
  state.generations.settle(slot.generation);
  return added;
}

/** A challenger that does not pass again loses its place; a holder of a title keeps what it has. */
export function enterMeasured(state: RunState, { slot, sha256, outcome, metrics, readings }: EventOf<'measured'>): void {
  const open = state.open.get(slot.index);
  const known = state.known.get(sha256);
  if (open?.evaluated === undefined || known === undefined) return;
  const isChallenger = open.evaluated.sha256 === sha256;
  const matched = [...(open.matched ?? []), sha256];
  if (!isCorrect(outcome)) {
    const evaluated = isChallenger ? { ...open.evaluated, outcome, fitness: null, features: [] } : open.evaluated;
    state.open.set(slot.index, { ...open, evaluated, matched });
    if (isChallenger) state.known.relearn(sha256, { ...known, outcome, fitness: null });
    return;
  }
  const all = state.readings.add(sha256, { metrics, readings });
  const fitness = fitnessOf(state.fitnessRule, all);
  state.known.set(sha256, { ...known, metrics: all, fitness });
  state.open.set(slot.index, {
    ...open,
    ...(isChallenger ? { evaluated: { ...open.evaluated, metrics: all, fitness } } : {}),
    matched,
  });
  state.population.revise(sha256, { fitness, metrics: all });
}

/** Puts the smaller version of an announced best next to it. */
export function enterMinimised(state: RunState, event: EventOf<'minimised'>): void {
  const { from, object, origin, outcome, metrics, fitness, features, best } = event;
  const { sha256, generation, niche } = best;
  // The search may have made the same program before: then it stays what it was.
  if (!state.known.has(sha256)) state.known.set(sha256, { object, outcome, metrics, fitness, origin, generation });
  const entry = state.known.entry(sha256, generation, state.archive.find(from)?.index ?? 0, features);
  state.population.add(entry);
  state.minimised = { from, best, elite: { ...entry, niche } };
}

/** Takes an announced program out again that differs from the original on a fresh call. */
export function withdrawRefuted(state: RunState, { sha256, counterexample }: EventOf<'refuted'>): void {
  state.discard(sha256);
  state.best = null;
  state.refuted.set(sha256, { sha256, counterexample });
  state.known.refute(sha256, counterexample, state.entry?.fn);
  if (state.known.has(sha256)) state.known.failInto(state.memory, sha256);
  state.memory.reveal(counterexample);
}

/** `features`: undefined of what is not correct. */
function offer(state: RunState, sha256: Sha256, generation: number, index: number, features: number[] | undefined): Placement {
  if (features === undefined) return { status: 'rejected', niche: NO_NICHE };
  const before = state.archive.best()?.fitness ?? Number.NEGATIVE_INFINITY;
  const entry = state.known.entry(sha256, generation, index, features);
  const { status, niche } = state.population.add(entry);
  if (entry.fitness > before) {
    state.improvedAt = Math.max(state.improvedAt, generation);
    // Questions in progress are about other parents.
    state.generations.barren = 0;
  }
  return { status, niche, ...(entry.gained === undefined ? {} : { gained: entry.gained }) };
}

interface Fitted {
  readonly fitness: number | null;
  readonly metrics: Metrics;
}

/**
 * What a child gains over its parent, as selectors and the bandit learn it: the logarithm of the ratio, so that 1 to 2 counts
 * as much as 50 to 100, and nothing where the measurement does not tell the two apart. 0 or more. Scores of 0 or below have no
 * ratio; their difference counts.
 */
export function gainOf(child: Fitted, parent: Fitted | undefined): number {
  if (child.fitness === null) return 0;
  const [own, other] = [child.metrics['speedup'], parent?.metrics['speedup']];
  // Where fitness is the low end of an interval, the child gains when all of its interval is above the parent's middle.
  if (child.fitness === child.metrics['speedup_low'] && own !== undefined && other !== undefined && other > 0) {
    return child.fitness > other ? Math.max(0, Math.log(own / other)) : 0;
  }
  const before = parent?.fitness ?? 0;
  if (before > 0 && child.fitness > 0) return Math.max(0, Math.log(child.fitness / before));
  return Math.max(0, child.fitness - before);
}
