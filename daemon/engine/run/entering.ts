/** Puts judged programs into the archive, and lets the selectors and the division of work learn from the gain. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Added } from '../../evolution/evodb.ts';
import { gainOf } from './gain.ts';
import type { RunState } from './run-state.ts';
import type { EventOf, Judgement } from './slots.ts';

/** Stands in an event for a candidate that has no place in the archive. */
const NO_NICHE = '0';
/** The index of what no slot made. */
export const NO_SLOT = -1;

/** Puts a judged program from outside of the slots into the archive. */
export function enterSubmitted(state: RunState, judged: Judgement): Pick<EventOf<'judged'>, 'status' | 'niche'> {
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
export function insertCandidate(state: RunState, index: number): Pick<EventOf<'inserted'>, 'status' | 'niche'> {
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
  state.selector(index).feedback(open.selected.parent, gain);
  const { tokens, origin } = open.mutated;
  state.division?.credit(open.selected, { tokens, at: open.evaluated.at, backend: origin.backend }, gain);
  state.open.delete(index);
  state.generations.settle(slot.generation);
  return added;
}

/** `features`: undefined of what is not correct. */
function offer(
  state: RunState,
  sha256: Sha256,
  generation: number,
  index: number,
  features: number[] | undefined,
): Pick<Added, 'status' | 'niche'> {
  if (features === undefined) return { status: 'rejected', niche: NO_NICHE };
  const before = state.archive.best()?.fitness ?? Number.NEGATIVE_INFINITY;
  const entry = state.known.entry(sha256, generation, index, features);
  const { status, niche } = state.population.add(entry);
  if (entry.fitness > before) state.improvedAt = Math.max(state.improvedAt, generation);
  return { status, niche };
}
