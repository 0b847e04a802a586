/** Where an elite comes from: all its ancestors, through every parent. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Ancestor } from '../../../shared/protocol/watch.ts';
import type { RunState } from '../run/state/run-state.ts';

/** More ancestors than this are more than a user can look at; the best of a long run has some dozens. */
const MAX_ANCESTORS = 500;

/** Breadth first, the elite itself at the head. Throws `not_found`. */
export function ancestorsOf(state: RunState, sha256: Sha256): Ancestor[] {
  if (!state.known.has(sha256)) {
    throw new PeagenError('not_found', `Run ${state.run} has judged no program ${sha256.slice(0, 12)}.`, {
      hint: 'Take its hash from the list of candidates.',
    });
  }
  const found = new Map<Sha256, Ancestor>();
  const waiting = [sha256];
  for (let at = waiting.shift(); at !== undefined && found.size < MAX_ANCESTORS; at = waiting.shift()) {
    const known = state.known.get(at);
    if (known === undefined || found.has(at)) continue;
    const { origin, generation, fitness, metrics } = known;
    const { parents, mutator, summary } = origin;
    found.set(at, { sha256: at, parents, mutator, summary, generation, fitness, metrics });
    waiting.push(...parents);
  }
  return [...found.values()];
}
