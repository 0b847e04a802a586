/**
 * The state of a run as the sum of its events. The live run and a resumed one apply the same events through the same
 * code, so whatever is in the journal is all there is to know. Pure: no files, no clock.
 */
import { confirmingOf } from '../../../../shared/gain.ts';
import { History } from '../../../../shared/history.ts';
import type { RunId, Sha256 } from '../../../../shared/ids.ts';
import type { Metrics, Outcome } from '../../../../shared/judging.ts';
import type { Elite } from '../../../../shared/niche.ts';
import type { Entry } from '../../../../shared/program.ts';
import type { Best, Expected, Refuted, RunEvent, RunInfo } from '../../../../shared/run.ts';
import type { RunSpec } from '../../../../shared/run-spec.ts';
import { movesBest } from '../../../../shared/trend.ts';
import type { EvoDB } from '../../../evolution/evodb.ts';
import { type FitnessRule, isTimed } from '../../../evolution/objectives.ts';
import { reachesLevel } from '../../../evolution/plateau.ts';
import type { ParentSelector } from '../../../evolution/selectors/selector.ts';
import { Division } from '../../mutate/division.ts';
import { Memory } from '../../mutate/memory.ts';
import { ParentRequests } from '../../mutate/parent-requests.ts';
import { RunSelectors } from '../../mutate/selector.ts';
import { runScope, type Scope } from '../../tasks.ts';
import { enterMeasured, enterMinimised, enterSubmitted, insertCandidate, NO_SLOT, withdrawRefuted } from '../entering.ts';
import { Generations } from './generations.ts';
import { KnownPrograms } from './known.ts';
import { Population } from './population.ts';
import { RunReadings } from './run-readings.ts';
import { type EventOf, OpenSlots, type Pending } from './slots.ts';
import { Spending } from './spending.ts';

export class RunState {
  readonly run: RunId;
  spec: RunSpec;
  readonly requestId: string;
  readonly entry: Entry | undefined;
  original: { readonly sha256: Sha256; readonly object: Sha256 };
  population: Population;
  readonly known = new KnownPrograms();
  readonly counts = this.known.counts;
  readonly open = new OpenSlots();
  readonly pending = new Map<Sha256, Pending>();
  readonly wishes = new ParentRequests();
  readonly readings: RunReadings;
  basis: Sha256 | undefined;
  baseline: Metrics = {};
  nextIndex = 0;
  readonly spending: Spending;
  paused = false;
  /** Why the run waits, in this process: its results cannot be stored. */
  held: string | undefined;
  best: Best | null = null;
  /** Since the search ended, unless it went on. */
  confirming: RunInfo['confirming'];
  /** The announcement, unless the search went on after it. */
  confirmed: EventOf<'confirmed'> | undefined;
  minimised: { readonly from: Sha256; readonly best: Best; readonly elite: Elite } | undefined;
  stopped: Pick<EventOf<'stopped'>, 'reason' | 'detail' | 'summary'> | undefined;
  readonly history = new History();
  /** Chooses mutators and back ends, when there is a choice. */
  readonly division: Division | undefined;
  readonly startedAt: string;
  /** Since when the time of the run is counted. */
  clockFrom: string;
  private latestAt: string;
  /** Milliseconds in which nobody worked on the run. */
  idleMs = 0;
  readonly generations: Generations;
  /** Holds the candidates' slots, in index order. */
  readonly shas: (Sha256 | undefined)[] = [];
  /** Programs that the counter-example search kept from being announced, with the call that they differ on. */
  readonly refuted = new Map<Sha256, Refuted>();
  improvedAt = 0;
  /** How the original fails by itself, while nothing is known that does not. */
  failing: Outcome | undefined;
  /** The first program that does not fail as the original does: what the others are compared with. */
  mended: Sha256 | undefined;
  readonly selectors: RunSelectors;
  readonly memory: Memory;
  private bases = 0;
  /** The original is what somebody has made of the file in mid-run. */
  rebased = false;

  /** `selectors`: one for each island, or one. */
  constructor(started: EventOf<'started'>, selectors: readonly ParentSelector[]) {
    this.run = started.run;
    this.spec = started.spec;
    this.spending = new Spending(started.spec);
    this.readings = new RunReadings(this.isTimed);
    this.requestId = started.request_id;
    this.entry = started.entry;
    this.original = { sha256: started.original, object: started.object };
    this.startedAt = started.at;
    this.clockFrom = this.latestAt = started.at;
    this.population = new Population(started.spec);
    this.selectors = new RunSelectors(selectors);
    this.generations = new Generations(started.spec.population);
    this.memory = new Memory(started);
    this.division = this.spec.mutators === undefined ? undefined : new Division(this.spec, this.spec.mutators);
  }

  /** All that entered, whatever island it lives on. */
  get archive(): EvoDB {
    return this.population.whole;
  }

  /** What fitness is made of. */
  get fitnessRule(): FitnessRule {
    return { metric: this.spec.metric ?? 'speedup_low', objectives: this.spec.objectives };
  }

