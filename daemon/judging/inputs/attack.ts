/**
 * Looks for a call on which a candidate differs from the original: fresh calls around those that are known, steered by the
 * steps that they reach in either program and by the constants of both, then shrunk to a small one.
 */
import * as z from 'zod';
import { type Call, type Counterexample, EffectKind, FunctionOptions } from '../../../shared/judging.ts';
import type { AttackOptions, AttackReport, Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { createRandom } from '../../evolution/random.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import { Candidates } from './candidates.ts';
import { type Draft, readCall, sizeOf, writeCall } from './data.ts';
import { Duel } from './duel.ts';
import type { Constants } from './grow.ts';
import { type Original, openOriginal } from './original.ts';
import { optionalsOf } from './seeds.ts';
import { isRejection } from './select.ts';
import { smallerCalls } from './shrink.ts';
import { type Patience, type Sighting, Survey } from './survey.ts';

const BATCH = 90;
const LEAST_STEPS = 20_000;
const CPU_MS = 200;
const SLOWEST_MS = 20;
const SHRINK_ROUNDS = 40;
const SHRINK_BATCH = 40;
/** For shrinking, next to the time of the attack itself. */
const SHRINK_MS = 2000;

/** The part of the basis that says how the known calls of the original ended, and which effects are not compared. */
const Known = z.object({
  results: z.array(z.object({ raised: z.string().optional() })),
  unstable_effects: z.array(EffectKind).default([]),
});

export async function attackWinner(
  candidate: Program,
  basis: Basis,
  how: AttackOptions,
  context: EvaluatorContext,
): Promise<AttackReport> {
  const options = FunctionOptions.parse(basis.evaluator.options);
  const started = performance.now();
  const late = (more = 0): boolean => !context.deterministic && performance.now() - started > how.within_ms + more;
  const duel = new Duel(
    withSupport(basis.original, options),
    withSupport(candidate, options),
    options,
    Known.parse(basis.data).unstable_effects,
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
    let compared = 0;
    while (compared < how.calls && !late()) {
      const batch = (await fresh.next()).slice(0, how.calls - compared);
      if (batch.length === 0) break;
      const found = await duel.compare(batch);
      if (found === undefined) {
        compared += batch.length;
        continue;
      }
      const counterexample = await confirmed(duel, batch, found.at);
      if (counterexample === undefined) {
        // The original itself is not steady on it: the others are compared without it.
        fresh.forget(batch[found.at]);
        compared += found.at + 1;
        continue;
      }
      compared += found.at + 1;
      if (!counterexample.alone) return { calls: compared, counterexample: counterexample.found };
      const smallest = await shrunk(duel, fresh, counterexample.found, mine, () => late(SHRINK_MS));
      return { calls: compared, counterexample: smallest };
    }
    return { calls: compared };
  } finally {
    await Promise.all([own.close(), other.close(), duel.close()]);
  }
}

function withSupport(program: Program, { support }: FunctionOptions): Program {
  const own = new Set(program.files.map(({ path }) => path));
  return { ...program, files: [...program.files, ...support.filter(({ path }) => !own.has(path))] };
}

/** Those that return, small ones first; all of them when none does. */
function knownCalls(options: FunctionOptions, basis: Basis): { drafts: Draft[]; raised: Set<string> } {
  const { data } = Known.safeParse(basis.data);
  const all = [...options.calls, ...options.derived, ...options.heldout];
  const returning = all.filter((_, at) => data?.results[at]?.raised === undefined);
  const raised = new Set(options.calls.flatMap((_, at) => data?.results[at]?.raised ?? []));
  return { drafts: (returning.length > 0 ? returning : all).map(readCall), raised };
}

/** Constants of both programs; those that only one of them has come first. */
function constantsOf(mine: Original, theirs: Original): Constants {
  const [a, b] = [mine.source?.constants, theirs.source?.constants];
  const both = <T>(one: readonly T[] = [], two: readonly T[] = []): T[] => {
    const differing = [...two.filter((each) => !one.includes(each)), ...one.filter((each) => !two.includes(each))];
    return [...new Set([...differing, ...one, ...two])];
  };
  return {
    ints: both(a?.ints, b?.ints),
    floats: both(a?.floats, b?.floats),
    strs: both(a?.strs, b?.strs),
    nulls: a?.nulls === true || b?.nulls === true,
    nests: a?.nests ?? [],
  };
}

/** Fresh calls that the original takes, in batches. */
class Fresh {
  private readonly candidates: Candidates;
  private readonly mine: Original;
  private readonly own: Survey;
  private readonly other: Survey;
  private readonly parents: Draft[];
  private readonly raised: ReadonlySet<string>;
  private readonly reached = { own: new Set<number>(), other: new Set<number>() };
  private patience: Patience = { steps: LEAST_STEPS, cpuMs: CPU_MS };
  private begun = false;
  private readonly unsteady = new Set<string>();

  constructor(
    mine: Original,
    theirs: Original,
    known: { readonly drafts: Draft[]; readonly raised: ReadonlySet<string> },
    seed: number,
    own: Survey,
    other: Survey,
  ) {
    const random = createRandom('attack', seed);
    const optional = mine.source === undefined ? [] : optionalsOf(mine.source, known.drafts);
    const fresh = mine.source?.init?.every((parameter) => parameter.optional) === true;
    this.candidates = new Candidates(known.drafts, random, mine.runtime, constantsOf(mine, theirs), optional, fresh);
    this.mine = mine;
    this.own = own;
    this.other = other;
    this.parents = known.drafts;
    this.raised = known.raised;
  }

  async next(): Promise<Call[]> {
    if (!this.begun) await this.begin();
    for (let tries = 0; tries < 3; tries++) {
      const kept = await this.sifted(this.candidates.around(this.parents, BATCH));
      if (kept.length > 0) return kept;
    }
    return [];
  }

  /** Looks at the known calls in both programs: those that take another way in one of them are started from more often. */
  private async begin(): Promise<void> {
    this.begun = true;
    const calls = this.parents.map(writeCall);
    const [mine, theirs] = await this.both(calls, { steps: 500_000, cpuMs: 2000 });
    const steps = Math.max(0, ...mine.map((seen) => seen.steps));
    this.patience = { steps: Math.max(LEAST_STEPS, Math.ceil(steps * 1.25)), cpuMs: CPU_MS };
    for (const [at, draft] of [...this.parents].entries()) this.follow(draft, mine[at], theirs[at]);
  }

  private async both(calls: readonly Call[], patience: Patience): Promise<[Sighting[], Sighting[]]> {
    // What a candidate does may end its process: that costs time here and is judged elsewhere.
    const slower = { steps: patience.steps * 3, cpuMs: patience.cpuMs * 3 };
    return await Promise.all([this.own.run(calls, patience, true), this.other.run(calls, slower, true).catch(() => [])]);
  }

  private follow(draft: Draft, mine: Sighting | undefined, theirs: Sighting | undefined): void {
    const isNew = (seen: Sighting | undefined, reached: Set<number>): boolean => {
      const more = seen?.features.filter((feature) => !reached.has(feature)) ?? [];
      for (const feature of more) reached.add(feature);
      return more.length > 0;
    };
    const one = isNew(mine, this.reached.own);
    const two = isNew(theirs, this.reached.other);
    if (one || two) this.parents.push(draft);
    if (one !== two) this.parents.push(draft);
  }

  /** Those that may be compared: the ones on which the two differ already come first. */
  async sifted(drafts: readonly Draft[]): Promise<Call[]> {
    const calls = drafts.map(writeCall);
    const [mine, theirs] = await this.both(calls, this.patience);
    const lines = this.mine.source?.text.split('\n') ?? [];
    const kept = calls.flatMap((call, at) => {
      const seen = mine[at];
      const draft = drafts[at];
      if (seen?.hash === undefined || draft === undefined || seen.ms > SLOWEST_MS * 10) return [];
      if (seen.raised !== undefined && !isRejection(seen, (number) => lines[number - 1] ?? '', this.raised)) return [];
      if (this.unsteady.has(JSON.stringify(call))) return [];
      this.follow(draft, seen, theirs[at]);
      return [{ call, differs: theirs[at]?.hash !== seen.hash, size: sizeOf(draft) }];
    });
    return kept.toSorted((a, b) => Number(b.differs) - Number(a.differs) || a.size - b.size).map(({ call }) => call);
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

/** A smaller call that differs as well, as far as the time allows. */
async function shrunk(
  duel: Duel,
  fresh: Fresh,
  start: Counterexample,
  { runtime }: Original,
  late: () => boolean,
): Promise<Counterexample> {
  let best = start;
  for (let round = 0; round < SHRINK_ROUNDS && !late(); round++) {
    const drafts = smallerCalls(readCall(best.call), runtime).slice(0, SHRINK_BATCH);
    const calls = await fresh.sifted(drafts);
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
