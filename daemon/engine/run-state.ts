/**
 * The state of a run as the sum of its events. The live run and a resumed one apply the same events through the same
 * code, so whatever is in the journal is all there is to know. Pure: no files, no clock.
 */
import { createHash } from 'node:crypto';
import { PeagenError } from '../../shared/errors.ts';
import { History } from '../../shared/history.ts';
import { type RunId, Sha256 } from '../../shared/ids.ts';
import { isCorrect, type Metrics, type Outcome } from '../../shared/judging.ts';
import type { Elite } from '../../shared/niche.ts';
import type { Entry, Origin } from '../../shared/program.ts';
import type { Best, RunEvent, RunInfo, RunSpec, RunSummary, Slot, StopReason, TokenUse } from '../../shared/run.ts';
import { Cvt } from '../evolution/archive/cvt.ts';
import { Archive } from '../evolution/archive.ts';
import type { Trial } from '../evolution/bandit.ts';
import { Seen } from '../evolution/seen.ts';
import type { ParentSelector } from '../evolution/selectors/selector.ts';
import { Division } from './division.ts';
import type { Progress } from './stop.ts';
import { runScope, type Scope } from './tasks.ts';

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** Where a slot stands. A settled slot (inserted, or rejected for good) is forgotten. */
export interface OpenSlot {
  readonly selected: EventOf<'selected'>;
  readonly context: MutationContext;
  readonly mutated?: EventOf<'mutated'>;
  readonly evaluated?: EventOf<'evaluated'>;
  /** The attempt failed and the next one has not been selected yet. */
  readonly rejected: boolean;
}

/** What the run knew when a slot was selected; in journal order, so that a replay gives the mutator the same. */
export interface MutationContext {
  /** Filter over the programs seen. */
  readonly seen: string;
  /** Outcomes worth telling a mutator, newest first. */
  readonly failures: readonly string[];
}

/** What is kept of every program that was judged. */
export interface Known {
  readonly object: Sha256;
  readonly outcome: Outcome;
  readonly metrics: Metrics;
  readonly fitness: number | null;
  readonly origin: Origin;
  readonly generation: number;
}

const RECENT_FAILURES = 3;

/** Stands in an event for a candidate that has no place in the archive. */
const NO_NICHE = '0';

/** An event before it gets its time. */
export type NewEvent = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

export class RunState {
  readonly run: RunId;
  readonly spec: RunSpec;
  readonly requestId: string;
  readonly entry: Entry | undefined;
  readonly original: { sha256: Sha256; object: Sha256 };
  readonly archive: Archive;
  readonly known = new Map<string, Known>();
  readonly open = new Map<number, OpenSlot>();
  basis: Sha256 | undefined;
  baseline: Metrics = {};
  nextIndex = 0;
  tokens: TokenUse = { prompt: 0, completion: 0 };
  paused = false;
  best: Best | null = null;
  /** The announcement, unless the search went on after it. */
  confirmed: EventOf<'confirmed'> | undefined;
  minimised: { readonly from: Sha256; readonly best: Best; readonly elite: Elite } | undefined;
  stopped: { reason: StopReason; detail?: string; summary?: RunSummary } | undefined;
  readonly history = new History();
  private readonly failures: string[] = [];
  private readonly seen = new Seen();
  private readonly normals = new Set<string>();
  /** What was known when the last generation closed. */
  private boundary: MutationContext;
  private readonly shas: (Sha256 | undefined)[] = [];
  private readonly settledIn = new Map<number, number>();
  private readonly startedAt: string;
  private made = 0;
  private evaluated = 0;
  private correct = 0;
  private generationsDone = 0;
  private improvedAt = 0;
  private barren = 0;
  private filledInGeneration = new Map<number, number>();

  readonly selector: ParentSelector;
  /** Chooses mutators, when the run's is `auto`. */
  readonly division: Division | undefined;

