/** What a client knows of a run, kept up to date from its events alone: no list is fetched again while it runs. */
import { baselineOf, confirmingOf, endingOf } from './gain.ts';
import type { History } from './history.ts';
import type { Elite } from './niche.ts';
import type { RunEvent, RunInfo } from './run.ts';
import { sumTokens } from './token-sum.ts';
import { addStep, movesBest } from './trend.ts';

type Mutated = Extract<RunEvent, { type: 'mutated' }>;
type Evaluated = Extract<RunEvent, { type: 'evaluated' }>;

/** Mutable: a run of 10,000 candidates is one map, not 10,000 copies of it. */
export interface RunState {
  info: RunInfo;
  /** Champions by niche, and pinned ones next to them; undefined until they were fetched once. */
  elites: Map<string, Elite> | undefined;
  /** Elites that came since the user last looked. */
  fresh: Set<string>;
  /** The last generation that is complete: candidates of later ones come before it is. */
  closed: number;
  /** Its course, once somebody asked for it. */
  history: History | undefined;
  /** Candidates between mutation and insertion, by index. */
  readonly inFlight: Map<number, { mutated?: Mutated; evaluated?: Evaluated }>;
}

export function newRunState(info: RunInfo): RunState {
  return { info, elites: undefined, fresh: new Set(), closed: info.generation, history: undefined, inFlight: new Map() };
}

/** The answer of `ListElites`, best first: the first of a niche is its champion, what else there is of it is pinned. */
export function keepElites(state: RunState, elites: readonly Elite[]): void {
  const kept = new Map<string, Elite>();
  for (const elite of elites) kept.set(kept.has(elite.niche) ? `${elite.niche}#${elite.sha256}` : elite.niche, elite);
  state.elites = kept;
}

/** Returns whether anything that a user sees has changed. */
export function followRun(state: RunState, event: RunEvent): boolean {
  const changed = change(state, event);
  if (event.type === 'generation') state.closed = event.generation;
  if (movesBest(event)) remember(state, event.at);
  return changed;
}

function remember(state: RunState, at: string): void {
  const { candidates, best, stats, tokens, started_at } = state.info;
  const generation = state.closed;
  state.info = { ...state.info, trend: [...addStep(state.info.trend ?? [], generation, best)] };
  state.history?.note({
    ms: Math.max(0, Date.parse(at) - Date.parse(started_at)),
    generation,
    candidates,
    best,
    coverage: stats.coverage,
    tokens: tokens.prompt + tokens.completion,
  });
}

function change(state: RunState, event: RunEvent): boolean {
  const { info } = state;
  switch (event.type) {
    case 'mutated':
      state.inFlight.set(event.slot.index, { mutated: event });
      state.info = {
        ...info,
        candidates: info.candidates + 1,
        tokens: sumTokens(info.tokens, event.tokens),
      };
      return true;
    case 'rejected':
      state.info = { ...info, tokens: sumTokens(info.tokens, event.tokens) };
      return event.tokens.prompt + event.tokens.completion > 0;
    case 'evaluated': {
      const entry = state.inFlight.get(event.slot.index) ?? {};
      state.inFlight.set(event.slot.index, { ...entry, evaluated: event });
      state.info = { ...info, ...counted(info, event) };
      if (event.fitness === null) state.inFlight.delete(event.slot.index);
      return true;
    }
    case 'inserted': {
      const elite = eliteOf(state, event);
      state.inFlight.delete(event.slot.index);
      state.info = { ...info, stats: event.stats, best: event.stats.best };
      if (event.status === 'rejected') return true;
      state.fresh.add(event.sha256);
      if (elite === undefined) {
        // Made before this client began to follow the run: what it is, the daemon says when the list is looked at.
        state.elites = undefined;
      } else {
        const before = state.elites?.get(event.niche);
        if (before?.pinned === true) state.elites?.set(`${event.niche}#${before.sha256}`, before);
        state.elites?.set(event.niche, elite);
      }
      return true;
    }
    case 'generation':
      // Niches whose borders follow the values have moved.
      if (info.axes.some(({ scale }) => scale === 'quantile')) state.elites = undefined;
      state.info = {
        ...info,
        generation: Math.max(info.generation, event.generation),
        stats: event.stats,
        best: event.stats.best,
      };
      return true;
    case 'paused':
      state.info = { ...info, state: 'paused' };
      return true;
    case 'unpaused':
    case 'resumed':
    case 'extended':
      state.info = { ...info, state: 'running' };
      return true;
    case 'confirming':
      state.info = { ...info, confirming: confirmingOf(event) };
      return true;
    case 'stopped':
      state.info = {
        ...info,
        confirming: undefined,
        state: 'finished',
        stopped: event.reason,
        ...(event.summary === undefined ? {} : { ending: endingOf(event.summary) }),
        ...(event.summary?.confidence === undefined ? {} : { confidence: event.summary.confidence }),
        ...(event.detail === undefined ? {} : { failure: event.detail }),
      };
      state.inFlight.clear();
      return true;
    case 'judged':
      state.info = {
        ...info,
        ...counted(info, event),
        stats: event.stats,
        best: event.stats.best,
      };
      // Where it stands in the list is the daemon's to say: it is asked again when the list is looked at.
      if (event.status !== 'rejected') {
        state.elites = undefined;
        state.fresh.add(event.sha256);
      }
      return true;
    case 'discarded':
    case 'refuted':
      state.elites = undefined;
      state.info = { ...info, stats: event.stats, best: event.stats.best };
      return true;
    case 'minimised':
      // Entered the archive, mostly as its best, in a way that the event does not tell.
      state.elites = undefined;
      state.info = { ...info, best: Math.max(info.best ?? event.fitness, event.fitness) };
      return true;
    case 'baseline':
      // Nothing else is in the archive then: at first, after an edit, and when the first candidate fixes the original.
      state.elites = undefined;
      state.info = {
        ...info,
        best: event.fitness,
        baseline: baselineOf(event.fitness, event.metrics, event.program !== undefined),
      };
      return true;
    case 'measured':
    case 'pinned':
    case 'rebased':
    case 'failing':
      // Entered the archive in a way that the event does not tell.
      state.elites = undefined;
      return true;
    case 'selected':
      if (info.confirming === undefined) return false;
      state.info = { ...info, confirming: undefined };
      return true;
    case 'started':
    case 'submitted':
    case 'steered':
    case 'confirmed':
      return false;
  }
}

function counted(
  { evaluated, correct, overfit = 0 }: RunInfo,
  { fitness, outcome }: Pick<Evaluated, 'fitness' | 'outcome'>,
): Pick<RunInfo, 'evaluated' | 'correct' | 'overfit'> {
  return {
    evaluated: evaluated + 1,
    correct: correct + (fitness === null ? 0 : 1),
    ...(outcome.kind === 'overfit' || overfit > 0 ? { overfit: overfit + (outcome.kind === 'overfit' ? 1 : 0) } : {}),
  };
}

function eliteOf(state: RunState, event: Extract<RunEvent, { type: 'inserted' }>): Elite | undefined {
  const { mutated, evaluated } = state.inFlight.get(event.slot.index) ?? {};
  if (mutated === undefined || evaluated === undefined || evaluated.fitness === null) return undefined;
  return {
    sha256: event.sha256,
    niche: event.niche,
    fitness: evaluated.fitness,
    features: evaluated.features,
    metrics: evaluated.metrics,
    generation: event.slot.generation,
    index: event.slot.index,
    parents: mutated.origin.parents,
    mutator: mutated.origin.mutator,
    summary: mutated.origin.summary,
  };
}