  /** Whether fitness depends on how long something takes. */
  get isTimed(): boolean {
    return isTimed(this.fitnessRule, this.spec.evaluator.name);
  }

  /** What the run's tasks are part of. */
  get scope(): Scope {
    return runScope(this.run, this.bases);
  }

  /** The original fails, and now there is a program that does not. */
  get isRepaired(): boolean {
    return this.failing !== undefined && this.archive.best() !== undefined;
  }

  /** What the whole run is likely to cost; see Spending. */
  get expected(): Expected | undefined {
    return this.spending.expected(this.spec.stop, this.nextIndex - this.open.size - this.open.reopened.size);
  }

  /** What they will be part of when they are compared with something else. */
  get nextScope(): Scope {
    return runScope(this.run, this.bases + 1);
  }

  /** The object that holds a program of this run. */
  objectOf(sha256: Sha256): Sha256 | undefined {
    if (sha256 === this.original.sha256) return this.original.object;
    const known = this.known.get(sha256)?.object ?? this.pending.get(sha256)?.object;
    if (known !== undefined) return known;
    for (const { mutated } of this.open.values()) if (mutated?.sha256 === sha256) return mutated.object;
    return undefined;
  }

  /** Returns the event with what it made of the archive, as clients receive it. */
  apply(event: RunEvent): RunEvent {
    const told = this.change(event);
    if (event.type === 'extended' || event.type === 'resumed') this.idleMs += Date.parse(event.at) - Date.parse(this.latestAt);
    this.latestAt = event.at;
    if (movesBest(event)) this.remember(event.at);
    return told;
  }

  private remember(at: string): void {
    const { coverage, best } = this.archive.stats();
    const ms = Math.max(0, Date.parse(at) - Date.parse(this.startedAt));
    this.history.note({
      ms,
      generation: this.generations.done,
      candidates: this.counts.made,
      best,
      coverage,
      tokens: this.spending.sum,
    });
  }

  private change(event: RunEvent): RunEvent {
    switch (event.type) {
      case 'started':
      case 'resumed':
        return event;
      case 'extended':
        this.applyExtended(event);
        return event;
      case 'baseline':
        this.applyBaseline(event);
        return event;
      case 'failing':
        this.applyFailing(event);
        return event;
      case 'selected':
        this.applySelected(event);
        return event;
      case 'mutated':
        this.applyMutated(event);
        return event;
      case 'rejected':
        this.applyRejected(event);
        return event;
      case 'evaluated':
        this.applyEvaluated(event);
        return event;
      case 'measured':
        enterMeasured(this, event);
        return event;
      case 'inserted':
        // An edit of the file may have come between: then the slot begins again.
        if (this.open.get(event.slot.index)?.evaluated === undefined) return event;
        return { ...event, ...insertCandidate(this, event.slot.index), stats: this.archive.stats() };
      case 'generation':
        return { ...event, ...this.applyGeneration(event), stats: this.archive.stats() };
      case 'reflected':
        this.spending.add(event.tokens);
        this.memory.reflect(event);
        return event;
      case 'confirming':
        this.confirming = confirmingOf(event);
        return event;
      case 'paused':
      case 'unpaused':
        this.paused = event.type === 'paused';
        return event;
      case 'submitted':
        this.await(event.sha256, event);
        return event;
      case 'judged':
        if (!this.pending.has(event.sha256)) return event;
        return { ...event, ...enterSubmitted(this, event), stats: this.archive.stats() };
      case 'steered':
        this.wishes.add(event, event.slots);
        return event;
      case 'pinned':
        this.population.pin(event.sha256, event.pinned);
        return event;
      case 'discarded':
        this.discard(event.sha256);
        return { ...event, stats: this.archive.stats() };
      case 'rebased':
        this.applyRebased(event);
        return event;
      case 'confirmed':
        this.best = event.best;
        this.confirmed = event;
        return event;
      case 'refuted':
        withdrawRefuted(this, event);
        return { ...event, stats: this.archive.stats() };
      case 'minimised':
        enterMinimised(this, event);
        return event;
      case 'stopped':
        this.stopped = event;
        return event;
    }
  }

  private applyBaseline(event: EventOf<'baseline'>): void {
    this.basis = event.basis;
    this.baseline = event.metrics;
    this.readings.add(event.program ?? this.original.sha256, event);
    const { program = this.original.sha256, metrics, fitness, features, artifacts } = event;
    const known = this.known.get(program);
    if (event.program === undefined || known === undefined) {
      this.known.addOriginal(this.original, { outcome: { kind: 'correct', detail: '' }, metrics, fitness, artifacts });
    } else {
      this.known.set(program, { ...known, metrics, fitness, artifacts });
      this.mended = program;
      this.startOver();
    }
    this.population.begin(this.known.entry(program, this.known.get(program)?.generation ?? 0, NO_SLOT, features));
  }

  private applyFailing({ outcome, program }: EventOf<'failing'>): void {
    this.failing = outcome;
    if (program === undefined) {
      this.known.addOriginal(this.original, { outcome, metrics: {}, fitness: null });
      return;
    }
    const known = this.known.get(program);
    if (known !== undefined) this.known.set(program, { ...known, outcome, fitness: null });
    this.population.remove(program);
    this.known.failInto(this.memory, program);
  }

