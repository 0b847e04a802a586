/** The runs of a workspace as they are on disk: their journals read back into states, their objects into programs. */
import { basename, dirname, join } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { RunId, type Sha256 } from '../../../shared/ids.ts';
import { Artifacts } from '../../../shared/judging.ts';
import { Basis } from '../../../shared/payloads.ts';
import { Program } from '../../../shared/program.ts';
import type { EliteDetail, RunEvent } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { Journal, type JournalMark, journalSize, START } from '../../evolution/journal.ts';
import { ObjectStore } from '../../evolution/objects.ts';
import type { ParentSelector } from '../../evolution/selectors/selector.ts';
import type { Log } from '../../telemetry/log.ts';
import { RunState } from '../run/state/run-state.ts';
import { changesOf } from '../target/changes.ts';
import {
  CHECKPOINT,
  type Checkpoint,
  Checkpoints,
  packState,
  readCheckpoint,
  restoreState,
  writeCheckpoint,
} from './checkpoint.ts';
import { RunFiles } from './run-files.ts';

type MakeSelector = (spec: Pick<RunSpec, 'selector' | 'selector_options'>) => Promise<ParentSelector>;

/** A state, and up to where in the journal its events are. */
export interface Folded {
  readonly state: RunState;
  readonly started: RunEvent | undefined;
  readonly mark: JournalMark;
  /** What was damaged and could be done without: for the log, and for the user who resumes the run. */
  readonly warnings: readonly string[];
}

export class RunRecords {
  readonly files: RunFiles;
  readonly objects: ObjectStore;
  private readonly log: Log;
  private readonly makeSelector: MakeSelector;
  private readonly build: string;
  /** States of runs that are over; they don't change any more. */
  private readonly past = new Map<RunId, RunState>();
  private readonly checkpoints = new Map<RunId, Checkpoints>();
  /** The run that was read last and is not over: nothing is read twice while its journal is as long as then. */
  private last: Folded | undefined;

  /** `build`: of the code; a checkpoint of another one is not used. */
  constructor(workspace: string, log: Log, makeSelector: MakeSelector, build = '') {
    this.build = build;
    this.files = new RunFiles(workspace);
    this.objects = new ObjectStore(this.files.objects);
    this.log = log;
    this.makeSelector = makeSelector;
  }

  /** A run's state as of its journal. Throws `not_found`. */
  async load(run: RunId): Promise<RunState> {
    const cached = this.past.get(run);
    if (cached !== undefined) return cached;
    const { state } = await this.latest(run);
    this.keep(state);
    return state;
  }

  /** The state with its place in the journal, for the process that goes on with the run: no other holds it from then on. */
  async take(run: RunId): Promise<Folded> {
    const folded = await this.latest(run);
    this.last = undefined;
    return folded;
  }

  private async latest(run: RunId): Promise<Folded> {
    const { last } = this;
    if (last?.state.run === run && (await journalSize(this.files.folder(run))) === last.mark.bytes) return last;
    this.last = await this.folded(run);
    return this.last;
  }

  /** The same, in an object that nobody else holds: the caller may change it. */
  async fresh(run: RunId): Promise<RunState> {
    return (await this.folded(run)).state;
  }

  /**
   * The state that the journal adds up to, and its end: what follows the checkpoint, or all of it where that cannot be used.
   * `live`: somebody writes to it, so that the last line may be incomplete.
   */
  async folded(run: RunId, { live = false } = {}): Promise<Folded> {
    await this.requireRun(run);
    const path = join(this.files.folder(run), CHECKPOINT);
    const warnings: string[] = [];
    const warn = (line: string | undefined) => {
      if (line === undefined) return;
      this.log.warn({ run }, line);
      warnings.push(line);
    };
    try {
      const checkpoint = await readCheckpoint(path);
      const folded = checkpoint?.build === this.build ? await this.goOn(run, checkpoint) : undefined;
      if (folded !== undefined) {
        if (!live) warn(folded.cutOff);
        return { ...folded, warnings };
      }
    } catch (caught) {
      warn(`${PeagenError.from(caught).line} The run is read from its journal.`);
    }
    const read = await Journal.readAfter(this.files.folder(run), START);
    const [started, ...events] = read?.events ?? [];
    if (!live) warn(read?.warning);
    const state = await this.begin(run, started);
    for (const event of goingOn(events)) state.apply(event);
    return { state, started, mark: read?.mark ?? START, warnings };
  }