  constructor(started: EventOf<'started'>, selector: ParentSelector) {
    this.run = started.run;
    this.spec = started.spec;
    this.requestId = started.request_id;
    this.entry = started.entry;
    this.original = { sha256: started.original, object: started.object };
    this.startedAt = started.at;
    this.archive = emptyArchive(started.spec);
    this.selector = selector;
    this.division = this.spec.mutators === undefined ? undefined : new Division(this.spec, this.spec.mutators);
    this.boundary = this.context();
  }

  apply(event: RunEvent): void {
    this.change(event);
    if (event.type === 'baseline' || event.type === 'inserted' || event.type === 'generation') this.remember(event.at);
  }

  private remember(at: string): void {
    const { coverage, best } = this.archive.stats();
    const tokens = this.tokens.prompt + this.tokens.completion;
    const ms = Math.max(0, Date.parse(at) - Date.parse(this.startedAt));
    this.history.note({ ms, generation: this.generationsDone, candidates: this.made, best, coverage, tokens });
  }

  private change(event: RunEvent): void {
    switch (event.type) {
      case 'started':
      case 'resumed':
        return;
      case 'baseline':
        this.applyBaseline(event);
        return;
      case 'selected':
        this.open.set(event.slot.index, { selected: event, context: this.contextFor(event.slot), rejected: false });
        this.nextIndex = Math.max(this.nextIndex, event.slot.index + 1);
        this.confirmed = undefined;
        return;
      case 'mutated':
        this.applyMutated(event);
        return;
      case 'rejected':
        this.applyRejected(event);
        return;
      case 'evaluated':
        this.applyEvaluated(event);
        return;
      case 'inserted':
        this.applyInserted(event);
        return;
      case 'generation':
        this.generationsDone = event.generation;
        this.division?.endGeneration();
        this.boundary = this.context();
        return;
      case 'paused':
      case 'unpaused':
        this.paused = event.type === 'paused';
        return;
      case 'confirmed':
        this.best = event.best;
        this.confirmed = event;
        return;
      case 'minimised':
        this.applyMinimised(event);
        return;
      case 'stopped':
        this.stopped = {
          reason: event.reason,
          ...(event.detail === undefined ? {} : { detail: event.detail }),
          ...(event.summary === undefined ? {} : { summary: event.summary }),
        };
    }
  }

  private applyBaseline(event: EventOf<'baseline'>): void {
    this.basis = event.basis;
    this.baseline = event.metrics;
    const origin: Origin = { parents: [], mutator: 'original', summary: 'the original' };
    const outcome: Outcome = { kind: 'correct', detail: '' };
    const { sha256, object } = this.original;
    this.known.set(sha256, { object, outcome, metrics: event.metrics, fitness: event.fitness, origin, generation: 0 });
    const slot: Slot = { index: 0, generation: 0, attempt: 0 };
    this.archive.add({ ...this.eliteOf(sha256, slot, event.features), index: -1 });
  }

  private applyMinimised(event: EventOf<'minimised'>): void {
    const { from, object, origin, outcome, metrics, fitness, features, best } = event;
    const { sha256, generation, niche } = best;
    // The search may have made the same program before: then it stays what it was.
    if (!this.known.has(sha256)) this.known.set(sha256, { object, outcome, metrics, fitness, origin, generation });
    const slot: Slot = { index: this.archive.find(from)?.index ?? 0, generation, attempt: 0 };
    const entry = this.eliteOf(sha256, slot, features);
    this.archive.add(entry);
    this.minimised = { from, best, elite: { ...entry, niche } };
  }

  private applyMutated(event: EventOf<'mutated'>): void {
    const { index, generation } = event.slot;
    const open = this.open.get(index);
    if (open !== undefined) this.open.set(index, { ...open, mutated: event });
    this.shas[index] = event.sha256;
    this.made++;
    this.normals.add(event.normal);
    this.seen.add(event.normal);
    this.addTokens(event.tokens);
    this.filledInGeneration.set(generation, (this.filledInGeneration.get(generation) ?? 0) + 1);
  }

