/**
 * Fresh calls that the original takes, around those that are known: steered by the steps that they reach in either program and by the
 * constants of both.
 */
import * as z from 'zod';
import { type Call, EffectKind, type FunctionOptions } from '../../../../shared/judging.ts';
import type { Basis } from '../../../../shared/payloads.ts';
import { createRandom, type Random } from '../../../random.ts';
import { tuned } from '../../tuned.ts';
import { Candidates } from '../candidates.ts';
import type { Original } from '../original.ts';
import { optionalsOf } from '../seeds.ts';
import { isDeliberate, isMisused, isRejection, rejecting, withRepeats } from '../select.ts';
import type { Patience, Sighting, Survey } from '../survey.ts';
import { type CallSlot, slotsOf, valueAt, withValue } from '../values/call-slots.ts';
import { type Draft, readCall, sizeOf, writeCall } from '../values/data.ts';
import { type Shape, shapeOf } from '../values/shape.ts';
import { mayIntrude, typeFilter } from '../values/type-fit.ts';
import { constantsOf } from './differing.ts';

/**
 * Steps of the original that are looked at for one batch, and that its calls may take when they are compared: few for the first
 * one, so that a slow function has calls compared in a short time too, and twice as many for each that follows.
 */
const LEAST_SIFTED = 200_000;
const MOST_SIFTED = 1_500_000;
/** Calls that are looked at before it is known how many steps such calls take. */
const LEAST_PIECE = 16;
const LEAST_STEPS = 20_000;
const MOST_CPU_MS = 60;
const MOST_MS = 20;

/** The part of the basis that says how the known calls of the original ended, and which effects are not compared. */
export const Known = z.object({
  results: z.array(z.object({ raised: z.string().optional() })),
  unstable_effects: z.array(EffectKind).default([]),
});

/** Those that return; all of them when none does. */
export function knownCalls(options: FunctionOptions, basis: Basis) {
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
export class Fresh {
  private readonly candidates: Candidates;
  private readonly fits: (draft: Draft) => boolean;
  private readonly mayIntrude: (draft: Draft) => boolean;
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
    this.mayIntrude = mayIntrude(mine.source, this.fits);
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
      const strange = this.rejects
        ? this.candidates.intruders(this.returning, Math.ceil(count * tuned.intruders)).filter(this.mayIntrude)
        : [];
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

  /**
   * Whether it holds a value that the original does not take, though it does not look at it in this call: it fails by accident
   * with that argument in most known calls, or with that item alone.
   */
  async isMisplaced(draft: Draft): Promise<boolean> {
    const others = this.returning.slice(0, LEAST_PIECE);
    for (const slot of slotsOf(draft)) {
      const value = valueAt(draft, slot) ?? null;
      const elsewhere = others.flatMap((other) => (valueAt(other, slot) === undefined ? [] : [withValue(other, slot, value)]));
      const failed = (await this.accidents(elsewhere)).filter(Boolean).length;
      if (failed > 1 && failed * 2 > elsewhere.length) return true;
      const items = Array.isArray(value) && value.length > 1 ? value.slice(0, LEAST_PIECE) : [];
      const alone = items.map((item) => withValue(draft, slot, [item]));
      if ((await this.accidents(alone)).some(Boolean)) return true;
    }
    return false;
  }

  private async accidents(drafts: readonly Draft[]): Promise<boolean[]> {
    const seen = await this.own.run(drafts.map(writeCall), this.patience, true);
    return seen.map(
      (one) => one.raised !== undefined && !isRejection(one, (number) => this.lines[number - 1] ?? '', this.raised),
    );
  }

  /** By the given calls alone: derived ones may lack a field that all given ones have. */
  shapeAt(slot: CallSlot): Shape {
    return shapeOf(this.given.map((draft) => valueAt(draft, slot)).filter((value) => value !== undefined));
  }

  forget(call: Call | undefined): void {
    this.unsteady.add(JSON.stringify(call));
  }
}