  /** The run that a checkpoint is of. Throws `not_found`, and `storage_failed` for a damaged one that is not in the folder of its run. */
  async ofCheckpoint(file: string): Promise<RunId> {
    const found = await readCheckpoint(file).catch((caught: unknown) => {
      // The journal next to it holds the run too: reading it warns of the damage.
      const run = RunId.safeParse(basename(dirname(file))).data;
      if (run === undefined || this.files.folder(run) !== dirname(file)) throw caught;
      return { run };
    });
    if (found === undefined) throw new PeagenError('not_found', `There is no checkpoint ${file}.`, { hint: 'Check the path.' });
    return found.run;
  }

  /** Undefined where what follows the checkpoint changes it. Throws `storage_failed` when it belongs to another journal. */
  private async goOn(
    run: RunId,
    { started, state: packed, mark }: Checkpoint,
  ): Promise<(Omit<Folded, 'warnings'> & { readonly cutOff: string | undefined }) | undefined> {
    const folder = this.files.folder(run);
    const after = await Journal.readAfter(folder, mark);
    if (after === undefined) {
      throw new PeagenError('storage_failed', `The checkpoint ${join(folder, CHECKPOINT)} is not of the journal next to it.`);
    }
    // An extended run goes on from before its ending.
    if (after.events.some(({ type }) => type === 'extended')) return undefined;
    const state = await this.begin(run, started);
    restoreState(state, packed);
    for (const event of after.events) state.apply(event);
    return { state, started, mark: after.mark, cutOff: after.warning };
  }

  /** A generation has ended. `bytes`: of the journal. */
  grown(run: RunId, bytes: number): void {
    const checkpoints = this.checkpoints.get(run) ?? new Checkpoints(() => this.checkpoint(run), this.log.child({ run }));
    this.checkpoints.set(run, checkpoints);
    checkpoints.due(bytes);
  }

  /** The run has ended, or is left to be resumed. */
  async left(run: RunId, bytes: number): Promise<void> {
    await this.checkpoints.get(run)?.close(bytes);
    this.checkpoints.delete(run);
  }

  /** Writes what the journal adds up to, for the next time that the run is read. */
  async checkpoint(run: RunId): Promise<void> {
    const { state, started, mark } = await this.folded(run, { live: true });
    if (started?.type !== 'started') return;
    await writeCheckpoint(this.files.folder(run), { build: this.build, run, mark, started, state: packState(state) });
  }

  /** A run's events as clients received them, and the state that follows from them. */
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
    await this.requireRun(run);
    const { events, warning } = await Journal.read(this.files.folder(run));
    if (warning !== undefined) this.log.warn({ run }, warning);
    return events;
  }

  private async requireRun(run: RunId): Promise<void> {
    await this.files.requireOwnFolder(run);
    if (!(await this.files.list()).includes(run)) {
      throw new PeagenError('not_found', `There is no run ${run} in ${this.files.workspace}.`, {
        hint: 'Check the id and the folder.',
      });
    }
  }

  /** The state at a run's first event, with a selector that has learnt nothing yet. */
  async begin(run: RunId, started: RunEvent | undefined): Promise<RunState> {
    if (started?.type !== 'started') {
      throw new PeagenError('storage_failed', `The journal of run ${run} does not begin with its start.`);
    }
    if (started.run !== run) {
      throw new PeagenError('storage_failed', `The journal of run ${run} belongs to run ${started.run}.`, {
        hint: 'Give the folder the name of that run.',
      });
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
      throw new PeagenError('not_found', `Run ${state.run} keeps no candidate ${sha256.slice(0, 12)}.`, {
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
function goingOn(events: readonly RunEvent[]): RunEvent[] {
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