  private applyRejected(event: EventOf<'rejected'>): void {
    const { index } = event.slot;
    this.addTokens(event.tokens);
    const open = this.open.get(index);
    if (open !== undefined) {
      this.open.set(index, { selected: open.selected, context: open.context, rejected: true });
      this.division?.record(event.slot, open.selected.mutator, trialOf(open.selected, event, 0));
    }
    if (!event.final) return;
    this.shas[index] = undefined;
    this.settle(event.slot);
  }

  private applyEvaluated(event: EventOf<'evaluated'>): void {
    const open = this.open.get(event.slot.index);
    if (open?.mutated === undefined) return;
    this.open.set(event.slot.index, { ...open, evaluated: event });
    const { outcome, metrics, fitness, slot } = event;
    const { object, origin } = open.mutated;
    this.known.set(event.sha256, { object, outcome, metrics, fitness, origin, generation: slot.generation });
    this.evaluated++;
    if (isCorrect(outcome)) this.correct++;
  }

  private applyInserted(event: EventOf<'inserted'>): void {
    // The live run has inserted before it wrote the event, which says what came of it.
    if (this.open.get(event.slot.index)?.evaluated !== undefined) this.insert(event.slot.index);
  }

  /** Puts the evaluated candidate of a slot into the archive and settles the slot. */
  insert(index: number): { status: 'new' | 'improved' | 'rejected'; niche: string } {
    const open = this.open.get(index);
    if (open?.evaluated === undefined || open.mutated === undefined)
      throw new PeagenError('internal', `Candidate ${index} was never evaluated.`);
    const { slot, sha256, fitness, features, outcome } = open.evaluated;
    const bestBefore = this.archive.best()?.fitness ?? Number.NEGATIVE_INFINITY;
    if (fitness === null)
      this.noteFailure(`${open.mutated.origin.summary}: ${outcome.kind}${outcome.detail && `: ${outcome.detail}`}`);
    const added =
      fitness === null
        ? { status: 'rejected' as const, niche: NO_NICHE }
        : this.archive.add(this.eliteOf(sha256, slot, features));
    if (fitness !== null && fitness > bestBefore) this.improvedAt = slot.generation;
    const parentFitness = this.known.get(open.selected.parent)?.fitness ?? 0;
    const gain = fitness === null ? 0 : Math.max(0, fitness - parentFitness);
    this.selector.feedback(open.selected.parent, gain);
    const { tokens } = open.mutated;
    this.division?.record(slot, open.selected.mutator, trialOf(open.selected, { tokens, at: open.evaluated.at }, gain));
    this.settle(slot);
    return { status: added.status, niche: added.niche };
  }

  private settle(slot: Slot): void {
    this.open.delete(slot.index);
    const settled = (this.settledIn.get(slot.generation) ?? 0) + 1;
    this.settledIn.set(slot.generation, settled);
    if (settled < this.spec.population) return;
    this.settledIn.delete(slot.generation);
    this.barren = (this.filledInGeneration.get(slot.generation) ?? 0) === 0 ? this.barren + 1 : 0;
    this.filledInGeneration.delete(slot.generation);
    this.closable.push(slot.generation);
  }

  /** Generations whose slots are all settled and whose `generation` event has not been written yet. */
  private readonly closable: number[] = [];

  /** The next generation to close, in order. */
  takeClosedGeneration(): number | undefined {
    const next = this.closable.indexOf(this.generationsDone + 1);
    if (next < 0) return undefined;
    return this.closable.splice(next, 1)[0];
  }

  eliteOf(sha256: Sha256, slot: Slot, features: number[]): Omit<Elite, 'niche'> {
    const known = this.known.get(sha256);
    return {
      sha256,
      fitness: known?.fitness ?? 0,
      features,
      metrics: known?.metrics ?? {},
      generation: slot.generation,
      index: slot.index,
      parents: known?.origin.parents ?? [],
      mutator: known?.origin.mutator ?? '',
      summary: known?.origin.summary ?? '',
    };
  }

