/** The runs of a workspace as they are on disk: their journals read back into states, their objects into programs. */
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId, Sha256 } from '../../../shared/ids.ts';
import { Artifacts } from '../../../shared/judging.ts';
import { Basis } from '../../../shared/payloads.ts';
import { Program } from '../../../shared/program.ts';
import type { EliteDetail, RunEvent } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { Journal } from '../../evolution/journal.ts';
import { ObjectStore } from '../../evolution/objects.ts';
import type { ParentSelector } from '../../evolution/selectors/selector.ts';
import type { Log } from '../../telemetry/log.ts';
import { RunState } from '../run/run-state.ts';
import { changesOf } from '../target/changes.ts';
import { RunFiles } from './run-files.ts';

export type MakeSelector = (spec: Pick<RunSpec, 'selector' | 'selector_options'>) => Promise<ParentSelector>;

export class RunRecords {
  readonly files: RunFiles;
  readonly objects: ObjectStore;
  private readonly log: Log;
  private readonly makeSelector: MakeSelector;
  /** States of runs that are over; they don't change any more. */
  private readonly past = new Map<RunId, RunState>();

  constructor(workspace: string, log: Log, makeSelector: MakeSelector) {
    this.files = new RunFiles(workspace);
    this.objects = new ObjectStore(this.files.objects);
    this.log = log;
    this.makeSelector = makeSelector;
  }

  /** A run's state as of its journal. Throws `not_found`. */
  async load(run: RunId): Promise<RunState> {
    const cached = this.past.get(run);
    if (cached !== undefined) return cached;
    const state = await this.fresh(run);
    this.keep(state);
    return state;
  }

  /** The same, in an object that nobody else holds: the caller may change it. */
  async fresh(run: RunId): Promise<RunState> {
    return (await this.history(run)).state;
  }

  /** A run's events as clients were told them, and the state that they come to. */
  async history(run: RunId): Promise<{ state: RunState; events: RunEvent[] }> {
    const [started, ...events] = await this.events(run);
    const state = await this.begin(run, started);
    const applied = new Set(goingOn(events));
    const told = events.map((event) => (applied.has(event) ? state.apply(event) : event));
    return { state, events: started === undefined ? told : [started, ...told] };
  }

  /** Remembers a run that is over. */
  keep(state: RunState): void {
    if (state.stopped !== undefined) this.past.set(state.run, state);
  }

  /** A run that is over is going on. */
  forget(run: RunId): void {
    this.past.delete(run);
  }

  /** Removes the run from the disk. Throws `not_found`, and `conflict` when a living process has it. */
  async delete(run: RunId): Promise<void> {
    await this.files.delete(run);
    this.past.delete(run);
  }

  async events(run: RunId): Promise<RunEvent[]> {
    if (!(await this.files.list()).includes(run)) {
      throw new PeagenError('not_found', `There is no run ${run} in ${this.files.workspace}.`, {
        hint: 'Check the id and the folder.',
      });
    }
    const { events, warning } = await Journal.read(this.files.folder(run));
    if (warning !== undefined) this.log.warn({ run }, warning);
    return events;
  }

  /** The state at a run's first event, with a selector that has learnt nothing yet. */
  async begin(run: RunId, started: RunEvent | undefined): Promise<RunState> {
    if (started?.type !== 'started') {
      throw new PeagenError('storage_failed', `The journal of run ${run} does not begin with its start.`);
    }
    const { islands } = started.spec;
    // Each island learns for itself.
    const selectors = Array.from({ length: islands?.count ?? 1 }, () => this.makeSelector(started.spec));
    return new RunState(started, await Promise.all(selectors));
  }

  async readText(sha256: Sha256): Promise<string> {
    const text = await this.objects.get(sha256);
    if (text === undefined)
      throw new PeagenError('storage_failed', `The object ${sha256} is missing from ${this.files.objects}.`);
    return text;
  }

  /** By the hash of the object, not of the program. */
  async readProgram(object: Sha256): Promise<Program> {
    return Program.parse(JSON.parse(await this.readText(object)));
  }

  async readBasis(object: Sha256): Promise<Basis> {
    return Basis.parse(JSON.parse(await this.readText(object)));
  }

  /** An elite with what a review needs. Throws `not_found`. */
  async eliteDetail(state: RunState, sha256: Sha256): Promise<EliteDetail> {
    const elite = state.findElite(sha256);
    const known = state.known.get(sha256);
    if (elite === undefined || known === undefined) {
      throw new PeagenError('not_found', `Run ${state.run} has no elite ${sha256.slice(0, 12)}.`, {
        hint: 'It may have been replaced.',
      });
    }
    const original = await this.readProgram(state.original.object);
    const program = await this.readProgram(known.object);
    const { origin, outcome } = known;
    const wrote = known.artifacts === undefined ? undefined : await this.readText(known.artifacts);
    return {
      run: state.run,
      elite,
      changes: changesOf(original, program),
      origin,
      outcome,
      judged_by: state.spec.evaluator,
      ...confidenceOf(state, sha256),
      ...(wrote === undefined ? {} : { artifacts: Artifacts.parse(JSON.parse(wrote)) }),
    };
  }
}

const ending: ReadonlySet<RunEvent['type']> = new Set(['confirmed', 'refuted', 'minimised', 'stopped']);

/** A run's events without the endings after which it was extended: the search goes on as if it had never stopped. */
export function goingOn(events: readonly RunEvent[]): RunEvent[] {
  const kept: RunEvent[] = [];
  for (const event of events) {
    if (event.type === 'extended') while (ending.has(kept.at(-1)?.type ?? 'extended')) kept.pop();
    kept.push(event);
  }
  return kept;
}

/** What a match rests on: of the announced best, with the calls of the counter-example search. */
function confidenceOf({ best, spec }: RunState, sha256: Sha256): Pick<EliteDetail, 'confidence'> {
  const confidence = (best?.sha256 === sha256 ? best.confidence : undefined) ?? spec.confidence;
  return confidence === undefined ? {} : { confidence };
}