  /**
   * From here on programs are compared with something else: nothing stands of what they were compared with before. Slots
   * that have a program keep it, and it is judged again.
   */
  private startOver(): void {
    this.bases++;
    this.failing = undefined;
    this.readings.startOver();
    this.population = new Population(this.spec);
    this.open.judgeAgain(this.counts);
  }

  /** The events of the ending are not among those that were applied; see goingOn. */
  private applyExtended({ at, reason, stop }: EventOf<'extended'>): void {
    this.spec = { ...this.spec, stop };
    this.spending.beginAgain();
    this.clockFrom = at;
    // Tasks of the ending were taken back from the queue: the same work gets other ids.
    this.bases++;
    this.open.beginAgain();
    if (reason === 'no_improve') this.improvedAt = this.generations.done;
    if (reason === 'exhausted') this.generations.barren = 0;
  }

  private applySelected(event: EventOf<'selected'>): void {
    const { slot } = event;
    const context = this.memory.contextFor(slot, event.parent, this.population);
    this.open.set(slot.index, { selected: event, context, rejected: false });
    this.open.reopened.delete(slot.index);
    this.nextIndex = Math.max(this.nextIndex, slot.index + 1);
    if (event.wished === true && slot.attempt === 0) this.wishes.granted(event.parent);
    this.confirmed = this.confirming = undefined;
  }

  private applyMutated(event: EventOf<'mutated'>): void {
    const { index, generation } = event.slot;
    const open = this.open.get(index);
    if (open !== undefined) this.open.set(index, { ...open, mutated: event });
    this.shas[index] = event.sha256;
    this.counts.made++;
    this.memory.settle(index);
    this.memory.see(event.normal, event.sha256);
    this.spending.add(event.tokens);
    this.generations.fill(generation);
  }

  private applyRejected(event: EventOf<'rejected'>): void {
    const { index, generation } = event.slot;
    this.spending.add(event.tokens);
    const open = this.open.get(index);
    if (open !== undefined) {
      this.open.set(index, { selected: open.selected, context: open.context, rejected: true });
      this.division?.credit(open.selected, event, 0);
      this.memory.note(open.selected.parent, { sha256: event.twin, reason: event.reason, slot: event.slot });
    }
    if (!event.final) return;
    this.memory.settle(index);
    this.shas[index] = undefined;
    this.open.delete(index);
    this.generations.settle(generation);
  }

  private applyEvaluated(event: EventOf<'evaluated'>): void {
    const open = this.open.get(event.slot.index);
    this.readings.add(event.sha256, event);
    if (open?.mutated === undefined) return;
    this.open.set(event.slot.index, { ...open, evaluated: event });
    const { object, origin } = open.mutated;
    const { outcome, metrics, fitness, artifacts } = event;
    this.known.learn(event.sha256, { object, origin, generation: event.slot.generation, outcome, metrics, fitness, artifacts });
  }

  /** Returns what became of the islands. */
  private applyGeneration({ generation }: EventOf<'generation'>): ReturnType<Population['endGeneration']> {
    this.generations.close(generation);
    const isStuck = reachesLevel(generation, this.improvedAt, this.spec.plateau);
    const islands = this.population.endGeneration(generation, isStuck);
    this.division?.endGeneration();
    this.memory.endGeneration(this.population);
    return islands;
  }

  /** Nothing of what was compared with the old original stands; what is known of its programs stays, for their lineage. */
  private applyRebased(event: EventOf<'rebased'>): void {
    const { carried, original, object } = event;
    const pins = new Set(this.population.pins());
    this.startOver();
    this.rebased = true;
    this.original = { sha256: original, object };
    this.basis = undefined;
    this.mended = undefined;
    this.open.beginAgain();
    this.pending.clear();
    this.wishes.drop();
    this.memory.begin(event);
    this.confirmed = undefined;
    this.minimised = undefined;
    this.refuted.clear();
    this.best = null;
    this.improvedAt = this.generations.done;
    for (const { sha256, ...what } of carried) {
      this.await(sha256, { ...what, generation: this.generations.done });
      if (what.origin.parents.some((parent) => pins.has(parent))) this.population.pin(sha256, true);
    }
  }

  private await(sha256: Sha256, pending: Pending): void {
    this.pending.set(sha256, pending);
    this.memory.see(pending.normal, sha256);
    this.confirmed = undefined;
  }

  /** Takes a program out of the archive. A second call does nothing. */
  discard(sha256: Sha256): void {
    this.population.remove(sha256);
    this.wishes.drop(sha256);
    this.confirmed = undefined;
    if (this.minimised?.best.sha256 === sha256 || this.minimised?.from === sha256) this.minimised = undefined;
  }

  /** An elite, a former one, or a best that was made smaller. */
  findElite(sha256: Sha256): Elite | undefined {
    const smaller = this.minimised?.elite;
    return this.archive.find(sha256) ?? (smaller?.sha256 === sha256 ? smaller : undefined);
  }
}