  /** An elite, a former one, or a best that was made smaller. */
  findElite(sha256: Sha256): Elite | undefined {
    const smaller = this.minimised?.elite;
    return this.archive.find(sha256) ?? (smaller?.sha256 === sha256 ? smaller : undefined);
  }

  hasSeen(normal: Sha256): boolean {
    return this.normals.has(normal);
  }

  /**
   * In a deterministic run, what the generation before had made known; a later attempt, which waited its turn, also
   * knows the programs that were accepted before it.
   */
  private contextFor(slot: Slot): MutationContext {
    if (!this.spec.deterministic) return this.context();
    return slot.attempt === 0 ? this.boundary : { seen: this.seen.encode(), failures: this.boundary.failures };
  }

  private context(): MutationContext {
    return { seen: this.seen.encode(), failures: [...this.failures] };
  }

  private noteFailure(text: string): void {
    this.failures.unshift(text);
    this.failures.length = Math.min(this.failures.length, RECENT_FAILURES);
  }

  private addTokens(use: TokenUse): void {
    this.tokens = { prompt: this.tokens.prompt + use.prompt, completion: this.tokens.completion + use.completion };
  }

  progress(now: number): Progress {
    return {
      generationsDone: this.generationsDone,
      improvedAt: this.improvedAt,
      bestSpeedMs: this.archive.best()?.metrics['speed_ms'],
      tokens: this.tokens.prompt + this.tokens.completion,
      elapsedMs: now - Date.parse(this.startedAt),
      barrenGenerations: this.barren,
    };
  }

  info(live: boolean): RunInfo {
    const { text: _, ...target } = this.spec.target;
    const state = this.stopped !== undefined ? 'finished' : !live ? 'interrupted' : this.paused ? 'paused' : 'running';
    return {
      run: this.run,
      state,
      target,
      started_at: this.startedAt,
      generation: this.generationsDone,
      max_generations: this.spec.stop.max_generations,
      candidates: this.made,
      evaluated: this.evaluated,
      correct: this.correct,
      best: this.archive.best()?.fitness ?? null,
      stats: this.archive.stats(),
      axes: this.spec.axes,
      tokens: this.tokens,
      ...(this.spec.stop.budget_tokens === undefined ? {} : { budget_tokens: this.spec.stop.budget_tokens }),
      trend: [...this.history.steps],
      ...(this.stopped === undefined ? {} : { stopped: this.stopped.reason }),
    };
  }

  summary(now: number, stopped: StopReason, output: string | null): RunSummary {
    const stats = this.archive.stats();
    const digest = createHash('sha256');
    for (const sha of this.candidates()) digest.update(`${sha}\n`);
    return {
      run: this.run,
      seed: this.spec.seed,
      generations: this.generationsDone,
      candidates: this.made,
      evaluated: this.evaluated,
      correct: this.correct,
      best: this.best,
      coverage: stats.coverage,
      qd_score: stats.qd_score,
      candidates_digest: Sha256.parse(digest.digest('hex')),
      tokens: this.tokens,
      stopped,
      wall_s: (now - Date.parse(this.startedAt)) / 1000,
      output,
    };
  }

  /** What the run's tasks are part of. */
  get scope(): Scope {
    return runScope(this.run, 0);
  }

  /** Hashes of all candidates in index order. */
  private candidates(): Sha256[] {
    return this.shas.filter((sha) => sha !== undefined);
  }
}

function emptyArchive({ axes, cvt, seed }: RunSpec): Archive {
  return cvt === undefined ? new Archive(axes) : new Archive(axes, new Cvt(axes, { niches: cvt.niches, seed }));
}

function trialOf({ at }: EventOf<'selected'>, end: { at: string; tokens: TokenUse }, gain: number): Trial {
  const { prompt, completion } = end.tokens;
  return { gain, tokens: prompt + completion, seconds: (Date.parse(end.at) - Date.parse(at)) / 1000 };
}
