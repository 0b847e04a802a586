/**
 * Looks for a call on which a candidate differs from the original: fresh calls around those that are known, steered by the
 * steps that they reach in either program and by the constants of both, then shrunk to a small one.
 */
import * as z from 'zod';
import { type Call, type Counterexample, EffectKind, FunctionOptions } from '../../../shared/judging.ts';
import type { AttackOptions, AttackReport, Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { createRandom, type Random } from '../../random.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import { tuned } from '../tuned.ts';
import { Candidates } from './candidates.ts';
import { constantsOf } from './differing.ts';
import { Duel } from './duel.ts';
import { type Original, openOriginal } from './original.ts';
import { optionalsOf } from './seeds.ts';
import { isDeliberate, isMisused, isRejection, rejecting, withRepeats } from './select.ts';
import { type Patience, type Sighting, Survey } from './survey.ts';
import { type CallSlot, valueAt } from './values/call-slots.ts';
import { type Draft, readCall, sizeOf, writeCall } from './values/data.ts';
import { type Shape, shapeOf } from './values/shape.ts';
import { smallerCalls } from './values/shrink.ts';
import { typeFilter } from './values/type-fit.ts';

/**
 * Steps of the original that are looked at for one batch, and that its calls may take when they are compared: few for the first
 * one, so that a slow function has calls compared in a short time too, and twice as many for each that follows.
 */
const LEAST_SIFTED = 200_000;
const MOST_SIFTED = 1_500_000;
/** Calls that are looked at before it is known how many steps such calls take. */
const LEAST_PIECE = 16;
/** Steps that the original may take in a whole search: a slow function is compared on fewer calls. */
const MOST_STEPS = 12_000_000;
const LEAST_STEPS = 20_000;
const MOST_CPU_MS = 60;
const MOST_MS = 20;
const MOST_SHRINK_ROUNDS = 40;
const MOST_SHRUNK = 40;
/** For shrinking, next to the time of the attack itself. */
const MOST_SHRINK_MS = 2000;

/** The part of the basis that says how the known calls of the original ended, and which effects are not compared. */
const Known = z.object({
  results: z.array(z.object({ raised: z.string().optional() })),
  unstable_effects: z.array(EffectKind).default([]),
});

export async function attackWinner(
  candidate: Program,
  basis: Basis,
  how: AttackOptions,
  asked: EvaluatorContext,
): Promise<AttackReport> {
  const time = new AbortController();
  const timer = asked.deterministic ? undefined : setTimeout(() => time.abort(), how.most_ms);
  const context = { ...asked, signal: AbortSignal.any([asked.signal, time.signal]) };
  const report: AttackReport = { calls: 0 };
  try {
    await search(candidate, basis, how, context, report);
  } catch (caught) {
    // The results until then are kept.
    if (!time.signal.aborted || asked.signal.aborted) throw caught;
  } finally {
    clearTimeout(timer);
  }
  return report;
}

/** Keeps the report up to date: its time may be over at any moment. */
async function search(
  candidate: Program,
  basis: Basis,
  how: AttackOptions,
  context: EvaluatorContext,
  report: AttackReport,
): Promise<void> {
  const options = FunctionOptions.parse(basis.evaluator.options);
  const started = performance.now();
  const spent = (): number => (context.deterministic ? 0 : performance.now() - started);
  const isOver = (): boolean => spent() > how.most_ms || (report.calls >= how.least && spent() > how.within_ms);
  const isCostly = ({ steps, cpuMs }: Patience): boolean => steps > MOST_STEPS || (!context.deterministic && cpuMs > how.cpu_ms);
  const duel = new Duel(
    withSupport(basis.original, options),
    withSupport(candidate, options),
    options,
    Known.parse(basis.data).unstable_effects,
    knownCalls(options, basis).raised,
    context,
  );
  const [mine, theirs] = await Promise.all([
    openOriginal(basis.original, options.entry, options.support, context),
    openOriginal(candidate, options.entry, options.support, context),
  ]);
  const own = new Survey(context.sandboxes, mine.runtime, mine.surveyed, context.signal);
  const other = new Survey(context.sandboxes, theirs.runtime, theirs.surveyed, context.signal);
  try {
    own.start();
    other.start();
    const fresh = new Fresh(mine, theirs, knownCalls(options, basis), how.seed, own, other);
    while (report.calls < how.calls && !isOver() && !isCostly(fresh.used)) {
      const batch = (await fresh.next()).slice(0, how.calls - report.calls);
      if (batch.length === 0) break;
      const found = await duel.compare(batch);
      if (found === undefined) {
        report.calls += batch.length;
        continue;
      }
      const counterexample = await confirmed(duel, batch, found.at);
      if (counterexample === undefined) {
        // The original gives different results on this call, so that the others are compared without it.
        fresh.forget(batch[found.at]);
        report.calls += found.at + 1;
        continue;
      }
      report.calls += found.at + 1;
      report.counterexample = counterexample.found;
      if (!counterexample.alone) return;
      report.counterexample = await shrunk(
        duel,
        fresh,
        counterexample.found,
        mine,
        () => spent() > Math.min(how.within_ms + MOST_SHRINK_MS, how.most_ms) || isCostly(fresh.used),
      );
      return;
    }
  } finally {
    await Promise.all([own.close(), other.close(), duel.close()]);
  }
}

function withSupport(program: Program, { support }: FunctionOptions): Program {
  const own = new Set(program.files.map(({ path }) => path));
  return { ...program, files: [...program.files, ...support.filter(({ path }) => !own.has(path))] };
}

/** Those that return; all of them when none does. */
function knownCalls(options: FunctionOptions, basis: Basis) {
  const { data } = Known.safeParse(basis.data);
  const all = [...options.calls, ...options.derived, ...options.heldout];
  const returning = all.filter((_, at) => data?.results[at]?.raised === undefined);
  const raised = new Set(options.calls.flatMap((_, at) => data?.results[at]?.raised ?? []));
  const repeats = all.some((call, at) => at > 0 && JSON.stringify(call) === JSON.stringify(all[at - 1]));
  return { drafts: (returning.length > 0 ? returning : all).map(readCall), given: options.calls.map(readCall), raised, repeats };
}

interface Sifted {
  readonly call: Call;
  /** The two programs seem to do different things. */
  readonly differs: boolean;
  readonly isNew: boolean;
  readonly raises: boolean;
  readonly size: number;
  readonly steps: number;
}

const bySuspicion = (calls: readonly Sifted[]): Sifted[] =>
  calls.toSorted((a, b) => Number(b.differs) - Number(a.differs) || a.size - b.size);

/** One batch: calls on which the two seem to differ, those that reached something new, and then others as they were made. */
function mostTelling(calls: readonly Sifted[], steps: number): Call[] {
  const rank = ({ differs, isNew }: Sifted): number => (differs ? 0 : isNew ? 1 : 2);
  const chosen: Sifted[] = [];
  let left = steps;
  for (const one of calls.toSorted((a, b) => rank(a) - rank(b))) {
    if (chosen.length === tuned.calls) break;
    if (one.steps > left && chosen.length > 0) continue;
    chosen.push(one);
    left -= one.steps;
  }
  return bySuspicion(chosen).map(({ call }) => call);
}

/** Fresh calls that the original takes, in batches. */
class Fresh {
  private readonly candidates: Candidates;
  private readonly fits: (draft: Draft) => boolean;
  private readonly own: Survey;
  private readonly other: Survey;
  private readonly parents: Draft[];
  /** Those of them on which the original returns: a value that does not belong there must be the only fault of a call. */
  private readonly returning: Draft[];
  private readonly raised: ReadonlySet<string>;
  private readonly given: readonly Draft[];
  private readonly reached = { own: new Set<number>(), other: new Set<number>() };
  private patience: Patience = { steps: LEAST_STEPS, cpuMs: MOST_CPU_MS };
  private begun = false;
  private meanSteps = LEAST_SIFTED / LEAST_PIECE;
  /** The limit of one batch. */
  private steps = LEAST_SIFTED;
  /** Measured in the original so far. */
  readonly used = { steps: 0, cpuMs: 0 };
  private readonly text: string;
  private readonly lines: readonly string[];
  /** The source rejects something on purpose. */
  private readonly rejects: boolean;
  private readonly unsteady = new Set<string>();
  /** A call does something else the second time. */
  private readonly repeats: boolean;
  private readonly random: Random;

  constructor(mine: Original, theirs: Original, known: ReturnType<typeof knownCalls>, seed: number, own: Survey, other: Survey) {
    const random = createRandom('attack', seed);
    this.random = random;
    this.repeats = known.repeats;
    const optional = mine.source === undefined ? [] : optionalsOf(mine.source, known.drafts);
    const fresh = mine.source?.init?.every((parameter) => parameter.optional) === true;
    this.fits = typeFilter(mine.source, known.drafts);
    this.candidates = new Candidates(
      known.drafts,
      random,
      mine.runtime,
      constantsOf(mine.source, theirs.source),
      optional,
      fresh,
      this.fits,
    );
    this.text = mine.source?.text ?? '';
    this.lines = this.text.split('\n');
    this.rejects = this.lines.some((line) => rejecting.test(line));
    this.own = own;
    this.other = other;
    this.parents = known.drafts;
    this.returning = [...known.drafts];
    this.raised = known.raised;
    this.given = known.given;
  }

  async next(): Promise<Call[]> {
    if (!this.begun) await this.begin();
    else this.steps = Math.min(MOST_SIFTED, 2 * this.steps);
    this.patience = { ...this.patience, steps: Math.max(this.patience.steps, Math.ceil(this.steps / 10)) };
    for (let tries = 0; tries < 3; tries++) {
      const count = Math.max(tuned.calls, this.affordable(this.steps));
      const strange = this.rejects ? this.candidates.intruders(this.returning, Math.ceil(count * tuned.intruders)) : [];
      const outside = await this.sift(strange, 'deliberate');
      const inside = await this.sift(this.candidates.around(this.parents, count - strange.length), 'any');
      const kept = mostTelling([...inside, ...outside.filter(({ raises }) => raises)], this.steps);
      if (kept.length > 0) return this.repeats ? withRepeats(kept, this.random).slice(0, tuned.calls) : kept;
    }
    return [];
  }

  /** Looks at the known calls in both programs: those that take another way in one of them are started from more often. */
  private async begin(): Promise<void> {
    this.begun = true;
    const drafts = this.parents.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    let [left, longest] = [this.steps, 0];
    for (let from = 0; from < drafts.length && left > 0; from += LEAST_PIECE) {
      const piece = drafts.slice(from, from + LEAST_PIECE);
      const [mine, theirs] = await this.both(piece.map(writeCall), { steps: 500_000, cpuMs: 2000 });
      for (const [at, draft] of piece.entries()) this.follow(draft, mine[at], theirs[at]);
      for (const { steps } of mine) [left, longest] = [left - steps, Math.max(longest, steps)];
    }
    this.patience = { steps: Math.max(LEAST_STEPS, Math.ceil(longest * (1 + tuned.minorShare))), cpuMs: MOST_CPU_MS };
  }

  private async both(calls: readonly Call[], patience: Patience): Promise<[Sighting[], Sighting[]]> {
    // A candidate may end its process. That costs time here, and is judged elsewhere.
    const slower = { steps: patience.steps * tuned.patience, cpuMs: patience.cpuMs * tuned.patience };
    return await Promise.all([this.own.run(calls, patience, true), this.other.run(calls, slower, true).catch(() => [])]);
  }

  /** Whether it took a step in either program that no call took before. */
  private follow(draft: Draft, mine: Sighting | undefined, theirs: Sighting | undefined): boolean {
    const isNew = (seen: Sighting | undefined, reached: Set<number>): boolean => {
      const more = seen?.features.filter((feature) => !reached.has(feature)) ?? [];
      for (const feature of more) reached.add(feature);
      return more.length > 0;
    };
    const one = isNew(mine, this.reached.own);
    const two = isNew(theirs, this.reached.other);
    if (one || two) this.parents.push(draft);
    if ((one || two) && mine?.raised === undefined) this.returning.push(draft);
    if (one || two) this.candidates.feedBack(draft, mine?.gave ?? []);
    if (one !== two) this.parents.push(draft);
    return one || two;
  }

  /** Smaller calls to compare, of those that stay within what the original takes: it returns, or rejects them on purpose. */
  async smaller(drafts: readonly Draft[]): Promise<Call[]> {
    const sifted = await this.sift(drafts.filter(this.fits), 'deliberate');
    return bySuspicion(sifted).map(({ call }) => call);
  }

  /** Estimates from the calls before how many calls take that number of steps. */
  private affordable(steps: number): number {
    return Math.min(tuned.sifted, Math.floor(steps / this.meanSteps));
  }

  /** Those that may be compared, of as many as the original does in its steps for one batch. `raising`: which rejections count. */
  private async sift(drafts: readonly Draft[], raising: 'any' | 'deliberate'): Promise<Sifted[]> {
    const found: Sifted[] = [];
    const most = this.used.steps + this.steps;
    for (let from = 0; from < drafts.length && this.used.steps < most; ) {
      const piece = drafts.slice(from, from + Math.max(LEAST_PIECE, this.affordable(most - this.used.steps)));
      found.push(...(await this.siftPiece(piece, raising)));
      from += piece.length;
    }
    return found;
  }

  private async siftPiece(drafts: readonly Draft[], raising: 'any' | 'deliberate'): Promise<Sifted[]> {
    const calls = drafts.map(writeCall);
    const [mine, theirs] = await this.both(calls, this.patience);
    const line = (number: number): string => this.lines[number - 1] ?? '';
    const steps = mine.reduce((sum, seen) => sum + (seen.cut === 1 ? this.patience.steps : seen.steps), 0);
    this.meanSteps = Math.max(1, steps / calls.length);
    this.used.steps += steps;
    this.used.cpuMs += mine.reduce((sum, { cut, ms }) => sum + (cut === 1 ? this.patience.cpuMs : ms), 0);
    return calls.flatMap((call, at) => {
      const seen = mine[at];
      const draft = drafts[at];
      if (seen?.hash === undefined || draft === undefined || seen.ms > MOST_MS * 10) return [];
      const isKept = raising === 'any' ? isRejection(seen, line, this.raised) : isDeliberate(seen, line, this.raised);
      if (seen.raised !== undefined && !isKept) return [];
      if (isMisused(seen, this.text)) return [];
      if (this.unsteady.has(JSON.stringify(call))) return [];
      // Calls that take long are not the ones that others are made from most often.
      const isCheap = seen.steps * 4 <= this.patience.steps && seen.ms * 4 <= this.patience.cpuMs;
      const isNew = isCheap && this.follow(draft, seen, theirs[at]);
      const differs = theirs[at]?.hash !== seen.hash;
      return [{ call, differs, isNew, raises: seen.raised !== undefined, size: sizeOf(draft), steps: seen.steps }];
    });
  }

  /** By the given calls alone: derived ones may lack a field that all given ones have. */
  shapeAt(slot: CallSlot): Shape {
    return shapeOf(this.given.map((draft) => valueAt(draft, slot)).filter((value) => value !== undefined));
  }

  forget(call: Call | undefined): void {
    this.unsteady.add(JSON.stringify(call));
  }
}

/** Repeated in fresh processes, alone if it differs there too; undefined when the original is not steady. */
async function confirmed(
  duel: Duel,
  batch: readonly Call[],
  at: number,
): Promise<{ found: Counterexample; alone: boolean } | undefined> {
  const call = batch[at];
  if (call === undefined) return undefined;
  const alone = await duel.compare([call]);
  const calls = alone === undefined ? batch.slice(0, at + 1) : [call];
  const again = alone ?? (await duel.compare(calls));
  if (again === undefined || calls[again.at] !== call || !(await duel.isSteady(calls))) return undefined;
  const after = alone === undefined ? ` (after ${at} other calls)` : '';
  return {
    found: { call, expected: again.expected, actual: `${again.actual}${after}`.slice(0, 2000) },
    alone: alone !== undefined,
  };
}

/** Looks for a smaller call that differs as well, as long as the time allows. */
async function shrunk(
  duel: Duel,
  fresh: Fresh,
  start: Counterexample,
  { runtime }: Original,
  late: () => boolean,
): Promise<Counterexample> {
  let best = start;
  for (let round = 0; round < MOST_SHRINK_ROUNDS && !late(); round++) {
    const drafts = smallerCalls(readCall(best.call), runtime, (slot) => fresh.shapeAt(slot)).slice(0, MOST_SHRUNK);
    const calls = await fresh.smaller(drafts);
    const found = await duel.compare(calls);
    const call = found === undefined ? undefined : calls[found.at];
    if (found === undefined || call === undefined) break;
    best = { call, expected: found.expected, actual: found.actual };
  }
  if (best === start) return start;
  // A call that differs only after others is not better than the one that differs alone.
  const alone = await duel.compare([best.call]);
  return alone === undefined ? start : { call: best.call, expected: alone.expected, actual: alone.actual };
}
