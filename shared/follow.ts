/**
 * What a client keeps of a run next to what the daemon says of it after each event (`info`): its elites, so that the list is
 * not fetched again for each of them, and its course.
 */
import type { History } from './history.ts';
import type { Elite } from './niche.ts';
import type { RunEvent, RunInfo } from './run.ts';
import { movesBest } from './trend.ts';

type Mutated = Extract<RunEvent, { type: 'mutated' }>;
type Evaluated = Extract<RunEvent, { type: 'evaluated' }>;

/** Mutable: a run of 10,000 candidates is one map, not 10,000 copies of it. */
export interface FollowedState {
  info: RunInfo;
  /** Champions by niche, and pinned ones next to them; undefined until they were fetched once. */
  elites: Map<string, Elite> | undefined;
  /** Elites that came since the user last looked. */
  fresh: Set<string>;
  /** Its course, once it was asked for. */
  history: History | undefined;
  /** Candidates between mutation and insertion, by index. */
  readonly inFlight: Map<number, { mutated?: Mutated; evaluated?: Evaluated }>;
}

export function newRunState(info: RunInfo): FollowedState {
  return { info, elites: undefined, fresh: new Set(), history: undefined, inFlight: new Map() };
}

/** The answer of `ListElites`, best first: the first of a niche is its champion, the others in it are pinned. */
export function keepElites(state: FollowedState, elites: readonly Elite[]): void {
  const kept = new Map<string, Elite>();
  for (const elite of elites) kept.set(kept.has(elite.niche) ? `${elite.niche}#${elite.sha256}` : elite.niche, elite);
  state.elites = kept;
}

/**
 * `info`: the run after the event; undefined when it is not in progress any more. Returns whether anything that a user sees
 * has changed.
 */
export function followRun(state: FollowedState, event: RunEvent, info: RunInfo | undefined): boolean {
  const changed = change(state, event);
  if (info === undefined) return changed;
  state.info = info;
  if (!movesBest(event)) return changed;
  const { candidates, best, stats, tokens, started_at, generation } = info;
  state.history?.note({
    ms: Math.max(0, Date.parse(event.at) - Date.parse(started_at)),
    generation,
    candidates,
    best,
    coverage: stats.coverage,
    tokens: tokens.prompt + tokens.completion,
  });
  return changed;
}

/** Takes up what the event says of elites. */
function change(state: FollowedState, event: RunEvent): boolean {
  switch (event.type) {
    case 'mutated':
      state.inFlight.set(event.slot.index, { mutated: event });
      return true;
    case 'rejected':
    case 'reflected':
      return event.tokens.prompt + event.tokens.completion > 0;
    case 'evaluated': {
      const entry = state.inFlight.get(event.slot.index) ?? {};
      state.inFlight.set(event.slot.index, { ...entry, evaluated: event });
      if (event.fitness === null) state.inFlight.delete(event.slot.index);
      return true;
    }
    case 'inserted': {
      const elite = eliteOf(state, event);
      state.inFlight.delete(event.slot.index);
      if (event.status === 'rejected') return true;
      state.fresh.add(event.sha256);
      if (elite === undefined) {
        // Made before this client began to follow the run: what it is, the daemon says when the list is looked at.
        state.elites = undefined;
      } else {
        const { niche } = elite;
        const before = state.elites?.get(niche);
        if (before?.pinned === true) state.elites?.set(`${niche}#${before.sha256}`, before);
        state.elites?.set(niche, elite);
      }
      return true;
    }
    case 'generation':
      // Niches whose borders follow the values have moved.
      if (state.info.axes.some(({ scale }) => scale === 'quantile')) state.elites = undefined;
      return true;
    case 'stopped':
      state.inFlight.clear();
      return true;
    case 'judged':
      // Where it stands in the list is the daemon's to say: it is asked again when the list is looked at.
      if (event.status !== 'rejected') {
        state.elites = undefined;
        state.fresh.add(event.sha256);
      }
      return true;
    case 'baseline':
    case 'discarded':
    case 'refuted':
    case 'minimised':
    case 'measured':
    case 'pinned':
    case 'rebased':
    case 'failing':
      // It changes the archive in a way that the event does not tell.
      state.elites = undefined;
      return true;
    case 'paused':
    case 'unpaused':
    case 'resumed':
    case 'extended':
    case 'confirming':
      return true;
    case 'selected':
      // The search goes on after leaders were confirmed.
      return state.info.confirming !== undefined;
    case 'started':
    case 'submitted':
    case 'steered':
    case 'confirmed':
      return false;
  }
}

function eliteOf(state: FollowedState, event: Extract<RunEvent, { type: 'inserted' }>): Elite | undefined {
  const { mutated, evaluated } = state.inFlight.get(event.slot.index) ?? {};
  const { niche } = event;
  if (mutated === undefined || evaluated === undefined || evaluated.fitness === null || niche === undefined) return undefined;
  return {
    sha256: event.sha256,
    niche,
    fitness: evaluated.fitness,
    features: evaluated.features,
    metrics: evaluated.metrics,
    generation: event.slot.generation,
    index: event.slot.index,
    parents: mutated.origin.parents,
    mutator: mutated.origin.mutator,
    summary: mutated.origin.summary,
    ...(event.gained === undefined ? {} : { gained: event.gained }),
  };
}
